"""Quoted pieces of a paragraph: the cheapest interpretation of all its marks together.

The interpretation of least total cost is found by the Viterbi algorithm (Viterbi 1967);
quotations that are not closed, or that are nested, have additional costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from scholar_indexes.attribution.quotes.marks import QuotationMark
from scholar_indexes.attribution.quotes.paragraphs import strip_span
from scholar_indexes.types import Span

REOPENED = 3.5
"""The cost of opening a quotation before the previous one is closed."""

NESTED = 3.0
"""The cost of a quotation inside another one with the same marks."""

UNCLOSED = 3.5
UNCLOSED_NEXT = 1.5
"""The costs of ending a paragraph inside a quotation, if the next one does not begin with a mark,
and if it does."""


class Piece(NamedTuple):
    """A quoted span, and the offset of its opening mark.

    `begins` is True if it begins its paragraph, `unclosed` if it runs to the paragraph's end.
    """

    span: Span
    opened: int
    begins: bool
    unclosed: bool


_Turns: TypeAlias = "tuple[_Turns, bool, int] | None"
"""The turns of a path, newest first: the earlier turns, whether this one opens, and its mark."""

_Path: TypeAlias = tuple[float, _Turns]


def begins_with_opening(marks: Sequence[QuotationMark]) -> bool:
    """Return True if a paragraph with these marks begins with an opening mark."""
    if not marks:
        return False
    return marks[0].begins and marks[0].costs.opens <= marks[0].costs.outside


def find_pieces(
    text: str, paragraph: Span, marks: Sequence[QuotationMark], continues: bool
) -> Iterator[Piece]:
    """Yield the quoted pieces of a paragraph without their marks and outer white space.

    `continues` is True if the next paragraph begins with an opening mark.
    """
    turns = _find_turns(marks, UNCLOSED_NEXT if continues else UNCLOSED)
    for index, (opens, number) in enumerate(turns):
        if opens:
            mark = marks[number]
            is_last = index + 1 == len(turns)
            end = paragraph.end if is_last else marks[turns[index + 1][1]].start
            for span in strip_span(text, mark.end, end):
                yield Piece(span, mark.start, mark.begins, is_last)


def _find_turns(marks: Sequence[QuotationMark], unclosed: float) -> list[tuple[bool, int]]:
    """Return the opening and closing marks of the cheapest path: (opens, mark) in text order.

    Two openings in a row mean that the first was never closed. At equal cost the path
    with fewer quotations is preferred.
    """
    outside: _Path = (0.0, None)
    inside: _Path = (float("inf"), None)
    nested: _Path = (float("inf"), None)
    for number, mark in enumerate(marks):
        costs = mark.costs
        to_outside = (
            (outside[0] + costs.outside, outside[1]),
            (inside[0] + costs.closes, (inside[1], False, number)),
        )
        to_inside = (
            (inside[0] + costs.inside, inside[1]),
            (nested[0] + costs.closes, nested[1]),
            (outside[0] + costs.opens, (outside[1], True, number)),
            (inside[0] + costs.opens + REOPENED, (inside[1], True, number)),
        )
        to_nested = (
            (nested[0] + costs.inside, nested[1]),
            (inside[0] + costs.opens + NESTED, inside[1]),
        )
        outside = min(to_outside, key=_cost)
        inside = min(to_inside, key=_cost)
        nested = min(to_nested, key=_cost)
    ends = (
        outside,
        (inside[0] + unclosed, inside[1]),
        (nested[0] + unclosed + NESTED, nested[1]),
    )
    turn = min(ends, key=_cost)[1]
    turns = []
    while turn is not None:
        turns.append(turn[1:])
        turn = turn[0]
    return turns[::-1]


def _cost(path: _Path) -> float:
    return path[0]
