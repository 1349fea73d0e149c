"""Bookmarks: reading positions, claims that were searched for, and saved quotations.

One small SQLite file. Everything is on the disk when a method returns, so nothing is lost to a
killed terminal, and two screens and a command line may use it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.storage.sqlite import SqliteFile

SCHEMA_VERSION = 2

MOST_CLAIMS = 200
"""Older claims are forgotten."""

MAX_NOTE_CHARS = 10_000

DEFAULT_COLLECTION = "kept"

LONGEST_NAME = 80
"""Characters of the name of a collection."""

_COLLECTIONS = "CREATE TABLE collections (name TEXT PRIMARY KEY)"
"""The collections that were made before anything was kept in them."""

_NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

_SCHEMA = f"""
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
    kept TEXT NOT NULL DEFAULT ({_NOW}),
    UNIQUE (collection, locator)
);
CREATE TABLE choices (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
);
{_COLLECTIONS}
"""


@dataclass(frozen=True, slots=True)
class ReadingPosition:
    """The place where reading stopped: the locator of the paragraph, and its start in the text."""

    book_id: str
    locator: str
    start: int


@dataclass(frozen=True, slots=True)
class SavedQuotation:
    """A quotation that was kept: its place, what it was kept for, and a note of the reader's.

    number is its key in this file (0 before it is saved); chapter reads as a citation has it;
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


def collection_name(name: str) -> str:
    """Return the name of a collection on one line; raises UsageError for an empty one."""
    name = one_line(name, LONGEST_NAME).strip()
    if not name:
        raise UsageError("a collection needs a name; write one")
    return name


class Bookmarks:
    """The bookmarks of a user in one SQLite file, made on first use.

    Every method raises what SqliteFile raises.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._file = SqliteFile(
            path,
            _SCHEMA.split(";\n"),
            SCHEMA_VERSION,
            "the file of bookmarks",
            timeout_s=timeout_s,
            upgrades={1: (_COLLECTIONS,)},
        )

    def check(self) -> None:
        """Read the whole file; raises Damaged for one that is damaged or lost."""
        self._file.check()
        self.quotations(), self.collections(), self.positions(), self.claims()

    def begin_anew(self) -> str:
        """Begin a new file if this one is damaged or lost; see SqliteFile.begin_anew."""
        return self._file.begin_anew(self.check)

    def position(self, book_id: str) -> ReadingPosition | None:
        """Return where a book was being read."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places WHERE book = ?", (book_id,)
            ).fetchone()
        return ReadingPosition(*row) if row else None

    def last_position(self) -> ReadingPosition | None:
        """Return where the book that was read last was being read."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC LIMIT 1"
            ).fetchone()
        return ReadingPosition(*row) if row else None

    def positions(self) -> list[ReadingPosition]:
        """Return where each book was being read, the last one first."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            rows = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC"
            ).fetchall()
        return [ReadingPosition(*row) for row in rows]

    def record_position(self, position: ReadingPosition) -> None:
        """Store where a book is being read, in the place of its last position."""
        with self._file.connection(change=True) as db:
            db.execute(
                "INSERT OR REPLACE INTO places VALUES"
                " (?, ?, ?, (SELECT coalesce(max(opened), 0) + 1 FROM places))",
                (position.book_id, position.locator, position.start),
            )

    def claims(self) -> list[str]:
        """Return the claims that were searched for, the last first."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            rows = db.execute("SELECT claim FROM claims ORDER BY asked DESC").fetchall()
        return [claim for (claim,) in rows]

    def record_claim(self, claim: str) -> None:
        """Store a claim; of all, the last MOST_CLAIMS are kept."""
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

    def collections(self) -> list[tuple[str, int]]:
        """Return the names of the collections and how many quotations each has, by name."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            return db.execute(
                "SELECT name, count(number) FROM (SELECT name FROM collections"
                " UNION SELECT collection FROM quotations)"
                " LEFT JOIN quotations ON collection = name GROUP BY name ORDER BY name"
            ).fetchall()

    def make_collection(self, name: str) -> str:
        """Make a collection that has nothing in it yet; return its name on one line.

        Raises UsageError for one that is there, or has no name.
        """
        name = collection_name(name)
        with self._file.connection(change=True) as db:
            is_new = not db.execute(
                "SELECT 1 FROM quotations WHERE collection = ?", (name,)
            ).fetchone()
            made = db.execute("INSERT OR IGNORE INTO collections VALUES (?)", (name,)).rowcount
        if not (is_new and made):
            raise UsageError(f"there is a collection {name!r}; add to it, or choose another name")
        return name

    def delete_collection(self, name: str) -> int:
        """Delete a collection with its quotations; return how many it had."""
        with self._file.connection(change=True) as db:
            db.execute("DELETE FROM collections WHERE name = ?", (name,))
            return db.execute("DELETE FROM quotations WHERE collection = ?", (name,)).rowcount

    def quotations(
        self, collection: str | None = None, *, book_id: str | None = None
    ) -> list[SavedQuotation]:
        """Return the quotations of a collection, or of all, and of a book, or of all, in the order
        they were saved."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            rows: Sequence[tuple[object, ...]] = db.execute(
                "SELECT locator, quote, book, author, title, chapter, claim, note, collection,"
                " number, kept FROM quotations WHERE (?1 IS NULL OR collection = ?1)"
                " AND (?2 IS NULL OR book = ?2) ORDER BY number",
                (collection, book_id),
            ).fetchall()
        return [SavedQuotation(*row) for row in rows]  # type: ignore[arg-type]

    def save(self, quotation: SavedQuotation) -> SavedQuotation:
        """Save a quotation in its collection; one saved there before stays as it is, with its
        note. One that was deleted gets its number and time again, and so its place among the
        others. Raises UsageError for a collection without a name."""
        collection = collection_name(quotation.collection)
        with self._file.connection(change=True) as db:
            db.execute(
                "INSERT OR IGNORE INTO quotations"
                " (collection, locator, quote, book, author, title, chapter, claim, note, number,"
                " kept) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                " (SELECT nullif(?10, 0) WHERE ?10 NOT IN (SELECT number FROM quotations)),"
                f" coalesce(nullif(?11, ''), {_NOW}))",
                (
                    collection,
                    quotation.locator,
                    quotation.quote,
                    quotation.book_id,
                    quotation.author,
                    quotation.title,
                    quotation.chapter,
                    quotation.claim,
                    safe(quotation.note)[:MAX_NOTE_CHARS],
                    quotation.number,
                    quotation.kept,
                ),
            )
            row = db.execute(
                "SELECT locator, quote, book, author, title, chapter, claim, note, collection,"
                " number, kept FROM quotations WHERE collection = ? AND locator = ?",
                (collection, quotation.locator),
            ).fetchone()
        return SavedQuotation(*row)

    def restore(self, quotation: SavedQuotation) -> SavedQuotation:
        """Save a quotation that was deleted; where it was saved anew meanwhile, that one gets its
        note, after a blank line if it has another. Raises UsageError if both are too long for one
        note."""
        saved = self.save(quotation)
        note = "\n\n".join(dict.fromkeys(filter(None, (saved.note, quotation.note))))
        if len(note) > MAX_NOTE_CHARS:
            raise UsageError(
                f"both notes are longer than {MAX_NOTE_CHARS:,} characters; shorten the new one"
            )
        if note != saved.note:
            self.annotate(saved.number, note)
        return replace(saved, note=note)

    def annotate(self, number: int, note: str) -> None:
        """Replace the note of a saved quotation; raises NotThere when it is gone."""
        with self._file.connection(change=True) as db:
            done = db.execute(
                "UPDATE quotations SET note = ? WHERE number = ?",
                (safe(note)[:MAX_NOTE_CHARS], number),
            ).rowcount
        if not done:
            raise NotThere("this quotation is no longer kept; keep it again, then note on it")

    def move(self, moves: Sequence[tuple[int, str, str]]) -> None:
        """Give saved quotations, by their numbers, other locators and names of chapters. One whose
        collection has another quotation at the locator stays as it is."""
        change = "UPDATE OR IGNORE quotations SET locator = ?2, chapter = ?3 WHERE number = ?1"
        with self._file.connection(change=True) as db:
            waiting = list(moves)
            while waiting:  # for those that stand where they go to move first
                blocked = [move for move in waiting if not db.execute(change, move).rowcount]
                if len(blocked) == len(waiting):
                    break
                waiting = blocked

    def set_claim(self, number: int, claim: str) -> None:
        """Replace the claim of a saved quotation, if it is there still."""
        with self._file.connection(change=True) as db:
            db.execute("UPDATE quotations SET claim = ? WHERE number = ?", (claim, number))

    def delete(self, number: int) -> bool:
        """Delete a saved quotation; return True if it was there."""
        with self._file.connection(change=True) as db:
            done = db.execute("DELETE FROM quotations WHERE number = ?", (number,)).rowcount
        return bool(done)

    def choice(self, name: str) -> str | None:
        """Return a choice that was stored, such as the theme."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute("SELECT value FROM choices WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_choice(self, name: str, value: str) -> None:
        """Store a choice under a name."""
        with self._file.connection(change=True) as db:
            db.execute("INSERT OR REPLACE INTO choices VALUES (?, ?)", (name, value))
