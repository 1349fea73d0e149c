"""Adding many books, such as those of a filter of Gutenberg's catalogue, one after another.

Each book is whole in the library before the next one is begun, and those that are there are passed
over: the same command goes on where it was stopped, and tries again what failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

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

T = TypeVar("T")

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
    """Add the books of some entries and yield what became of each; see add_each."""
    stages = divide_progress(progress, [1.0] * len(entries))
    numbered = [(entry.gutenberg_id, stage) for entry, stage in zip(entries, stages, strict=True)]
    outcomes = add_each(numbered, lambda book: add(*book))
    for entry, outcome in zip(entries, outcomes, strict=True):
        yield addition(entry, outcome)


def add_each(
    sources: Iterable[T], add: Callable[[T], AddedBook]
) -> Iterator[AddedBook | Exception]:
    """Add books one after another and yield for each the result, or why it could not be added.

    One that fails does not stop the others. Raises RetryLater when the network fails for
    MOST_IN_A_ROW of them in a row or another scholar is writing, and an error of a full disk, when
    there is no room for any.
    """
    streak = FailureStreak()
    for source in sources:
        outcome = _try_to_add(source, add)
        yield outcome
        streak.note(outcome if isinstance(outcome, Exception) else None)


class FailureStreak:
    """Counts the books in a row that could not be fetched."""

    def __init__(self) -> None:
        self._length = 0

    def note(self, failure: Exception | None) -> None:
        """Count the failure of a book, or None for one that was fetched; raises what no other book
        can be added after, see `add_each`."""
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
    may_pass = isinstance(outcome, RetryLater)
    return CatalogAddition(entry, AddOutcome.FAILED, describe_failure(outcome), may_pass)


def describe_failure(failure: Exception) -> str:
    """Return one line on why a book could not be added."""
    if isinstance(failure, ScholarError):
        return one_line(str(failure))
    return one_line(f"{type(failure).__name__}: {failure}; this should not happen")


def error_of_many(failures: Sequence[bool], total: int) -> ScholarError:
    """Return the error of an addition of `total` books of which some failed; each failure is True
    if it was the network or another scholar. RetryLater if nothing else was in the way."""
    message = (
        f"{len(failures)} of {total} books could not be added, as said above; the same command "
        "tries them again"
    )
    return RetryLater(message) if all(failures) else ScholarError(message)


def _try_to_add(source: T, add: Callable[[T], AddedBook]) -> AddedBook | Exception:
    try:
        return add(source)
    except Exception as error:  # whatever a strange file leads to must not stop the others
        if is_interrupt(error):
            raise
        return error
