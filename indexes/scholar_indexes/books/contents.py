"""Telling the entries of a table of contents from the headings they list.

A table says the same headings as the body does, close together and first; or it is
headed as a table and lists lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.books.headings import Rank, is_contents
from scholar_indexes.books.outline import GAP, LIST, Block, Place, is_prose

_ENTRIES = 2000  # marks of one table looked at
_ALIKE = 100  # headings in a row that are enough to see that two stretches say the same


def without_contents(
    found: Sequence[Place], blocks: Sequence[Block]
) -> tuple[list[Place], list[tuple[int, int]]]:
    """The marks that are not entries of a table of contents, and where the tables stand.

    Tables are (first block, first block after) pairs.
    """
    kept: list[Place] = []
    tables: list[tuple[int, int]] = []
    at = 0
    while at < len(found):
        run = at
        while run < len(found) and run - at < _ENTRIES and found[run].gap < GAP:
            run += 1
        after = _after_table(found, at, run, blocks) if run - at >= LIST - 1 else at
        if after > at:
            stop = found[after].block if after < len(found) else found[after - 1].block + 1
            tables.append((found[at].block, stop))
            at = after
        else:
            kept.extend(found[at : max(run, at + 1)])
            at = max(run, at + 1)
    return kept, tables


def _after_table(found: Sequence[Place], at: int, run: int, blocks: Sequence[Block]) -> int:
    """The index of the first mark after a table that opens at a run of close marks.

    Equal to at where the run is no table: nothing in it is said again, and no heading
    calls it one.
    """
    last = min(run + 2, len(found))
    for opening in range(at, min(at + 4, run)):
        key = found[opening].mark.key
        again = [n for n in range(opening + 2, last) if found[n].mark.key == key]
        if again:
            return _before_body(found, at, _same_order(found, opening, again))
    first = found[at].block
    near = [*range(max(0, first - 3), first), *(p.block for p in found[at:run])]
    if not any(is_contents(blocks[n].first) for n in near):
        return at
    until = found[run].block + 1 if run < len(found) else len(blocks)
    while until < min(len(blocks), first + _ENTRIES) and not is_prose(blocks[until]):
        until += 1
    lists = [n for n in range(first, until) if blocks[n].lines >= LIST]
    end = lists[-1] if lists else first
    stop = min(run + _ALIKE, len(found))
    after = next((n for n in range(at, stop) if found[n].block > end), stop)
    return after if lists else (run if run - at >= LIST else at)


def _before_body(found: Sequence[Place], at: int, after: int) -> int:
    """The end of a table, without the preface and the outer headings that open the body."""
    while after > at + LIST - 1:
        last = found[after - 1]
        outer = (
            last.mark.rank < min(Rank.CHAPTER, found[after].mark.rank)
            and found[after].block - last.block <= LIST
        )
        preface = last.mark.word == "preface" and last.gap >= GAP
        if not outer and not preface:
            break
        after -= 1
    return after


def _same_order(found: Sequence[Place], opening: int, again: Sequence[int]) -> int:
    """Of the places where a table's first heading comes again, the one the body opens at.

    A table of several volumes says "Chapter I" for each, so the body is where the
    headings go on in the table's own order for longest.
    """

    def agreement(n: int) -> int:
        same = 0
        while (
            same < _ALIKE
            and opening + same < n
            and n + same < len(found)
            and found[opening + same].mark.key == found[n + same].mark.key
        ):
            same += 1
        return same

    return max(again[-_ALIKE:], key=lambda n: (agreement(n), n))
