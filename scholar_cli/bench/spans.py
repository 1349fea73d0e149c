"""How well quotations are found: pieces and whole quotations against an annotation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes.types import Quotation, Span

OVERLAP = 0.5
"""The least Jaccard overlap at which a piece counts as found."""

_EDGES = " \t\r\n_-—–"
"""What may be inside a piece or outside without a difference."""


@dataclass(frozen=True, slots=True)
class Count:
    """right of found, and hit of true: the two differ where two found share a true one."""

    right: int = 0
    found: int = 0
    hit: int = 0
    true: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.right + other.right, self.found + other.found,
            self.hit + other.hit, self.true + other.true,
        )  # fmt: skip

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.hit / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 where both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def compare(found: Sequence[Quotation], novel: Novel) -> Mapping[str, Count]:
    """Counts by unit: "piece" and "quotation" exact, "piece_overlap" with Jaccard >= OVERLAP.

    Pieces are compared without outer white space, italics and dashes; a quotation is right
    when all of its pieces are and it has no other.
    """
    ours = [_pieces(each, novel.text) for each in found]
    theirs = [_pieces(each, novel.text) for each in novel.quotations]
    our_pieces = sorted({each for pieces in ours for each in pieces})
    their_pieces = sorted({each for pieces in theirs for each in pieces})
    return {
        "piece": _exact(our_pieces, their_pieces),
        "piece_overlap": Count(
            _overlapping(our_pieces, their_pieces), len(our_pieces),
            _overlapping(their_pieces, our_pieces), len(their_pieces),
        ),
        "quotation": _exact(ours, theirs),
    }  # fmt: skip


def measures(counts: Mapping[str, Count]) -> dict[str, float]:
    """piece_precision, piece_recall, piece_f1, and so on for each unit."""
    return {
        f"{unit}_{name}": value
        for unit, count in counts.items()
        for name, value in (
            ("precision", count.precision), ("recall", count.recall), ("f1", count.f1)
        )
    }  # fmt: skip


def total(several: Iterable[Mapping[str, Count]]) -> dict[str, Count]:
    """The counts of several novels together, for figures over all instances."""
    summed: dict[str, Count] = {}
    for counts in several:
        for unit, count in counts.items():
            summed[unit] = summed.get(unit, Count()) + count
    return summed


def _pieces(quotation: Quotation, text: str) -> tuple[Span, ...]:
    """The pieces without their edges; those that hold nothing else are left as they are."""
    return tuple(_inner(each, text) for each in quotation.pieces)


def _inner(piece: Span, text: str) -> Span:
    start, end = piece.start, piece.end
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    while start < end and text[start] in _EDGES:
        start += 1
    return Span(start, end) if start < end else piece


def _exact(found: Iterable[Hashable], true: Iterable[Hashable]) -> Count:
    ours, theirs = set(found), set(true)
    right = len(ours & theirs)
    return Count(right, len(ours), right, len(theirs))


def _overlapping(some: Sequence[Span], others: Sequence[Span]) -> int:
    """How many spans have one in others, sorted and disjoint, that shares enough with them."""
    starts = [each.start for each in others]
    count = 0
    for span in some:
        place = max(bisect_right(starts, span.start) - 1, 0)
        while place < len(others) and others[place].start < span.end:
            other = others[place]
            shared = min(span.end, other.end) - max(span.start, other.start)
            if shared > 0 and shared >= OVERLAP * (
                max(span.end, other.end) - min(span.start, other.start)
            ):
                count += 1
                break
            place += 1
    return count
