"""Main characters of whole novels, as detected from the raw text, against annotated lists."""
