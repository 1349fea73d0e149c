"""Books, from the bytes of a source to chapters, passages and citations."""
