"""The books of the library: finding, opening and removing them; `adding` adds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

from scholar_indexes import stopping
from scholar_indexes.books.references import find_book
from scholar_indexes.books.unread import UnreadBooks
from scholar_indexes.errors import Busy, Damaged, NotIndexed, NotThere, UsageError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.results import Answers
from scholar_indexes.settings import Settings
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.catalog import Catalog, StoredBook
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.adding.book_adder import BookAdder
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.adding.repair import BookRepair
    from scholar_indexes.books.gutenberg.gutenberg_service import GutenbergService
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.net.client import Fetcher
    from scholar_indexes.results import CitedPlace, Extract, PrintedEdition
    from scholar_indexes.storage.write_lock import WriteLock


MOST_READINGS = 20
"""The maximum number of attempts to read data that other programs are changing."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BookSelection:
    """Selected books of the library; `complete` is True if the library has no others."""

    books: tuple[StoredBook, ...]
    complete: bool


class BookService:
    """The books of the library.

    Methods that take a reference accept an id, a number, a locator or an unambiguous part of a
    title.
    """

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        catalog: Catalog,
        index: PassageIndex,
        write_lock: WriteLock,
        announce: Callable[[str], None],
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._catalog = catalog
        self._index = index
        self._write_lock = write_lock
        self._announce = announce
        self._fetcher = _lazy_fetcher(paths, settings)
        self._sentence_case_titles: dict[int, str] = {}  # by edition
        self._sound_states: dict[int, tuple[tuple[int, int, int], ...]] = {}  # by edition

    def all(self) -> list[StoredBook]:
        """Return every book, by author and title; raises Damaged if the list has lost books."""
        return self.read_consistently(self._all)

    def _all(self) -> list[StoredBook]:
        books = self._catalog.books()
        if not books:
            self.repair.check_listed()
        return books

    def get(self, reference: str) -> StoredBook:
        """Return the book with a reference.

        Raises NotThere if there is none, and UsageError listing them if there are several.
        """
        return find_book(self._all(), reference)

    def select(self, references: Sequence[str], author: str | None = None) -> BookSelection:
        """Return the given books (default: all) whose author's name contains `author`, without
        repeats.

        Raises NotThere if none remains.
        """
        books = self._all()
        if not books:
            raise NotThere("the library is empty; run: scholar add 1342, or: scholar demo")
        named = [find_book(books, reference) for reference in references]
        selected = list({stored.edition: stored for stored in named}.values()) or books
        if author:
            wanted = author.casefold()
            selected = [stored for stored in selected if wanted in stored.book.author.casefold()]
            if not selected:
                raise NotThere(f"no book here is by {author!r}; see: scholar books list")
        complete = len(selected) == len(books) and not self._catalog.unfinished()
        return BookSelection(tuple(selected), complete)

    def open(self, stored: StoredBook) -> OpenBook:
        """Return a book whose parts are read on first use."""
        from scholar_indexes.books.reading.open_book import OpenBook

        return OpenBook(stored, self._paths.books / stored.folder)

    def get_open(self, reference: str) -> OpenBook:
        """Return the book with a reference, opened; raises what `get` raises."""
        return self.open(self.get(reference))

    def read(self, reference: str, read: Callable[[OpenBook], T]) -> T:
        """Return what a function reads in the book with a reference; see read_consistently."""
        return self.read_consistently(lambda: read(self.get_open(reference)))

    def open_each(self, references: Sequence[str]) -> Iterator[OpenBook]:
        """Yield the books of the given references (default: all), with texts and chapters read; a
        book that another program removes meanwhile is skipped."""
        for book in map(self.open, self.select(references).books):
            stopping.check()
            try:
                _ = book.text, book.chapters
            except Damaged:
                if self.is_listed(book.stored):
                    raise
                continue
            yield book

    def select_readable(self, references: Sequence[str]) -> Answers[StoredBook]:
        """Return the readable books of the given references (default: all), and the unreadable
        ones. Raises Damaged if none is readable, and what `select` raises."""

        def read() -> Answers[StoredBook]:
            readable = self.readable(self.select(references).books)
            if not readable:
                raise Damaged(readable.not_searched[0].reason)
            return readable

        return self.read_consistently(read)

    def readable(self, books: Sequence[StoredBook], *, whole: bool = False) -> Answers[StoredBook]:
        """Return the books with readable text and chapters, and the damaged ones.

        With `whole`, every file must be readable; otherwise files that have not changed since
        the last check are not read again.
        """
        unread = UnreadBooks()
        for stored in books:
            book = self.open(stored)
            state = book_folder.state(book.folder)
            if not whole and self._sound_states.get(stored.edition) == state:
                continue
            with unread.leaving_out(stored):
                book.read_all() if whole else book.check_text()
                self._sound_states[stored.edition] = state
        return Answers([stored for stored in books if stored not in unread], unread.books)

    def read_consistently(self, read: Callable[[], T]) -> T:
        """Return the result of `read`, and retry it if another program interfered.

        It is called again if data was missing because another program removed or replaced a
        book, or the index, meanwhile. Raises Busy after MOST_READINGS attempts.
        """
        for _ in range(MOST_READINGS):
            version = self._catalog.version()
            try:
                answer = read()
            except (Damaged, NotIndexed):
                if self._catalog.version() == version:
                    raise
                continue
            is_incomplete = isinstance(answer, Answers) and answer.not_searched
            if not is_incomplete or self._catalog.version() == version:
                return answer
        raise Busy("other programs keep changing the books; run the same command again")

    def is_listed(self, stored: StoredBook) -> bool:
        """Return True if a book is still in the library, with the same text."""
        return any(listed.edition == stored.edition for listed in self._catalog.books())

    def navigate(self, reference: str) -> BookNavigator:
        """Return a navigator for a book and its text; raises what `get` raises, and Damaged."""
        from scholar_indexes.books.reading.book_navigator import BookNavigator

        return self.read(reference, BookNavigator)

    def extract(self, locator: str, context: int = 0) -> Extract:
        """Return the paragraphs at a locator and `context` more on either side, or its chapter.

        Raises UsageError for a locator of a whole book and NotThere for a passage that the
        book does not have.
        """
        from scholar_indexes.books.citation import locators

        place = locators.parse(locator)
        stored = self.get(place.book_id)
        if place.chapter is None:
            raise UsageError(
                f"{place} is a whole book; add a chapter, such as {place.book_id}:1. "
                f"Its chapters: scholar books info {place.book_id}"
            )
        return self.open(stored).extract(place, context)

    def cited_places(
        self, locators: Sequence[str], page: str, edition: PrintedEdition | None
    ) -> list[CitedPlace]:
        """Return the passages to cite, from a print edition if one is given.

        `page` may begin with "p." or "pp.". Raises UsageError for a page without an edition,
        and for an edition with several books, and the errors of cited_place.
        """
        if page and edition is None:
            raise UsageError("a page needs a print edition; give it with --edition")
        page = re.sub(r"^pp?(?:\.\s*|\s+(?=\S)|(?=\d))", "", page.strip())
        places = [self.cited_place(locator, page, edition) for locator in locators]
        if edition and len({place.book.id for place in places}) > 1:
            raise UsageError("an edition is of one book; cite the passages of each separately")
        return places

    def cited_place(
        self, locator: str, page: str = "", edition: PrintedEdition | None = None
    ) -> CitedPlace:
        """Return a passage to cite; a locator with only a book cites the book as a whole.

        Raises UsageError for an invalid locator and NotThere for a passage that the book does
        not have.
        """
        from scholar_indexes.books.citation import locators
        from scholar_indexes.books.citation.cited_titles import cited_title
        from scholar_indexes.books.citation.sentence_case import sentence_case
        from scholar_indexes.results import CitedPlace

        place = locators.parse(locator)
        book = self.get_open(place.book_id)
        catalogued = self.gutenberg.respell(book.book)
        title = catalogued.title
        chapter = None
        if place.chapter is not None:
            chapter = book.chapter_numbered(place.chapter, title)
        if place.paragraph is not None:
            book.locate(place, title)
        if book.stored.edition not in self._sentence_case_titles:
            whole = cited_title(title, catalogued.language).title
            self._sentence_case_titles[book.stored.edition] = sentence_case(whole, book.text)
        title = self._sentence_case_titles[book.stored.edition]
        page = re.sub(r"(?<=\w)\s*-+\s*(?=\w)", "–", page.strip())
        return CitedPlace(catalogued, book.imprint, chapter, str(place), title, page, edition)

    def add_sample_once(self, progress: Progress = silent) -> bool:
        """Add the bundled books to a library that was never used; return True if added."""
        if self._paths.sample_marker.exists() or self.all():
            return False
        self._announce("the library is empty, so the bundled sample of three books is added (once)")
        self.adder.add_sample(progress)
        with explain_write_errors(self._paths.data):
            self._paths.sample_marker.touch()
        return True

    def remove(self, reference: str, progress: Progress = silent) -> Book:
        """Remove a book with its text and its passages."""
        with self._write_lock.held(progress):
            stored = self._get_to_remove(reference)
            self._catalog.unlist(stored.edition)
            with explain_write_errors(self._paths.books):
                for refusal in self._index.clear_unfinished():
                    raise refusal
            self._index.table.optimize()
        return stored.book

    def _get_to_remove(self, reference: str) -> StoredBook:
        """Return the book with a reference, or one whose removal was interrupted."""
        try:
            return self.get(reference)
        except NotThere as missing:
            try:
                return find_book(self._catalog.removing(), reference)
            except NotThere:
                raise missing from None

    @cached_property
    def repair(self) -> BookRepair:
        """The service that checks stored books, and lists lost ones again."""
        from scholar_indexes.books.adding.repair import BookRepair

        return BookRepair(self._paths, self._catalog, self._index, self._write_lock)

    @cached_property
    def adder(self) -> BookAdder:
        """The service that adds books."""
        from scholar_indexes.books.adding.book_adder import BookAdder

        return BookAdder(
            self._paths,
            self._settings,
            self._catalog,
            self._index,
            self._write_lock,
            self.gutenberg,
            self.repair,
            self._fetcher,
            self._announce,
        )

    @cached_property
    def gutenberg(self) -> GutenbergService:
        """The catalogue of Project Gutenberg."""
        from scholar_indexes.books.gutenberg.gutenberg_service import GutenbergService

        return GutenbergService(self._paths, self._settings, self._fetcher, self._announce)


def _lazy_fetcher(paths: Paths, settings: Settings) -> Callable[[], Fetcher]:
    """Return a function that opens the network client on its first call, and then returns it.

    It does not refer to a service: a reference cycle would keep a closed library, and the
    files of its index, open.
    """

    @cache
    def fetcher() -> Fetcher:
        from scholar_indexes.net.client import Fetcher

        return Fetcher.for_user(paths, settings)

    return fetcher
