"""Project Gutenberg's catalogue as the user has it: search, look up, update."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.gutenberg_catalog import CatalogEntry
    from scholar_indexes.net.client import Fetcher


class GutenbergService:
    """The catalogue of Project Gutenberg in the user's data."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        fetcher: Callable[[], Fetcher],
        announce: Callable[[str], None],
    ) -> None:
        self._paths, self._settings = paths, settings
        self._fetcher, self._announce = fetcher, announce

    def search(self, query: str, limit: int = 20) -> list[CatalogEntry]:
        """Return the entries of the catalogue that match a query, best first."""
        from scholar_indexes.books import gutenberg_catalog

        return gutenberg_catalog.search(self._paths.gutenberg_catalog, query, limit=limit)

    def lookup(self, number: int) -> CatalogEntry | None:
        """Return the entry of a number, or None where there is none or the catalogue is missing."""
        from scholar_indexes.books import gutenberg_catalog

        with suppress(NotThere, Damaged):
            return gutenberg_catalog.lookup(self._paths.gutenberg_catalog, number)
        return None

    def respell(self, book: Book) -> Book:
        """Return a book with title and author as the catalogue spells them, as far as it knows the
        book."""
        from scholar_indexes.books import gutenberg_catalog

        number = book.id.removeprefix("pg")
        entry = self.lookup(int(number)) if book.id != number and number.isdecimal() else None
        if entry is None:
            return book
        title, author = gutenberg_catalog.respelled(book.title, book.author, entry)
        return replace(book, title=title, author=author)

    def update(self, progress: Progress = silent) -> int:
        """Fetch the catalogue; return how many books it lists."""
        from scholar_indexes.books import gutenberg_catalog

        with explain_write_errors(self._paths.data):
            self._paths.data.mkdir(parents=True, exist_ok=True)
        return gutenberg_catalog.update(
            self._fetcher(),
            self._paths.gutenberg_catalog,
            gutenberg_catalog.urls(self._settings.mirrors),
            announce=self._announce,
            progress=progress,
        )
