"""The lists that the cross-encoder learns from: a claim, graded passages, and ungraded ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_cli.laboratory.claims import fusion_training, graded
from scholar_cli.laboratory.claims.fusion_training import GradedWindows
from scholar_indexes.arrays import Floats1d
from scholar_indexes.library import Library
from scholar_indexes.models.cross_encoder import Pair, PairReader
from scholar_indexes.retrieval.fusion import WEIGHTS
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.second_stage import MarkedBook
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class PairList:
    """A claim with passages: the pairs that the model reads, their scores by the first stage and
    their grades, fusion_training.UNGRADED for those that nobody graded; both (p,)."""

    id: str
    work: int
    part: str
    pairs: Sequence[Pair]
    first_stage: Floats1d
    grades: Floats1d

    def sample(self, size: int, relevant: int, ungraded: int, seed: int) -> list[int]:
        """Return the rows of a random part of the list: at most `size` passages, first so many
        relevant ones and so many ungraded ones, as far as there are."""
        draw = np.random.default_rng(seed)
        rows = draw.permutation(len(self.grades))
        others = rows[self.grades[rows] == fusion_training.UNGRADED][:ungraded]
        first = rows[self.grades[rows] >= graded.SUPPORTS][:relevant]
        left = np.setdiff1d(rows[self.grades[rows] != fusion_training.UNGRADED], first)
        room = size - len(first) - len(others)
        chosen: list[int] = [*first.tolist(), *draw.permutation(left)[:room].tolist()]
        return [*chosen, *others.tolist()]


def collect(
    library: Library, reader: PairReader, progress: Progress = silent
) -> Iterator[PairList]:
    """Yield the lists of the graded claims about the books of a library whose people are known."""
    for windows in fusion_training.collect(library, progress):
        yield _read(library, reader, windows)


def _read(library: Library, reader: PairReader, windows: GradedWindows) -> PairList:
    claim = windows.claim
    book = library.open(library.book(fusion_training.book_id(claim)))
    reading = windows.query.reading if windows.query else None
    people = library.search.people(book) if reading else None
    marked = MarkedBook(book, people, reading.people if reading else ())
    edition = book.stored.edition
    passages = [marked.passage(Place(edition, first, end)) for first, end in windows.places]
    return PairList(
        claim.id,
        claim.gutenberg_id,
        claim.part,
        reader.read(reading.marked if reading else claim.claim, passages),
        (windows.features @ WEIGHTS).astype(np.float32),
        windows.grades,
    )
