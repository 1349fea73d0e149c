"""Phrases about quizzes for the user: questions, times, counts and titles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz.overview import days_until
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.questions import QuizQuestion


def question_sentence(question: QuizQuestion) -> str:
    """Return a question as a sentence."""
    text = one_line(question.text)
    return f"Who is {text}?" if question.kind == "desc2name" else f"Which describes {text}?"


def due_phrase(due: datetime, now: datetime) -> str:
    """Return in words when a card is due; days are in the time zone of `now`."""
    days = days_until(due, now)
    if due <= now:
        return "now"
    if days <= 1:
        return ("today", "tomorrow")[days]
    return f"in {days} days" if days < 60 else f"in {round(days / 30.4)} months"


def count_phrase(count: int, noun: str, plural: str = "") -> str:
    """Return a count and its noun: "1 card", "2 cards"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def title_list(titles: Sequence[str], most: int = 3) -> str:
    """Return the first titles in one line, and the number of the others."""
    shown = ", ".join(titles[:most])
    return shown if len(titles) <= most else f"{shown} and {len(titles) - most} more"
