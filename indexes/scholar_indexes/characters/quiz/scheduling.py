"""Spaced repetition by FSRS (py-fsrs; Ye et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsrs import Card as ReviewState
    from fsrs import Scheduler

RETENTION = 0.9
"""The probability of a right answer at which a card is due."""

MAX_INTERVAL_DAYS = 3_650
"""The longest time between two reviews of a card."""


def make_scheduler() -> Scheduler:
    """Return a scheduler that makes a missed card due at once, a known one after days.

    There are no steps of minutes, since users come back when they like.
    """
    from fsrs import Scheduler

    return Scheduler(
        desired_retention=RETENTION,
        learning_steps=(timedelta(0),),
        relearning_steps=(timedelta(0),),
        maximum_interval=MAX_INTERVAL_DAYS,
        enable_fuzzing=False,
    )


def review(answers: Iterable[tuple[datetime, bool]], scheduler: Scheduler) -> ReviewState:
    """Return the state of a card after its answers: the time of each, and True if it was right."""
    from fsrs import Card as ReviewState
    from fsrs import Rating

    state = ReviewState(card_id=0, due=datetime.min.replace(tzinfo=UTC))
    for at, right in answers:
        state, _ = scheduler.review_card(state, Rating.Good if right else Rating.Again, at)
    return state
