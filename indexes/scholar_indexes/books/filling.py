"""Filling a library from Gutenberg's catalogue, one book after another.

Each book is whole in the library before the next one is begun, and those that are there are passed
over: the same command goes on where it was stopped, and tries again what failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scholar_indexes.books.gutenberg_catalog import CatalogEntry
from scholar_indexes.errors import (
    Busy,
    Offline,
    RetryLater,
    ScholarError,
    causes,
    is_disk_full,
    is_interrupt,
)
from scholar_indexes.progress import divide_progress
from scholar_indexes.results import AddedBook, AddOutcome
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress

MOST_IN_A_ROW = 5
"""After so many books in a row that could not be fetched no other is asked for."""


@dataclass(frozen=True, slots=True)
class CatalogAddition:
    """The outcome for an entry of Gutenberg's catalogue; for one that failed why, and if it was the
    network or another scholar, so that it may pass."""

    entry: CatalogEntry
    outcome: AddOutcome
    reason: str = ""
    may_pass: bool = False


AddBook = Callable[[int, Progress], AddedBook]
"""Adds the book of a number."""


def fill(
    entries: Sequence[CatalogEntry], add: AddBook, progress: Progress
) -> Iterator[CatalogAddition]:
    """Add the books of some entries and yield what became of each.

    One that fails does not stop the others. Raises RetryLater when the network fails for
    MOST_IN_A_ROW of them in a row or another scholar is writing, and ScholarError when there is no
    room for any.
    """
    streak = FailureStreak()
    for entry, stage in zip(entries, divide_progress(progress, [1.0] * len(entries)), strict=True):
        outcome = _add_one(entry, add, stage)
        yield addition(entry, outcome)
        streak.note(outcome if isinstance(outcome, Exception) else None)


class FailureStreak:
    """Counts the books in a row that could not be fetched."""

    def __init__(self) -> None:
        self._length = 0

    def note(self, failure: Exception | None) -> None:
        """Count the failure of a book, or None for one that was fetched; raises what no other book
        can be added after, see `fill`."""
        if failure is None:
            self._length = 0
            return
        if isinstance(failure, Busy) or any(map(is_disk_full, causes(failure))):
            raise failure
        if isinstance(failure, RetryLater) and not isinstance(failure, Offline):
            self._length += 1
        if self._length == MOST_IN_A_ROW:
            raise RetryLater(
                f"{MOST_IN_A_ROW} books in a row could not be fetched; run the same command again "
                "later, and it goes on where it stopped"
            )


def addition(entry: CatalogEntry, outcome: AddedBook | Exception) -> CatalogAddition:
    """Return what became of an entry, or why it could not be added."""
    if isinstance(outcome, AddedBook):
        return CatalogAddition(entry, outcome.outcome)
    if isinstance(outcome, ScholarError):
        may_pass = isinstance(outcome, RetryLater)
        return CatalogAddition(entry, AddOutcome.FAILED, one_line(str(outcome)), may_pass)
    reason = one_line(f"{type(outcome).__name__}: {outcome}; this should not happen")
    return CatalogAddition(entry, AddOutcome.FAILED, reason)


def _add_one(entry: CatalogEntry, add: AddBook, progress: Progress) -> AddedBook | Exception:
    try:
        return add(entry.gutenberg_id, progress)
    except Exception as error:  # whatever a strange file leads to must not stop the others
        if is_interrupt(error):
            raise
        return error
