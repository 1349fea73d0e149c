"""The catalogue of stored books: one small SQLite file, read without opening LanceDB.

A book is listed only once its text and its passages are stored, and it disappears from the
list before they are removed. A book left by an interrupted command has the state "adding"
or "removing" and is deleted by the next command that writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.storage.sqlite import SqliteFile
from scholar_indexes.storage.table_names import GENERATION
from scholar_indexes.types import Book

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE editions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('adding', 'listed', 'removing')),
    id TEXT NOT NULL, title TEXT NOT NULL, author TEXT NOT NULL, language TEXT NOT NULL,
    source TEXT NOT NULL, sha256 TEXT NOT NULL,
    characters INTEGER NOT NULL, chapters INTEGER NOT NULL, sentences INTEGER NOT NULL,
    added TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE UNIQUE INDEX one_listed_edition ON editions (id) WHERE state = 'listed';
CREATE TABLE indexed (
    edition INTEGER NOT NULL REFERENCES editions (number) ON DELETE CASCADE,
    space TEXT NOT NULL,
    PRIMARY KEY (edition, space)
);
"""

_COLUMNS = (
    "number, id, title, author, language, source, sha256, characters, chapters, sentences, added"
)


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book in the catalogue, with its edition number and its size.

    Edition numbers are never reused, so a row of the index with such a number belongs to
    exactly this text. characters, chapters and sentences are counts; added is UTC.
    """

    book: Book
    edition: int
    characters: int
    chapters: int
    sentences: int
    added: str

    @property
    def folder(self) -> str:
        """The name of the folder of its files."""
        return f"{self.book.id}.{self.edition}"


class Catalog:
    """The catalogue in a SQLite file, which is created on first use.

    Raises Damaged if the file is not a catalogue, and Busy if another program
    locks it for longer than timeout_s.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._file = SqliteFile(
            path,
            _SCHEMA.split(";\n"),
            SCHEMA_VERSION,
            "the list of books",
            "to set it aside and list the stored books again, run: scholar doctor --repair",
            timeout_s,
        )
        self._connection = self._file.connection

    def replace_if_damaged(self) -> str:
        """Start a new list if this one is damaged or lost; see SqliteFile.replace_if_damaged."""
        return self._file.replace_if_damaged(self.check)

    def check(self) -> None:
        """Read the whole file; raises Damaged if it is inconsistent."""
        self._file.check()
        self.books()
        self.unfinished()

    def books(self) -> list[StoredBook]:
        """Return the listed books, by author and title."""
        return self._select("state = 'listed' ORDER BY author, title, id")

    def version(self) -> Collection[tuple[int, str]]:
        """Return a value that changes if a book is listed, unlisted, or added to another table."""
        if not self._file.is_begun:
            return ()
        with self._connection() as db:
            return db.execute(
                "SELECT number, coalesce(space, '') FROM editions"
                " LEFT JOIN indexed ON edition = number WHERE state = 'listed' ORDER BY 1, 2"
            ).fetchall()

    def unfinished(self) -> list[StoredBook]:
        """Return the editions that an interrupted command was adding or removing."""
        return self._select("state <> 'listed' ORDER BY number")

    def with_id(self, book_id: str) -> StoredBook | None:
        """Return the listed book with an id, or None."""
        return next(iter(self._select("state = 'listed' AND id = ?", book_id)), None)

    def with_text(self, sha256: str) -> StoredBook | None:
        """Return a listed book whose text has this hash, or None."""
        return next(iter(self._select("state = 'listed' AND sha256 = ?", sha256)), None)

    def numbers(self) -> set[int]:
        """Return the numbers of all editions, listed or not."""
        if not self._file.is_begun:
            return set()
        with self._connection() as db:
            return {row[0] for row in db.execute("SELECT number FROM editions")}

    def removing(self) -> list[StoredBook]:
        """Return the editions that an interrupted command was removing."""
        return self._select("state = 'removing' ORDER BY number")

    def begin(
        self, book: Book, characters: int, chapters: int, sentences: int, *, above: int = 0
    ) -> StoredBook:
        """Record that an edition is being added, without listing it, and return it.

        Its number is above `above`, the highest number of a folder: the catalogue may be newer
        than the folders.
        """
        with self._connection(change=True) as db:
            last = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'editions'").fetchone()
            number = max(above, last[0] if last else 0) + 1
            self._insert(db, "adding", number, book, (characters, chapters, sentences))
        return self._select("number = ?", number)[0]

    def restore(self, edition: int, book: Book, counts: tuple[int, int, int]) -> None:
        """List an edition with an existing folder again; counts are the numbers of characters,
        chapters and sentences."""
        with self._connection(change=True) as db:
            self._insert(db, "listed", edition, book, counts)

    @staticmethod
    def _insert(
        db: Connection, state: str, edition: int, book: Book, counts: tuple[int, int, int]
    ) -> None:
        db.execute(
            "INSERT INTO editions (number, state, id, title, author, language, source, sha256,"
            " characters, chapters, sentences) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                edition,
                state,
                book.id,
                book.title,
                book.author,
                book.language,
                book.source,
                book.sha256,
                *counts,
            ),
        )

    def list_edition(self, edition: int, space: str) -> None:
        """List an edition whose passages are stored in a space, replacing an older edition."""
        with self._connection(change=True) as db:
            db.execute(
                "UPDATE editions SET state = 'removing' WHERE state = 'listed' AND id ="
                " (SELECT id FROM editions WHERE number = ?)",
                (edition,),
            )
            db.execute("UPDATE editions SET state = 'listed' WHERE number = ?", (edition,))
            db.execute("INSERT OR IGNORE INTO indexed VALUES (?, ?)", (edition, space))

    def mark_indexed(self, edition: int, space: str) -> None:
        """Record that the passages of an edition are stored in a space."""
        with self._connection(change=True) as db:
            db.execute("INSERT OR IGNORE INTO indexed VALUES (?, ?)", (edition, space))

    def unmark_indexed(self, edition: int, space: str) -> None:
        """Record that the passages of an edition are not stored in a space."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM indexed WHERE edition = ? AND space = ?", (edition, space))

    def current_table(self, name: str) -> str:
        """Return the table in use for a name: its latest replacement, or itself."""
        if not self._file.is_begun:
            return name
        with self._connection() as db:
            row = db.execute(
                "SELECT space FROM indexed WHERE substr(space, 1, ?) = ? "
                "ORDER BY length(space) DESC, space DESC LIMIT 1",
                (len(name) + 1, f"{name}{GENERATION}"),
            ).fetchone()
        return row[0] if row else name

    def replace_table(self, old: str, new: str, editions: Iterable[int]) -> None:
        """Record in one step that a new table with the given editions replaces an old one."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM indexed WHERE space = ?", (old,))
            db.executemany(
                "INSERT INTO indexed VALUES (?, ?)", [(edition, new) for edition in editions]
            )

    def forget_space(self, space: str) -> None:
        """Record that no passages are stored in a space any more."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM indexed WHERE space = ?", (space,))

    def unlist(self, edition: int) -> None:
        """Remove a book from the list, so that its text and passages can be deleted."""
        with self._connection(change=True) as db:
            db.execute("UPDATE editions SET state = 'removing' WHERE number = ?", (edition,))

    def forget(self, edition: int) -> None:
        """Delete the record of an unlisted edition whose text and passages are gone."""
        with self._connection(change=True) as db:
            db.execute("DELETE FROM editions WHERE number = ? AND state <> 'listed'", (edition,))

    def indexed_editions(self, space: str) -> set[int]:
        """Return the editions whose passages are stored in a space."""
        if not self._file.is_begun:
            return set()
        with self._connection() as db:
            return {
                row[0]
                for row in db.execute("SELECT edition FROM indexed WHERE space = ?", (space,))
            }

    def _select(self, condition: str, *values: object) -> list[StoredBook]:
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM editions WHERE {condition}", values)
            return [
                StoredBook(Book(book_id, title, author, language, source, sha256), number, *counts)
                for number, book_id, title, author, language, source, sha256, *counts in rows
            ]
