"""Paragraphs of a text, and spans without outer white space."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.types import Span

_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def split_paragraphs(text: str, within: Span) -> Iterator[Span]:
    """Yield the blocks between blank lines, without outer white space."""
    for match in _BLOCK.finditer(text, within.start, within.end):
        yield from strip_span(text, match.start(), match.end())


def strip_span(text: str, start: int, end: int) -> list[Span]:
    """Return the range without outer white space, or nothing if it is empty."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if start < end else []
