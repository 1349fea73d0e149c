"""Quotations of books in other texts: where they stand, and what was changed in them."""
