"""Readers of book formats; `sources.FORMATS` is the table of them."""
