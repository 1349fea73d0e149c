"""The records of the quiz history: cards, answers, the outcome of a review, bad questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Card:
    """A description to remember: when it is due (UTC), how many answers it got, how many of them
    were right, and whether the last one was."""

    book_id: str
    character: str
    description: str
    level: int
    due: datetime
    answers: int
    right: int
    last_right: bool


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """The answer to one question; chosen is a character's name, or None for no answer."""

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
class ReviewOutcome:
    """True if an answer was right, and when its card is due again."""

    right: bool
    due: datetime


@dataclass(frozen=True, slots=True)
class BadQuestion:
    """A description that a user does not want to be asked about, its id, and when (UTC) it was
    marked as bad."""

    id: str
    book_id: str
    character: str
    description: str
    level: int
    at: datetime
