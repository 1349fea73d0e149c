"""Readers of book formats: plain text, HTML and EPUB."""
