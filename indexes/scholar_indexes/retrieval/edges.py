"""The edges of passages, moved to the cuts that a reader would make in a quotation.

A passage of the ranking may begin with "said he," or stop in the middle of what somebody says. The
edge is moved by up to two sentences where that costs less than the cut: sentences are added before
any are left out, and the one that carries the claim stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.attribution.quotes.conventions import detect_convention
from scholar_indexes.attribution.quotes.detection import find_quotations
from scholar_indexes.retrieval.places import Place
from scholar_indexes.types import Quotation, Span

if TYPE_CHECKING:
    from scholar_indexes.books.open_book import OpenBook

MOVE = 2
"""Sentences by which an edge is moved, at most."""

REACH = 8
"""Sentences on either side of a passage in which quotations are looked for."""

VOTING_CHARS = 8_000
"""Characters of the chapter on either side of these whose paragraphs say how speech is marked."""

IN_SENTENCE = 1.0
"""The cost of a cut before a sentence that goes on what stands before it: "said he"."""

IN_SPEECH = 0.6
"""The cost of a cut within the words of a speaker."""

IN_TURN = 0.4
"""The cost of a cut between two parts of what one speaker says."""

ADDED = 0.1
"""The cost of a sentence that is added, and of a hundred words more."""

LEFT_OUT = 1.0
"""The cost of leaving a small part of the words out, by their share; a larger one costs more."""

_ANNOUNCES = re.compile(r"(?:[:;,][_\"”’']*|(?:--|—|–)_*)\s*$")
_GOES_ON = re.compile(r"[\W_]*[a-zß-ÿ]")


class BookEdges:
    """The places of a book where a passage may begin or end."""

    def __init__(self, book: OpenBook) -> None:
        self._book = book

    def adjust(
        self,
        passage: Place,
        focus: Place,
        lengths: tuple[int, int],
        others: Sequence[Place] = (),
    ) -> Place:
        """Return a passage with its edges moved to the cheapest cuts.

        It keeps the sentences of `focus`, has at least and at most as many as `lengths` says, stays
        in its chapter, and overlaps none of `others`.
        """
        low, high = self._limits(passage, others)
        quotations = self._quotations(passage)
        cuts = {at: self._cut_cost(at, quotations) for at in range(low, high + 1)}
        ends = {at: max(cuts[at], self._end_cost(at)) for at in range(low, high + 1)}
        best, lowest = passage, cuts[passage.first] + ends[passage.end]
        shortest, longest = lengths
        for first in range(max(low, passage.first - MOVE), min(focus.first, passage.end) + 1):
            for end in range(max(focus.end, passage.first), min(high, passage.end + MOVE) + 1):
                moved = passage._replace(first=first, end=end)
                if not shortest <= moved.size <= longest:
                    continue
                cost = cuts[first] + ends[end] + self._move_cost(passage, moved)
                if cost < lowest:
                    best, lowest = moved, cost
        return best

    def cut_costs(self, passage: Place) -> tuple[float, float]:
        """Return the costs of beginning and of ending where a passage does."""
        quotations = self._quotations(passage)
        end_cost = max(self._cut_cost(passage.end, quotations), self._end_cost(passage.end))
        return self._cut_cost(passage.first, quotations), end_cost

    def _limits(self, passage: Place, others: Sequence[Place]) -> tuple[int, int]:
        """Return the first and the last place where the edges of a passage may be: in its chapter,
        outside other passages, and not further than they are moved."""
        chapters = self._book.sentences[:, 0]
        chapter = chapters[passage.first]
        low = max(passage.first - MOVE, int(np.searchsorted(chapters, chapter, "left")))
        high = min(passage.end + MOVE, int(np.searchsorted(chapters, chapter, "right")))
        before = [other.end for other in others if other.end <= passage.first]
        after = [other.first for other in others if other.first >= passage.end]
        return max([low, *before]), min([high, *after])

    def _quotations(self, passage: Place) -> list[Quotation]:
        """Return the quotations in the paragraphs around a passage."""
        rows = self._book.sentences
        first, last = max(passage.first - REACH, 0), min(passage.end + REACH, len(rows)) - 1
        while first and (rows[first][:2] == rows[first - 1][:2]).all():
            first -= 1
        while last + 1 < len(rows) and (rows[last][:2] == rows[last + 1][:2]).all():
            last += 1
        body = self._book.chapters_by_number[int(rows[passage.first][0])].body
        region = Span(int(rows[first][2]), int(rows[last][3]))
        start, end = max(body.start, region.start - VOTING_CHARS), region.end + VOTING_CHARS
        convention = detect_convention(self._book.text[start : min(end, body.end)])
        return find_quotations(self._book.text, [region], convention=convention)

    def _cut_cost(self, at: int, quotations: Sequence[Quotation]) -> float:
        """Return what it costs to cut before a sentence, by its number."""
        rows = self._book.sentences
        if at in (0, len(rows)) or rows[at - 1][0] != rows[at][0]:
            return 0.0
        before, after = int(rows[at - 1][3]), int(rows[at][2])
        if _GOES_ON.match(self._book.text, after, int(rows[at][3])):
            return IN_SENTENCE
        for quotation in quotations:
            if quotation.span.start < before and after < quotation.span.end:
                pieces = quotation.pieces
                is_in_piece = any(piece.start < before and after < piece.end for piece in pieces)
                return IN_SPEECH if is_in_piece else IN_TURN
        return 0.0

    def _end_cost(self, at: int) -> float:
        """Return what it costs to end before a sentence where the one before it announces what
        follows: with a colon, a semicolon, a comma or a dash."""
        rows = self._book.sentences
        if at == 0 or (at < len(rows) and rows[at - 1][0] != rows[at][0]):
            return 0.0
        _, _, start, end = rows[at - 1].tolist()
        return IN_SENTENCE if _ANNOUNCES.search(self._book.text[start:end]) else 0.0

    def _move_cost(self, passage: Place, moved: Place) -> float:
        """Return what it costs to show other sentences than those of a passage."""
        added = [*range(moved.first, passage.first), *range(passage.end, moved.end)]
        left_out = [*range(passage.first, moved.first), *range(moved.end, passage.end)]
        words = sum(self._words(added))
        cost = ADDED * (len(added) + words / 100)
        if left_out:
            whole = sum(self._words(range(passage.first, passage.end)))
            share = sum(self._words(left_out)) / max(whole, 1)
            cost += LEFT_OUT * share * (1 + share)
        return cost

    def _words(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the number of words of some sentences."""
        for number in numbers:
            _, _, start, end = self._book.sentences[number].tolist()
            yield len(self._book.text[start:end].split())
