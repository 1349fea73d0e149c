"""Adding books: from the bytes of a source to the listed, indexed book; and repairing them."""
