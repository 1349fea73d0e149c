"""The library as front ends see it: one method for each task, which calls the service for it.

Methods take plain values, return the classes of types and results, raise only ScholarError and
report progress through an optional callable. Services are imported when first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from scholar_indexes import stopping
from scholar_indexes.books.passage_index import PassageIndex
from scholar_indexes.books.service import BookService
from scholar_indexes.errors import Damaged
from scholar_indexes.paths import Paths, user_paths
from scholar_indexes.requests import FindRequest
from scholar_indexes.settings import Settings
from scholar_indexes.settings import load as load_settings
from scholar_indexes.storage.catalog import Catalog, StoredBook
from scholar_indexes.storage.write_lock import WriteLock
from scholar_indexes.types import Book, Chapter, Hit, Imprint, Progress, silent

if TYPE_CHECKING:
    from typing import Unpack

    from scholar_indexes.attribution.corrections.service import CorrectionService
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.attribution.service import AttributionService, SpeakerOptions
    from scholar_indexes.backup.service import BackupService
    from scholar_indexes.books.adding import AddOptions, FillOptions
    from scholar_indexes.books.collections import CollectionService
    from scholar_indexes.books.filling import CatalogAddition
    from scholar_indexes.books.gutenberg_service import GutenbergService
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.reading import BookNavigator
    from scholar_indexes.books.repair import BookRepair
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.quiz.service import Quiz
    from scholar_indexes.characters.service import CharacterService, WhoOptions
    from scholar_indexes.cluster.service import ClusterService
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.models.service import ModelService
    from scholar_indexes.papers.service import PaperLibrary
    from scholar_indexes.quotations.service import LocateOptions, QuotationService
    from scholar_indexes.results import (
        AddedBook,
        Answers,
        AttributedQuote,
        CharacterProfile,
        CheckedQuotation,
        CitedPlace,
        Collocate,
        ConcordanceLine,
        DescriptionResult,
        EssayFormat,
        Extract,
        FoundEvidence,
        Frequency,
        LikelyCharacter,
        LocatedQuotation,
        PrintedEdition,
    )
    from scholar_indexes.retrieval.index_service import IndexService
    from scholar_indexes.retrieval.service import SearchService
    from scholar_indexes.storage.bookmarks import Bookmarks

P = ParamSpec("P")
T = TypeVar("T")


def reads_books(
    method: Callable[Concatenate[Library, P], T],
) -> Callable[Concatenate[Library, P], T]:
    """Return a method that reads books again if another program changed them meanwhile."""

    @wraps(method)
    def read_again(library: Library, /, *args: P.args, **options: P.kwargs) -> T:
        return library._books.read_consistently(lambda: method(library, *args, **options))

    return read_again


Announce = Callable[[str], None]
"""Called with one line for the user, such as what is about to be downloaded."""


def quiet(line: str) -> None:
    """Ignore an announcement: an Announce that prints nothing."""


class Library:
    """A user's books, papers, quizzes and indexes, in the folders of `places`."""

    def __init__(self, places: Paths, settings: Settings, announce: Announce = quiet) -> None:
        self.places = places
        self.settings = settings
        self.catalog = Catalog(places.catalog)
        self._announce = announce
        self._index = PassageIndex(places, settings, self.catalog)
        self._lock = WriteLock(places.write_lock, settings.lock_wait_s, announce)
        self._corrections_lock = WriteLock(places.corrections_lock, settings.lock_wait_s, announce)
        self._books = BookService(places, settings, self.catalog, self._index, self._lock, announce)
        if places.restore_journal.exists():
            self.backups.finish_restoring(silent)

    @classmethod
    def of_user(cls, announce: Announce = quiet, **flags: Any) -> Library:
        """Return the user's library, with the settings of the configuration and the environment;
        `flags` are settings that override them, such as model="all-MiniLM-L6-v2"."""
        paths = user_paths()
        settings, _ = load_settings(paths.config, **flags)
        return cls(paths, settings, announce)

    def add(self, source: str, **options: Unpack[AddOptions]) -> AddedBook:
        """Add a book; see BookAdder.add for the options."""
        return self._books.adder.add(source, **options)

    def add_from_catalog(
        self, conditions: str, *, limit: int | None = None, **options: Unpack[FillOptions]
    ) -> Iterator[CatalogAddition]:
        """Add the books of Gutenberg's catalogue that match a filter, the first `limit` of them,
        and yield the outcome of each; see GutenbergService.select and
        BookAdder.add_from_catalog."""
        progress = options.get("progress", silent)
        mirror = options.get("mirror")
        entries = self.gutenberg.select(conditions, limit=limit, mirror=mirror, progress=progress)
        return self._books.adder.add_from_catalog(entries, **options)

    def adding_many(self) -> AbstractContextManager[None]:
        """Return a context for adding many books; see BookAdder.adding_many."""
        return self._books.adder.adding_many()

    def add_sample(self, progress: Progress = silent) -> list[AddedBook]:
        """Add the bundled books that are not in the library yet."""
        return self._books.adder.add_sample(progress)

    def add_sample_once(self, progress: Progress = silent) -> bool:
        """Add the bundled books to a library that was never used; return True if it added them."""
        return self._books.add_sample_once(progress)

    def remove(self, reference: str, progress: Progress = silent) -> Book:
        """Remove a book with its text and its passages."""
        return self._books.remove(reference, progress)

    def books(self) -> list[StoredBook]:
        """Return every book, sorted by author and title."""
        return self._books.all()

    def book(self, reference: str) -> StoredBook:
        """Return the book with an id, number, locator or part of a title; see BookService.get."""
        return self._books.get(reference)

    def select(self, references: Sequence[str]) -> tuple[StoredBook, ...]:
        """Return the books of the given references (default: all), without repeats; see
        BookService.select."""
        return self._books.select(references, None).books

    @reads_books
    def readable(self, references: Sequence[str]) -> Answers[StoredBook]:
        """Return the readable books of the given references (default: all), and the unreadable
        ones. Raises Damaged if none is readable, and what `select` raises."""
        readable = self._books.readable(self.select(references))
        if not readable:
            raise Damaged(readable.not_searched[0].reason)
        return readable

    @reads_books
    def text(self, stored: StoredBook) -> str:
        """Return the text of a book."""
        return self._books.open(stored).text

    @reads_books
    def chapters(self, stored: StoredBook) -> Sequence[Chapter]:
        """Return the divisions of a book, front matter first."""
        return self._books.open(stored).chapters

    @reads_books
    def imprint(self, stored: StoredBook) -> Imprint:
        """Return the translators, editors and year of the edition of a book."""
        return self._books.open(stored).imprint

    def read(self, reference: str) -> BookNavigator:
        """Return a book to read, with its positions."""
        return self._books.navigate(reference)

    @reads_books
    def find(
        self, claim: str | FindRequest, /, *, progress: Progress = silent, **options: Any
    ) -> FoundEvidence:
        """Return the passages for a request, or for a claim with the fields of FindRequest; see
        SearchService.find."""
        request = FindRequest(claim, **options) if isinstance(claim, str) else claim
        return self.search.find(request, progress)

    @staticmethod
    def check_claim(claim: str, chapters: str | None = None) -> None:
        """Raise UsageError for a claim or chapters that no book can be searched for."""
        from scholar_indexes.retrieval.service import check_claim

        check_claim(claim, chapters)

    @reads_books
    def show(self, locator: str, context: int = 0) -> Extract:
        """Return the paragraphs at a locator, or its chapter; see BookService.extract."""
        return self._books.extract(locator, context)

    @reads_books
    def locate(
        self, quotations: Sequence[str], **options: Unpack[LocateOptions]
    ) -> Answers[list[LocatedQuotation]]:
        """Return the passages that quotations are from; see QuotationService.locate."""
        return self._quotations.locate(quotations, **options)

    def check(
        self,
        source: str,
        format: EssayFormat | None = None,
        **options: Unpack[LocateOptions],
    ) -> Answers[CheckedQuotation]:
        """Return the quotations of an essay, a file or - for standard input, with the passages they
        are from; see essays.reading.quotations and QuotationService.check."""
        from scholar_indexes.quotations.essays import reading

        quotations = reading.quotations(source, format)  # once: standard input cannot be read again
        return self._books.read_consistently(lambda: self._quotations.check(quotations, **options))

    @reads_books
    def check_text(
        self, text: str, format: EssayFormat, **options: Unpack[LocateOptions]
    ) -> Answers[CheckedQuotation]:
        """Return the same as `check`, for the text of an essay."""
        from scholar_indexes.quotations.essays import reading

        return self._quotations.check(reading.quotations_of_text(text, format), **options)

    def concordance(
        self, pattern: str, *, books: Sequence[str] = (), window: int = 8, is_regex: bool = False
    ) -> Iterator[ConcordanceLine]:
        """Yield the occurrences of a word or a pattern, book by book; see books.concordance."""
        from scholar_indexes.books import concordance

        compiled = concordance.compile_pattern(pattern, is_regex=is_regex)
        for book in self._select_open(books):
            yield from concordance.lines(book, compiled, window)

    def collocates(
        self,
        pattern: str,
        *,
        books: Sequence[str] = (),
        window: int = 8,
        is_regex: bool = False,
        with_function_words: bool = False,
    ) -> list[Collocate]:
        """Return the words that occur near a pattern more often than by chance."""
        from scholar_indexes.books import concordance

        return concordance.collocates(
            self._select_open(books),
            concordance.compile_pattern(pattern, is_regex=is_regex),
            window,
            with_function_words=with_function_words,
        )

    def frequencies(
        self,
        pattern: str,
        *,
        books: Sequence[str] = (),
        is_regex: bool = False,
        by_chapter: bool = False,
    ) -> Iterator[Frequency]:
        """Yield the counts of a pattern in each book, or in each chapter."""
        from scholar_indexes.books import concordance

        compiled = concordance.compile_pattern(pattern, is_regex=is_regex)
        yield from concordance.frequencies(
            self._select_open(books), compiled, by_chapter=by_chapter
        )

    @reads_books
    def cite(
        self, locators: Sequence[str], *, page: str = "", edition: PrintedEdition | None = None
    ) -> list[CitedPlace]:
        """Return the passages at locators, to cite; see BookService.cited_places."""
        return self._books.cited_places(locators, page, edition)

    @staticmethod
    def check_quotation(quotation: str) -> None:
        """Raise UsageError for a quotation that is too short to be located."""
        from scholar_indexes.quotations.service import check_quotation

        check_quotation(quotation)

    @reads_books
    def speakers(self, reference: str, **options: Unpack[SpeakerOptions]) -> list[AttributedQuote]:
        """Return the quotations of a book with their speakers; see AttributionService.speakers for
        the options."""
        return self._attribution.speakers(self._open(reference), **options)

    def check_speakers(self, **options: Unpack[SpeakerOptions]) -> None:
        """Raise what `speakers` raises for options that are invalid for every book."""
        self._attribution.check_options(**options)

    def kept_dialogue(self, reference: str) -> Dialogue | None:
        """Return the kept cast of a book and its speakers; None if they are not known yet."""
        return self._attribution.kept_dialogue(self._open(reference))

    @reads_books
    def characters(self, reference: str, progress: Progress = silent) -> list[CharacterProfile]:
        """Return the characters of a book, the ones who say most first."""
        return self._characters.profiles(self._open(reference), progress)

    @reads_books
    def cast(
        self, reference: str, progress: Progress = silent, *, attribute_again: bool = True
    ) -> BookCast:
        """Return the characters of a book, where they occur, and who speaks with whom; see
        AttributionService.dialogue for `attribute_again`."""
        book = self._open(reference)
        return self._characters.cast(book, progress, attribute_again=attribute_again)

    @reads_books
    def who(
        self, description: str, reference: str, **options: Unpack[WhoOptions]
    ) -> list[Hit[LikelyCharacter]]:
        """Return the characters that a description may mean; see CharacterService.who."""
        return self._characters.who(description, self._open(reference), **options)

    @staticmethod
    def check_description(description: str) -> None:
        """Raise UsageError for a description without content."""
        from scholar_indexes.characters.solver import parsing

        parsing.normalize_description(description)

    @reads_books
    def describe(
        self, character: str, reference: str, *, n: int = 12, progress: Progress = silent
    ) -> list[DescriptionResult]:
        """Return the descriptions of a character; see CharacterService.describe."""
        return self._characters.describe(character, self._open(reference), n=n, progress=progress)

    def descriptions(
        self, cast: BookCast, progress: Progress = silent
    ) -> tuple[BookCast, dict[str, list[DescriptionResult]]]:
        """Return the descriptions of all characters; see CharacterService.descriptions."""
        return self._characters.descriptions(cast, progress)

    @property
    def repair(self) -> BookRepair:
        """The checks and the repair of stored books."""
        return self._books.repair

    def indexed_editions(self) -> set[int]:
        """Return the editions that have passages for the model in use; opens no table."""
        return self._index.editions()

    @cached_property
    def index(self) -> IndexService:
        """The index of the model in use: its state, and its repair."""
        from scholar_indexes.retrieval.index_service import IndexService

        return IndexService(
            self.catalog, self._books, self._index, self._attribution, self._lock, self._announce
        )

    def cluster(self, address: str) -> ClusterService:
        """Return the tasks that a Ray cluster can share: adding books, the index, people."""
        from scholar_indexes.cluster.service import ClusterService

        return ClusterService(
            address,
            self.places,
            self.settings,
            self.catalog,
            self._books,
            self._index,
            self.index,
            self._lock,
            self._announce,
        )

    @cached_property
    def backups(self) -> BackupService:
        """Backups of the library: made, verified and restored."""
        from scholar_indexes.backup.service import BackupService

        return BackupService(self.places, self.settings, self._announce)

    @cached_property
    def models(self) -> ModelService:
        """The models on this machine."""
        from scholar_indexes.models.service import ModelService

        return ModelService(self.places, self.settings, self._announce)

    @cached_property
    def papers(self) -> PaperLibrary:
        """The papers of the library."""
        from scholar_indexes.papers.service import PaperLibrary

        return PaperLibrary(self.places, self.settings, self._announce)

    @property
    def gutenberg(self) -> GutenbergService:
        """The catalogue of Project Gutenberg."""
        return self._books.gutenberg

    @cached_property
    def corrections(self) -> CorrectionService:
        """The user's corrections to the characters of books."""
        from scholar_indexes.attribution.corrections.service import CorrectionService

        return CorrectionService(self._books, self._attribution, self._corrections_lock)

    @cached_property
    def quiz(self) -> Quiz:
        """Questions about characters, and the answers given."""
        return self._characters.quiz

    @cached_property
    def bookmarks(self) -> Bookmarks:
        """The reading positions and saved quotations of the user."""
        from scholar_indexes.storage.bookmarks import Bookmarks

        return Bookmarks(self.places.bookmarks)

    @cached_property
    def collections(self) -> CollectionService:
        """The passages that the user collected, with notes."""
        from scholar_indexes.books.collections import CollectionService

        return CollectionService(self._books, self.bookmarks)

    @property
    def encoder(self) -> Encoder:
        """The encoder of passages and claims, loaded once."""
        return self._index.encoder

    def open(self, stored: StoredBook) -> OpenBook:
        """Return a book whose parts are read on first use."""
        return self._books.open(stored)

    def _select_open(self, references: Sequence[str]) -> Iterator[OpenBook]:
        """Yield the books of the given references (default: all), with texts and chapters read; a
        book that another program removes meanwhile is skipped."""
        for book in map(self._books.open, self.select(references)):
            stopping.check()
            try:
                _ = book.text, book.chapters
            except Damaged:
                if self._books.is_listed(book.stored):
                    raise
                continue
            yield book

    def _open(self, reference: str) -> OpenBook:
        return self._books.open(self._books.get(reference))

    @cached_property
    def _attribution(self) -> AttributionService:
        from scholar_indexes.attribution.service import AttributionService

        return AttributionService(self.places, self._announce)

    @cached_property
    def search(self) -> SearchService:
        """Search in books."""
        from scholar_indexes.retrieval.service import SearchService

        return SearchService(
            self._books,
            self._index,
            self._attribution,
            self.places,
            self.settings,
            self._announce,
        )

    @cached_property
    def _quotations(self) -> QuotationService:
        from scholar_indexes.quotations.service import QuotationService

        return QuotationService(self._books)

    @cached_property
    def _characters(self) -> CharacterService:
        from scholar_indexes.characters.service import CharacterService

        return CharacterService(
            self.places, self._books, self._index, self._attribution, self._announce
        )
