"""Coreference in fiction, measured on books in LitBank's format."""
