"""Quotations from books in other texts: their sources, and the changes in them."""
