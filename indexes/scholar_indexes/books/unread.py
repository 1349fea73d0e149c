"""The books that a question is put to and that cannot be read.

Every method that puts a question to several books goes on without those that are damaged, and
returns them with the answers (see results.Answers), so that no front end can take the answers of
the others for those of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scholar_indexes.errors import Damaged
from scholar_indexes.results import UnreadBook
from scholar_indexes.storage.catalog import StoredBook


class UnreadBooks:
    """Collects the books that a question has to do without."""

    def __init__(self) -> None:
        self._books: dict[int, UnreadBook] = {}  # by edition

    @contextmanager
    def leaving_out(self, stored: StoredBook) -> Iterator[None]:
        """Note a book that is found to be damaged in the block, and go on after the block."""
        try:
            yield
        except Damaged as damage:
            self._books.setdefault(stored.edition, UnreadBook(stored.book, str(damage)))

    @property
    def books(self) -> tuple[UnreadBook, ...]:
        """The books that could not be read, in the order in which that was noticed."""
        return tuple(self._books.values())

    def __contains__(self, stored: StoredBook) -> bool:
        return stored.edition in self._books


def incomplete(unread: Sequence[UnreadBook], answer: str) -> Damaged:
    """Return the error that an answer is incomplete, given the books that could not be read."""
    books = "a book" if len(unread) == 1 else f"{len(unread)} books"
    names = ", ".join(book.book.id for book in unread[:3])
    more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
    return Damaged(f"{answer} {books} that cannot be read: {names}{more}; see: scholar doctor")
