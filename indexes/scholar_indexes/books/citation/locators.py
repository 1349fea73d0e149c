"""Locators, the written form of a position in a book.

    pg64317:3.12:105-188     book, chapter.paragraph, characters in the paragraph
    pg64317:3.12             a paragraph
    pg64317:3                a chapter
    pg64317                  a book

Chapters are counted in reading order over the whole book, including prefaces and letters, with
the front matter as 0: this is the number of a section, not the printed number
(chapter_numbers). Paragraphs are counted from 1 within their chapter, characters from the start
of the paragraph; they may run past its end, into the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scholar_indexes.errors import UsageError
from scholar_indexes.types import Span

_FORM = re.compile(
    r"(?P<book>[A-Za-z0-9][A-Za-z0-9_-]*)"
    r"(?::(?P<chapter>\d{1,6})(?:\.(?P<paragraph>\d{1,7})(?::(?P<start>\d{1,9})-(?P<end>\d{1,9}))?)?)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Locator:
    """A parsed locator; parts that are not given are None."""

    book_id: str
    chapter: int | None = None
    paragraph: int | None = None
    span: Span | None = None

    def __str__(self) -> str:
        written = self.book_id
        if self.chapter is not None:
            written += f":{self.chapter}"
        if self.paragraph is not None:
            written += f".{self.paragraph}"
        if self.span is not None:
            written += f":{self.span.start}-{self.span.end}"
        return written


def parse(written: str) -> Locator:
    """Parse a locator; raises UsageError, showing the form, if it is invalid."""
    match = _FORM.fullmatch(written.strip())
    if not match:
        raise UsageError(
            f"{written.strip()[:80]!r} is not a locator; "
            "it looks like pg64317:3.12:105-188 (book:chapter.paragraph:characters)"
        )
    chapter, paragraph, start, end = (
        None if part is None else int(part)
        for part in match.group("chapter", "paragraph", "start", "end")
    )
    span = None if start is None or end is None else Span(start, end)
    if span is not None and span.start >= span.end:
        raise UsageError(
            f"{written.strip()[:80]!r} ends before it begins; put the smaller number first"
        )
    return Locator(match["book"], chapter, paragraph, span)
