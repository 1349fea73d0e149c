"""The passage index of the current model: its books, and writing and deleting them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from scholar_indexes.errors import NotIndexed, ScholarError
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.storage.catalog import Catalog, StoredBook
from scholar_indexes.types import Book, Progress

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.models.registry import ModelFiles
    from scholar_indexes.storage.passages import PassageTable, SentenceRows
    from scholar_indexes.storage.table_location import S3Location, TableLocation

SUPERSEDED_FOR_S = 600.0
"""Seconds for which a replaced table is kept for queries that still read it."""


class PassageIndex:
    """The passages of the library's books, as vectors of the current model.

    Methods that need only the catalogue do not open the table. Methods that write expect the
    caller to hold the write lock.
    """

    def __init__(self, paths: Paths, settings: Settings, catalog: Catalog) -> None:
        self._paths = paths
        self._settings = settings
        self._catalog = catalog
        self._opened_table: PassageTable | None = None
        self._store: S3Location | None = None

    @cached_property
    def model(self) -> ModelFiles:
        from scholar_indexes.models import registry

        return registry.find(self._settings.model, self._paths.models)

    @cached_property
    def encoder(self) -> Encoder:
        from scholar_indexes.models import engines

        return engines.load(self.model, self._settings.device, self._settings.threads)

    @property
    def table_name(self) -> str:
        """The name of the current model's table, which a full rebuild changes."""
        return self._catalog.current_table(self._first_name)

    @property
    def table(self) -> PassageTable:
        """The table in its current state, including writes by other programs."""
        name = self.table_name
        if self._opened_table is None or self._opened_table.name != name:
            self._opened_table = self._open_table(name)
        return self._opened_table.reopen()

    def new_table(self) -> PassageTable:
        """Return a new table, with which `put_in_place` can replace the current one."""
        from scholar_indexes.storage.table_names import next_generation

        self._discard_superseded(at_once=True)
        return self._open_table(next_generation(self._names(), self._first_name))

    def put_in_place(self, table: PassageTable, editions: Sequence[int]) -> None:
        """Replace the current table with a table that has the given editions.

        The old table is kept for a while, for queries that still read it.
        """
        self._location.note_in_use(table.name)
        self._catalog.replace_table(self.table_name, table.name, editions)

    def generations(self) -> Iterator[PassageTable]:
        """Yield the tables of the current model: the current one, and the ones it replaced."""
        from scholar_indexes.storage.table_names import generations

        yield from map(self._open_table, generations(self._names(), self._first_name))

    def other_tables(self, *, older_schemas_only: bool = False) -> list[str]:
        """Return the names of the tables of other models, or only of those with an older schema."""
        from scholar_indexes.storage.table_names import generations

        own = generations(self._names(), self._first_name)
        others = self.table.others(older_schemas_only=older_schemas_only)
        return [name for name in others if name not in own]

    @property
    def _first_name(self) -> str:
        from scholar_indexes.storage.table_names import table_name

        return f"{table_name(self.model.space)}{self._location.suffix}"

    def _open_table(self, name: str) -> PassageTable:
        from scholar_indexes.storage.passages import PassageTable

        return PassageTable(self._location, self.model.space, self.model.dimensions, name)

    def _discard_superseded(self, *, at_once: bool = False) -> None:
        """Remove the tables of earlier and of killed rebuilds, after SUPERSEDED_FOR_S.

        By then no query reads them. `at_once` does not wait.
        """
        from scholar_indexes.storage.table_names import generations

        current = self.table_name
        names = generations(self._names(), self._first_name)
        if current not in names or len(names) == 1:
            return
        replaced_at = self._location.in_use_since(current)
        if at_once or time.time() - replaced_at > SUPERSEDED_FOR_S:
            for name in names:
                if name != current:
                    self.discard_table(name)

    def editions(self) -> set[int]:
        """Return the editions that have passages for the current model."""
        return self._catalog.indexed_editions(self.table_name)

    def check_has(self, books: Sequence[StoredBook]) -> None:
        """Raise NotIndexed if a book has no passages for the current model."""
        indexed = self.editions()
        missing = [stored.book.title for stored in books if stored.edition not in indexed]
        if missing:
            names = missing[0] if len(missing) == 1 else f"{missing[0]} and {len(missing) - 1} more"
            raise NotIndexed(
                f"the index has no passages of {names} for the model {self.model.name} (another "
                "model or an older scholar wrote it); run: scholar index rebuild"
            )

    def encode(self, book: OpenBook, progress: Progress) -> Iterator[SentenceRows]:
        """Yield the index rows of a stored book as its sentences are encoded.

        This is slow, and needs no write lock.
        """
        from scholar_indexes.books.adding import ingest

        label = encoding_label(book.book)
        return ingest.encode_rows(book.text, book.places, self.encoder, label, progress)

    def write(
        self,
        stored: StoredBook,
        rows: Iterable[SentenceRows],
        table: PassageTable | None = None,
    ) -> None:
        """Write the rows of a book to a table (default: the current one)."""
        (table or self.table).write(stored.edition, rows)

    def mark_indexed(self, books: Iterable[StoredBook]) -> None:
        """Record that books have passages in the current table."""
        for stored in books:
            self._catalog.mark_indexed(stored.edition, self.table_name)

    def discard_table(self, name: str) -> None:
        """Remove a table, readable or not, first from the catalogue."""
        self._catalog.forget_space(name)
        self._location.remove(name)
        self._opened_table = None

    def clear_unfinished(self) -> list[OSError]:
        """Remove the files and rows of editions whose addition or removal was interrupted.

        Return the errors for files that cannot be deleted now; the next command that writes
        tries again.
        """
        from scholar_indexes.storage import book_folder
        from scholar_indexes.storage.atomic import discard_leftovers

        self._check_only_writer()
        refusals = []
        book_folder.clear_temporary(self._paths.books)
        for folder in (
            self._paths.data,
            self._paths.corrections,
            self._paths.descriptions,
            *self._paths.books.glob("*"),
        ):
            discard_leftovers(folder)
        for stored in self._catalog.unfinished():
            self.table.delete(stored.edition)
            try:
                book_folder.delete(self._paths.books / stored.folder)
            except OSError as refusal:
                refusals.append(refusal)
            else:
                self._catalog.forget(stored.edition)
        self._discard_superseded()
        if not self._catalog.books():
            # A new catalogue numbers editions from 1 again, so no row may have an old number.
            for name in self._names():
                self.discard_table(name)
        return refusals

    @property
    def _location(self) -> TableLocation:
        """The folder of the index, or its location at the configured address.

        Each library has its own location there, and gets a new one after a restore from a
        backup.
        """
        from scholar_indexes.storage import library_id, table_location

        address = self._settings.index
        if not address:
            return table_location.FolderLocation(self._paths.index)
        table_location.check_address(address)
        own = library_id.read_or_create(self._paths.library_id)
        uri = f"{address.rstrip('/')}/{own}"
        if self._store is None or self._store.uri != uri:
            self._store = table_location.S3Location(uri, table_location.s3_options(os.environ))
        return self._store

    def _names(self) -> list[str]:
        return self._location.names()

    def _check_only_writer(self) -> None:
        """Raise ScholarError if another copy of this library has written to a remote index.

        Otherwise edition numbers would be used twice, and its tables mistaken for superseded
        ones.
        """
        from scholar_indexes.storage.table_names import generations

        if not self._location.is_remote:
            return
        current, names = self.table_name, self._names()
        if current in names:
            if not self.table.has_other_editions(self._catalog.numbers()):
                return
            difference = "has books that are not in the list of books here"
        elif self.editions() and generations(names, self._first_name):
            difference = "was rebuilt elsewhere"
        else:
            return
        raise ScholarError(
            f"the index {self._location.uri} {difference}; a copy of this library on another "
            "machine has written there, and only one may: add books there, or remove "
            f"{self._paths.library_id}, so that this copy gets its own index, and run: "
            "scholar index rebuild. If the list of books was lost, run: scholar doctor --repair"
        )


def encoding_label(book: Book) -> str:
    """Return the progress label for encoding a book."""
    return f"encoding {book.title}"
