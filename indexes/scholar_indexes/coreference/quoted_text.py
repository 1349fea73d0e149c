"""The quoted and the narrated parts of a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from scholar_indexes.types import Quotation, Span


class QuotedText:
    """The pieces of all quotations; all other text is narration."""

    def __init__(self, quotations: Sequence[Quotation]) -> None:
        pieces = sorted({piece for quotation in quotations for piece in quotation.pieces})
        self._starts = [piece.start for piece in pieces]
        self._ends = list(accumulate((piece.end for piece in pieces), max))

    def covers(self, position: int) -> bool:
        """Return True if a position is in a quotation."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]

    def find_narration(self, span: Span) -> Iterator[Span]:
        """Yield the parts of a span outside quotations."""
        position = span.start
        index = max(0, bisect_right(self._starts, span.start) - 1)
        while index < len(self._starts) and self._starts[index] < span.end:
            if self._starts[index] > position:
                yield Span(position, self._starts[index])
            position = max(position, self._ends[index])
            index += 1
        if position < span.end:
            yield Span(position, span.end)
