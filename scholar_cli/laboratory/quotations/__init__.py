"""Quotations cut from books and damaged in ten ways, and the share that `scholar` finds again."""
