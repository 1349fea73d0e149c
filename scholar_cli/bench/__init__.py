"""Measuring what scholar promises; nothing of the product imports this."""
