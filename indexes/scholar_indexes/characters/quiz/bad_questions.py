"""The questions that a user has marked as bad, which are neither asked nor offered again.

A bad question is a description of a character of a book; its id is a hash of these three, so that
it is the same question wherever and with whatever choices it is asked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from scholar_indexes.characters.quiz.quiz_records import BadQuestion
from scholar_indexes.errors import NotThere
from scholar_indexes.sanitize import one_line

MAX_TEXT_CHARS = 10_000
"""Longer texts are cut."""

TABLE = """CREATE TABLE bad_questions (
        id TEXT PRIMARY KEY,
        book TEXT NOT NULL, character TEXT NOT NULL, description TEXT NOT NULL,
        level INTEGER NOT NULL, at TEXT NOT NULL
    )"""

_ROWS = "SELECT id, book, character, description, level, at FROM bad_questions ORDER BY at, id"

_ID_CHARS = 12


def bad_question_id(book_id: str, character: str, description: str) -> str:
    """Return the id of the questions about a description of a character of a book."""
    parts = (one_line(part, MAX_TEXT_CHARS) for part in (book_id, character, description))
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]


def insert(db: sqlite3.Connection, bad: BadQuestion) -> None:
    """Store a bad question, unless it is already stored."""
    db.execute(
        "INSERT OR IGNORE INTO bad_questions (id, book, character, description, level, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            bad.id,
            bad.book_id,
            bad.character,
            bad.description,
            bad.level,
            bad.at.isoformat(timespec="microseconds"),
        ),
    )


def select(db: sqlite3.Connection) -> list[BadQuestion]:
    """Return the bad questions, oldest first; raises ValueError for a damaged row."""
    return [_parse(row) for row in db.execute(_ROWS)]


def delete(db: sqlite3.Connection, ids: Collection[str]) -> list[BadQuestion]:
    """Remove and return the bad questions with these ids; raises NotThere for an unknown id."""
    by_id = {bad.id: bad for bad in select(db)}
    for wanted in ids:
        if wanted not in by_id:
            raise NotThere(
                f"no bad question has the id {one_line(wanted, 40)!r}; to list them: "
                "scholar quiz bad"
            )
    db.executemany("DELETE FROM bad_questions WHERE id = ?", [(wanted,) for wanted in ids])
    return [by_id[wanted] for wanted in dict.fromkeys(ids)]


def _parse(row: tuple[Any, ...]) -> BadQuestion:
    for value in row[:4]:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not text")
    at = datetime.fromisoformat(row[5])
    if at.tzinfo is None:
        raise ValueError(f"{row[5]!r} has no time zone")
    stored_id, book_id, character, description, level, _ = row
    return BadQuestion(stored_id, book_id, character, description, int(level), at.astimezone(UTC))
