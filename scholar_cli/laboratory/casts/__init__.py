"""Main characters of whole novels, detected from the raw text, compared with annotated lists."""
