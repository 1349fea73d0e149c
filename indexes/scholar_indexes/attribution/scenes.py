"""The scenes of a book, divided by headings and breaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from scholar_indexes.books.segmentation import headings
from scholar_indexes.stopping import checked
from scholar_indexes.types import Span

LONGEST_HEADING = 90
"""The maximum length of a heading, in characters."""

_BLANKED = re.compile(r"[^\S\n]{3,}\n")


def find_headings(text: str, paragraphs: Sequence[Span]) -> list[bool]:
    """Return True for each paragraph that only separates scenes or chapters."""
    return [_is_heading(paragraph.of(text)) for paragraph in checked(paragraphs)]


def find_openings(text: str, paragraphs: Sequence[Span]) -> list[bool]:
    """Return True for each paragraph that begins a scene: a heading, or the first one after text
    that was blanked, as `pipeline.divide_book` blanks the headings of chapters."""
    ends = [0, *(paragraph.end for paragraph in paragraphs)]
    return [
        is_heading or _BLANKED.search(text, end, paragraph.start) is not None
        for is_heading, end, paragraph in zip(
            find_headings(text, paragraphs), ends, paragraphs, strict=False
        )
    ]


def number_scenes(text: str, paragraphs: Sequence[Span]) -> list[int]:
    """Return the number of the scene of each paragraph, ascending."""
    return list(accumulate(find_openings(text, paragraphs)))


def _is_heading(paragraph: str) -> bool:
    plain = paragraph.strip()
    return len(plain) < LONGEST_HEADING and (
        not any(map(str.isalnum, plain))
        or headings.parse_heading(plain) is not None
        or (plain.isupper() and plain[-1:] not in "!?\"”’'")
    )
