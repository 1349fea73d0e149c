"""Everything about books, passages and their indexes that is true without a terminal."""
