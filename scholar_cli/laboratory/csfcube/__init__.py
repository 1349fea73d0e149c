"""Faceted query by example: CSFCube (Mysore et al. 2021)."""
