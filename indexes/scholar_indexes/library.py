"""The library as front ends see it: a method for each common task, and the services for the rest.

Methods take plain values, return the classes of types and results, raise only ScholarError and
report progress through an optional callable. Services are imported when first used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from scholar_indexes.books.adding.passage_index import PassageIndex
from scholar_indexes.books.book_service import BookService
from scholar_indexes.paths import Paths, user_paths
from scholar_indexes.requests import AddRequest, FindRequest, SpeakersRequest
from scholar_indexes.settings import Settings
from scholar_indexes.settings import load as load_settings
from scholar_indexes.storage.catalog import Catalog
from scholar_indexes.storage.write_lock import WriteLock
from scholar_indexes.types import Hit, Progress, silent

if TYPE_CHECKING:
    from typing import Unpack

    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.attribution.corrections.correction_service import CorrectionService
    from scholar_indexes.backup.backup_service import BackupService
    from scholar_indexes.books.collections.collection_service import CollectionService
    from scholar_indexes.books.concordance_service import ConcordanceService
    from scholar_indexes.characters.character_service import CharacterService, WhoOptions
    from scholar_indexes.characters.quiz.quiz_service import Quiz
    from scholar_indexes.cluster.cluster_service import ClusterService
    from scholar_indexes.llm.backend import Backend
    from scholar_indexes.models.model_service import ModelService
    from scholar_indexes.papers.paper_service import PaperLibrary
    from scholar_indexes.quotations.annotations.annotation_service import AnnotationService
    from scholar_indexes.quotations.quotation_service import LocateOptions, QuotationService
    from scholar_indexes.results import (
        AddedBook,
        Answers,
        AttributedQuote,
        CheckedQuotation,
        CitedPlace,
        EssayFormat,
        Extract,
        FoundEvidence,
        LikelyCharacter,
        LocatedQuotation,
        PrintedEdition,
    )
    from scholar_indexes.retrieval.index_service import IndexService
    from scholar_indexes.retrieval.search_service import SearchService
    from scholar_indexes.storage.bookmarks import Bookmarks

P = ParamSpec("P")
T = TypeVar("T")


def reads_books(
    method: Callable[Concatenate[Library, P], T],
) -> Callable[Concatenate[Library, P], T]:
    """Return a method that reads books again if another program changed them meanwhile."""

    @wraps(method)
    def read_again(library: Library, /, *args: P.args, **options: P.kwargs) -> T:
        return library.books.read_consistently(lambda: method(library, *args, **options))

    return read_again


Announce = Callable[[str], None]
"""Called with one line for the user, such as what is about to be downloaded."""


def quiet(line: str) -> None:
    """Ignore an announcement: an Announce that prints nothing."""


class Library:
    """A user's books, papers, quizzes and indexes, in the folders of `places`.

    The common tasks are methods; everything else is in the parts: `books`, `characters`, `papers`
    and the other services.
    """

    def __init__(self, places: Paths, settings: Settings, announce: Announce = quiet) -> None:
        self.places = places
        self.settings = settings
        self.catalog = Catalog(places.catalog)
        self.passages = PassageIndex(places, settings, self.catalog)
        self._announce = announce
        self._lock = WriteLock(places.write_lock, settings.lock_wait_s, announce)
        self._corrections_lock = WriteLock(places.corrections_lock, settings.lock_wait_s, announce)
        self.books = BookService(
            places, settings, self.catalog, self.passages, self._lock, announce
        )
        if places.restore_journal.exists():
            self.backups.finish_restoring(silent)

    @classmethod
    def of_user(cls, announce: Announce = quiet, **flags: Any) -> Library:
        """Return the user's library, with the settings of the configuration and the environment;
        `flags` are settings that override them, such as model="all-MiniLM-L6-v2"."""
        paths = user_paths()
        settings, _ = load_settings(paths.config, **flags)
        return cls(paths, settings, announce)

    def add(
        self, source: str | AddRequest, /, *, progress: Progress = silent, **options: Any
    ) -> AddedBook:
        """Add the book of a request, or of a source with the fields of AddRequest; see
        BookAdder.add."""
        request = AddRequest(source, **options) if isinstance(source, str) else source
        return self.books.adder.add(request, progress)

    @reads_books
    def find(
        self, claim: str | FindRequest, /, *, progress: Progress = silent, **options: Any
    ) -> FoundEvidence:
        """Return the passages for a request, or for a claim with the fields of FindRequest; see
        SearchService.find."""
        request = FindRequest(claim, **options) if isinstance(claim, str) else claim
        return self.search.find(request, progress)

    @reads_books
    def show(self, locator: str, context: int = 0) -> Extract:
        """Return the paragraphs at a locator, or its chapter; see BookService.extract."""
        return self.books.extract(locator, context)

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

        # once: standard input cannot be read again
        quotations = reading.quotations(source, format, self._announce)
        return self.books.read_consistently(lambda: self._quotations.check(quotations, **options))

    @reads_books
    def check_text(
        self, text: str, format: EssayFormat, **options: Unpack[LocateOptions]
    ) -> Answers[CheckedQuotation]:
        """Return the same as `check`, for the text of an essay."""
        from scholar_indexes.quotations.essays import reading

        return self._quotations.check(reading.quotations_of_text(text, format), **options)

    @reads_books
    def cite(
        self, locators: Sequence[str], *, page: str = "", edition: PrintedEdition | None = None
    ) -> list[CitedPlace]:
        """Return the passages at locators, to cite; see BookService.cited_places."""
        return self.books.cited_places(locators, page, edition)

    @reads_books
    def speakers(
        self,
        book: str | SpeakersRequest,
        /,
        *,
        backend: Backend | None = None,
        progress: Progress = silent,
        attribute_again: bool = True,
        **options: Any,
    ) -> list[AttributedQuote]:
        """Return the quotations for a request, or of a book with the fields of SpeakersRequest; see
        AttributionService.speakers."""
        request = SpeakersRequest(book, **options) if isinstance(book, str) else book
        return self.attribution.speakers(
            self.books.get_open(request.book),
            request,
            backend=backend,
            progress=progress,
            attribute_again=attribute_again,
        )

    def who(
        self, description: str, reference: str, **options: Unpack[WhoOptions]
    ) -> list[Hit[LikelyCharacter]]:
        """Return the characters that a description may mean; see CharacterService.who."""
        return self.characters.who(description, reference, **options)

    @cached_property
    def search(self) -> SearchService:
        """The search for claims in books."""
        from scholar_indexes.retrieval.search_service import SearchService

        return SearchService(
            self.books,
            self.passages,
            self.attribution,
            self.places,
            self.settings,
            self._announce,
        )

    @cached_property
    def concordance(self) -> ConcordanceService:
        """The occurrences of words and patterns in books."""
        from scholar_indexes.books.concordance_service import ConcordanceService

        return ConcordanceService(self.books)

    @cached_property
    def attribution(self) -> AttributionService:
        """The dialogue of books: quotations, speakers and casts."""
        from scholar_indexes.attribution.attribution_service import AttributionService

        return AttributionService(self.places, self._announce)

    @cached_property
    def corrections(self) -> CorrectionService:
        """The user's corrections to the characters of books."""
        from scholar_indexes.attribution.corrections.correction_service import CorrectionService

        return CorrectionService(self.books, self.attribution, self._corrections_lock)

    @cached_property
    def characters(self) -> CharacterService:
        """The characters of books, and their descriptions."""
        from scholar_indexes.characters.character_service import CharacterService

        return CharacterService(
            self.places, self.books, self.passages, self.attribution, self._announce
        )

    @property
    def quiz(self) -> Quiz:
        """Questions about characters, and the answers given."""
        return self.characters.quiz

    @cached_property
    def bookmarks(self) -> Bookmarks:
        """The reading positions and saved quotations of the user."""
        from scholar_indexes.storage.bookmarks import Bookmarks

        return Bookmarks(self.places.bookmarks)

    @cached_property
    def collections(self) -> CollectionService:
        """The passages that the user collected, with notes."""
        from scholar_indexes.books.collections.collection_service import CollectionService

        return CollectionService(self.books, self.bookmarks)

    @cached_property
    def annotations(self) -> AnnotationService:
        """Imports annotations of other programs, and exported ones, into collections."""
        from scholar_indexes.quotations.annotations.annotation_service import AnnotationService

        return AnnotationService(self.books, self._quotations, self.bookmarks)

    @cached_property
    def papers(self) -> PaperLibrary:
        """The papers of the library."""
        from scholar_indexes.papers.paper_service import PaperLibrary

        return PaperLibrary(self.places, self.settings, self._announce)

    @cached_property
    def index(self) -> IndexService:
        """The index of the model in use: its state, and its repair."""
        from scholar_indexes.retrieval.index_service import IndexService

        return IndexService(
            self.catalog, self.books, self.passages, self.attribution, self._lock, self._announce
        )

    def cluster(self, address: str) -> ClusterService:
        """Return the tasks that a Ray cluster can share: adding books, the index, people."""
        from scholar_indexes.cluster.cluster_service import ClusterService

        return ClusterService(
            address,
            self.places,
            self.settings,
            self.catalog,
            self.books,
            self.passages,
            self.index,
            self._lock,
            self._announce,
        )

    @cached_property
    def backups(self) -> BackupService:
        """Backups of the library: made, verified and restored."""
        from scholar_indexes.backup.backup_service import BackupService

        return BackupService(self.places, self.settings, self._announce)

    @cached_property
    def models(self) -> ModelService:
        """The models on this machine."""
        from scholar_indexes.models.model_service import ModelService

        return ModelService(self.places, self.settings, self._announce)

    @cached_property
    def _quotations(self) -> QuotationService:
        from scholar_indexes.quotations.quotation_service import QuotationService

        return QuotationService(self.books)
