"""The search index: its state, its repair, and the kept people of books."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.coreference import people
from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.progress import divide_progress
from scholar_indexes.storage.passages import EVERYTHING
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.storage.lance_table import TableState
    from scholar_indexes.storage.passages import PassageTable
    from scholar_indexes.storage.write_lock import WriteLock


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index of the model in use: its table, the missing books, and leftovers."""

    table: TableState
    model: str
    books: int
    missing: tuple[Book, ...]
    unfinished: int
    other_tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RebuiltIndex:
    """The books that a rebuild encoded, and the damaged books that it skipped."""

    encoded: tuple[Book, ...]
    left_out: tuple[Book, ...]


BATCH = 256
"""Books that are passed on together if the work is done outside this process: they are held in
memory, and a stopped command keeps the results of the batches before."""

WriteBooks = Callable[
    ["Iterable[OpenBook]", "Sequence[StoredBook]", "PassageTable", Progress], None
]
"""Encodes books and writes their passages to a table in one commit. The second argument lists all
books; the first may skip some of them."""

FindPeople = Callable[["Sequence[OpenBook]", Progress], None]
"""Finds the people of books and stores them with the books."""


@dataclass(frozen=True, slots=True)
class _Encoding:
    encoded: list[StoredBook]
    left_out: list[StoredBook]


class IndexService:
    """Reports on, repairs and tidies the index of the model in use and the people of books."""

    def __init__(
        self,
        catalog: Catalog,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        write_lock: WriteLock,
        announce: Callable[[str], None],
    ) -> None:
        self._catalog = catalog
        self._books = books
        self._index = index
        self._attribution = attribution
        self._write_lock = write_lock
        self._announce = announce

    def state(self) -> IndexState:
        """Return what the index contains and which books it lacks."""
        books = self._books.all()
        table = self._index.table
        indexed = self._catalog.indexed_editions(table.name)
        return IndexState(
            table.state(),
            self._index.model.name,
            len(books),
            tuple(stored.book for stored in books if stored.edition not in indexed),
            len(self._catalog.unfinished()),
            tuple(self._index.other_tables()),
        )

    def check(self) -> None:
        """Check the files of the index, and run one query of each kind.

        Raises NotIndexed if a book is missing, and Damaged if the index cannot answer.
        """
        books = self._catalog.books()
        expected = {stored.edition for stored in books} & self._index.editions()
        if expected:
            table = self._index.table
            table.check_files()
            if not expected <= table.editions():
                raise Damaged("the index has lost passages; run: scholar index rebuild")
            dimensions = self._index.model.dimensions
            vector = np.full(dimensions, dimensions**-0.5, np.float32)
            keys, _ = table.nearest(vector, 10, EVERYTHING)
            table.matching("morning evening house", 10, EVERYTHING)
            table.around(keys, 1, EVERYTHING)
        self._index.check_has(books)

    def read_people(
        self,
        references: Sequence[str],
        progress: Progress = silent,
        *,
        find: FindPeople | None = None,
    ) -> list[Book]:
        """Find the people in the sentences of the given books (default: all) if they are not known,
        and return these books; an interrupted run continues where it stopped. `find` does the work
        outside this process."""
        books = map(self._books.open, self._books.select(references, None).books)
        unknown = [book for book in books if self._attribution.kept_people(book) is None]
        (find or self._find_people)(unknown, progress)
        return [book.book for book in unknown]

    def check_people(self) -> int:
        """Return the number of books whose people are known; raises Damaged if a book's file of
        people is damaged or missing."""
        damaged = list(self._damaged_people())
        if damaged:
            book, how = damaged[0]
            more = f", and {len(damaged) - 1} more" if len(damaged) > 1 else ""
            raise Damaged(
                f"the people in the sentences of {book.book.id} are lost (its "
                f"{people.FILE} {how}{more}); to find them again, run: scholar index people"
            )
        return sum((book.folder / people.FILE).exists() for book in self._open_all())

    def repair_people(self, progress: Progress = silent) -> list[Book]:
        """Find the people again for the books whose file of people is damaged; return these
        books."""
        damaged = [book for book, _ in self._damaged_people()]
        self._find_people(damaged, progress)
        return [book.book for book in damaged]

    def _damaged_people(self) -> Iterator[tuple[OpenBook, str]]:
        """Yield the books with a damaged file of people, and the damage."""
        for book in self._open_all():
            if how := people.damage(book.folder):
                yield book, how

    def _open_all(self) -> list[OpenBook]:
        return list(map(self._books.open, self._books.all()))

    def _find_people(self, books: Sequence[OpenBook], progress: Progress) -> None:
        stages = divide_progress(progress, [book.stored.characters for book in books])
        for book, stage in zip(books, stages, strict=True):
            self._attribution.people(book, _name_book(stage, book.book.title))

    def rebuild(
        self,
        progress: Progress = silent,
        *,
        afresh: bool = False,
        only: bool = False,
        write: WriteBooks | None = None,
    ) -> RebuiltIndex:
        """Encode every book that the index of the model in use lacks, and return these books; a
        damaged book is announced and skipped.

        `afresh` encodes all books into a new table; the one in use answers until the new one
        replaces it. A damaged index is discarded; if its rebuild is interrupted, the next one
        continues where it stopped. Tables of an older schema are removed, and with `only` also the
        tables of other models. `write` encodes outside this process.

        The write lock is held throughout while a new table is built, because that must get every
        book, and while `write` works; otherwise only while each book is written.
        """
        missing: list[StoredBook] = []
        rebuilt: _Encoding | None = None
        with self._write_lock.held(progress):
            self._books.all()  # raises Damaged for a lost list, before a table is removed
            if afresh and self._is_readable():
                rebuilt = self._build_beside(progress, write)
            else:
                indexed = self._readable_editions(afresh)
                books = self._catalog.books()
                missing = [stored for stored in books if stored.edition not in indexed]
                for stored in missing:  # the catalogue may list some as indexed
                    self._catalog.unmark_indexed(stored.edition, self._index.table_name)
                if write is not None:
                    rebuilt = self._encode_elsewhere(missing, progress, write)
        if rebuilt is None:
            rebuilt = self._encode_missing(missing, progress)
        with self._write_lock.held(progress):
            self._index.table.optimize()
            for name in self._index.other_tables(older_schemas_only=not only):
                self._index.discard_table(name)
        return RebuiltIndex(
            tuple(stored.book for stored in rebuilt.encoded),
            tuple(stored.book for stored in rebuilt.left_out),
        )

    def _build_beside(self, progress: Progress, write: WriteBooks | None) -> _Encoding:
        """Encode all books into a new table and replace the one in use with it.

        If that fails, the new table is removed: on a full disk it would keep using space.
        """
        self._index.clear_unfinished()
        table = self._index.new_table()
        try:
            books = self._catalog.books()
            if write is None:
                encoding = self._encode_into(table, books, progress)
            else:
                encoding = self._encode_elsewhere(books, progress, write, table)
            table.optimize()
            self._index.put_in_place(table, [stored.edition for stored in encoding.encoded])
        except ScholarError:
            with suppress(ScholarError):
                self._index.discard_table(table.name)
            raise
        return encoding

    def _encode_missing(self, books: Sequence[StoredBook], progress: Progress) -> _Encoding:
        """Encode books, and write each to the table in use as soon as it is encoded, unless another
        program has done so or removed it."""
        encoding = _Encoding([], [])
        stages = divide_progress(progress, [stored.sentences for stored in books])
        for stored, stage in zip(books, stages, strict=True):
            if not self._is_missing(stored):
                continue
            for book in self._readable([stored], encoding):
                rows = list(self._index.encode(book, stage))
                with self._write_lock.held(stage):
                    if self._is_missing(stored):
                        self._index.write(stored, rows)
                        self._index.mark_indexed([stored])
                    else:
                        encoding.encoded.remove(stored)
        return encoding

    def _is_missing(self, stored: StoredBook) -> bool:
        """Return True for a book of the library that the index lacks."""
        return self._books.is_listed(stored) and stored.edition not in self._index.editions()

    def _encode_into(
        self, table: PassageTable, books: Sequence[StoredBook], progress: Progress
    ) -> _Encoding:
        """Encode books into a table that will replace the one in use."""
        encoding = _Encoding([], [])
        stages = divide_progress(progress, [stored.sentences for stored in books])
        for stored, stage in zip(books, stages, strict=True):
            for book in self._readable([stored], encoding):
                self._index.write(stored, self._index.encode(book, stage), table)
        return encoding

    def _encode_elsewhere(
        self,
        books: Sequence[StoredBook],
        progress: Progress,
        write: WriteBooks,
        table: PassageTable | None = None,
    ) -> _Encoding:
        """Encode books with `write` into a table, by default the one in use."""
        encoding = _Encoding([], [])
        batches = [books[first : first + BATCH] for first in range(0, len(books), BATCH)]
        sizes = [sum(stored.sentences for stored in batch) for batch in batches]
        for batch, stage in zip(batches, divide_progress(progress, sizes), strict=True):
            before = len(encoding.encoded)
            write(self._readable(batch, encoding), batch, table or self._index.table, stage)
            if table is None:
                self._index.mark_indexed(encoding.encoded[before:])
        return encoding

    def _readable(self, books: Sequence[StoredBook], encoding: _Encoding) -> Iterator[OpenBook]:
        """Yield books as they are read, and record them as encoded; a damaged one is announced."""
        for stored in books:
            book = self._books.open(stored)
            try:
                book.read_all()
            except Damaged as damage:
                if self._books.is_listed(stored):  # otherwise another program removed it
                    self._announce(f"left out of the index: {damage}")
                    encoding.left_out.append(stored)
                continue
            encoding.encoded.append(stored)
            yield book

    def _is_readable(self) -> bool:
        """Return True if there is an index that answers."""
        try:
            self.check()
        except NotIndexed:
            return bool(self._index.editions())
        except Damaged:
            return False
        return True

    def optimize(self) -> TableState:
        """Rebuild every index of the table, merge small files and drop old versions."""
        with self._write_lock.held(silent):
            self._index.clear_unfinished()
            self._index.table.optimize(thoroughly=True)
            return self._index.table.state()

    def _readable_editions(self, afresh: bool) -> set[int]:
        """Return the editions that the table has; discard a table that is damaged or unwanted."""
        try:
            if not afresh:
                self._index.clear_unfinished()
                with suppress(NotIndexed):
                    self.check()
                return self._index.editions() & self._index.table.editions()
        except Damaged as damage:
            self._announce(f"{damage.args[0].partition(';')[0]}; rebuilding it")
        self._index.discard_table(self._index.table_name)
        self._index.clear_unfinished()
        return set()


def _name_book(progress: Progress, title: str) -> Progress:
    """Return a Progress with the title of a book before each label."""
    return lambda label, done, total: progress(f"{title}: {label}", done, total)
