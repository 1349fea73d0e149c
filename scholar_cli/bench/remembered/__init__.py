"""Remembered words of a library's own books, and how often `scholar find` has them first."""
