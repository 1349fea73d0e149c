"""The books of the library: adding and removing them, finding one, and opening it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

from scholar_indexes.books.references import find_book
from scholar_indexes.errors import Busy, Damaged, NotIndexed, NotThere, UsageError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.progress import divide_progress
from scholar_indexes.settings import Settings
from scholar_indexes.storage.catalog import Catalog, StoredBook
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.encoding_ahead import EncodingAhead
    from scholar_indexes.books.filling import CatalogAddition
    from scholar_indexes.books.gutenberg_catalog import CatalogEntry
    from scholar_indexes.books.gutenberg_service import GutenbergService
    from scholar_indexes.books.ingest import BookDraft, BookSource, SentenceChunk
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.passage_index import PassageIndex
    from scholar_indexes.books.reading import BookNavigator
    from scholar_indexes.books.repair import BookRepair
    from scholar_indexes.books.writing import BookWriter
    from scholar_indexes.net.client import Fetcher
    from scholar_indexes.results import (
        AddedBook,
        CitedPlace,
        Extract,
        PrintedEdition,
    )
    from scholar_indexes.storage.write_lock import WriteLock


MOST_READINGS = 20
"""The readings, at most, of what other programs change meanwhile."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BookSelection:
    """Some books of the library; `complete` says that it holds no others."""

    books: tuple[StoredBook, ...]
    complete: bool


class AddOptions(TypedDict, total=False):
    """The options of BookService.add."""

    title: str | None
    author: str | None
    language: str | None
    mirror: str | None
    refresh: bool
    dry_run: bool
    progress: Progress


class FillOptions(TypedDict, total=False):
    """The options of BookService.add_from_catalog."""

    language: str | None
    mirror: str | None
    refresh: bool
    dry_run: bool
    progress: Progress


class BookService:
    """The books of the library. Methods that take a reference accept an id, a number, a locator
    or an unambiguous piece of a title."""

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
        self._more_follow = False

    def all(self) -> list[StoredBook]:
        """Return every book, by author and title; raises Damaged for a list that has lost them."""
        return self.read_consistently(self._all)

    def _all(self) -> list[StoredBook]:
        books = self._catalog.books()
        if not books:
            self.repair.check_listed()
        return books

    def get(self, reference: str) -> StoredBook:
        """Return the book that a reference names.

        Raises NotThere when there is none and UsageError naming them when there are several.
        """
        return find_book(self._all(), reference)

    def select(self, references: Sequence[str], author: str | None) -> BookSelection:
        """Return the books named, or all, whose author's name contains `author`.

        Raises NotThere when no book is left.
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
        """Return a book whose parts are read when they are used."""
        from scholar_indexes.books.open_book import OpenBook

        return OpenBook(stored, self._paths.books / stored.folder)

    def read_consistently(self, read: Callable[[], T]) -> T:
        """Return what `read` returns; it is called again where what it read was missing because
        another program removed or replaced a book, or the index, meanwhile.

        Raises Busy where that happens again and again.
        """
        for _ in range(MOST_READINGS):
            version = self._catalog.version()
            try:
                return read()
            except (Damaged, NotIndexed):
                if self._catalog.version() == version:
                    raise
        raise Busy("other programs change the books all the time; run the same command again")

    def is_listed(self, stored: StoredBook) -> bool:
        """Return True if a book is still in the library, with the same text."""
        return any(listed.edition == stored.edition for listed in self._catalog.books())

    def navigate(self, reference: str) -> BookNavigator:
        """Return the positions of a book, with its text; raises what `get` does, and Damaged."""
        from scholar_indexes.books.reading import BookNavigator

        return self.read_consistently(lambda: BookNavigator(self.open(self.get(reference))))

    def extract(self, locator: str, context: int = 0) -> Extract:
        """Return the paragraphs at a locator with `context` more on either side, or the whole
        chapter that it names.

        Raises UsageError for a locator of a whole book and NotThere for a place that the book
        does not have.
        """
        from scholar_indexes.books import locators

        place = locators.parse(locator)
        stored = self.get(place.book_id)
        if place.chapter is None:
            raise UsageError(
                f"{place} is a whole book; name a chapter too, such as {place.book_id}:1. "
                f"Its chapters: scholar books info {place.book_id}"
            )
        return self.open(stored).extract(place, context)

    def cited_places(
        self, locators: Sequence[str], page: str, edition: PrintedEdition | None
    ) -> list[CitedPlace]:
        """Return places to cite, by an edition in print where one is given; `page` may begin with
        "p." or "pp.".

        Raises UsageError for a page without an edition, and for an edition of several books, and
        what cited_place raises.
        """
        if page and edition is None:
            raise UsageError("a page is of an edition in print; say which (--edition)")
        page = re.sub(r"^pp?(?:\.\s*|\s+(?=\S)|(?=\d))", "", page.strip())
        places = [self.cited_place(locator, page, edition) for locator in locators]
        if edition and len({place.book.id for place in places}) > 1:
            raise UsageError("an edition is of one book; cite the places of each by themselves")
        return places

    def cited_place(
        self, locator: str, page: str = "", edition: PrintedEdition | None = None
    ) -> CitedPlace:
        """Return a place to cite; a locator of a book alone is the book as a whole.

        Raises UsageError for what is no locator and NotThere for a place that the book does not
        have.
        """
        from scholar_indexes.books import locators
        from scholar_indexes.books.cited_titles import cited_title
        from scholar_indexes.books.sentence_case import sentence_case
        from scholar_indexes.results import CitedPlace

        place = locators.parse(locator)
        book = self.open(self.get(place.book_id))
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

    def add(
        self,
        source: str,
        *,
        title: str | None = None,
        author: str | None = None,
        language: str | None = None,
        mirror: str | None = None,
        refresh: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> AddedBook:
        """Add a book: a Gutenberg number or address, a file, or - for standard input.

        A text that is in the library is left as it is; `refresh` fetches and reads it again.
        """
        from scholar_indexes.books import ingest

        book_id = ingest.reference_id(source)
        stored = self._catalog.with_id(book_id) if book_id else None
        if stored and not refresh:
            return self._keep_stored(stored, dry_run, progress)
        read = self.read_source(source, mirror, refresh=refresh, progress=progress)
        return self._read_and_store(
            read, title, author, language, refresh=refresh, dry_run=dry_run, progress=progress
        )

    def add_from_catalog(
        self,
        entries: Sequence[CatalogEntry],
        *,
        language: str | None = None,
        mirror: str | None = None,
        refresh: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> Iterator[CatalogAddition]:
        """Add the books of entries of Gutenberg's catalogue and yield what became of each; see
        filling.fill. With dry_run nothing is fetched either."""
        from scholar_indexes.books import filling
        from scholar_indexes.results import AddOutcome

        if dry_run:
            stored = {book.book.id for book in self._catalog.books()}
            for entry in entries:
                is_stored = f"pg{entry.gutenberg_id}" in stored
                yield filling.CatalogAddition(
                    entry, AddOutcome.ALREADY if is_stored else AddOutcome.PLANNED
                )
            return

        def add(number: int, stage: Progress) -> AddedBook:
            return self.add(
                str(number), language=language, mirror=mirror, refresh=refresh, progress=stage
            )

        with self.adding_many():
            yield from filling.fill(entries, add, progress)

    @contextmanager
    def adding_many(self) -> Iterator[None]:
        """Renew the index at the end of a block that adds many books, and within it only as the
        index grows by a quarter. A block that is stopped leaves the end to the next book."""
        self._more_follow, is_stopped = True, False
        try:
            yield
        except (KeyboardInterrupt, GeneratorExit):
            is_stopped = True
            raise
        finally:
            self._more_follow = False
            if not is_stopped:
                with self._write_lock.held(silent):
                    self._index.table.optimize()

    def add_sample(self, progress: Progress = silent) -> list[AddedBook]:
        """Add the bundled books that are not in the library yet; a newer text of one stays. What
        is added when it is interrupted stays too."""
        from scholar_indexes.books import ingest, samples

        added = []
        texts = [(sample, samples.read(sample)) for sample in samples.bundled()]
        stages = divide_progress(progress, [len(text) for _, text in texts])
        for (sample, text), stage in zip(texts, stages, strict=True):
            stored = self._catalog.with_id(f"pg{sample.gutenberg_id}")
            if stored:
                added.append(self._keep_stored(stored, False, stage))
                continue
            source = ingest.BookSource(
                text, samples.origin(sample), sample.gutenberg_id, sample.year
            )
            added.append(
                self._read_and_store(source, sample.title, sample.author, "en", progress=stage)
            )
        return added

    def add_sample_once(self, progress: Progress = silent) -> bool:
        """Add the bundled books to a library that was never used; return True if it did."""
        if self._paths.sample_marker.exists() or self.all():
            return False
        self._announce("the library is empty, so the bundled sample of three books is added (once)")
        self.add_sample(progress)
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
        """Return the book that a reference names, if need be one whose removal was interrupted."""
        try:
            return self.get(reference)
        except NotThere as missing:
            try:
                return find_book(self._catalog.removing(), reference)
            except NotThere:
                raise missing from None

    @property
    def repair(self) -> BookRepair:
        """Checks what is stored of books, and lists lost ones again."""
        from scholar_indexes.books.repair import BookRepair

        return BookRepair(self._paths, self._catalog, self.open, self._index, self._write_lock)

    @property
    def writer(self) -> BookWriter:
        """Writes books that have been read, step by step. It refers to this service, so it is not
        kept: a cycle of references would keep a closed library open."""
        from scholar_indexes.books.writing import BookWriter

        return BookWriter(self._paths, self._catalog, self._index, self._is_damaged)

    @cached_property
    def gutenberg(self) -> GutenbergService:
        """The catalogue of Project Gutenberg."""
        from scholar_indexes.books.gutenberg_service import GutenbergService

        return GutenbergService(self._paths, self._settings, self._fetcher, self._announce)

    def _bundled_source(self, stored: StoredBook) -> BookSource | None:
        """Return the bundled text that a damaged book came from, which mends it without a network;
        None for another book."""
        from scholar_indexes.books import ingest, samples

        for sample in samples.bundled():
            if stored.book.source == samples.origin(sample) and self._is_damaged(stored):
                return ingest.BookSource(
                    samples.read(sample), samples.origin(sample), sample.gutenberg_id, sample.year
                )
        return None

    def read_source(
        self, source: str, mirror: str | None, *, refresh: bool, progress: Progress = silent
    ) -> BookSource:
        """Return the bytes of a source of `add`; those of a damaged bundled book are at hand."""
        from scholar_indexes.books import ingest

        progress(f"reading {source}", 0, 0)
        book_id = ingest.reference_id(source)
        stored = self._catalog.with_id(book_id) if book_id else None
        bundled = self._bundled_source(stored) if stored and mirror is None else None
        return bundled or self._read_source(source, mirror, refresh, progress)

    def _read_source(
        self, source: str, mirror: str | None, refresh: bool, progress: Progress
    ) -> BookSource:
        from scholar_indexes.books import ingest, mirrors

        number = mirrors.gutenberg_id(source)
        folder = mirrors.mirror_folder(mirror) if number and mirror else None
        if number and folder:
            text = mirrors.find_in_folder(number, folder)
            return replace(ingest.read_file(text), gutenberg_id=number)
        if number:
            download = mirrors.download(
                self._fetcher(),
                number,
                (mirror,) if mirror else self._settings.mirrors,
                refresh=refresh,
                announce=self._announce,
                progress=progress,
            )
            return ingest.BookSource(download.path.read_bytes(), download.url, number)
        if source == "-":
            return ingest.read_stdin()
        if "://" in source:
            raise UsageError(
                f"{source[:80]} is not an address of a Gutenberg book; download the file "
                "and add it, or give an address like https://www.gutenberg.org/ebooks/1342"
            )
        return ingest.read_file(Path(source).expanduser())

    def respell(self, draft: BookDraft) -> BookDraft:
        """Return a draft with title and author as Gutenberg's catalogue spells them, as far as it
        knows the book."""
        return replace(draft, book=self.gutenberg.respell(draft.book))

    def _keep_stored(self, stored: StoredBook, dry_run: bool, progress: Progress) -> AddedBook:
        """Return the outcome for a book that is in the library already; index it if it was not."""
        from scholar_indexes.results import AddedBook, AddOutcome

        if not dry_run and not self._is_indexed(stored):
            with self._write_lock.held(progress):
                self._index_if_missing(stored, progress)
        return AddedBook(stored.book, AddOutcome.ALREADY, stored.chapters, stored.sentences)

    def _read_and_store(
        self,
        source: BookSource,
        title: str | None,
        author: str | None,
        language: str | None,
        *,
        refresh: bool = False,
        dry_run: bool = False,
        progress: Progress,
    ) -> AddedBook:
        """Store a source whose text is new, encoding its sentences as they are found."""
        from scholar_indexes.books import ingest
        from scholar_indexes.books.encoding_ahead import EncodingAhead

        with EncodingAhead(lambda: self._index.encoder) as ahead:

            def encode(book: Book, chunk: SentenceChunk) -> None:
                if not (dry_run or self._catalog.with_text(book.sha256)):
                    ahead.add(chunk)

            draft = ingest.parse_draft(
                source, title=title, author=author, language=language, on_chunk=encode
            )
            if title is None and author is None:
                draft = self.respell(draft)
            return self._store(draft, ahead, refresh, dry_run, progress)

    def _store(
        self,
        draft: BookDraft,
        ahead: EncodingAhead,
        refresh: bool,
        dry_run: bool,
        progress: Progress,
    ) -> AddedBook:
        """Store a draft whose text is new; raises UsageError where another text has its id."""
        with nullcontext() if dry_run else self._write_lock.held(progress):
            if not dry_run and self._catalog.unfinished():
                self._index.clear_unfinished()
            plan = self.writer.plan(draft, refresh)
            if not dry_run:
                if plan.same_text:
                    self._index_if_missing(plan.same_text, progress)
                else:
                    self._write(plan.draft, ahead, progress)
        return plan.result(dry_run=dry_run)

    def _write(self, draft: BookDraft, ahead: EncodingAhead, progress: Progress) -> None:
        """Write the files and passages of a draft, and list it last."""
        from scholar_indexes.books import ingest

        self._index.clear_unfinished()
        stored = self.writer.begin(draft)
        if not ahead.sentences:  # the same text was in the library while this one was read
            places = [ingest.place_of(sentence) for sentence in draft.sentences]
            for chunk in ingest.sentence_chunks(draft.text, places):
                ahead.add(chunk)
        self._index.write_encoded(stored, ahead, progress)
        self.writer.finish([stored], more_follow=self._more_follow)
        self.repair.add_hashes_while_writing()

    def _is_damaged(self, stored: StoredBook) -> bool:
        """Return True if what is kept of a book is not what was stored."""
        try:
            self.repair.check(stored)
        except Damaged:
            return True
        return False

    def _is_indexed(self, stored: StoredBook) -> bool:
        return stored.edition in self._index.editions()

    def _index_if_missing(self, stored: StoredBook, progress: Progress) -> None:
        if not self._is_indexed(stored):
            self._index.write_stored(self.open(stored), progress)
            self._index.table.optimize()


def _lazy_fetcher(paths: Paths, settings: Settings) -> Callable[[], Fetcher]:
    """Return what opens the network client at its first call, and returns the same one after that.

    It refers to no service: a cycle of references would keep a closed library, and with it the
    files of its index, open.
    """

    @cache
    def fetcher() -> Fetcher:
        from scholar_indexes.net.client import Fetcher

        return Fetcher.for_user(paths, settings)

    return fetcher
