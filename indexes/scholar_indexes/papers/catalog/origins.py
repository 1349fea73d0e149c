"""The files and records that papers were read from: what is as it was is not read again.

Every function runs in the transaction of the connection it is given.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence

from scholar_indexes.papers.catalog.stored import parse_column
from scholar_indexes.papers.entry import Entry


def entry_digest(entry: Entry) -> str:
    """Return a digest of everything that an entry says."""
    content = [entry.csl, entry.ids, entry.sentences, entry.collections]
    written = json.dumps(content, sort_keys=True, default=list)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def previous_papers(db: sqlite3.Connection, origin: str) -> list[int]:
    """Return the listed papers that an origin gave when it was last read, whatever it was then."""
    row = db.execute("SELECT papers FROM origins WHERE origin = ?", (origin,)).fetchone()
    numbers = _parse_numbers(row[0]) if row else []
    return [number for number in numbers if _is_listed(db, number)]


def known_papers(db: sqlite3.Connection, origin: str, digest: str, collection: int) -> list[int]:
    """Return the papers that were read from an origin when it had this digest.

    There are none if it was never read so, or one of them is not listed in the collection now.
    """
    row = db.execute(
        "SELECT papers FROM origins WHERE origin = ? AND digest = ?", (origin, digest)
    ).fetchone()
    numbers = _parse_numbers(row[0]) if row else []
    return numbers if all(_is_member(db, number, collection) for number in numbers) else []


def remember(db: sqlite3.Connection, origin: str, digest: str, numbers: Sequence[int]) -> None:
    """Note the papers that are read from an origin of this digest; an empty one is not noted."""
    if origin:
        papers = json.dumps(sorted(set(numbers)))
        db.execute("INSERT OR REPLACE INTO origins VALUES (?, ?, ?)", (origin, digest, papers))


def _parse_numbers(column: str) -> list[int]:
    """Return the numbers of papers that remember wrote; raises sqlite3.DatabaseError."""
    try:
        return [int(number) for number in parse_column(column)]
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"an origin has no papers: {error}") from error


def _is_listed(db: sqlite3.Connection, number: int) -> bool:
    row = db.execute(
        "SELECT 1 FROM papers WHERE number = ? AND state = 'listed'", (number,)
    ).fetchone()
    return row is not None


def _is_member(db: sqlite3.Connection, number: int, collection: int) -> bool:
    row = db.execute(
        "SELECT 1 FROM members JOIN papers USING (number)"
        " WHERE number = ? AND collection = ? AND state = 'listed'",
        (number, collection),
    ).fetchone()
    return row is not None
