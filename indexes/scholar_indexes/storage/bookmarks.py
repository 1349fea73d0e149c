"""Bookmarks: reading positions, claims that were searched for, and saved quotations.

One small SQLite file. Everything is on the disk when a method returns, so a killed terminal loses
nothing, and two screens and a command line may use it at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection
from typing import NamedTuple

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.storage.sqlite import SqliteFile

SCHEMA_VERSION = 3

MOST_CLAIMS = 200
"""The number of claims that are kept; older ones are deleted."""

MAX_NOTE_CHARS = 10_000

DEFAULT_COLLECTION = "kept"

LONGEST_NAME = 80
"""The maximum number of characters of a collection's name."""

COLOURS = ("yellow", "blue", "pink", "orange")
"""The colours that a saved quotation may have; "" is none, which screens show as green."""

_COLLECTIONS = "CREATE TABLE collections (name TEXT PRIMARY KEY)"
"""The collections that were created empty."""

_ORDER = "CREATE INDEX quotation_order ON quotations (collection, position)"

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
    position INTEGER NOT NULL DEFAULT 0, colour TEXT NOT NULL DEFAULT '',
    UNIQUE (collection, locator)
);
{_ORDER};
CREATE TABLE choices (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
);
{_COLLECTIONS}
"""

_UPGRADES = {
    1: (_COLLECTIONS,),
    2: (
        "ALTER TABLE quotations ADD COLUMN position INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE quotations ADD COLUMN colour TEXT NOT NULL DEFAULT ''",
        "UPDATE quotations SET position = number",
        _ORDER,
    ),
}

_FIELDS = (
    "locator, quote, book, author, title, chapter, claim, note, collection, number, kept,"
    " position, colour"
)
"""The columns of a SavedQuotation, in the order of its fields."""


@dataclass(frozen=True, slots=True)
class ReadingPosition:
    """The position where reading stopped: the paragraph's locator, and its start in the text."""

    book_id: str
    locator: str
    start: int


@dataclass(frozen=True, slots=True)
class SavedQuotation:
    """A saved quotation: its position, the claim it was saved for, and the reader's note.

    number is its key in this file (0 before it is saved); chapter reads as in a citation;
    kept is UTC; position orders the quotations of a collection; colour is one of COLOURS, or empty.
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
    position: int = 0
    colour: str = ""

    def has_words_of(self, text: str) -> bool:
        """Return True if a text equals the quotation, except for white space."""
        return one_line(text).strip() == one_line(self.quote).strip()


class Merged(NamedTuple):
    """A quotation as it is saved now, with True if it was saved before, and if that changed."""

    quotation: SavedQuotation
    was_there: bool
    is_changed: bool


def collection_name(name: str) -> str:
    """Return the name of a collection on one line; raises UsageError for an empty one."""
    name = one_line(name, LONGEST_NAME).strip()
    if not name:
        raise UsageError("a collection needs a name; enter one")
    return name


class Bookmarks:
    """The bookmarks of a user in one SQLite file, created on first use.

    Every method raises the errors of SqliteFile.
    """

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._file = SqliteFile(
            path,
            _SCHEMA.split(";\n"),
            SCHEMA_VERSION,
            "the file of bookmarks",
            timeout_s=timeout_s,
            upgrades=_UPGRADES,
        )

    def check(self) -> None:
        """Read the whole file; raises Damaged for one that is damaged or lost."""
        self._file.check()
        self.quotations(), self.collections(), self.positions(), self.claims()

    def replace_if_damaged(self) -> str:
        """Start a new file if this one is damaged or lost; see SqliteFile.replace_if_damaged."""
        return self._file.replace_if_damaged(self.check)

    def position(self, book_id: str) -> ReadingPosition | None:
        """Return the reading position in a book."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places WHERE book = ?", (book_id,)
            ).fetchone()
        return ReadingPosition(*row) if row else None

    def last_position(self) -> ReadingPosition | None:
        """Return the reading position in the book that was read last."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC LIMIT 1"
            ).fetchone()
        return ReadingPosition(*row) if row else None

    def positions(self) -> list[ReadingPosition]:
        """Return the reading position in each book, the last one first."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            rows = db.execute(
                "SELECT book, locator, start FROM places ORDER BY opened DESC"
            ).fetchall()
        return [ReadingPosition(*row) for row in rows]

    def record_position(self, position: ReadingPosition) -> None:
        """Store the reading position in a book, replacing its last one."""
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
        """Store a claim; only the last MOST_CLAIMS are kept."""
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
        """Return the name and the number of quotations of each collection, by name."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            return db.execute(
                "SELECT name, count(number) FROM (SELECT name FROM collections"
                " UNION SELECT collection FROM quotations)"
                " LEFT JOIN quotations ON collection = name GROUP BY name ORDER BY name"
            ).fetchall()

    def make_collection(self, name: str) -> str:
        """Create an empty collection; return its name on one line.

        Raises UsageError if it exists already, or has no name.
        """
        name = collection_name(name)
        with self._file.connection(change=True) as db:
            is_new = not db.execute(
                "SELECT 1 FROM quotations WHERE collection = ?", (name,)
            ).fetchone()
            made = db.execute("INSERT OR IGNORE INTO collections VALUES (?)", (name,)).rowcount
        if not (is_new and made):
            raise UsageError(f"the collection {name!r} exists; add to it, or choose another name")
        return name

    def delete_collection(self, name: str) -> int:
        """Delete a collection with its quotations; return how many it had."""
        with self._file.connection(change=True) as db:
            db.execute("DELETE FROM collections WHERE name = ?", (name,))
            return db.execute("DELETE FROM quotations WHERE collection = ?", (name,)).rowcount

    def quotations(
        self, collection: str | None = None, *, book_id: str | None = None
    ) -> list[SavedQuotation]:
        """Return the quotations of a collection in its order, or of all in the order they were
        saved; with a book, only those from it."""
        if not self._file.is_begun:
            return []
        with self._file.connection() as db:
            rows: Sequence[tuple[object, ...]] = db.execute(
                f"SELECT {_FIELDS} FROM quotations WHERE (?1 IS NULL OR collection = ?1)"
                " AND (?2 IS NULL OR book = ?2)"
                " ORDER BY CASE WHEN ?1 IS NULL THEN 0 ELSE position END, number",
                (collection, book_id),
            ).fetchall()
        return [SavedQuotation(*row) for row in rows]  # type: ignore[arg-type]

    def save(self, quotation: SavedQuotation) -> SavedQuotation:
        """Save a quotation in its collection and return it; one saved there already stays as it is,
        with its note. A deleted one gets back its number, time and position.
        Raises UsageError for a collection without a name."""
        with self._file.connection(change=True) as db:
            return _save(db, quotation)

    def restore(self, quotation: SavedQuotation) -> SavedQuotation:
        """Save a deleted quotation and return it; if it was saved again meanwhile, they are merged
        as by merge."""
        return self.merge([quotation])[0].quotation

    def merge(self, quotations: Iterable[SavedQuotation]) -> list[Merged]:
        """Save quotations of a collection, all or none. One that is saved already keeps its note,
        to which a new note is added after a blank line unless one contains the other, and gets the
        new claim and colour if it has none. A new one comes after the saved one that it follows.
        Raises UsageError for notes that are too long for one, alone or together."""
        with self._file.connection(change=True) as db:
            merged = [_merge(db, quotation) for quotation in quotations]
            _put_in_order(db, merged)
        return merged

    def annotate(self, number: int, note: str) -> None:
        """Replace the note of a saved quotation; raises NotThere if it is gone."""
        with self._file.connection(change=True) as db:
            done = db.execute(
                "UPDATE quotations SET note = ? WHERE number = ?",
                (safe(note)[:MAX_NOTE_CHARS], number),
            ).rowcount
        if not done:
            raise NotThere("this quotation is no longer kept; keep it again, then add the note")

    def move(self, moves: Sequence[tuple[int, str, str]]) -> None:
        """Change the locators and chapter names of saved quotations, given by number. A quotation
        stays as it is if its collection has another one at the new locator."""
        change = "UPDATE OR IGNORE quotations SET locator = ?2, chapter = ?3 WHERE number = ?1"
        with self._file.connection(change=True) as db:
            waiting = list(moves)
            while waiting:  # for quotations at the new locators to move first
                blocked = [move for move in waiting if not db.execute(change, move).rowcount]
                if len(blocked) == len(waiting):
                    break
                waiting = blocked

    def reorder(self, number: int, neighbour: int, *, after: bool) -> None:
        """Put a saved quotation directly before or after another one of its collection; raises
        NotThere if one of them is gone."""
        with self._file.connection(change=True) as db:
            rows = db.execute(
                "SELECT number FROM quotations WHERE collection ="
                " (SELECT collection FROM quotations WHERE number = ?) ORDER BY position, number",
                (number,),
            )
            others = [other for (other,) in rows if other != number]
            if neighbour not in others:
                raise NotThere("this passage is no longer in the collection; list it again")
            others.insert(others.index(neighbour) + after, number)
            _set_order(db, others)

    def set_colour(self, number: int, colour: str) -> None:
        """Set the colour of a saved quotation, "" for none; raises NotThere if it is gone, and
        UsageError for a colour that is not one of COLOURS."""
        if colour and colour not in COLOURS:
            raise UsageError(
                f"{one_line(colour, 40)!r} is not a colour; choose {', '.join(COLOURS)}"
            )
        with self._file.connection(change=True) as db:
            done = db.execute(
                "UPDATE quotations SET colour = ? WHERE number = ?", (colour, number)
            ).rowcount
        if not done:
            raise NotThere("this quotation is no longer kept; keep it again, then choose a colour")

    def set_claim(self, number: int, claim: str) -> None:
        """Replace the claim of a saved quotation, if it still exists."""
        with self._file.connection(change=True) as db:
            db.execute("UPDATE quotations SET claim = ? WHERE number = ?", (claim, number))

    def delete(self, number: int) -> SavedQuotation | None:
        """Delete a saved quotation, and return it as it was; None if it was gone."""
        with self._file.connection(change=True) as db:
            row = db.execute(
                f"DELETE FROM quotations WHERE number = ? RETURNING {_FIELDS}", (number,)
            ).fetchone()
        return SavedQuotation(*row) if row else None

    def choice(self, name: str) -> str | None:
        """Return a stored choice, such as the theme."""
        if not self._file.is_begun:
            return None
        with self._file.connection() as db:
            row = db.execute("SELECT value FROM choices WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_choice(self, name: str, value: str) -> None:
        """Store a choice under a name."""
        with self._file.connection(change=True) as db:
            db.execute("INSERT OR REPLACE INTO choices VALUES (?, ?)", (name, value))


def _save(db: Connection, quotation: SavedQuotation) -> SavedQuotation:
    """Save a quotation as Bookmarks.save does, in an open transaction."""
    collection = collection_name(quotation.collection)
    db.execute(
        f"INSERT OR IGNORE INTO quotations ({_FIELDS})"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
        " (SELECT nullif(?10, 0) WHERE ?10 NOT IN (SELECT number FROM quotations)),"
        f" coalesce(nullif(?11, ''), {_NOW}),"
        " coalesce(nullif(?12, 0),"
        " (SELECT coalesce(max(position), 0) + 1 FROM quotations WHERE collection = ?9)), ?13)",
        (
            quotation.locator,
            quotation.quote,
            quotation.book_id,
            quotation.author,
            quotation.title,
            quotation.chapter,
            quotation.claim,
            safe(quotation.note)[:MAX_NOTE_CHARS],
            collection,
            quotation.number,
            quotation.kept,
            quotation.position,
            quotation.colour if quotation.colour in COLOURS else "",
        ),
    )
    row = db.execute(
        f"SELECT {_FIELDS} FROM quotations WHERE collection = ? AND locator = ?",
        (collection, quotation.locator),
    ).fetchone()
    return SavedQuotation(*row)


def _merge(db: Connection, quotation: SavedQuotation) -> Merged:
    """Save a quotation as Bookmarks.merge does, in an open transaction."""
    last = db.total_changes
    saved = _save(db, quotation)
    was_there = db.total_changes == last
    new = replace(
        saved,
        note=_joined_notes(saved.note, safe(quotation.note)),
        claim=saved.claim or quotation.claim,
        colour=saved.colour or (quotation.colour if quotation.colour in COLOURS else ""),
    )
    if len(new.note) > MAX_NOTE_CHARS:
        raise UsageError(
            f"the notes on {saved.locator} exceed {MAX_NOTE_CHARS:,} characters; shorten them"
        )
    if new != saved:
        db.execute(
            "UPDATE quotations SET note = ?, claim = ?, colour = ? WHERE number = ?",
            (new.note, new.claim, new.colour, saved.number),
        )
    return Merged(new, was_there, is_changed=new != saved)


def _put_in_order(db: Connection, merged: Sequence[Merged]) -> None:
    """Put new quotations after the saved ones that they follow, or before the first if they precede
    it; without any saved one, they stay at the end of their collection."""
    new = {quotation.number for quotation, was_there, _ in merged if not was_there}
    leading: list[int] = []
    following: dict[int, list[int]] = {}
    places = leading
    for number in dict.fromkeys(quotation.number for quotation, *_ in merged):
        if number in new:
            places.append(number)
        else:
            places = following[number] = []
    if not new or not following:
        return
    first = next(iter(following))
    rows = db.execute(
        "SELECT number FROM quotations WHERE collection = ? ORDER BY position, number",
        (merged[0].quotation.collection,),
    )
    order: list[int] = []
    for (number,) in rows:
        if number not in new:
            order += [*(leading if number == first else ()), number, *following.get(number, ())]
    _set_order(db, order)


def _set_order(db: Connection, numbers: Iterable[int]) -> None:
    """Set the positions of the quotations of a collection, given by number."""
    db.executemany(
        "UPDATE quotations SET position = ?1 WHERE number = ?2 AND position <> ?1",
        enumerate(numbers, 1),
    )


def _joined_notes(old: str, new: str) -> str:
    """Return the text of two notes, or of one if it contains the words of the other."""
    if _has_words(old, new):
        return old
    return new if _has_words(new, old) else f"{old}\n\n{new}"


def _has_words(text: str, part: str) -> bool:
    """Return True if a text has all words of another in one piece."""
    words = one_line(part)
    return not words or f" {words} " in f" {one_line(text)} "
