"""Check stored books against their hashes and the index, and list lost books again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import book_folder
from scholar_indexes.types import Book, Chapter, Progress, SceneBreak, silent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.paths import Paths
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.storage.passages import PassageTable
    from scholar_indexes.storage.write_lock import WriteLock


class BookRepair:
    """The service that checks and repairs book folders, and lists books lost from the catalogue."""

    def __init__(
        self,
        paths: Paths,
        catalog: Catalog,
        index: PassageIndex,
        write_lock: WriteLock,
    ) -> None:
        self._paths = paths
        self._catalog = catalog
        self._index = index
        self._write_lock = write_lock

    def check(self, stored: StoredBook) -> None:
        """Read every stored file of a book and compare it with its hashes; raises Damaged.

        A book stored before hashes were introduced is compared with the index.
        """
        book = self._open(stored)
        book.read_all()
        check_spans(book)
        if book_folder.manifest(book.folder) is None:
            self._compare_with_index(book)

    def is_damaged(self, stored: StoredBook) -> bool:
        """Return True if the files of a book are not as they were stored."""
        try:
            self.check(stored)
        except Damaged:
            return True
        return False

    def add_hashes(self) -> int:
        """Add hashes to books stored before hashes were introduced; return the number of books.

        Damaged books are skipped.
        """
        if not any(map(self._has_no_hashes, self._catalog.books())):
            return 0
        with self._write_lock.held(silent):
            return self.add_hashes_while_writing()

    def add_hashes_while_writing(self) -> int:
        """Add hashes like add_hashes, for a caller that holds the write lock."""
        added = 0
        for stored in filter(self._has_no_hashes, self._catalog.books()):
            try:
                self.check(stored)
            except Damaged:
                continue
            with explain_write_errors(self._paths.books):
                book_folder.add_manifest(self._folder(stored), stored.book)
            added += 1
        return added

    def replace_list_if_damaged(self, progress: Progress = silent) -> str:
        """Set aside a damaged or lost list of books, so that `relist` starts a new one.

        Return a message if this was done, else an empty string.
        """
        with self._write_lock.held(progress):
            return self._catalog.replace_if_damaged()

    def rebuild_damaged(self, progress: Progress = silent) -> list[Book]:
        """Rebuild damaged chapters, sentences and records of books from their texts.

        Return the rebuilt books. A book with a damaged text or imprint is unchanged.
        """
        rebuilt = []
        with self._write_lock.held(progress):
            for stored in self._catalog.books():
                try:
                    self.check(stored)
                except Damaged:
                    with suppress(Damaged):
                        self._rebuild(stored)
                        rebuilt.append(stored.book)
        return rebuilt

    def _rebuild(self, stored: StoredBook) -> None:
        """Rewrite the parts of a book that follow from its text; raises Damaged without it."""
        from scholar_indexes.books.segmentation.chapters import divide
        from scholar_indexes.books.segmentation.sentences import chapter_sentences

        folder = self._folder(stored)
        with explain_write_errors(folder):
            try:
                book_folder.manifest(folder)
            except Damaged:
                if not book_folder.has_text(folder, stored.book.sha256):
                    raise
                (folder / book_folder.MANIFEST).unlink()  # the catalogue has the same data
            text = book_folder.text(folder, stored.book.sha256)
            book_folder.imprint(folder)
            if self._is_whole_without_record(stored):
                book_folder.add_manifest(folder, stored.book)
                return
            breaks: list[SceneBreak] = []
            with suppress(Damaged):  # breaks lost with the chapters are not in the text
                for chapter in book_folder.chapters(folder):
                    breaks += chapter.breaks
            chapters = scene_breaks.assign(divide(text), breaks)
            sentences = tuple(chapter_sentences(text, chapters))
            book_folder.replace_parts(folder, stored.book, chapters, sentences)
        table = self._index.table
        if not _has_sentences(table, self._open(stored)):
            self._catalog.unmark_indexed(stored.edition, table.name)

    def _is_whole_without_record(self, stored: StoredBook) -> bool:
        """Return True if a book is undamaged except that its record is missing."""
        try:
            self.check(stored)
        except Damaged:
            return False
        return book_folder.manifest(self._folder(stored)) is None

    def relist(self, progress: Progress = silent) -> list[Book]:
        """List again the books in folders that are missing from the catalogue, and return them.

        Metadata missing from a folder is guessed: the title from the id. Passages still in the
        index are kept. A damaged folder stays unchanged and unlisted.
        """
        relisted = []
        with self._write_lock.held(progress):
            for folder in self.unlisted():
                name = book_folder.parse_name(folder.name)
                assert name is not None
                try:
                    book = read_record(folder)
                    text = book_folder.text(folder, book.sha256)
                    chapters = book_folder.chapters(folder)
                    counts = (len(text), len(chapters) - 1, len(book_folder.sentences(folder)))
                except Damaged:
                    continue
                self._catalog.restore(name.edition, book, counts)
                relisted.append(book)
            self._recognize_passages()
        return relisted

    def unlisted(self) -> list[Path]:
        """Return the book folders missing from the catalogue, the newest of each book."""
        known = {stored.folder for stored in self._catalog.books()}
        known |= {stored.folder for stored in self._catalog.unfinished()}
        listed = {stored.book.id for stored in self._catalog.books()}
        newest: dict[str, book_folder.FolderName] = {}
        for folder in set(book_folder.names(self._paths.books)) - known:
            name = book_folder.parse_name(folder)
            if name is None or name.book_id in listed:
                continue
            if name.book_id not in newest or newest[name.book_id].edition < name.edition:
                newest[name.book_id] = name
        return [
            self._paths.books / f"{name.book_id}.{name.edition}"
            for name in sorted(newest.values(), key=lambda name: name.edition)
        ]

    def check_listed(self) -> None:
        """Raise Damaged if the catalogue is damaged, or if book folders are missing from it."""
        self._catalog.check()
        folders = self.unlisted()
        if folders:
            names = ", ".join(folder.name.rpartition(".")[0] for folder in folders[:3])
            more = f" and {len(folders) - 3} more" if len(folders) > 3 else ""
            raise Damaged(
                f"{self._paths.books} has books that are not in the list of books ({names}{more}); "
                "to list them again, run: scholar doctor --repair"
            )

    def _has_no_hashes(self, stored: StoredBook) -> bool:
        return not (self._folder(stored) / book_folder.MANIFEST).exists()

    def _folder(self, stored: StoredBook) -> Path:
        return self._paths.books / stored.folder

    def _open(self, stored: StoredBook) -> OpenBook:
        return OpenBook(stored, self._folder(stored))

    def _compare_with_index(self, book: OpenBook) -> None:
        """Raise Damaged if the sentences of a book differ from the index."""
        if book.stored.edition in self._index.editions() and not _has_sentences(
            self._index.table, book
        ):
            raise book_folder.damage(book.folder, "its sentences differ from the index")

    def _recognize_passages(self) -> None:
        """Mark as indexed the books that are in the index but not marked.

        Of the tables of the current model, the one with the most such books is used.
        """
        known = self._index.editions()
        books = [
            self._open(stored) for stored in self._catalog.books() if stored.edition not in known
        ]
        indexed_by_table: dict[str, list[int]] = {}
        for table in self._index.generations() if books else ():
            # If some books are marked, the current table is known, and an older one is not in use.
            if known and table.name != self._index.table_name:
                continue
            # The check of the index reports a damaged table.
            with suppress(ScholarError):
                indexed_by_table[table.name] = _editions_within(table, books)
        if indexed_by_table:
            name, indexed = max(indexed_by_table.items(), key=lambda pair: len(pair[1]))
            for edition in indexed:
                self._catalog.mark_indexed(edition, name)


def check_spans(book: OpenBook) -> None:
    """Raise Damaged if chapters and sentences are out of order or outside the text of a book."""
    if not _are_in_order(len(book.text), book.chapters, book.sentences):
        raise book_folder.damage(
            book.folder, "its parts do not fit its text", follows_from_text=True
        )


def _are_in_order(size: int, chapters: Sequence[Chapter], rows: NDArray[np.int32]) -> bool:
    starts, ends = rows[:, 2], rows[:, 3]
    bodies = {chapter.number: chapter.body for chapter in chapters}
    if not all(0 <= body.start <= body.end <= size for body in bodies.values()):
        return False
    if not ((starts >= 0) & (starts < ends) & (ends <= size)).all():
        return False
    if not ((ends[:-1] <= starts[1:]) & (rows[:-1, 0] <= rows[1:, 0])).all():
        return False
    return all(int(number) in bodies for number in set(rows[:, 0].tolist()))


def _editions_within(table: PassageTable, books: Sequence[OpenBook]) -> list[int]:
    """Return the editions of the books whose sentences are all in a table; raises ScholarError for
    a damaged table."""
    editions = table.editions()
    return [
        book.stored.edition
        for book in books
        if book.stored.edition in editions and _has_sentences(table, book)
    ]


def _has_sentences(table: PassageTable, book: OpenBook) -> bool:
    """Return True if a table has exactly the sentences of a book."""
    text = book.text
    stored = [text[start:end] for start, end in book.sentences[:, 2:].tolist()]
    return table.edition_texts(book.stored.edition) == stored


def read_record(folder: Path) -> Book:
    """Return the book in a folder, with guessed metadata for an old folder without a record.

    Raises Damaged.
    """
    from scholar_indexes.books import samples

    manifest = book_folder.manifest(folder)
    if manifest is not None:
        return manifest.book
    name = book_folder.parse_name(folder.name)
    book_id = name.book_id if name else folder.name
    sha256 = hashlib.sha256(book_folder.text(folder).encode("utf-8")).hexdigest()
    for sample in samples.bundled():
        if book_id == f"pg{sample.gutenberg_id}":
            return Book(book_id, sample.title, sample.author, "en", samples.origin(sample), sha256)
    title = book_id.removeprefix("own-").replace("-", " ").title()
    if book_id.startswith("pg"):
        title = f"Project Gutenberg {book_id[2:]}"
    return Book(book_id, title, "", "en", str(folder), sha256)
