"""Which books this machine holds.

One small SQLite file, read without opening LanceDB. A book is listed only once its text
and its passages are stored, and it disappears from the list before they are removed;
what an interrupted command leaves behind stands here as "adding" or "removing" and is
cleared away by the next one that writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import Busy, Damaged, ScholarError
from scholar_indexes.places import writing
from scholar_indexes.types import Book

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
class Shelved:
    """A book on the shelf: which edition of it this is, and how large.

    edition numbers are never used again, so a row of the index that bears one belongs
    to exactly this text. characters, chapters and sentences are counts; added is UTC.
    """

    book: Book
    edition: int
    characters: int
    chapters: int
    sentences: int
    added: str

    @property
    def folder(self) -> str:
        return f"{self.book.id}.{self.edition}"


class Catalog:
    """The list of books in one SQLite file, made on first use.

    Raises Damaged when the file is not such a list, and Busy when another program
    holds it for longer than timeout_s.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def books(self) -> list[Shelved]:
        """Every listed book, by author and title."""
        return self._select("state = 'listed' ORDER BY author, title, id")

    def unfinished(self) -> list[Shelved]:
        """What an interrupted command left: editions being added or removed."""
        return self._select("state <> 'listed' ORDER BY number")

    def with_id(self, book_id: str) -> Shelved | None:
        return next(iter(self._select("state = 'listed' AND id = ?", book_id)), None)

    def with_text(self, sha256: str) -> Shelved | None:
        return next(iter(self._select("state = 'listed' AND sha256 = ?", sha256)), None)

    def begin(self, book: Book, characters: int, chapters: int, sentences: int) -> Shelved:
        """Note that an edition is being added; it is not listed yet."""
        with self._connection() as db:
            number = db.execute(
                "INSERT INTO editions (state, id, title, author, language, source, sha256,"
                " characters, chapters, sentences) VALUES ('adding', ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " RETURNING number",
                (book.id, book.title, book.author, book.language, book.source, book.sha256,
                 characters, chapters, sentences),
            ).fetchone()[0]  # fmt: skip
        return self._select("number = ?", number)[0]

    def record(self, edition: int, space: str) -> None:
        """List an edition whose passages stand in a space; an older edition gives way."""
        with self._connection() as db:
            db.execute(
                "UPDATE editions SET state = 'removing' WHERE state = 'listed' AND id ="
                " (SELECT id FROM editions WHERE number = ?)",
                (edition,),
            )
            db.execute("UPDATE editions SET state = 'listed' WHERE number = ?", (edition,))
            db.execute("INSERT OR IGNORE INTO indexed VALUES (?, ?)", (edition, space))

    def note_indexed(self, edition: int, space: str) -> None:
        with self._connection() as db:
            db.execute("INSERT OR IGNORE INTO indexed VALUES (?, ?)", (edition, space))

    def forget_space(self, space: str) -> None:
        """Note that a space holds nothing any more."""
        with self._connection() as db:
            db.execute("DELETE FROM indexed WHERE space = ?", (space,))

    def unlist(self, edition: int) -> None:
        """Take a book off the list; its text and passages may go after that."""
        with self._connection() as db:
            db.execute("UPDATE editions SET state = 'removing' WHERE number = ?", (edition,))

    def forget(self, edition: int) -> None:
        """Drop an unlisted edition whose text and passages are gone."""
        with self._connection() as db:
            db.execute("DELETE FROM editions WHERE number = ? AND state <> 'listed'", (edition,))

    def indexed(self, space: str) -> set[int]:
        """The editions whose passages stand in a space."""
        if not self._path.exists():
            return set()
        with self._connection() as db:
            return {
                row[0]
                for row in db.execute("SELECT edition FROM indexed WHERE space = ?", (space,))
            }

    def _select(self, condition: str, *values: object) -> list[Shelved]:
        if not self._path.exists():
            return []
        with self._connection() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM editions WHERE {condition}", values)
            return [
                Shelved(Book(book_id, title, author, language, source, sha256), number, *counts)
                for number, book_id, title, author, language, source, sha256, *counts in rows
            ]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """One transaction: everything in it happens or nothing does."""
        with writing(self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            db = sqlite3.connect(self._path, timeout=self._timeout_s, isolation_level=None)
        except sqlite3.OperationalError as refusal:
            raise ScholarError(
                f"{self._path} cannot be opened ({refusal}); check the folder's permissions "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from refusal
        try:
            db.execute("PRAGMA foreign_keys = ON")
            if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
                self._make(db)
            db.execute("BEGIN")
            yield db
            db.execute("COMMIT")
        except sqlite3.OperationalError as refusal:
            if "locked" in str(refusal) or "busy" in str(refusal):
                raise Busy(
                    "another program holds the list of books; run the same command again"
                ) from refusal
            if "full" in str(refusal):
                raise ScholarError(
                    f"the disk that holds {self._path} is full; free some space "
                    "and run the same command again"
                ) from refusal
            if "readonly" in str(refusal):
                raise ScholarError(
                    f"no permission to write {self._path}; change its permissions "
                    "or set SCHOLAR_HOME to a folder of your own"
                ) from refusal
            raise Damaged(self._damage(refusal)) from refusal
        except sqlite3.DatabaseError as damage:
            raise Damaged(self._damage(damage)) from damage
        finally:
            db.close()

    def _make(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise ScholarError(
                f"{self._path} was written by a newer scholar; upgrade with: "
                "pip install -U scholar-cli"
            )
        if version == 0:
            for statement in _SCHEMA.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        db.execute("COMMIT")

    def _damage(self, damage: Exception) -> str:
        return (
            f"the list of books {self._path} is damaged ({damage}); move it away, then add "
            "your books again (their texts stay in the folder books beside it)"
        )
