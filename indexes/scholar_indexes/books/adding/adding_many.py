"""Adding many books one after another, such as the matches of a catalogue filter.

Each book is complete in the library before the next one begins, and existing books are skipped:
the same command continues where it was stopped, and retries failed books.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
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
"""The number of consecutive fetch failures after which adding stops."""


@dataclass(frozen=True, slots=True)
class CatalogAddition:
    """The outcome for a catalogue entry, with the reason for a failure.

    `may_pass` is True for a failure due to the network or another scholar process.
    """

    entry: CatalogEntry
    outcome: AddOutcome
    reason: str = ""
    may_pass: bool = False


AddBook = Callable[[int, Progress], AddedBook]
"""A function that adds the book with a number."""


def fill(
    entries: Sequence[CatalogEntry], add: AddBook, progress: Progress
) -> Iterator[CatalogAddition]:
    """Add the books of catalogue entries and yield the outcome of each; see add_each."""
    stages = divide_progress(progress, [1.0] * len(entries))
    numbered = [(entry.gutenberg_id, stage) for entry, stage in zip(entries, stages, strict=True)]
    outcomes = add_each(numbered, lambda book: add(*book))
    for entry, outcome in zip(entries, outcomes, strict=True):
        yield addition(entry, outcome)


def add_each(
    sources: Iterable[T], add: Callable[[T], AddedBook]
) -> Iterator[AddedBook | Exception]:
    """Add books one after another, and yield the result or the error for each.

    A failure does not stop the others. Raises RetryLater if the network fails for
    MOST_IN_A_ROW books in a row or another scholar process is writing, and the error of a full
    disk.
    """
    streak = FailureStreak()
    for source in sources:
        outcome = _try_to_add(source, add)
        yield outcome
        streak.note(outcome if isinstance(outcome, Exception) else None)


class FailureStreak:
    """A counter of consecutive fetch failures."""

    def __init__(self) -> None:
        self._length = 0

    def note(self, failure: Exception | None) -> None:
        """Count the failure of a book, or None for success; raises errors that stop `add_each`."""
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
                "later to continue where it stopped"
            )


def addition(entry: CatalogEntry, outcome: AddedBook | Exception) -> CatalogAddition:
    """Return the outcome for an entry, with the reason if it could not be added."""
    if isinstance(outcome, AddedBook):
        return CatalogAddition(entry, outcome.outcome)
    may_pass = isinstance(outcome, RetryLater)
    return CatalogAddition(entry, AddOutcome.FAILED, describe_failure(outcome), may_pass)


def describe_failure(failure: Exception) -> str:
    """Return the reason for a failure to add a book, on one line."""
    if isinstance(failure, ScholarError):
        return one_line(str(failure))
    return one_line(f"{type(failure).__name__}: {failure}; this should not happen")


def error_of_many(failures: Sequence[bool], total: int) -> ScholarError:
    """Return the error for adding `total` books, of which some failed.

    Each failure is True if it was due to the network or another scholar process. The error is
    RetryLater if all are True.
    """
    message = (
        f"{len(failures)} of {total} books could not be added (see above); run the same command "
        "again to retry them"
    )
    return RetryLater(message) if all(failures) else ScholarError(message)


def _try_to_add(source: T, add: Callable[[T], AddedBook]) -> AddedBook | Exception:
    try:
        return add(source)
    except Exception as error:  # no error from a strange file may stop the others
        if is_interrupt(error):
            raise
        return error
