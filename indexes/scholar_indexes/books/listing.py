"""Filtering and sorting of lists of books, and the percentage read of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.folding import fold_text

if TYPE_CHECKING:
    from scholar_indexes.storage.bookmarks import ReadingPosition
    from scholar_indexes.storage.catalog import StoredBook

PAGE_CHARS = 1_800
"""The number of characters of a standard page."""


def count_pages(characters: int) -> int:
    """Return the number of standard pages of a text, at least one."""
    return max(1, -(-characters // PAGE_CHARS))


def percent_read(stored: StoredBook, place: ReadingPosition | None) -> int | None:
    """Return the percentage of a book before a reading position, or None without one."""
    if place is None:
        return None
    return min(100, 100 * max(place.start, 0) // max(stored.characters, 1))


def filter_books(books: Iterable[StoredBook], query: str) -> list[StoredBook]:
    """Return the books with every word of a query in title, author, id or language.

    Case and accents are ignored.
    """
    words = fold_text(query).split()
    return [
        stored
        for stored in books
        if all(word in fold_text(_searchable_text(stored)) for word in words)
    ]


def _by_last_read(places: Sequence[ReadingPosition]) -> Callable[[StoredBook], Any]:
    ranks = {place.book_id: rank for rank, place in enumerate(places)}
    return lambda stored: ranks.get(stored.book.id, len(ranks))


_KEYS: Mapping[str, Callable[[StoredBook], Any]] = {
    "author": lambda stored: (fold_text(stored.book.author), fold_text(stored.book.title)),
    "title": lambda stored: fold_text(stored.book.title),
    "size": lambda stored: -stored.characters,
    "added": lambda stored: -stored.edition,
}

ORDERS = ("author", "title", "size", "added", "read")
"""The sort orders: by author or title; or the longest, newest or most recently read first."""


def sort_books(
    books: Iterable[StoredBook], order: str, places: Sequence[ReadingPosition] = ()
) -> list[StoredBook]:
    """Return books in one of ORDERS; `places` are the positions in Bookmarks, latest first."""
    return sorted(books, key=_by_last_read(places) if order == "read" else _KEYS[order])


def _searchable_text(stored: StoredBook) -> str:
    book = stored.book
    return f"{book.title} {book.author} {book.id} {book.language}"
