"""Training lists of the encoder for short claims: a claim with graded passages of its book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.claims import fusion_training, graded
from scholar_cli.laboratory.relic.pairs import TrainingPair
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_indexes.library import Library
from scholar_indexes.retrieval.readings import name_index
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class GradedList:
    """A claim, the claim with pronouns for the people it names (the same if it names nobody), its
    passages and their grades."""

    claim: str
    reading: str
    passages: Sequence[TrainingPair]
    grades: Sequence[int]

    @property
    def names_somebody(self) -> bool:
        """True if the claim is read with a pronoun for a name."""
        return self.claim != self.reading

    def rows(self, least: int, most: int) -> list[int]:
        """Return the rows of the passages with these grades."""
        return [row for row, grade in enumerate(self.grades) if least <= grade <= most]


@dataclass(frozen=True, slots=True)
class GradedWork:
    """The lists of a work, and its sentences as training reads them."""

    work: QuotedWork
    part: str
    lists: Sequence[GradedList]


def collect(library: Library, progress: Progress = silent) -> Iterator[GradedWork]:
    """Yield the lists of the graded claims about the books of a library whose people are known."""
    for book, claims in fusion_training.graded_books(library, progress):
        sentences = tuple(book.text[start:end] for *_, start, end in book.sentences.tolist())
        people = library.search.people(book)
        names = name_index(people.in_sentences(book.sentences)) if people else None
        for part in graded.PARTS:
            lists = []
            for claim, grades in claims:
                reading = names.read(claim.claim) if names else None
                text = reading.text if reading else claim.claim
                passages = [TrainingPair("", "", first, end - first) for first, end in grades]
                if claim.part == part:
                    lists.append(GradedList(claim.claim, text, passages, list(grades.values())))
            if lists:
                yield GradedWork(QuotedWork(book.book.id, sentences, (), {}), part, lists)
