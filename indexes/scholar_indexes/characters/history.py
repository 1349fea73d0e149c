"""What a person was asked, what they answered, and when to ask again.

One SQLite file of events: a card for each description of a character that was asked about,
and every answer. An answer is on disk before the next question is asked. When a card is due
follows from its answers alone, by FSRS (py-fsrs; Ye et al. 2022), so nothing that is computed
can be lost, and a newer scheduler judges old answers anew.

    for card in history.due(now):
        (ask)
        history.answered(question, chosen, now)

Times are UTC; the clock is the caller's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scholar_indexes.characters.questions import Question
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.places import exclusive, writing
from scholar_indexes.sqlite_file import SqliteFile
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from fsrs import Card as State
    from fsrs import Scheduler

Key = TypeVar("Key", str, int, tuple[str, str])

SCHEMA_VERSION = 1

RETENTION = 0.9
"""The share of answers that are to be right when a card is due."""

LONGEST_DAYS = 3_650
"""The longest that a card may rest."""

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
)

_ANSWERS = (
    "SELECT at, book, character, description, level, kind, question, chosen, correct"
    " FROM answers JOIN cards ON card = cards.number ORDER BY answers.number"
)

_LONGEST = 10_000
"""Characters of a text that are kept."""


@dataclass(frozen=True, slots=True)
class Card:
    """A description to be remembered: due at a time in UTC, asked so many times, so many of
    them right, and whether the last answer was."""

    book_id: str
    character: str
    description: str
    level: int
    due: datetime
    asked: int
    right: int
    knew: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to one question; chosen is a character's name, or None for none."""

    at: datetime
    book_id: str
    character: str
    description: str
    level: int
    kind: str
    question_id: str
    chosen: str | None
    right: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether an answer was right, and when the card is due again."""

    right: bool
    due: datetime


@dataclass(frozen=True, slots=True)
class Score:
    """So many answers, so many of them right."""

    asked: int
    right: int

    @property
    def share(self) -> float:
        """Right answers in [0, 1]; 0 where nothing was asked."""
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Stats:
    """How a person has done.

    streak is how many answers in a row, up to the last, were right, longest the most there
    were; days how many days in a row, up to today or yesterday (UTC), had an answer.
    retention is the share of right answers to cards that had been answered right before, on
    an earlier day, None where there is none; recall is the mean chance of knowing a card now,
    by FSRS.
    """

    total: Score
    by_book: Mapping[str, Score]
    by_character: Mapping[tuple[str, str], Score]
    by_level: Mapping[int, Score]
    by_kind: Mapping[str, Score]
    cards: int
    due: int
    streak: int
    longest: int
    days: int
    retention: float | None
    recall: float | None


class History:
    """The quiz history in one SQLite file, made by the first answer.

    A file that is damaged, or is no history, is kept under another name in the same folder,
    a new one is begun, and tell gets one line that says so. Methods raise Busy when another
    program holds the file for longer than timeout_s, and ScholarError when it cannot be
    written or is of a newer scholar.
    """

    def __init__(self, path: Path, tell: Callable[[str], None], timeout_s: float = 30.0) -> None:
        self._path, self._tell, self._timeout_s = path, tell, timeout_s
        self._file = SqliteFile(
            path, _SCHEMA, SCHEMA_VERSION, "the quiz history",
            "move it away, and a new one is begun", timeout_s,
        )  # fmt: skip
        self._sound = False

    # -- asking ----------------------------------------------------------------------------

    def due(
        self, now: datetime, books: Collection[str] | None = None, limit: int | None = None
    ) -> list[Card]:
        """The cards that are due, longest overdue first: of some books or of all."""
        cards = [each for each in self.cards(books) if each.due <= _utc(now)]
        return cards[:limit]

    def cards(self, books: Collection[str] | None = None) -> list[Card]:
        """Every card of some books or of all, by when it is due."""
        query = (
            "SELECT book, character, description, level, due, count(answers.number),"
            " total(correct), (SELECT correct FROM answers WHERE card = cards.number"
            " ORDER BY number DESC LIMIT 1) FROM cards JOIN answers ON card = cards.number"
            " GROUP BY cards.number ORDER BY due, cards.number"
        )
        return [
            Card(book, who, text, int(level), _time(due), int(asked), int(right), bool(knew))
            for book, who, text, level, due, asked, right, knew in self._rows(query)
            if books is None or book in books
        ]

    def answers(self, books: Collection[str] | None = None) -> list[Answer]:
        """Every answer about some books or about all, in the order they were given."""
        found = map(_answer, self._rows(_ANSWERS))
        return [each for each in found if books is None or each.book_id in books]

    def stats(self, now: datetime, books: Collection[str] | None = None) -> Stats:
        """How the person has done with some books or with all."""
        return stats(self.answers(books), _utc(now))

    # -- changing --------------------------------------------------------------------------

    def answered(self, question: Question, chosen: int | None, now: datetime) -> Outcome:
        """Write an answer down for good: the index of a choice, or None for no answer, which
        is not right. Raises UsageError for a choice that was not offered."""
        if chosen is not None and not 0 <= chosen < len(question.choices):
            raise UsageError(
                f"{chosen + 1} is none of the choices; answer 1 to {len(question.choices)}"
            )
        at = _utc(now)
        right = chosen == question.answer
        name = None if chosen is None else question.name(chosen) or question.choices[chosen]
        key = (_kept(question.book_id), _kept(question.character), _kept(question.description))
        with self._connection(change=True) as db:
            number = int(db.execute(
                "INSERT INTO cards (book, character, description, level, due)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (book, character, description)"
                " DO UPDATE SET level = excluded.level RETURNING number",
                (*key, question.level, _written(at)),
            ).fetchone()[0])  # fmt: skip
            db.execute(
                "INSERT INTO answers (card, question, kind, chosen, correct, at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (number, _kept(question.id), question.kind, name and _kept(name), right,
                 _written(at)),
            )  # fmt: skip
            given = [
                (_time(when), bool(correct))
                for when, correct in db.execute(
                    "SELECT at, correct FROM answers WHERE card = ? ORDER BY number", (number,)
                )
            ]
            due = _state(given, _scheduler()).due
            db.execute(
                "UPDATE cards SET due = ? WHERE number = ?",
                (_written(due), number),
            )
        return Outcome(right, due)

    # -- below -----------------------------------------------------------------------------

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        with self._connection() as db:
            return db.execute(query).fetchall()

    @contextmanager
    def _connection(self, *, change: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction on a file that is sound; a damaged one is set aside before."""
        try:
            db = self._opened(change)
        except Damaged as damage:
            self._set_aside(str(damage.__cause__ or damage))
            db = self._opened(change)
        with self._file.transaction(db):
            yield db

    def _opened(self, change: bool) -> sqlite3.Connection:
        db = self._file.open(change=change)
        try:
            if not self._sound:
                _look_through(db)
            self._sound = True
        except (sqlite3.Error, ValueError, TypeError) as refusal:
            db.close()
            raise self._file.refusal(refusal) from refusal
        except BaseException:
            db.close()
            raise
        return db

    def _set_aside(self, damage: str) -> None:
        """Keep a damaged file under another name, unless another scholar just did."""
        lock = self._path.with_name(self._path.name + ".lock")
        with exclusive(lock, self._timeout_s, lambda: None), writing(self._path.parent):
            try:
                self._opened(False).close()
                return
            except Damaged:
                kept = _free_name(self._path)
                # a journal belongs to its database: it goes first, or it would be played back
                # into the new one
                for ending in ("-journal", "-wal", "-shm", ""):
                    old = self._path.with_name(self._path.name + ending)
                    if old.exists():
                        old.rename(kept.with_name(kept.name + ending))
        self._tell(
            f"the quiz history was damaged ({one_line(damage, 100)}); it is kept as {kept}, "
            "and a new one is begun"
        )


def _look_through(db: sqlite3.Connection) -> None:
    """Every page and every row once; a history is small."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ValueError(str(found))
    for row in db.execute(_ANSWERS):
        _answer(row)
    for (due,) in db.execute("SELECT due FROM cards"):
        _time(due)


def _answer(row: Sequence[Any]) -> Answer:
    at, book_id, who, text, level, kind, question, chosen, correct = row
    for each in (book_id, who, text, kind, question, chosen or ""):
        if not isinstance(each, str):
            raise ValueError(f"{each!r} where a text was written")
    return Answer(_time(at), book_id, who, text, int(level), kind, question, chosen, bool(correct))


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged-{at}") for at in count(1))
    return next(name for name in names if not name.exists())


def _kept(text: str) -> str:
    return one_line(text, _LONGEST)


def _utc(now: datetime) -> datetime:
    if now.tzinfo is None:
        raise ValueError("a time needs its zone")
    return now.astimezone(UTC)


def _written(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def _time(written: str) -> datetime:
    at = datetime.fromisoformat(written)
    if at.tzinfo is None:
        raise ValueError(f"{written!r} has no zone")
    return at.astimezone(UTC)


# -- when to ask again -------------------------------------------------------------------------


def _scheduler() -> Scheduler:
    """What was missed is due at once, what was known after days: the person comes back when
    they like, there is no session in which to wait for minutes."""
    from fsrs import Scheduler

    return Scheduler(
        desired_retention=RETENTION,
        learning_steps=(timedelta(0),),
        relearning_steps=(timedelta(0),),
        maximum_interval=LONGEST_DAYS,
        enable_fuzzing=False,
    )


def _state(given: Iterable[tuple[datetime, bool]], scheduler: Scheduler) -> State:
    """What FSRS knows of a card after its answers, in their order."""
    from fsrs import Card as State
    from fsrs import Rating

    state = State(card_id=0, due=datetime.min.replace(tzinfo=UTC))
    for at, right in given:
        state, _ = scheduler.review_card(state, Rating.Good if right else Rating.Again, at)
    return state


# -- figures -----------------------------------------------------------------------------------


def stats(answers: Sequence[Answer], now: datetime) -> Stats:
    """The figures of answers in the order they were given; see Stats."""
    cards: dict[tuple[str, str, str], list[Answer]] = {}
    for each in answers:
        cards.setdefault((each.book_id, each.character, each.description), []).append(each)
    scheduler = _scheduler() if cards else None
    states = [
        _state([(each.at, each.right) for each in given], scheduler)
        for given in cards.values()
        if scheduler
    ]
    recalls = [scheduler.get_card_retrievability(each, now) for each in states if scheduler]
    repeated = [each.right for given in cards.values() for each in _repetitions(given)]
    runs = [len(list(run)) if right else 0 for right, run in groupby(answers, _was_right)]
    return Stats(
        total=_score(answers),
        by_book=_scores(answers, lambda each: each.book_id),
        by_character=_scores(answers, lambda each: (each.book_id, each.character)),
        by_level=_scores(answers, lambda each: each.level),
        by_kind=_scores(answers, lambda each: each.kind),
        cards=len(cards),
        due=sum(each.due <= now for each in states),
        streak=runs[-1] if runs else 0,
        longest=max(runs, default=0),
        days=_days_in_a_row({each.at.date() for each in answers}, now.date()),
        retention=sum(repeated) / len(repeated) if repeated else None,
        recall=sum(recalls) / len(recalls) if recalls else None,
    )


def _was_right(answer: Answer) -> bool:
    return answer.right


def _repetitions(given: Sequence[Answer]) -> Iterator[Answer]:
    """The first answer of each day to a card that had been answered right on an earlier one."""
    known: date | None = None
    for day, each_day in groupby(given, lambda each: each.at.date()):
        first, *more = each_day
        if known is not None and known < day:
            yield first
        if any(map(_was_right, (first, *more))):
            known = day if known is None else min(known, day)


def _score(answers: Iterable[Answer]) -> Score:
    right = [each.right for each in answers]
    return Score(len(right), sum(right))


def _scores(answers: Iterable[Answer], key: Callable[[Answer], Key]) -> dict[Key, Score]:
    found: dict[Key, list[Answer]] = {}
    for each in answers:
        found.setdefault(key(each), []).append(each)
    return {each: _score(found[each]) for each in sorted(found)}


def _days_in_a_row(days: Collection[date], today: date) -> int:
    last = today if today in days else today - timedelta(days=1)
    return next(at for at in count() if last - timedelta(days=at) not in days)
