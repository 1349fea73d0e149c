"""Annotations of other programs: their files, and the passages that they are on."""
