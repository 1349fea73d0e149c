"""The second stage, a model that reads a claim and a passage together, ranks the best windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from scholar_indexes.arrays import Floats1d, Ints1d
from scholar_indexes.errors import Damaged
from scholar_indexes.retrieval.places import Place
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook

CONTEXT = 2
"""Sentences on either side of a window that a small model may see."""


class PassageInContext(NamedTuple):
    """The text before a passage in its chapter, the passage, and the text after it, each on one
    line."""

    before: str
    text: str
    after: str


class Reranker(Protocol):
    """A model that reads a claim and a passage together.

    `depth` is the number of passages that it reads, and `context` the number of sentences on either
    side. A model that `is_slow` reports its progress, and the user may stop it.
    """

    depth: int

    @property
    def name(self) -> str: ...

    @property
    def context(self) -> int: ...

    @property
    def is_slow(self) -> bool: ...

    def score(
        self, claim: str, passages: Sequence[PassageInContext], progress: Progress = silent
    ) -> Floats1d:
        """Return what to add to the first stage's score of each passage (n,), a logit."""
        ...


def in_context(
    text: str,
    chapters: Ints1d,
    starts: Ints1d,
    ends: Ints1d,
    window: tuple[int, int],
    context: int = CONTEXT,
) -> PassageInContext:
    """Return the sentences of a window [first, end) with the ones around them in their chapter.

    `chapters`, `starts` and `ends` (n,) describe the sentences of the text; `context` is the
    number of sentences on either side.
    """
    first, end = window
    low = max(first - context, int(np.searchsorted(chapters, chapters[first], "left")))
    high = min(end + context, int(np.searchsorted(chapters, chapters[first], "right")))
    edges = (starts[low], starts[first], ends[end - 1], ends[max(high, end) - 1])
    parts = (" ".join(text[start:stop].split()) for start, stop in pairwise(edges))
    return PassageInContext(*parts)


class SecondStage:
    """Scores the passages of books for a claim."""

    def __init__(
        self,
        reranker: Reranker,
        claim: str,
        books: Mapping[int, OpenBook],
        progress: Progress = silent,
        depth: int | None = None,
    ) -> None:
        """`depth` is the number of places to score (default: the model's)."""
        self._reranker = reranker
        self.depth = depth or reranker.depth
        self._claim = claim
        self._books = books
        self._progress = progress
        self.is_stopped = False

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._reranker.name

    def __call__(self, places: Sequence[Place]) -> Floats1d:
        """Return the scores of places (n,).

        If the user stops a slow model, they are 0, so that the order of the first stage stays, and
        `is_stopped` is set.
        """
        scores = np.zeros(len(places), np.float32)
        numbers: list[int] = []
        passages: list[PassageInContext] = []
        for edition, of_book in _by_edition(places).items():
            # A book that was removed or damaged just now stays where the first stage has it.
            with suppress(KeyError, Damaged):
                book = self._books[edition]
                passages += [self._passage(book, places[number]) for number in of_book]
                numbers += of_book
        try:
            if passages:
                scores[numbers] = self._reranker.score(self._claim, passages, self._progress)
        except KeyboardInterrupt:
            if not self._reranker.is_slow:
                raise
            self.is_stopped = True
            scores[:] = 0
        return scores

    def _passage(self, book: OpenBook, place: Place) -> PassageInContext:
        _, first, end = place
        chapters, _, starts, ends = book.sentences.T
        return in_context(book.text, chapters, starts, ends, (first, end), self._reranker.context)


def _by_edition(places: Sequence[Place]) -> Mapping[int, list[int]]:
    """Return the numbers of places by their editions."""
    numbers: dict[int, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        numbers[place.edition].append(number)
    return numbers
