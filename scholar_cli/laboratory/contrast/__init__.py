"""Faceted paper search on contrast sets: alike in one facet against alike in another."""
