"""An annotation as a file has it, before its passage is found in a book."""

from __future__ import annotations

from dataclasses import dataclass

from scholar_indexes.sanitize import one_line

LONGEST_OPENING = 60
"""The most characters of a passage in a message."""


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A passage with a note in a file, whose text is untrusted.

    `label` names it in messages ("annotation 3"); `quote` are its words, and `before` and `after`
    those around it; `locator`, `book_id` and `start` (a position in the text) are its place, as far
    as the file states it; `title` is the title of its book.
    """

    label: str
    quote: str
    note: str = ""
    claim: str = ""
    colour: str = ""
    before: str = ""
    after: str = ""
    locator: str = ""
    book_id: str = ""
    start: int | None = None
    title: str = ""

    def __str__(self) -> str:
        quote = one_line(self.quote, LONGEST_OPENING)
        more = "…" if len(one_line(self.quote)) > len(quote) else ""
        book = f" ({one_line(self.title, LONGEST_OPENING)})" if self.title else ""
        return f"{self.label}{book}: “{quote}{more}”" if quote else f"{self.label}{book}"
