"""Statistics of quiz answers: accuracy by book, character, level and kind, streaks, retention."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count, groupby
from typing import TypeVar

from scholar_indexes.characters.quiz.quiz_records import QuizAnswer
from scholar_indexes.characters.quiz.scheduling import make_scheduler, review

Key = TypeVar("Key", str, int, tuple[str, str])
Group = TypeVar("Group")


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """A number of answers, and how many of them were right."""

    count: int
    right: int

    @property
    def wrong(self) -> int:
        """The number of wrong answers."""
        return self.count - self.right

    @property
    def share(self) -> float:
        """The share of right answers in [0, 1]; 0 without answers."""
        return self.right / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of a quiz history.

    streak is the number of right answers in a row up to the last answer, longest_streak the
    largest so far; days_in_a_row is the number of consecutive days (UTC) with an answer, up to
    today or yesterday. retention is the share of right answers to cards that had been answered
    right on an earlier day, None if there are none; recall is the mean probability of a right
    answer to a card now, according to FSRS.
    """

    overall: AnswerCount
    by_book: Mapping[str, AnswerCount]
    by_character: Mapping[tuple[str, str], AnswerCount]
    by_level: Mapping[int, AnswerCount]
    by_kind: Mapping[str, AnswerCount]
    cards: int
    due: int
    streak: int
    longest_streak: int
    days_in_a_row: int
    retention: float | None
    recall: float | None


def compute_stats(answers: Sequence[QuizAnswer], now: datetime) -> Stats:
    """Return the statistics of answers, which are in the order they were given."""
    answers_by_card = _group(
        answers, lambda answer: (answer.book_id, answer.character, answer.description)
    )
    due, recalls = _review_cards(answers_by_card.values(), now)
    repetitions = [
        repetition.right
        for card_answers in answers_by_card.values()
        for repetition in _repetitions(card_answers)
    ]
    streaks = _streaks(answers)
    return Stats(
        overall=_count(answers),
        by_book=_count_by(answers, lambda answer: answer.book_id),
        by_character=_count_by(answers, lambda answer: (answer.book_id, answer.character)),
        by_level=_count_by(answers, lambda answer: answer.level),
        by_kind=_count_by(answers, lambda answer: answer.kind),
        cards=len(answers_by_card),
        due=due,
        streak=streaks[-1] if streaks else 0,
        longest_streak=max(streaks, default=0),
        days_in_a_row=_days_in_a_row({answer.at.date() for answer in answers}, now.date()),
        retention=_mean(repetitions),
        recall=_mean(recalls),
    )


def most_missed(stats: Stats, n: int = 5) -> list[tuple[tuple[str, str], AnswerCount]]:
    """Return the n (book, character) pairs with the most wrong answers, with their answers."""
    missed = [(character, score) for character, score in stats.by_character.items() if score.wrong]
    return sorted(missed, key=_most_missed_first)[:n]


def _most_missed_first(
    entry: tuple[tuple[str, str], AnswerCount],
) -> tuple[int, int, tuple[str, str]]:
    character, score = entry
    return -score.wrong, score.count, character


def _review_cards(
    answers_by_card: Collection[Sequence[QuizAnswer]], now: datetime
) -> tuple[int, list[float]]:
    """Return the number of due cards, and the probability of a right answer to each card now."""
    if not answers_by_card:
        return 0, []
    scheduler = make_scheduler()
    states = [
        review([(answer.at, answer.right) for answer in answers], scheduler)
        for answers in answers_by_card
    ]
    recalls = [scheduler.get_card_retrievability(state, now) for state in states]
    return sum(state.due <= now for state in states), recalls


def _repetitions(answers: Iterable[QuizAnswer]) -> Iterator[QuizAnswer]:
    """Yield the first answer of each day to a card that was answered right on an earlier day."""
    known_since: date | None = None
    for day, answers_of_day in groupby(answers, lambda answer: answer.at.date()):
        first, *more = answers_of_day
        if known_since is not None and known_since < day:
            yield first
        if any(answer.right for answer in (first, *more)):
            known_since = day if known_since is None else min(known_since, day)


def _streaks(answers: Iterable[QuizAnswer]) -> list[int]:
    """Return the length of each run of right answers, and 0 for each run of wrong ones."""
    runs = groupby(answers, lambda answer: answer.right)
    return [len(list(run)) if right else 0 for right, run in runs]


def _days_in_a_row(days: Collection[date], today: date) -> int:
    last = today if today in days else today - timedelta(days=1)
    return next(number for number in count() if last - timedelta(days=number) not in days)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _count(answers: Sequence[QuizAnswer]) -> AnswerCount:
    return AnswerCount(len(answers), sum(answer.right for answer in answers))


def _count_by(
    answers: Iterable[QuizAnswer], key: Callable[[QuizAnswer], Key]
) -> dict[Key, AnswerCount]:
    groups = _group(answers, key)
    return {value: _count(groups[value]) for value in sorted(groups)}


def _group(
    answers: Iterable[QuizAnswer], key: Callable[[QuizAnswer], Group]
) -> dict[Group, list[QuizAnswer]]:
    groups: dict[Group, list[QuizAnswer]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer)
    return groups
