"""Division of chapters into overlapping chunks that fit a language model's context."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scholar_indexes.types import Quotation, Span

CHUNK_TOKENS = 4_096
OVERLAP_TOKENS = 1_024

_PARAGRAPH_CHARS = 2_000
"""Longer paragraphs are cut into parts."""

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a chapter, and the indexes of the quotations that begin in it, in order.

    The quotation of index quotations[n] has the number n + 1 in the prompt.
    """

    span: Span
    quotations: tuple[int, ...]


def divide(
    text: str,
    chapters: Sequence[Span],
    quotations: Sequence[Quotation],
    count_tokens: Callable[[str], int],
    *,
    chunk_tokens: int = CHUNK_TOKENS,
    overlap_tokens: int = OVERLAP_TOKENS,
) -> list[Chunk]:
    """Return the chunks of the chapters that contain a quotation, in order.

    A chapter of at most chunk_tokens is one chunk. In a longer one each chunk but the
    first repeats at most overlap_tokens of the previous one; it is cut between paragraphs,
    or at a space if a paragraph is very long. Tokens are counted paragraph by paragraph.
    """
    order = sorted(range(len(quotations)), key=lambda index: quotations[index].pieces[0].start)
    starts = [quotations[index].pieces[0].start for index in order]
    chunks = []
    for chapter in chapters:
        for span in _chunk_spans(text, chapter, count_tokens, chunk_tokens, overlap_tokens):
            inside = order[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            if inside:
                chunks.append(Chunk(span, tuple(inside)))
    return chunks


def _chunk_spans(
    text: str, chapter: Span, count_tokens: Callable[[str], int], limit: int, overlap: int
) -> list[Span]:
    """Return the spans of a chapter's chunks, each of whole parts."""
    parts = _split_paragraphs(text, chapter)
    sizes = [count_tokens(part.of(text)) for part in parts]
    spans = []
    first = 0
    while first < len(parts):
        end = _end_of_chunk(sizes, first, limit)
        spans.append(Span(parts[first].start, parts[end - 1].end))
        if end == len(parts):
            break
        first = _start_of_overlap(sizes, first, end, overlap)
    return spans


def _end_of_chunk(sizes: Sequence[int], first: int, limit: int) -> int:
    """Return the end of the chunk that starts at part `first`: one part, and more if they fit."""
    end, total = first + 1, sizes[first]
    while end < len(sizes) and total + sizes[end] <= limit:
        total += sizes[end]
        end += 1
    return end


def _start_of_overlap(sizes: Sequence[int], first: int, end: int, overlap: int) -> int:
    """Return the first part of the next chunk, which repeats at most `overlap` tokens."""
    start, total = end, 0
    while start - 1 > first and total + sizes[start - 1] <= overlap:
        start -= 1
        total += sizes[start]
    return start


def _split_paragraphs(text: str, chapter: Span) -> list[Span]:
    """Return the paragraphs of a chapter, long ones in parts; together they cover all of it."""
    parts = []
    start = chapter.start
    ends = [match.end() for match in _BLANK_LINES.finditer(text, chapter.start, chapter.end)]
    for end in [*ends, chapter.end]:
        while end - start > _PARAGRAPH_CHARS:
            space = max(text.rfind(blank, start + 1, start + _PARAGRAPH_CHARS) for blank in " \n")
            cut = space if space > 0 else start + _PARAGRAPH_CHARS
            parts.append(Span(start, cut))
            start = cut
        if end > start:
            parts.append(Span(start, end))
        start = max(start, end)
    return parts
