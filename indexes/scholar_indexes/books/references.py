"""References to books: finding the book with a given reference, by the strictest rule it meets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from scholar_indexes.errors import NotThere, UsageError

if TYPE_CHECKING:
    from scholar_indexes.storage.catalog import StoredBook

Item = TypeVar("Item")


def find_book(books: Sequence[StoredBook], reference: str) -> StoredBook:
    """Return the book with a reference: by id, number or locator, else title, else part of a title.

    Raises NotThere if there is none, and UsageError listing them if there are several.
    """
    from scholar_indexes.books.gutenberg.mirrors import gutenberg_id

    wanted = reference.strip().casefold()
    number = gutenberg_id(reference.strip())
    ids = {wanted, wanted.partition(":")[0], f"pg{number}" if number else wanted}
    rules: tuple[Callable[[StoredBook], bool], ...] = (
        lambda stored: stored.book.id.casefold() in ids,
        lambda stored: stored.book.title.casefold() == wanted,
        lambda stored: bool(wanted) and wanted in stored.book.title.casefold(),
    )
    matches = matches_of_first_rule(books, rules)
    if len(matches) > 1:
        listed = _by_author(matches)
        raise UsageError(f"{reference!r} could be {len(matches)} books; give an id: {listed}")
    if matches:
        return matches[0]
    if number:
        raise NotThere(f"pg{number} is not in the library; run: scholar add {number}")
    raise NotThere(f"no book is called {reference[:80]!r}; see: scholar books list")


def _by_author(books: Sequence[StoredBook]) -> str:
    """Return the ids and titles of books on one line, grouped by author."""
    by_author: dict[str, list[str]] = defaultdict(list)
    for stored in sorted(books, key=lambda stored: stored.book.title):
        by_author[stored.book.author].append(f"{stored.book.id} {stored.book.title}")
    return "; ".join(
        f"{author}: {', '.join(names)}" if author else ", ".join(names)
        for author, names in sorted(by_author.items())
    )


def matches_of_first_rule(
    items: Iterable[Item], rules: Iterable[Callable[[Item], bool]]
) -> list[Item]:
    """Return the items that meet the first rule met by any; empty if no rule is met."""
    candidates = list(items)
    for rule in rules:
        if matches := [item for item in candidates if rule(item)]:
            return matches
    return []
