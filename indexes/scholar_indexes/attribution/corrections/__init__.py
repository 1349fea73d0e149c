"""The user's corrections to the characters and speakers that were detected in a book."""
