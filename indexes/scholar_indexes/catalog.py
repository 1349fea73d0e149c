"""Which books this machine holds.

One small SQLite file, read without opening LanceDB. A book is listed only once its text
and its passages are stored, and it disappears from the list before they are removed;
what an interrupted command leaves behind stands here as "adding" or "removing" and is
cleared away by the next one that writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.sqlite_file import SqliteFile
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
        self._connection = SqliteFile(
            path, _SCHEMA.split(";\n"), SCHEMA_VERSION, "the list of books",
            "move it away, then add your books again (their texts stay in the folder books "
            "beside it)", timeout_s,
        ).connection  # fmt: skip

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
