"""Faceted paper search on contrast sets: similar in one facet against similar in another."""
