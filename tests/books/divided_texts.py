"""Texts of books with headings, and what every division of a text fulfils."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from scholar_indexes.types import Chapter, ChapterKind

PROSE = (
    "It was a bright cold day in April, and the clocks were striking thirteen, for nobody had "
    "wound them since the old man died and left the house to a nephew whom no one had seen."
)
LONG = "\n\n".join([PROSE + " " + PROSE] * 6)
VERSE = "\n\n".join(["Roses are red,\nViolets are blue,\nSugar is sweet,\nAnd so are you."] * 40)


def book(*headings: str, text: str = LONG) -> str:
    """Return a book of these headings with prose under each; one that ends with | has none."""
    parts = [h[:-1] if h.endswith("|") else f"{h}\n\n{text}" for h in headings]
    return "\n\n".join(parts)


def titles(chapters: Iterable[Chapter], *kinds: ChapterKind) -> list[str]:
    return [c.title for c in chapters if c.kind in (kinds or (ChapterKind.CHAPTER,))]


def assert_tiles(text: str, chapters: tuple[Chapter, ...]) -> None:
    assert chapters[0].number == 0
    assert chapters[0].kind is ChapterKind.FRONT
    assert [c.number for c in chapters] == list(range(len(chapters)))
    assert chapters[0].span.start == 0
    assert chapters[-1].span.end == len(text)
    assert all(a.span.end == b.span.start for a, b in pairwise(chapters))
    for c in chapters:
        assert c.span.start <= c.body.start <= c.body.end <= c.span.end
