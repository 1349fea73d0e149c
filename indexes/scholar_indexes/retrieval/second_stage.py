"""The second stage, a model that reads a claim and a passage together, ranks the best windows.

A mark follows each mention of a character of the claim in a passage, and precedes what the
character says: "she * told him # so". The claim has the same marks instead of their names. So the
model need not know who "she" is, and learns nothing about names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from scholar_indexes.arrays import Floats1d
from scholar_indexes.coreference.people import BookPeople
from scholar_indexes.errors import Damaged
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.readings import MARKS
from scholar_indexes.types import Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.retrieval.candidates import BookQuery

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

    `reads_marks` is true if it was trained with marks for people; `depth` is the number of passages
    that it reads, and `context` the number of sentences on either side. A model that `is_slow`
    reports its progress, and the user may stop it.
    """

    depth: int

    @property
    def name(self) -> str: ...

    @property
    def reads_marks(self) -> bool: ...

    @property
    def context(self) -> int: ...

    @property
    def is_slow(self) -> bool: ...

    def score(
        self, claim: str, passages: Sequence[PassageInContext], progress: Progress = silent
    ) -> Floats1d:
        """Return what to add to the first stage's score of each passage (n,), a logit."""
        ...


class MarkedBook:
    """A book whose text is read with marks for the given people."""

    def __init__(
        self,
        book: OpenBook,
        people: BookPeople | None,
        named: Sequence[int],
        context: int = CONTEXT,
    ) -> None:
        """`context` is the number of sentences to include on either side of a passage."""
        self._book = book
        self._context = context
        places: list[tuple[int, str]] = []
        if people is not None:
            for mark, character in zip(MARKS, named, strict=False):
                ends = people.mentions.ends[people.mentions.characters == character]
                starts = people.speeches.starts[people.speeches.characters == character]
                places += [(int(at), f" {mark} ") for at in (*ends, *starts)]
        places.sort()
        self._positions = np.array([at for at, _ in places], np.int64)
        self._marks = [mark for _, mark in places]

    def passage(self, place: Place) -> PassageInContext:
        """Return the sentences of a place with the ones around them in their chapter."""
        _, first, end = place
        rows = self._book.sentences
        chapters = rows[:, 0]
        low = max(first - self._context, int(np.searchsorted(chapters, chapters[first], "left")))
        high = min(end + self._context, int(np.searchsorted(chapters, chapters[first], "right")))
        span = Span(int(rows[first][2]), int(rows[end - 1][3]))
        return PassageInContext(
            self._read(Span(int(rows[low][2]), span.start)),
            self._read(span),
            self._read(Span(span.end, int(rows[high - 1][3]))),
        )

    def _read(self, span: Span) -> str:
        """Return the text of a span with its marks, on one line."""
        parts, at = [], span.start
        first = int(np.searchsorted(self._positions, span.start, "left"))
        last = int(np.searchsorted(self._positions, span.end, "right"))
        for number in range(first, last):
            position = int(self._positions[number])
            parts += [self._book.text[at:position], self._marks[number]]
            at = position
        return " ".join("".join((*parts, self._book.text[at : span.end])).split())


class SecondStage:
    """Scores the passages of books for a claim."""

    def __init__(
        self,
        reranker: Reranker,
        claim: str,
        books: Mapping[int, OpenBook],
        people_of: Callable[[int], BookPeople | None],
        progress: Progress = silent,
        depth: int | None = None,
    ) -> None:
        """`depth` is the number of places to score (default: the model's)."""
        self._reranker = reranker
        self.depth = depth or reranker.depth
        self._claim = claim
        self._books = books
        self._people_of = people_of
        self._progress = progress
        self.is_stopped = False

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._reranker.name

    def __call__(self, places: Sequence[Place], queries: Mapping[int, BookQuery]) -> Floats1d:
        """Return the scores of places (n,); `queries` are the claim as books read it.

        If the user stops a slow model, they are 0, so that the order of the first stage stays, and
        `is_stopped` is set.
        """
        scores = np.zeros(len(places), np.float32)
        by_claim: dict[str, list[tuple[int, PassageInContext]]] = defaultdict(list)
        for edition, numbers in _by_edition(places).items():
            is_read = self._reranker.reads_marks and edition in queries
            reading = queries[edition].reading if is_read else None
            claim = reading.marked if reading else self._claim
            # A book that was removed or damaged just now stays where the first stage has it.
            with suppress(KeyError, Damaged):
                book = self._marked(edition, reading.people if reading else ())
                by_claim[claim] += [(number, book.passage(places[number])) for number in numbers]
        try:
            for claim, passages in by_claim.items():
                numbers = [number for number, _ in passages]
                read = [passage for _, passage in passages]
                scores[numbers] = self._reranker.score(claim, read, self._progress)
        except KeyboardInterrupt:
            if not self._reranker.is_slow:
                raise
            self.is_stopped = True
            scores[:] = 0
        return scores

    def _marked(self, edition: int, named: Sequence[int]) -> MarkedBook:
        people = self._people_of(edition) if named else None
        return MarkedBook(self._books[edition], people, named, self._reranker.context)


def _by_edition(places: Sequence[Place]) -> Mapping[int, list[int]]:
    """Return the numbers of places by their editions."""
    numbers: dict[int, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        numbers[place.edition].append(number)
    return numbers
