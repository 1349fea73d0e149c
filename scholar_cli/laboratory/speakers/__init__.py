"""Quotation attribution from the raw text, on manually annotated chapters of novels."""
