"""Read the formats of books: plain text, HTML and EPUB."""
