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
    failed_in_a_row = 0
    for entry, stage in zip(entries, divide_progress(progress, [1.0] * len(entries)), strict=True):
        addition, failure = _add_one(entry, add, stage)
        yield addition
        if failure is None:
            failed_in_a_row = 0
            continue
        if isinstance(failure, Busy) or any(map(is_disk_full, causes(failure))):
            raise failure
        if isinstance(failure, RetryLater) and not isinstance(failure, Offline):
            failed_in_a_row += 1
        if failed_in_a_row == MOST_IN_A_ROW:
            raise RetryLater(
                f"{MOST_IN_A_ROW} books in a row could not be fetched; run the same command again "
                "later, and it goes on where it stopped"
            )


def _add_one(
    entry: CatalogEntry, add: AddBook, progress: Progress
) -> tuple[CatalogAddition, Exception | None]:
    try:
        added = add(entry.gutenberg_id, progress)
    except ScholarError as refusal:
        may_pass = isinstance(refusal, RetryLater)
        return CatalogAddition(entry, AddOutcome.FAILED, one_line(str(refusal)), may_pass), refusal
    except Exception as error:  # whatever a strange file leads to must not stop the others
        if is_interrupt(error):
            raise
        reason = one_line(f"{type(error).__name__}: {error}; this should not happen")
        return CatalogAddition(entry, AddOutcome.FAILED, reason), error
    return CatalogAddition(entry, added.outcome), None
