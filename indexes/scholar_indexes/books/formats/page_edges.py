"""Remove running heads and page numbers from a text with a form feed between pages, as pdftotext
writes it, and join the paragraphs that continue on the next page.

A line at an edge of a page is removed if it is a number that grows with the pages, or if one of the
two pages before or after has the same line at an edge. The first line that names a chapter is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from scholar_indexes.books.segmentation.headings import parse_heading
from scholar_indexes.books.segmentation.numerals import parse_roman

LEAST_PAGES = 3
"""The minimum number of pages with the same line, or with numbers that grow with the pages."""

MOST_PAGES = 20_000
"""The maximum number of pages of a book."""

_EDGE = 2
"""The maximum number of lines at an edge that are no part of the text."""

_LONGEST = 80
"""The maximum length of such a line in characters."""

_TOTAL = re.compile(r"(?<=\d)\s?(?:of|/)\s?\d{1,4}\W*\Z")
"""The number of all pages: "Page 12 of 300"."""

_AROUND = "-–—|[](){}<>·•*.,:;"
_CLOSING = "\"'”’)]_*"

Page = Sequence[str]
Offset = tuple[bool, int]
"""True for a Roman numeral, and the number of a page without its index in the file."""


def without_edges(text: str) -> str:
    """Return a text without what is printed at the edges of its pages; a text of fewer or more
    pages, or without such lines, is returned unchanged."""
    if not LEAST_PAGES <= text.count("\f") + 1 <= MOST_PAGES:
        return text
    pages = [_trimmed([line.rstrip() for line in page.split("\n")]) for page in text.split("\f")]
    edges = _Edges(pages)
    kept = [_without_edges(page, at, edges) for at, page in enumerate(pages)]
    return "\n".join(_joined([page for page in kept if page])) if kept != pages else text


def _trimmed(page: Page) -> Page:
    """Return the lines of a page without empty ones at its ends."""
    filled = [at for at, line in enumerate(page) if line.strip()]
    return page[filled[0] : filled[-1] + 1] if filled else []


def _without_edges(page: Page, at: int, edges: _Edges) -> Page:
    for _ in range(_EDGE):
        if page and edges.has(page[0], at):
            page = _trimmed(page[1:])
        if page and edges.has(page[-1], at):
            page = _trimmed(page[:-1])
    return page


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of a line in lower case, those without a number at one end, and its offset."""

    words: Sequence[str]
    others: Sequence[str]
    offset: Offset | None

    @classmethod
    def read(cls, line: str, at: int) -> _Line:
        """Return a line at an edge of the page with an index."""
        stripped = (word.strip(_AROUND) for word in _TOTAL.sub("", line).split())
        words = [word for word in stripped if word]
        for word, others in ((words[:1], words[1:]), (words[-1:], words[:-1])):
            if word and word[0].isdecimal() and len(word[0]) <= 4:
                return cls(words, others, (False, int(word[0]) - at))
        value = parse_roman(words[0]) if len(words) == 1 and words[0].islower() else None
        return cls(words, (), (True, value - at)) if value else cls(words, words, None)

    def key(self, offsets: Set[Offset]) -> str:
        """Return the line without the number of its page, "" if it has nothing else."""
        return " ".join(self.others if self.offset in offsets else self.words).casefold()


class _Edges:
    """The lines at the edges of the pages of a text."""

    def __init__(self, pages: Sequence[Page]) -> None:
        lines = [[_Line.read(line, at) for line in _edge(page)] for at, page in enumerate(pages)]
        self._offsets = _frequent_offsets(lines)
        self._keys = [{line.key(self._offsets) for line in page} for page in lines]
        self._counts = Counter(key for keys in self._keys for key in keys)
        self._first: dict[str, int] = {}

    def has(self, line: str, at: int) -> bool:
        """Return True for a line that is printed at the edges of the page with an index."""
        key = _Line.read(line, at).key(self._offsets)
        if not key or len(line) > _LONGEST:
            return not key
        near = [*self._keys[max(0, at - 2) : at], *self._keys[at + 1 : at + 3]]
        if self._counts[key] < LEAST_PAGES or not any(key in keys for keys in near):
            return False
        return self._first.setdefault(key, at) != at or not parse_heading(line.strip())


def _frequent_offsets(pages: Iterable[Sequence[_Line]]) -> set[Offset]:
    """Return the offsets that lines of enough pages have."""
    by_page = ({line.offset for line in page} for page in pages)
    counts = Counter(offset for offsets in by_page for offset in offsets if offset is not None)
    return {offset for offset, count in counts.items() if count >= LEAST_PAGES}


def _edge(page: Page) -> list[str]:
    """Return the lines at the edges of a page."""
    filled = [line for line in page if line.strip()]
    return [line for line in (*filled[:_EDGE], *filled[-_EDGE:]) if len(line) <= _LONGEST]


def _joined(pages: Sequence[Page]) -> Iterator[str]:
    """Yield the lines of all pages, with an empty one after each paragraph."""
    width = median([len(line.strip()) for page in pages for line in page if line.strip()] or [0])
    length = median([len(page) for page in pages] or [0])
    for page, after in pairwise([*pages, [""]]):
        is_short = len(page) < 0.7 * length
        for at, (line, following) in enumerate(pairwise([*page, after[0]]), 1):
            yield line
            if _ends_paragraph(line, following, width, is_last=is_short and at == len(page)):
                yield ""


def _ends_paragraph(line: str, after: str, width: float, *, is_last: bool) -> bool:
    """Return True if a line ends a paragraph, given the line after it: it is short and ends a
    sentence, or is the last of a chapter, or one of them names a chapter."""
    if not line.strip() or line.endswith(("-", "¬")) or after.strip()[:1].islower():
        return False
    short = [part.strip() for part in (line, after) if len(part.strip()) < 0.8 * width]
    is_ended = line.strip() in short and line.rstrip(_CLOSING)[-1:] in ".!?:"
    return is_last or is_ended or any(map(parse_heading, short))
