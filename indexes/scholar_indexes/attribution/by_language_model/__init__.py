"""Quotation attribution by a language model."""
