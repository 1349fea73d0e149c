"""Quotation attribution from the raw text, on chapters of novels that were annotated by reading."""
