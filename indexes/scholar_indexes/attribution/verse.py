"""Verse, in which speakers are not looked for."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.attribution.quotes.paragraphs import split_paragraphs
from scholar_indexes.types import Span
from scholar_indexes.verse import CAPITALISED, is_verse_line

LINES = 8
"""Lines, at least, that go on with a stanza."""

STANZAS = 0.4
"""Their share of all lines: a novel has a line to a paragraph, or lines of prose."""


def is_verse(text: str, bodies: Sequence[Span]) -> bool:
    """Return True if most lines of a text are lines of verse. Takes time linear in the text."""
    count = going_on = capitalised = 0
    for body in bodies or (Span(0, len(text)),):
        for paragraph in split_paragraphs(text, body):
            lines = paragraph.of(text).splitlines()
            count += len(lines)
            going_on += len(lines) - 1
            capitalised += sum(map(is_verse_line, lines[1:]))
    return going_on >= max(LINES, STANZAS * count) and capitalised >= CAPITALISED * going_on
