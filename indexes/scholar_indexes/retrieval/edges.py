"""The edges of passages: the cuts that a reader would make in a quotation.

A window of the ranking may be longer than what supports the claim, begin with "said he," or stop
in the middle of a speech. A passage is the run of its sentences, or of a few more, that has what
is relevant to the claim between the cheapest cuts, and it stays in one scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.attribution.quotes.conventions import detect_convention
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.attribution.quotes.speech import SPEECH_VERBS
from scholar_indexes.retrieval.places import Place
from scholar_indexes.types import Quotation, Span

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook

MOVE = 2
"""Sentences beyond its window that a passage may have on either side."""

REACH = 8
"""Sentences on either side of a window in which quotations are looked for."""

VOTING_CHARS = 8_000
"""Characters of the chapter on either side of these that show how speech is marked."""

IN_SENTENCE = 1.0
"""The cost of a cut before a sentence that continues the previous one: "said he"."""

IN_SPEECH = 0.8
"""The cost of a cut within the words of a speaker or within brackets: it leaves a mark unpaired."""

INNER = 0.6
"""The cost of both cuts if they are within one speech, so that none of its marks is shown."""

IN_TURN = 0.4
"""The cost of a cut between two parts of one speech, or before text that is announced."""

ADDED = 0.1
"""The cost of each added sentence, and of each hundred added words."""

LEFT_OUT = 1.0
"""The cost of leaving out words that are relevant to the claim, by their share; large shares cost
more than in proportion."""

LOST = 0.25
"""The cost of each relevant sentence left out, however short: it may be the one that counts."""

_CLOSERS = '_"”’»)\\]'
_ANNOUNCES = re.compile(rf"(?:[:;,][{_CLOSERS}]*|(?:--|—|–)_*)\s*$")
_GOES_ON = re.compile(r"[\W_]*[a-zß-ÿ]")
_LEFT_OPEN = re.compile(rf"[,?!…—–-][{_CLOSERS}]*[\"”’»'][{_CLOSERS}]*\s*$")
_NAMES_SPEAKER = re.compile(
    rf"(?:(?:The|An?|His|Her|My|Our|Their)\s+(?:[^\W\d_]+\s+){{1,3}}?"
    rf"|[A-Z][^\W\d_]*\.?\s+(?:[A-Z][^\W\d_]*\s+)*){SPEECH_VERBS}\b"
)
_PAIRS = tuple((re.compile(rf"[{opening}{closing}]"), opening) for opening, closing in ("()", "“”"))


class BookEdges:
    """The positions in a book where a passage may begin or end."""

    def __init__(self, book: OpenBook) -> None:
        self._book = book

    def adjust(
        self,
        window: Place,
        core: Place,
        focus: Place,
        lengths: tuple[int, int],
        others: Sequence[Place] = (),
    ) -> Place:
        """Return the passage of a window: the sentences of `core`, which are relevant to the claim,
        between the cheapest cuts.

        It contains `focus`, has a number of sentences within `lengths` unless its scene has fewer,
        stays in the scene of `focus`, and overlaps none of `others`.
        """
        low, high = self._limits(window, focus, others)
        quotations = self._quotations(window)
        cuts = {at: self._cut_cost(at, quotations) for at in range(low, high + 1)}
        ends = {at: max(cuts[at], self._end_cost(at)) for at in range(low, high + 1)}
        pieces = {at: self._piece(at, quotations) for at in range(low, high + 1)}
        best = window._replace(first=max(window.first, low), end=min(window.end, high))
        lowest = float("inf")
        shortest, longest = lengths
        for first in range(low, focus.first + 1):
            for end in range(focus.end, min(high, first + longest) + 1):
                if end - first < shortest:
                    continue
                passage = window._replace(first=first, end=end)
                cost = cuts[first] + ends[end]
                if pieces[first] is not None and pieces[first] == pieces[end]:
                    cost = min(cost, INNER + max(cuts[first], ends[end]) - IN_SPEECH)
                cost += self._change_cost(core, passage)
                if cost < lowest:
                    best, lowest = passage, cost
        return best

    def cut_costs(self, passage: Place) -> tuple[float, float]:
        """Return the costs of the start and of the end of a passage."""
        quotations = self._quotations(passage)
        end_cost = max(self._cut_cost(passage.end, quotations), self._end_cost(passage.end))
        return self._cut_cost(passage.first, quotations), end_cost

    def _limits(self, window: Place, focus: Place, others: Sequence[Place]) -> tuple[int, int]:
        """Return the first and the last position for the edges of a passage: in the scene of its
        focus, outside other passages, and at most MOVE from its window."""
        scene = self._scene(focus.first)
        low, high = max(window.first - MOVE, scene.first), min(window.end + MOVE, scene.end)
        before = [other.end for other in others if other.end <= window.first]
        after = [other.first for other in others if other.first >= window.end]
        return max([low, *before]), min([high, *after])

    def _scene(self, sentence: int) -> Place:
        """Return the sentences of the scene that a sentence is in; an ornament that is stored as a
        sentence is a scene of its own."""
        rows = self._book.sentences
        number = int(rows[sentence][0])
        first, end = np.searchsorted(rows[:, 0], (number, number + 1)).tolist()
        for scene_break in self._book.breaks_of(self._book.chapters_by_number[number]):
            span = scene_break.span
            before, after = np.searchsorted(rows[:, 2], (span.start, span.end)).tolist()
            first = max([first, *(at for at in (before, after) if at <= sentence)])
            end = min([end, *(at for at in (before, after) if at > sentence)])
        return Place(0, first, end)

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
        """Return the cost of a cut before a sentence, by its number."""
        rows, text = self._book.sentences, self._book.text
        if at in (0, len(rows)) or rows[at - 1][0] != rows[at][0]:
            return 0.0
        before, after, end = int(rows[at - 1][3]), int(rows[at][2]), int(rows[at][3])
        in_paragraph = rows[at - 1][1] == rows[at][1]
        if _GOES_ON.match(text, after, end) or text[before - 1] == ";":
            return IN_SENTENCE
        if in_paragraph and self._is_tag(at):
            return IN_SENTENCE
        if self._piece(at, quotations) or (in_paragraph and self._is_within_pair(at)):
            return IN_SPEECH
        return IN_TURN if self._is_within_turn(at, quotations) else 0.0

    def _is_within_turn(self, at: int, quotations: Sequence[Quotation]) -> bool:
        """Return True for a cut in a quotation, or between one and the words that announce it."""
        rows = self._book.sentences
        before, after = int(rows[at - 1][3]), int(rows[at][2])
        is_announced = self._end_cost(at) > 0
        for quotation in quotations:
            start, stop = quotation.pieces[0].start, quotation.pieces[-1].end
            if start < before and after < stop:
                return True
            # The mark of the quotation, and the mark of italics, may precede its first word.
            if is_announced and after <= start < after + 3:
                return True
        return False

    def _piece(self, at: int, quotations: Sequence[Quotation]) -> Span | None:
        """Return the part of a quotation, between its marks, that a cut before a sentence is in;
        None if it is in none."""
        rows = self._book.sentences
        if at in (0, len(rows)):
            return None
        before, after = int(rows[at - 1][3]), int(rows[at][2])
        pieces = (piece for quotation in quotations for piece in quotation.pieces)
        return next((piece for piece in pieces if piece.start < before and after < piece.end), None)

    def _is_tag(self, at: int) -> bool:
        """Return True if a sentence says who spoke the one before: "Fred asked"."""
        _, _, start, before = self._book.sentences[at - 1].tolist()
        _, _, after, end = self._book.sentences[at].tolist()
        text = self._book.text
        return bool(
            _NAMES_SPEAKER.match(text, after, end) and _LEFT_OPEN.search(text[start:before])
        )

    def _is_within_pair(self, at: int) -> bool:
        """Return True if a bracket or a quotation mark of its paragraph is open before a sentence
        and closed later."""
        rows, text = self._book.sentences, self._book.text
        first = last = at
        while first and (rows[first - 1][:2] == rows[at][:2]).all():
            first -= 1
        while last + 1 < len(rows) and (rows[last + 1][:2] == rows[at][:2]).all():
            last += 1
        start, cut, end = int(rows[first][2]), int(rows[at][2]), int(rows[last][3])
        for mark, opening in _PAIRS:
            before = mark.findall(text, start, cut)
            after = mark.search(text, cut, end)
            if before and before[-1] == opening and after and after[0] != opening:
                return True
        return False

    def _end_cost(self, at: int) -> float:
        """Return the cost of an end before a sentence: IN_SENTENCE if the one before it announces
        what follows, with a colon, a semicolon, a comma or a dash, otherwise 0."""
        rows = self._book.sentences
        if at == 0 or (at < len(rows) and rows[at - 1][0] != rows[at][0]):
            return 0.0
        _, _, start, end = rows[at - 1].tolist()
        return IN_SENTENCE if _ANNOUNCES.search(self._book.text[start:end]) else 0.0

    def _change_cost(self, core: Place, passage: Place) -> float:
        """Return the cost of showing other sentences than `core`."""
        inside = range(max(core.first, passage.first), min(core.end, passage.end))
        in_core, shown = self._words(core), self._words(passage)
        kept = self._words(core._replace(first=inside.start, end=max(inside.stop, inside.start)))
        added = passage.size - len(inside)
        share = (in_core - kept) / max(in_core, 1)
        left_out = LEFT_OUT * share * (1 + share) + LOST * (core.size - len(inside))
        return ADDED * (added + (shown - kept) / 100) + left_out

    def _words(self, place: Place) -> int:
        """Return the number of words of a place."""
        return sum(self._word_counts(range(place.first, place.end)))

    def _word_counts(self, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            _, _, start, end = self._book.sentences[number].tolist()
            yield len(self._book.text[start:end].split())
