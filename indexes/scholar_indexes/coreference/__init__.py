"""Coreference: names, their variants and the characters they belong to."""
