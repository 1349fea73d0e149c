"""Identification of characters in whole novels by user-typed descriptions."""
