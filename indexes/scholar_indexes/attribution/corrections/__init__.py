"""Corrections of a person to the characters and speakers that were detected in a book."""
