"""Matching of detected quotations with an annotation, and counts of the right ones."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.types import Quotation, Span

OVERLAP = 0.5
"""The minimum Jaccard overlap at which a piece counts as found."""

SHARE = 0.5
"""The minimum share of an annotated quotation's text that a detected one must contain."""

_EDGES = " \t\r\n_-—–"
"""Characters at the ends of a piece that are ignored."""


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """Counts of spans: right among the detected ones, and hit among the true ones.

    right and hit differ if two detected spans share a true one.
    """

    right: int = 0
    detected: int = 0
    hit: int = 0
    true: int = 0

    def __add__(self, other: SpanCounts) -> SpanCounts:
        return SpanCounts(
            self.right + other.right,
            self.detected + other.detected,
            self.hit + other.hit,
            self.true + other.true,
        )

    @property
    def precision(self) -> float:
        return self.right / self.detected if self.detected else 0.0

    @property
    def recall(self) -> float:
        return self.hit / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def compare(detected: Sequence[Quotation], novel: AnnotatedNovel) -> Mapping[str, SpanCounts]:
    """Return counts by unit: "piece" and "quotation" exact, "piece_overlap" by Jaccard overlap.

    Pieces are compared without outer white space, italics and dashes; a quotation is right if it
    has exactly the annotated pieces.
    """
    ours = [_pieces(quotation, novel.text) for quotation in detected]
    theirs = [_pieces(quotation, novel.text) for quotation in novel.quotations]
    our_pieces = sorted({piece for pieces in ours for piece in pieces})
    their_pieces = sorted({piece for pieces in theirs for piece in pieces})
    return {
        "piece": _exact(our_pieces, their_pieces),
        "piece_overlap": SpanCounts(
            _count_overlapping(our_pieces, their_pieces),
            len(our_pieces),
            _count_overlapping(their_pieces, our_pieces),
            len(their_pieces),
        ),
        "quotation": _exact(ours, theirs),
    }


def add_up(novels: Iterable[Mapping[str, SpanCounts]]) -> dict[str, SpanCounts]:
    """Return the summed counts of several novels, for micro-averaged figures."""
    total: dict[str, SpanCounts] = {}
    for counts in novels:
        for unit, count in counts.items():
            total[unit] = total.get(unit, SpanCounts()) + count
    return total


def _pieces(quotation: Quotation, text: str) -> tuple[Span, ...]:
    """Return the pieces without their edges; a piece of nothing but edges is kept as it is."""
    return tuple(_inner(piece, text) for piece in quotation.pieces)


def _inner(piece: Span, text: str) -> Span:
    start, end = piece.start, piece.end
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    while start < end and text[start] in _EDGES:
        start += 1
    return Span(start, end) if start < end else piece


def _exact(detected: Iterable[Hashable], true: Iterable[Hashable]) -> SpanCounts:
    ours, theirs = set(detected), set(true)
    right = len(ours & theirs)
    return SpanCounts(right, len(ours), right, len(theirs))


def _count_overlapping(spans: Sequence[Span], others: Sequence[Span]) -> int:
    """Return the number of spans that overlap enough with one of the others, which are sorted and
    disjoint."""
    starts = [other.start for other in others]
    count = 0
    for span in spans:
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


def match_quotations(
    annotated: Sequence[Quotation], detected: Sequence[Quotation]
) -> Iterator[int | None]:
    """Yield for each annotated quotation the index of the matching detected one, or None."""
    pieces = sort_pieces(detected)
    for quotation in annotated:
        size = sum(piece.end - piece.start for piece in quotation.pieces)
        best = count_shared(quotation.pieces, pieces).most_common(1)
        yield best[0][0] if best and best[0][1] >= SHARE * size else None


def sort_pieces(quotations: Sequence[Quotation]) -> list[tuple[int, int, int]]:
    """Return the start, end and quotation index of all pieces, in text order."""
    return sorted(
        (piece.start, piece.end, index)
        for index, quotation in enumerate(quotations)
        for piece in quotation.pieces
    )


def count_shared(places: Iterable[Span], pieces: Sequence[tuple[int, int, int]]) -> Counter[int]:
    """Return the number of characters that the places share with each quotation, by its index;
    pieces come from sort_pieces and do not overlap."""
    shared: Counter[int] = Counter()
    for place in places:
        number = bisect_right(pieces, place.start, key=lambda piece: piece[1])
        while number < len(pieces) and pieces[number][0] < place.end:
            start, end, index = pieces[number]
            if (characters := min(end, place.end) - max(start, place.start)) > 0:
                shared[index] += characters
            number += 1
    return shared
