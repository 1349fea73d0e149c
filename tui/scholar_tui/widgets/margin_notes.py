"""The kept passages in the margin of a page: their signs, and the notes on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scholar_indexes.types import Span

KEPT, HAS_NOTE = "▎", "✎"
"""The signs in the margin: for a kept line, and for a kept line where a note begins."""

TWO_SIGNS = 3
"""The width of a margin with room for the letter of a colour and the sign of a note."""


@dataclass(frozen=True, slots=True)
class MarginNote:
    """A kept span, which has a mark in the margin, with its note and its colour, if any."""

    span: Span
    note: str = ""
    colour: str = ""

    def signs(self, first: int, last: int, margin: int) -> Iterator[tuple[int, str]]:
        """Yield the lines of a passage with their signs, in a margin of a width: the note is marked
        on its first line, and the letter of the colour there or, without room, on the next."""
        letter = self.colour[:1]
        if self.note and margin >= TWO_SIGNS:
            begin = [letter + HAS_NOTE]
        else:
            begin = list(filter(None, (HAS_NOTE if self.note else "", letter)))
        for line in range(first, last + 1):
            yield line, begin[line - first] if line - first < len(begin) else KEPT
