"""Filling a library from a catalogue when things go wrong."""

from __future__ import annotations

import errno
from collections.abc import Mapping

import pytest

from scholar_indexes.books.adding.adding_many import MOST_IN_A_ROW, CatalogAddition, fill
from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
from scholar_indexes.errors import Busy, NotThere, Offline, RetryLater, ScholarError
from scholar_indexes.results import AddedBook, AddOutcome
from scholar_indexes.types import Book, Progress, silent

COUNT = MOST_IN_A_ROW + 2


def filled(
    failures: Mapping[int, Exception], seen: list[CatalogAddition] | None = None
) -> list[str]:
    """Fill a library with books 1 to COUNT, some of which fail, and return the outcomes."""
    entries = [CatalogEntry(n, f"Book {n}", "", "en", "", ()) for n in range(1, COUNT + 1)]
    seen = [] if seen is None else seen

    def add(number: int, progress: Progress) -> AddedBook:
        if number in failures:
            raise failures[number]
        book = Book(f"pg{number}", "", "", "en", "", "")
        return AddedBook(book, AddOutcome.ADDED, 1, 1)

    for addition in fill(entries, add, silent):
        seen.append(addition)
    return [str(addition.outcome) for addition in seen]


def all_fail(failure: Exception) -> dict[int, Exception]:
    return dict.fromkeys(range(1, COUNT + 1), failure)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(NotThere("no such text"), id="not on the mirror"),
        pytest.param(Offline("not here"), id="offline"),
        pytest.param(ScholarError("refused"), id="refused"),
        pytest.param(ValueError("odd"), id="what nobody expected"),
    ],
)
def test_a_book_that_fails_does_not_stop_the_others(failure: Exception) -> None:
    assert filled(all_fail(failure)) == ["failed"] * COUNT
    assert filled({2: failure}) == ["added", "failed", *["added"] * (COUNT - 2)]


def test_the_network_may_fail_now_and_then_but_not_for_many_books_in_a_row() -> None:
    down = RetryLater("no answer")
    assert filled({number: down for number in range(1, COUNT + 1) if number != 3}).count("added")
    seen: list[CatalogAddition] = []
    with pytest.raises(RetryLater, match="continue where it stopped"):
        filled(all_fail(down), seen)
    assert len(seen) == MOST_IN_A_ROW
    assert all(addition.may_pass for addition in seen)


def disk_full() -> ScholarError:
    failure = ScholarError("the disk is full")
    failure.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    return failure


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(disk_full(), id="a full disk"),
        pytest.param(Busy("another scholar is writing"), id="another writer"),
    ],
)
def test_a_failure_of_every_book_stops_at_once_and_is_reported(failure: ScholarError) -> None:
    seen: list[CatalogAddition] = []
    with pytest.raises(type(failure)):
        filled({2: failure}, seen)
    assert [str(addition.outcome) for addition in seen] == ["added", "failed"]


def test_ctrl_c_in_the_import_of_a_module_is_no_failure_of_a_book() -> None:
    interrupted = ImportError("initialization failed")
    interrupted.__cause__ = KeyboardInterrupt()
    seen: list[CatalogAddition] = []
    with pytest.raises(ImportError):
        filled({2: interrupted}, seen)
    assert len(seen) == 1
