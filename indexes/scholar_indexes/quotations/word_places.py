"""The positions of the words of a book, sorted by word number and stored with the book.

Each word takes four bytes for its number and four for its position: some 1.2 MB for a long novel.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import ScholarError
from scholar_indexes.quotations.words import Numbers, number_book_words
from scholar_indexes.storage.derived import DerivedFile

SCHEMA_VERSION = 4

WordIndices = NDArray[np.int32]
"""Indices of words in their text, counted from 0."""


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """The words of a text: their numbers, ascending, and the index of each in the text; (n,)."""

    numbers: Numbers
    indices: WordIndices

    @classmethod
    def of(cls, numbers: Numbers) -> WordPlaces:
        """Return the positions of words given in text order."""
        order = np.argsort(numbers, kind="stable").astype(np.int32)
        return cls(numbers[order], order)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def size_bytes(self) -> int:
        """The memory used, in bytes."""
        return self.numbers.nbytes + self.indices.nbytes

    def ranges(self, words: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row and the last row + 1 of each word (m,)."""
        return (
            np.searchsorted(self.numbers, words, "left"),
            np.searchsorted(self.numbers, words, "right"),
        )

    def runs(self, words: Numbers) -> WordIndices:
        """Return the indices (k,) at which the words occur consecutively."""
        first, after = self.ranges(words)
        rarest = int(np.argmin(after - first))
        starts: WordIndices = self.indices[first[rarest] : after[rarest]] - rarest
        for offset, rows in enumerate(zip(first.tolist(), after.tolist(), strict=True)):
            if offset != rarest and len(starts):
                others = self.indices[slice(*rows)]
                at = np.minimum(np.searchsorted(others, starts + offset), len(others) - 1)
                starts = starts[others[at] == starts + offset]
        return starts


def of_book(book: OpenBook) -> WordPlaces:
    """Return the positions of the words of a book, computed once and stored in its folder."""
    file = DerivedFile(book.folder / "words.npz", SCHEMA_VERSION, book.book.sha256)
    places = file.load_arrays(
        lambda _, arrays: WordPlaces(
            arrays["numbers"].astype(np.uint32, copy=False),
            arrays["indices"].astype(np.int32, copy=False),
        )
    )
    if places is None or len(places.numbers) != len(places.indices):
        places = WordPlaces.of(number_book_words(book.text).numbers)
        # If the disk is full or the book was just removed, they are computed again next time.
        with suppress(ScholarError, OSError):
            file.save_arrays({}, {"numbers": places.numbers, "indices": places.indices})
    return places
