"""Detection of verse, which is excluded from speaker attribution."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.attribution.quotes.paragraphs import split_paragraphs
from scholar_indexes.types import Span
from scholar_indexes.verse import CAPITALISED, is_verse_line

LINES = 8
"""The minimum number of lines that continue a stanza."""

STANZAS = 0.4
"""The minimum share of such lines: a novel has one line per paragraph, or lines of prose."""


def is_verse(text: str, bodies: Sequence[Span]) -> bool:
    """Return True if enough lines of a text are lines of verse. Takes time linear in the text."""
    count = going_on = capitalised = 0
    for body in bodies or (Span(0, len(text)),):
        for paragraph in split_paragraphs(text, body):
            lines = paragraph.of(text).splitlines()
            count += len(lines)
            going_on += len(lines) - 1
            capitalised += sum(map(is_verse_line, lines[1:]))
    return going_on >= max(LINES, STANZAS * count) and capitalised >= CAPITALISED * going_on
