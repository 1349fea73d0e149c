"""Separate the entries of a table of contents from the headings they list.

A table repeats the headings of the body, close together and before it; or it has its own
heading ("Contents") and consists of lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.books.segmentation.heading_candidates import (
    GAP,
    LIST,
    HeadingCandidate,
    TextBlock,
    is_prose,
)
from scholar_indexes.books.segmentation.headings import HeadingRank, is_contents

_MAX_ENTRIES = 2000  # marks of one table that are examined
_MAX_COMPARED = 100  # consecutive headings that are enough to compare two stretches
_OPENING_ENTRIES = 4  # entries of a table among which a repeated one is searched for


def strip_contents(
    candidates: Sequence[HeadingCandidate], blocks: Sequence[TextBlock]
) -> tuple[list[HeadingCandidate], list[tuple[int, int]]]:
    """Return the candidates that are not entries of a table of contents, and the tables.

    Tables are (first block, first block after) pairs.
    """
    headings: list[HeadingCandidate] = []
    tables: list[tuple[int, int]] = []
    start = 0
    while start < len(candidates):
        end = start
        while end < len(candidates) and end - start < _MAX_ENTRIES and candidates[end].gap < GAP:
            end += 1
        after = (
            _find_table_end(candidates, start, end, blocks) if end - start >= LIST - 1 else start
        )
        if after > start:
            stop = (
                candidates[after].block
                if after < len(candidates)
                else candidates[after - 1].block + 1
            )
            tables.append((candidates[start].block, stop))
            start = after
        else:
            stop = max(end, start + 1)
            headings.extend(candidates[start:stop])
            start = stop
    return headings, tables


def _find_table_end(
    candidates: Sequence[HeadingCandidate], start: int, end: int, blocks: Sequence[TextBlock]
) -> int:
    """Return the index of the first candidate after the table that opens a run of close ones.

    The run is candidates[start:end]. Return start if it is not a table: none of its headings
    is repeated, and no heading announces a table.
    """
    last = min(end + 2, len(candidates))
    for opening in range(start, min(start + _OPENING_ENTRIES, end)):
        key = candidates[opening].mark.key
        repeats = [n for n in range(opening + 2, last) if candidates[n].mark.key == key]
        if repeats:
            body = _find_body(candidates, opening, repeats)
            return _exclude_body_opening(candidates, start, body)
    first = candidates[start].block
    near = [*range(max(0, first - 3), first), *(c.block for c in candidates[start:end])]
    if not any(is_contents(blocks[n].first) for n in near):
        return start
    return _find_announced_end(candidates, start, end, blocks)


def _find_announced_end(
    candidates: Sequence[HeadingCandidate], start: int, end: int, blocks: Sequence[TextBlock]
) -> int:
    """Return the index of the first candidate after a table with its own heading.

    The table ends with the last block of at least LIST lines before any prose.
    """
    first = candidates[start].block
    until = candidates[end].block + 1 if end < len(candidates) else len(blocks)
    while until < min(len(blocks), first + _MAX_ENTRIES) and not is_prose(blocks[until]):
        until += 1
    lists = [n for n in range(first, until) if blocks[n].lines >= LIST]
    if not lists:
        return end if end - start >= LIST else start
    stop = min(end + _MAX_COMPARED, len(candidates))
    return next((n for n in range(start, stop) if candidates[n].block > lists[-1]), stop)


def _exclude_body_opening(candidates: Sequence[HeadingCandidate], start: int, after: int) -> int:
    """Return the end of a table, moved before the preface and outer headings of the body."""
    while after > start + LIST - 1:
        last = candidates[after - 1]
        is_outer_heading = (
            last.mark.rank < min(HeadingRank.CHAPTER, candidates[after].mark.rank)
            and candidates[after].block - last.block <= LIST
        )
        is_preface = last.mark.word == "preface" and last.gap >= GAP
        if not is_outer_heading and not is_preface:
            break
        after -= 1
    return after


def _find_body(candidates: Sequence[HeadingCandidate], opening: int, repeats: Sequence[int]) -> int:
    """Return the repeat of a table's first heading at which the body begins.

    A table of several volumes has "Chapter I" for each, so the body is where the
    headings follow the order of the table for longest.
    """

    def agreement(index: int) -> int:
        length = 0
        while (
            length < min(_MAX_COMPARED, index - opening, len(candidates) - index)
            and candidates[opening + length].mark.key == candidates[index + length].mark.key
        ):
            length += 1
        return length

    return max(repeats[-_MAX_COMPARED:], key=lambda index: (agreement(index), index))
