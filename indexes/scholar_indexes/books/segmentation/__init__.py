"""Segmentation of the text of a book into chapters, paragraphs and sentences."""
