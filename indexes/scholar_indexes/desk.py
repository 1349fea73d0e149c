"""A person's desk: where they were reading, what they asked, and the quotations they kept.

One small SQLite file. Everything is on the disk when a method returns, so nothing is lost to a
killed terminal, and two screens and a command line may use it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.sqlite_file import SqliteFile
from scholar_indexes.untrusted import one_line

SCHEMA_VERSION = 1

MOST_CLAIMS = 200
"""Older claims are forgotten."""

MAX_NOTE_CHARS = 10_000

DEFAULT_COLLECTION = "kept"

_SCHEMA = """
CREATE TABLE places (
    book TEXT PRIMARY KEY, locator TEXT NOT NULL, start INTEGER NOT NULL,
    opened INTEGER NOT NULL UNIQUE
);
CREATE TABLE claims (
    claim TEXT PRIMARY KEY, asked INTEGER NOT NULL UNIQUE
);
CREATE TABLE quotations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL, locator TEXT NOT NULL, quote TEXT NOT NULL,
    book TEXT NOT NULL, author TEXT NOT NULL, title TEXT NOT NULL, chapter TEXT NOT NULL,
    claim TEXT NOT NULL, note TEXT NOT NULL,
    kept TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    UNIQUE (collection, locator)
);
CREATE TABLE choices (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody was reading: the locator of the paragraph, and its start in the text."""

    book_id: str
    locator: str
    start: int


@dataclass(frozen=True, slots=True)
class Clipping:
    """A quotation that was kept: its place, what it was kept for, and a note of the reader's.

    number names it on this desk (0 before it is kept); chapter reads as a citation has it;
    kept is UTC.
    """

    locator: str
    quote: str
    book_id: str
    author: str
    title: str
    chapter: str
    claim: str = ""
    note: str = ""
    collection: str = DEFAULT_COLLECTION
    number: int = 0
    kept: str = ""


class Desk:
    """What is kept in one file, made on first use; raises what SqliteFile does."""

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._file = SqliteFile(
            path, _SCHEMA.split(";\n"), SCHEMA_VERSION, "the desk of places and kept quotations",
            "move it away and start again; books and quizzes are not touched", timeout_s,
        )  # fmt: skip

    # -- reading -----------------------------------------------------------------------------

    def place(self, book_id: str) -> Place | None:
        """Where a book was being read."""
        if not self._path.exists():
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places WHERE book = ?", (book_id,)
            ).fetchone()
        return Place(*row) if row else None

    def last_place(self) -> Place | None:
        """Where the book was that was read last."""
        if not self._path.exists():
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC LIMIT 1"
            ).fetchone()
        return Place(*row) if row else None

    def places(self) -> list[Place]:
        """Where each book was being read, the last one first."""
        if not self._path.exists():
            return []
        with self._file.connection() as db:
            rows = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC"
            ).fetchall()
        return [Place(*row) for row in rows]

    def note_place(self, place: Place) -> None:
        with self._file.connection(change=True) as db:
            db.execute(
                "INSERT OR REPLACE INTO places VALUES"
                " (?, ?, ?, (SELECT coalesce(max(opened), 0) + 1 FROM places))",
                (place.book_id, place.locator, place.start),
            )

    # -- asking ------------------------------------------------------------------------------

    def claims(self) -> list[str]:
        """What was asked, the last first."""
        if not self._path.exists():
            return []
        with self._file.connection() as db:
            rows = db.execute("SELECT claim FROM claims ORDER BY asked DESC").fetchall()
        return [claim for (claim,) in rows]

    def note_claim(self, claim: str) -> None:
        """Remember a claim; MOST_CLAIMS are."""
        claim = one_line(claim, 2_000)
        if not claim:
            return
        with self._file.connection(change=True) as db:
            db.execute(
                "INSERT OR REPLACE INTO claims VALUES"
                " (?, (SELECT coalesce(max(asked), 0) + 1 FROM claims))",
                (claim,),
            )
            db.execute(
                "DELETE FROM claims WHERE asked NOT IN"
                " (SELECT asked FROM claims ORDER BY asked DESC LIMIT ?)",
                (MOST_CLAIMS,),
            )

    # -- keeping -----------------------------------------------------------------------------

    def collections(self) -> list[tuple[str, int]]:
        """The names of the collections and how many quotations each has, by name."""
        if not self._path.exists():
            return []
        with self._file.connection() as db:
            return db.execute(
                "SELECT collection, count(*) FROM quotations GROUP BY collection ORDER BY 1"
            ).fetchall()

    def clippings(self, collection: str | None = None) -> list[Clipping]:
        """The quotations of a collection, or of all, in the order they were kept."""
        if not self._path.exists():
            return []
        with self._file.connection() as db:
            rows: Sequence[tuple[object, ...]] = db.execute(
                "SELECT locator, quote, book, author, title, chapter, claim, note, collection,"
                " number, kept FROM quotations WHERE ?1 IS NULL OR collection = ?1"
                " ORDER BY number",
                (collection,),
            ).fetchall()
        return [Clipping(*row) for row in rows]  # type: ignore[arg-type]

    def keep(self, clipping: Clipping) -> Clipping:
        """Keep a quotation in its collection; one kept there before stays as it is, note and
        all. Raises UsageError for a collection without a name."""
        collection = one_line(clipping.collection, 80)
        if not collection:
            raise UsageError("a collection needs a name; write one")
        with self._file.connection(change=True) as db:
            db.execute(
                "INSERT OR IGNORE INTO quotations"
                " (collection, locator, quote, book, author, title, chapter, claim, note)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (collection, clipping.locator, clipping.quote, clipping.book_id, clipping.author,
                 clipping.title, clipping.chapter, clipping.claim,
                 clipping.note[:MAX_NOTE_CHARS]),
            )  # fmt: skip
            row = db.execute(
                "SELECT locator, quote, book, author, title, chapter, claim, note, collection,"
                " number, kept FROM quotations WHERE collection = ? AND locator = ?",
                (collection, clipping.locator),
            ).fetchone()
        return Clipping(*row)

    def annotate(self, number: int, note: str) -> None:
        """Write the note of a kept quotation anew; raises NotThere when it is gone."""
        with self._file.connection(change=True) as db:
            done = db.execute(
                "UPDATE quotations SET note = ? WHERE number = ?", (note[:MAX_NOTE_CHARS], number)
            ).rowcount
        if not done:
            raise NotThere("this quotation is no longer kept; keep it again, then note on it")

    def drop(self, number: int) -> None:
        """Keep a quotation no longer."""
        with self._file.connection(change=True) as db:
            db.execute("DELETE FROM quotations WHERE number = ?", (number,))

    # -- choices -----------------------------------------------------------------------------

    def choice(self, name: str) -> str | None:
        """What was chosen before, such as the theme."""
        if not self._path.exists():
            return None
        with self._file.connection() as db:
            row = db.execute("SELECT value FROM choices WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def choose(self, name: str, value: str) -> None:
        with self._file.connection(change=True) as db:
            db.execute("INSERT OR REPLACE INTO choices VALUES (?, ?)", (name, value))
