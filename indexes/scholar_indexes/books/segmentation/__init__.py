"""From the text of a book to chapters, paragraphs and sentences."""
