"""Reading stored books: their parts, chapters, quotations, and searches of their text."""
