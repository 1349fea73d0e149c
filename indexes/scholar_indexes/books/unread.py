"""Unreadable books in a search or query.

Every method that searches several books skips damaged books and returns them with the answers
(see results.Answers), so that no front end can mistake the answers for complete ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scholar_indexes.errors import Damaged
from scholar_indexes.results import UnreadBook
from scholar_indexes.storage.catalog import StoredBook


class UnreadBooks:
    """A collector of the unreadable books of a search."""

    def __init__(self) -> None:
        self._books: dict[int, UnreadBook] = {}  # by edition

    @contextmanager
    def leaving_out(self, stored: StoredBook) -> Iterator[None]:
        """Record a book that proves damaged in the block, and continue after the block."""
        try:
            yield
        except Damaged as damage:
            self._books.setdefault(stored.edition, UnreadBook(stored.book, str(damage)))

    @property
    def books(self) -> tuple[UnreadBook, ...]:
        """The books that could not be read, in the order of discovery."""
        return tuple(self._books.values())

    def __contains__(self, stored: StoredBook) -> bool:
        return stored.edition in self._books


def incomplete(unread: Sequence[UnreadBook], answer: str) -> Damaged:
    """Return the error for an incomplete answer, given the books that could not be read."""
    books = "a book" if len(unread) == 1 else f"{len(unread)} books"
    names = ", ".join(book.book.id for book in unread[:3])
    more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
    return Damaged(f"{answer} {books} that cannot be read: {names}{more}; see: scholar doctor")
