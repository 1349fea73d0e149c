"""Rank the characters that a description may mean."""
