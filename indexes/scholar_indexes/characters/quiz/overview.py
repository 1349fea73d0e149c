"""The overview of a quiz: the books with questions, the cards due, and the user's record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz.rounds import Round, resume_round, round_from_json
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.quiz_records import Card
    from scholar_indexes.characters.quiz.quiz_service import Quiz, QuizBook
    from scholar_indexes.characters.quiz.statistics import Stats


@dataclass(frozen=True, slots=True)
class QuizOverview:
    """The books with descriptions (books of the library first), the cards in the order in which
    they are due, the statistics, and the last round.

    library_titles are the titles and authors of the books of the library by id; errors are the
    messages about files that could not be read.
    """

    books: tuple[QuizBook, ...]
    library_titles: Mapping[str, tuple[str, str]]
    cards: tuple[Card, ...] = ()
    stats: Stats | None = None
    last_round: Round | None = None
    errors: tuple[str, ...] = ()

    def title_and_author(self, book_id: str) -> tuple[str, str]:
        """Return the title and the author of a book; its id if they are unknown."""
        described = {book.book_id: (book.title, book.author) for book in self.books}
        return self.library_titles.get(book_id) or described.get(book_id) or (book_id, "")

    def count_due(self, now: datetime, book_id: str | None = None) -> int:
        """Return the number of due cards of a book (default: all)."""
        return sum(
            card.due <= now and (book_id is None or card.book_id == book_id) for card in self.cards
        )


def load_overview(
    quiz: Quiz,
    library_titles: Mapping[str, tuple[str, str]],
    stored_round: str | None,
    now: datetime,
) -> QuizOverview:
    """Return the overview; stored_round is the last round as round_to_json wrote it.

    Anything that cannot be read is omitted and reported in the errors of the overview.
    """
    errors, books, cards = [], list["QuizBook"](), list["Card"]()
    stats, last_round = None, None
    try:
        books = quiz.books()
    except ScholarError as error:
        errors.append(str(error))
    try:
        cards, stats = quiz.history.cards(), quiz.history.stats(now)
        if stored_round:
            remaining = round_from_json(stored_round).without_bad(quiz.history.bad_ids())
            last_round = (
                resume_round(remaining, quiz.history.answers()) if remaining.questions else None
            )
    except ScholarError as error:
        errors.append(str(error))
    books.sort(key=lambda book: book.book_id not in library_titles)
    return QuizOverview(
        tuple(books), library_titles, tuple(cards), stats, last_round, tuple(errors)
    )


def due_counts(cards: Iterable[Card], now: datetime, days: int) -> list[int]:
    """Return the number of cards due on each of the next days, overdue ones today; days are in
    now's time zone."""
    counts = [0] * days
    for card in cards:
        day = max(days_until(card.due, now), 0)
        if day < days:
            counts[day] += 1
    return counts


def due_times(quiz_round: Round, cards: Iterable[Card]) -> list[datetime | None]:
    """Return the next due time of each question of a round; None for one without a card."""
    due = {(card.book_id, card.character, card.description): card.due for card in cards}
    keys = (
        (question.book_id, question.character, question.description)
        for question in quiz_round.questions
    )
    return [
        due.get((one_line(book_id), one_line(character), one_line(description)))
        for book_id, character, description in keys
    ]


def days_until(due: datetime, now: datetime) -> int:
    """Return the number of calendar days from now to a time, in now's time zone."""
    difference: timedelta = due.astimezone(now.tzinfo).date() - now.date()
    return difference.days
