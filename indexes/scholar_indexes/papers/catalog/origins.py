"""The files and records that papers were read from: unchanged ones are not read again.

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
    """Return a digest of the entire content of an entry."""
    content = [entry.csl, entry.ids, entry.sentences, entry.collections]
    written = json.dumps(content, sort_keys=True, default=list)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def previous_papers(db: sqlite3.Connection, origin: str) -> list[int]:
    """Return the listed papers that an origin gave when last read, whatever its digest was."""
    row = db.execute("SELECT papers FROM origins WHERE origin = ?", (origin,)).fetchone()
    numbers = _parse_numbers(row[0]) if row else []
    return [number for number in numbers if _is_listed(db, number)]


def known_papers(db: sqlite3.Connection, origin: str, digest: str, collection: int) -> list[int]:
    """Return the papers that were read from an origin when it had this digest.

    Empty if it was never read with this digest, or if one of them is no longer listed in the
    collection.
    """
    row = db.execute(
        "SELECT papers FROM origins WHERE origin = ? AND digest = ?", (origin, digest)
    ).fetchone()
    numbers = _parse_numbers(row[0]) if row else []
    return numbers if all(_is_member(db, number, collection) for number in numbers) else []


def remember(db: sqlite3.Connection, origin: str, digest: str, numbers: Sequence[int]) -> None:
    """Store the papers read from an origin with this digest; an empty origin is not stored."""
    if origin:
        papers = json.dumps(sorted(set(numbers)))
        db.execute("INSERT OR REPLACE INTO origins VALUES (?, ?, ?)", (origin, digest, papers))


def _parse_numbers(column: str) -> list[int]:
    """Return the numbers of papers that `remember` wrote. Raises sqlite3.DatabaseError."""
    try:
        return [int(number) for number in parse_column(column)]
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"the papers of an origin are invalid: {error}") from error


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
