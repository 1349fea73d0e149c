"""Identify characters of whole novels by descriptions as people type them."""
