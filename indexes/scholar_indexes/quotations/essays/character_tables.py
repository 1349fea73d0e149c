"""Tables of characters and commands, written as rows of words."""

from __future__ import annotations


def pairs(rows: str) -> dict[str, str]:
    """Return the second word of each pair by the first; words are separated by white space."""
    words = rows.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def by_arguments(*rows: str) -> dict[str, int]:
    """Return how many arguments each command of some rows has: none in the first row, one in the
    second, and so on."""
    return {command: count for count, row in enumerate(rows) for command in row.split()}
