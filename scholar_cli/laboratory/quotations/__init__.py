"""Quotations cut from books and damaged in ten ways, and how many `scholar locate` finds again."""
