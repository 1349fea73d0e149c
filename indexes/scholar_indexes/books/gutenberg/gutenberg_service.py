"""The user's copy of Project Gutenberg's catalogue: search, lookup, update."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
    from scholar_indexes.net.client import Fetcher


class GutenbergService:
    """The catalogue of Project Gutenberg in the user's data folder."""

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
        from scholar_indexes.books.gutenberg import gutenberg_catalog

        return gutenberg_catalog.search(self._paths.gutenberg_catalog, query, limit=limit)

    def lookup(self, number: int) -> CatalogEntry | None:
        """Return the entry with a number, or None if it or the catalogue is missing or damaged."""
        from scholar_indexes.books.gutenberg import gutenberg_catalog

        with suppress(NotThere, Damaged):
            return gutenberg_catalog.lookup(self._paths.gutenberg_catalog, number)
        return None

    def respell(self, book: Book) -> Book:
        """Return a book with title and author spelled as in the catalogue, if it has the book."""
        from scholar_indexes.books.gutenberg import gutenberg_catalog

        number = book.id.removeprefix("pg")
        entry = self.lookup(int(number)) if book.id != number and number.isdecimal() else None
        if entry is None:
            return book
        title, author = gutenberg_catalog.respelled(book.title, book.author, entry)
        return replace(book, title=title, author=author)

    def select(
        self,
        conditions: str,
        *,
        limit: int | None = None,
        mirror: str | None = None,
        progress: Progress = silent,
    ) -> list[CatalogEntry]:
        """Return the first entries, by number, that match a filter; see catalog_filter.

        A missing catalogue is first fetched, or read from the folder of a mirror.
        """
        from scholar_indexes.books.gutenberg import catalog_filter, gutenberg_catalog

        parsed = catalog_filter.parse(conditions)
        if not self._paths.gutenberg_catalog.exists() and not (
            self._settings.offline and not mirror
        ):
            self._announce("the Gutenberg catalogue is missing, so it is fetched first (once)")
            self.update(progress, mirror=mirror)
        entries = gutenberg_catalog.entries(self._paths.gutenberg_catalog)
        return list(islice((entry for entry in entries if parsed.matches(entry)), limit))

    def update(self, progress: Progress = silent, *, mirror: str | None = None) -> int:
        """Fetch the catalogue, or read it from the folder of a mirror; return the number of texts.

        It is fetched from the given mirror, by default from the mirrors in the settings.
        """
        from scholar_indexes.books.gutenberg import gutenberg_catalog, mirrors

        folder = mirrors.mirror_folder(mirror) if mirror else None

        with explain_write_errors(self._paths.data):
            self._paths.data.mkdir(parents=True, exist_ok=True)
        if folder:
            return gutenberg_catalog.read_feed(
                self._paths.gutenberg_catalog,
                mirrors.find_feed(folder),
                announce=self._announce,
                progress=progress,
            )
        return gutenberg_catalog.update(
            self._fetcher(),
            self._paths.gutenberg_catalog,
            gutenberg_catalog.urls((mirror,) if mirror else self._settings.mirrors),
            announce=self._announce,
            progress=progress,
        )
