"""A library grown from altered copies of the books of another.

In a copy, one in ALTERED of the longer words is replaced by another word of the same length from
the book, so that all spans stay valid. Its vectors are the original sentences' vectors, with noise
that lowers their cosine to CLOSENESS; nothing is encoded. Names stay, and so does the stored data
about the people of the book.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from scholar_indexes.arrays import Floats2d
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.paths import Paths
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.catalog import Catalog, StoredBook
from scholar_indexes.storage.passages import EDITION_BITS, PassageTable, SentenceRows
from scholar_indexes.storage.table_names import table_name
from scholar_indexes.types import Book, Progress

ALTERED = 10
"""One in this many of the longer words of a copy is replaced."""

CLOSENESS = 0.9
"""The mean cosine of the vectors of a sentence and of its altered copy."""

SEED = 11

_LONGER_WORD = re.compile(r"\b[a-z]{5,}\b")


class GrowingLibrary:
    """A library in its own folder with copies of the books of `source`, in turn.

    The first copy of a book is unchanged, every further one is altered. Existing books stay.
    Raises NotThere if the source has no books.
    """

    def __init__(self, source: Library, folder: Path) -> None:
        self._source = source
        self._originals = sorted(source.books.all(), key=lambda stored: stored.edition)
        if not self._originals:
            raise NotThere("the library is empty; add books first: scholar add 1342")
        self.places = Paths(folder / "data", folder / "cache", folder / "config.toml")
        self._catalog = Catalog(self.places.catalog)
        self._read_from = self._table(source.places)
        self._write_to = self._table(self.places)

    @property
    def table(self) -> PassageTable:
        """The table of its passages in its current state."""
        return self._write_to.reopen()

    def books(self) -> list[StoredBook]:
        """Return its books."""
        return self._catalog.books()

    def words(self) -> int:
        """Return the number of words of its books."""
        folders = (self.places.books / stored.folder for stored in self.books())
        return sum(len((folder / book_folder.TEXT).read_bytes().split()) for folder in folders)

    def grow(self, count: int, progress: Progress) -> float:
        """Add copies until there are `count` books; return the seconds for writing them to the
        index, including its optimization."""
        seconds = 0.0
        first = len(self.books())
        for number in range(first, count):
            progress("adding copies", number - first, count - first)
            original = self._originals[number % len(self._originals)]
            seconds += self._add(original, number // len(self._originals))
        start = time.perf_counter()
        self._write_to.optimize()
        seconds += time.perf_counter() - start
        progress("adding copies", count - first, count - first)
        return seconds

    def _table(self, places: Paths) -> PassageTable:
        encoder = self._source.passages.encoder
        name = Catalog(places.catalog).current_table(table_name(encoder.space))
        return PassageTable(places.index, encoder.space, encoder.dimensions, name)

    def _add(self, original: StoredBook, turn: int) -> float:
        """Add a copy of a book; return the seconds for the index."""
        chance = np.random.default_rng((SEED, original.edition, turn))
        book = self._source.books.open(original)
        text = alter_words(book.text, Random(int(chance.integers(2**32)))) if turn else book.text
        copy = Book(
            f"{original.book.id}-copy{turn}" if turn else original.book.id,
            f"{original.book.title} ({turn})" if turn else original.book.title,
            original.book.author,
            original.book.language,
            original.book.source,
            hashlib.sha256(text.encode("utf-8")).hexdigest(),
        )
        sizes = (original.characters, original.chapters, original.sentences)
        stored = self._catalog.begin(copy, *sizes)
        folder = self.places.books / stored.folder
        shutil.copytree(book.folder, folder)
        (folder / book_folder.TEXT).write_bytes(text.encode("utf-8"))
        book_folder.add_manifest(folder, copy)
        rows = self._rows(original, book, text)
        if turn:
            rows = replace(rows, vectors=move_vectors(rows.vectors, chance))
        start = time.perf_counter()
        self._write_to.write(stored.edition, [rows])
        self._write_to.optimize(more_follow=True)
        seconds = time.perf_counter() - start
        self._catalog.list_edition(stored.edition, self._write_to.name)
        return seconds

    def _rows(self, original: StoredBook, book: OpenBook, text: str) -> SentenceRows:
        indexed = self._read_from.edition(original.edition)
        numbers = indexed.keys - (original.edition << EDITION_BITS)
        spans = book.sentences[numbers]
        texts = [text[start:end] for _, _, start, end in spans.tolist()]
        return SentenceRows(
            numbers.tolist(), indexed.chapters.tolist(), texts, indexed.vectors, indexed.weights
        )


def alter_words(text: str, chance: Random) -> str:
    """Return a text of the same length, with some longer words replaced by others of the text."""
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    for word in dict.fromkeys(_LONGER_WORD.findall(text)):
        by_length[len(word)].append(word)

    def alter(match: re.Match[str]) -> str:
        return match[0] if chance.randrange(ALTERED) else chance.choice(by_length[len(match[0])])

    return _LONGER_WORD.sub(alter, text)


def move_vectors(vectors: Floats2d, chance: np.random.Generator) -> Floats2d:
    """Return unit vectors (n, d) with a mean cosine of CLOSENESS to the given ones."""
    noise = chance.standard_normal(vectors.shape, np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    moved: Floats2d = vectors + noise * (np.sqrt(1 - CLOSENESS**2) / CLOSENESS)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return moved
