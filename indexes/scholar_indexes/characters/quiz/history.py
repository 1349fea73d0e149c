"""The quiz history: the answers that a user gave, and when to ask each question again.

One SQLite file contains a card for each description of a character that was asked about, every
answer, and the questions that the user marked as bad, whose cards are never due. An answer is on
disk before the next question is asked. The due time of a card follows from its answers alone (see
scheduling), so a newer scheduler can re-evaluate old answers.

    for card in history.due_cards(now):
        (ask)
        history.record_answer(question, chosen, now)

Times are UTC; the caller gives the current time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scholar_indexes.characters.quiz import bad_questions
from scholar_indexes.characters.quiz.bad_questions import MAX_TEXT_CHARS, bad_question_id
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.quiz.quiz_records import (
    BadQuestion,
    Card,
    QuizAnswer,
    ReviewOutcome,
)
from scholar_indexes.characters.quiz.scheduling import make_scheduler, review
from scholar_indexes.characters.quiz.statistics import Stats, compute_stats
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.sqlite import DamagedFile, SqliteFile

SCHEMA_VERSION = 2

_SCHEMA = (
    """CREATE TABLE cards (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        book TEXT NOT NULL, character TEXT NOT NULL, description TEXT NOT NULL,
        level INTEGER NOT NULL, due TEXT NOT NULL,
        UNIQUE (book, character, description)
    )""",
    """CREATE TABLE answers (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        card INTEGER NOT NULL REFERENCES cards (number),
        question TEXT NOT NULL, kind TEXT NOT NULL,
        chosen TEXT, correct INTEGER NOT NULL CHECK (correct IN (0, 1)), at TEXT NOT NULL
    )""",
    "CREATE INDEX answers_of_cards ON answers (card)",
    bad_questions.TABLE,
)

_UPGRADES = {1: (bad_questions.TABLE,)}
"""The statements that upgrade a file of an older version to the next one."""

_CARDS = (
    "SELECT book, character, description, level, due, count(answers.number),"
    " total(correct), (SELECT correct FROM answers WHERE card = cards.number"
    " ORDER BY number DESC LIMIT 1) FROM cards JOIN answers ON card = cards.number"
    " GROUP BY cards.number ORDER BY due, cards.number"
)

_ANSWERS = (
    "SELECT at, book, character, description, level, kind, question, chosen, correct"
    " FROM answers JOIN cards ON card = cards.number ORDER BY answers.number"
)


class History:
    """The quiz history in one SQLite file, which the first answer creates.

    A file that is damaged, or is not a history, is renamed in the same folder and replaced by a
    new one, and tell is called with a line about it; `check` changes nothing. Methods raise Damaged
    if the file is lost, Busy if another program locks it for longer than timeout_s, and
    ScholarError if it cannot be written or is from a newer scholar.
    """

    def __init__(self, path: Path, tell: Callable[[str], None], timeout_s: float = 30.0) -> None:
        self._tell = tell
        self._file = SqliteFile(
            path,
            _SCHEMA,
            SCHEMA_VERSION,
            "the quiz history",
            timeout_s=timeout_s,
            upgrades=_UPGRADES,
        )
        self._is_checked = False

    def due_cards(
        self, now: datetime, books: Collection[str] | None = None, limit: int | None = None
    ) -> list[Card]:
        """Return the due cards of the given books (default: all), the most overdue first."""
        cards = [card for card in self.cards(books) if card.due <= _to_utc(now)]
        return cards[:limit]

    def cards(self, books: Collection[str] | None = None) -> list[Card]:
        """Return the cards of the given books (default: all) in the order in which they are due,
        without bad questions."""
        cards, bad = map(_parse_card, self._rows(_CARDS)), self.bad_ids()
        return [
            card
            for card in cards
            if (books is None or card.book_id in books) and _question_id(card) not in bad
        ]

    def answers(self, books: Collection[str] | None = None) -> list[QuizAnswer]:
        """Return the answers about the given books (default: all) in the order they were given."""
        answers = map(_parse_answer, self._rows(_ANSWERS))
        return [answer for answer in answers if books is None or answer.book_id in books]

    def stats(self, now: datetime, books: Collection[str] | None = None) -> Stats:
        """Return the statistics of the answers about the given books (default: all), without
        answers to bad questions."""
        bad = self.bad_ids()
        answers = [answer for answer in self.answers(books) if _question_id(answer) not in bad]
        return compute_stats(answers, _to_utc(now))

    def bad_questions(self, books: Collection[str] | None = None) -> list[BadQuestion]:
        """Return the bad questions about the given books (default: all), oldest first."""
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            questions = bad_questions.select(db)
        return [bad for bad in questions if books is None or bad.book_id in books]

    def bad_ids(self) -> frozenset[str]:
        """Return the ids of the bad questions."""
        return frozenset(bad.id for bad in self.bad_questions())

    def mark_bad(self, question: QuizQuestion, now: datetime) -> BadQuestion:
        """Mark a question as bad, and return it; marking it twice changes nothing."""
        book_id, character = _clean(question.book_id), _clean(question.character)
        description = _clean(question.description)
        bad = BadQuestion(
            bad_question_id(book_id, character, description),
            book_id,
            character,
            description,
            question.level,
            _to_utc(now),
        )
        with self._connection(change=True) as db:
            bad_questions.insert(db, bad)
        return bad

    def unmark_bad(self, ids: Collection[str]) -> list[BadQuestion]:
        """Unmark the bad questions with these ids, and return them; raises NotThere, and changes
        nothing, if no bad question has one of the ids."""
        if not self._file.is_begun and ids:
            raise NotThere("no question is marked as bad yet; to mark one, type b when it is asked")
        with self._connection(change=True) as db:
            return bad_questions.delete(db, ids)

    def record_answer(
        self, question: QuizQuestion, chosen: int | None, now: datetime
    ) -> ReviewOutcome:
        """Store an answer: the index of a choice, or None for no answer, which counts as wrong.

        Raises UsageError for a choice that was not offered.
        """
        if chosen is not None and not 0 <= chosen < len(question.choices):
            raise UsageError(
                f"{chosen + 1} is not one of the choices; answer 1 to {len(question.choices)}"
            )
        at, right = _to_utc(now), chosen == question.answer
        with self._connection(change=True) as db:
            card = _insert_card(db, question, at)
            _insert_answer(db, card, question, chosen, at)
            due = _schedule(db, card)
        return ReviewOutcome(right, due)

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        if not self._file.is_begun:
            return []
        with self._connection() as db:
            return db.execute(query).fetchall()

    def check(self) -> int:
        """Read the whole file and return the number of answers; raises Damaged if it is damaged
        or lost, and leaves it as it is."""
        if not self._file.is_begun:
            return 0
        with self._file.transaction(self._open(change=False)) as db:
            return int(db.execute("SELECT count(*) FROM answers").fetchone()[0])

    def replace_if_damaged(self) -> str:
        """Start a new history if this one is damaged or lost; see SqliteFile.replace_if_damaged."""
        return self._file.replace_if_damaged(self.check)

    @contextmanager
    def _connection(self, *, change: bool = False) -> Iterator[sqlite3.Connection]:
        """Yield a transaction on a sound file; a damaged one is set aside first, and the user is
        told. Raises Damaged if the file is lost."""
        try:
            db = self._open(change)
        except DamagedFile:
            if self._file.is_lost:
                raise
            if line := self.replace_if_damaged():
                self._tell(line)
            db = self._open(change)
        with self._file.transaction(db):
            yield db

    def _open(self, change: bool) -> sqlite3.Connection:
        db = self._file.open(change=change)
        try:
            if not self._is_checked:
                _check_content(db)
            self._is_checked = True
        except (sqlite3.Error, ValueError, TypeError) as refusal:
            db.close()
            raise self._file.refusal(refusal) from refusal
        except BaseException:
            db.close()
            raise
        return db


def _insert_card(db: sqlite3.Connection, question: QuizQuestion, at: datetime) -> int:
    """Return the number of a question's card, which its first answer creates."""
    row = db.execute(
        "INSERT INTO cards (book, character, description, level, due)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (book, character, description)"
        " DO UPDATE SET level = excluded.level RETURNING number",
        (
            _clean(question.book_id),
            _clean(question.character),
            _clean(question.description),
            question.level,
            _format_time(at),
        ),
    ).fetchone()
    return int(row[0])


def _insert_answer(
    db: sqlite3.Connection, card: int, question: QuizQuestion, chosen: int | None, at: datetime
) -> None:
    name = None if chosen is None else question.name(chosen) or question.choices[chosen]
    right = chosen == question.answer
    db.execute(
        "INSERT INTO answers (card, question, kind, chosen, correct, at) VALUES (?, ?, ?, ?, ?, ?)",
        (card, _clean(question.id), question.kind, name and _clean(name), right, _format_time(at)),
    )


def _schedule(db: sqlite3.Connection, card: int) -> datetime:
    """Store and return the due time of a card after all its answers."""
    rows = db.execute("SELECT at, correct FROM answers WHERE card = ? ORDER BY number", (card,))
    answers = [(_parse_time(at), bool(correct)) for at, correct in rows]
    due = review(answers, make_scheduler()).due
    db.execute("UPDATE cards SET due = ? WHERE number = ?", (_format_time(due), card))
    return due


def _check_content(db: sqlite3.Connection) -> None:
    """Read every page and every row; a history is small. Raises ValueError for a damaged one."""
    (result,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise ValueError(str(result))
    for row in db.execute(_ANSWERS):
        _parse_answer(row)
    for (due,) in db.execute("SELECT due FROM cards"):
        _parse_time(due)
    bad_questions.select(db)


def _question_id(asked: Card | QuizAnswer) -> str:
    """Return the bad-question id of the description asked about."""
    return bad_question_id(asked.book_id, asked.character, asked.description)


def _parse_card(row: Sequence[Any]) -> Card:
    book_id, character, text, level, due, answers, right, last_right = row
    return Card(
        book_id,
        character,
        text,
        int(level),
        _parse_time(due),
        int(answers),
        int(right),
        bool(last_right),
    )


def _parse_answer(row: Sequence[Any]) -> QuizAnswer:
    at, book_id, character, text, level, kind, question, chosen, correct = row
    for value in (book_id, character, text, kind, question, chosen or ""):
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not text")
    return QuizAnswer(
        _parse_time(at), book_id, character, text, int(level), kind, question, chosen, bool(correct)
    )


def _clean(text: str) -> str:
    return one_line(text, MAX_TEXT_CHARS)


def _to_utc(now: datetime) -> datetime:
    if now.tzinfo is None:
        raise ValueError("a time needs a time zone")
    return now.astimezone(UTC)


def _format_time(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def _parse_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return at.astimezone(UTC)
