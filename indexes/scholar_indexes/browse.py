"""The shelf as one looks through it: narrowed, in an order, and how far each book was read."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Place

PAGE_CHARS = 1_800
"""A page, as publishers count them."""


def pages(characters: int) -> int:
    """How many pages a text has, at least one."""
    return max(1, -(-characters // PAGE_CHARS))


def read_share(shelved: Shelved, place: Place | None) -> int | None:
    """How many percent of a book lie before the place where reading stopped."""
    if place is None:
        return None
    return min(100, 100 * max(place.start, 0) // max(shelved.characters, 1))


def narrowed(books: Iterable[Shelved], words: str) -> list[Shelved]:
    """The books with every word somewhere in title, author, id or language; case and accents
    do not matter."""
    wanted = _folded(words).split()
    return [each for each in books if all(word in _folded(_said(each)) for word in wanted)]


def _by_place(places: Sequence[Place]) -> Callable[[Shelved], Any]:
    rank = {each.book_id: at for at, each in enumerate(places)}
    return lambda each: rank.get(each.book.id, len(rank))


_KEYS: Mapping[str, Callable[[Shelved], Any]] = {
    "author": lambda each: (_folded(each.book.author), _folded(each.book.title)),
    "title": lambda each: _folded(each.book.title),
    "size": lambda each: -each.characters,
    "added": lambda each: -each.edition,
}

ORDERS = ("author", "title", "size", "added", "read")
"""By name; or the longest, the newest or the last read first."""


def ordered(books: Iterable[Shelved], order: str, places: Sequence[Place] = ()) -> list[Shelved]:
    """Books in one of ORDERS; places are those of a Desk, the last read first."""
    return sorted(books, key=_by_place(places) if order == "read" else _KEYS[order])


def _said(shelved: Shelved) -> str:
    book = shelved.book
    return f"{book.title} {book.author} {book.id} {book.language}"


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))
