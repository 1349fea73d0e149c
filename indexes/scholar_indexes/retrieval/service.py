"""Search in the library: the passages for a claim, and the index behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from scholar_indexes.announcing import AnnounceOnce
from scholar_indexes.books import chapter_ranges
from scholar_indexes.errors import Damaged, NotIndexed, NotThere, ScholarError, UsageError
from scholar_indexes.retrieval import search
from scholar_indexes.retrieval.candidates import Mode
from scholar_indexes.retrieval.evidence import quote_hits
from scholar_indexes.retrieval.readings import may_name
from scholar_indexes.retrieval.second_stage import SecondStage
from scholar_indexes.storage.passages import EDITION_BITS, EVERYTHING, PassageFilter
from scholar_indexes.types import Book, Hit, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.service import AttributionService
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.passage_index import PassageIndex
    from scholar_indexes.books.service import BookService
    from scholar_indexes.coreference.people import BookPeople, SentencePeople
    from scholar_indexes.results import Evidence
    from scholar_indexes.storage.catalog import Catalog
    from scholar_indexes.storage.lance_table import TableState
    from scholar_indexes.storage.write_lock import WriteLock


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index of the model in use: its table, the books it lacks, and what is left over."""

    table: TableState
    model: str
    books: int
    missing: tuple[Book, ...]
    unfinished: int
    other_tables: tuple[str, ...]


class FindOptions(TypedDict, total=False):
    """The options of SearchService.find."""

    books: Sequence[str]
    author: str | None
    chapters: str | None
    n: int
    mode: str
    sentences: tuple[int, int]
    context: int
    speaker: str | None
    about: str | None
    read_people: bool
    progress: Progress


class SearchService:
    """Finds passages for claims."""

    def __init__(
        self,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        announce: Callable[[str], None],
    ) -> None:
        self._books = books
        self._index = index
        self._attribution = attribution
        self._announce = announce
        self._announce_once = AnnounceOnce(announce)

    def find(
        self,
        claim: str,
        *,
        books: Sequence[str] = (),
        author: str | None = None,
        chapters: str | None = None,
        n: int = 10,
        mode: str = "hybrid",
        sentences: tuple[int, int] = (1, 5),
        context: int = 1,
        speaker: str | None = None,
        about: str | None = None,
        read_people: bool = False,
        progress: Progress = silent,
    ) -> list[Hit[Evidence]]:
        """Return the passages for a claim, best first, none overlapping another.

        `sentences` is the least and the most a passage may have; `context` is how many
        sentences on either side come with it; `chapters` are written as chapter_ranges says, and
        of several books those that lack them are left out and announced; `speaker` leaves only
        the words of one character, `about` only sentences in which one is. With `read_people`, who
        is in each sentence of a single book is found first where that is not known and the claim
        may name somebody, which takes half a minute. Raises UsageError for an empty claim, NotThere
        when no book passes the filters, and NotIndexed when a book has no passages for the model in
        use.
        """
        query = search.Query(claim, Mode(mode), *sentences, n)
        selection = self._books.select(books, author)
        self._index.check_has(selection.books)
        editions = {stored.edition: self._books.open(stored) for stored in selection.books}
        sections = None
        if chapters:
            sections = self._find_sections(editions, chapters)
            editions = {edition: editions[edition] for edition in sections}
        keys = self._character_keys(list(editions.values()), speaker, about, progress)
        is_whole = selection.complete or sections is not None
        scope = PassageFilter(None if is_whole else set(editions), sections, keys)
        people = _KeptPeople(self._attribution, editions)
        names_somebody = query.is_short_claim and may_name(query.claim)
        if names_somebody and read_people and len(editions) == 1:
            (book,) = editions.values()
            self._find_people(book, progress)
        hits = search.search(
            self._index.table,
            lambda: self._index.encoder,
            query,
            scope,
            people.in_sentences,
            self._second_stage(query, editions, people),
        )
        evidence = list(quote_hits(hits, editions, context, people.in_sentences))
        if names_somebody and people.unknown:
            self._announce_once(
                "names are matched as words where it is not known who is in a sentence; to match "
                "people in all books, run once: scholar index people"
            )
        return evidence

    def _second_stage(
        self, query: search.Query, editions: Mapping[int, OpenBook], people: _KeptPeople
    ) -> SecondStage | None:
        """Return the second stage for a query; None without one. One that is damaged is announced,
        and the first stage answers."""
        if not query.is_short_claim:
            return None
        try:
            reranker = self._index.reranker
        except Damaged as damage:
            self._announce_once(f"{damage}; the first stage answers alone")
            return None
        if reranker is None:
            return None
        return SecondStage(reranker, query.claim, editions, people.of_edition)

    def _find_people(self, book: OpenBook, progress: Progress) -> None:
        """Find the people of a book where they are not known, and say so."""
        if self._attribution.kept_people(book) is None:
            title = book.book.title
            self._announce(f"finding who is in each sentence of {title}, which is done once")
            self._attribution.people(book, progress)

    def people(self, book: OpenBook) -> BookPeople | None:
        """Return the people of a book; None where they are not known yet."""
        return self._attribution.kept_people(book)

    def knows_people(self, reference: str) -> bool:
        """Return True if it is known who is in each sentence of a book."""
        return self.people(self._books.open(self._books.get(reference))) is not None

    def score(self, claim: str, reference: str, sentences: Sequence[int]) -> search.ScoredWindows:
        """Return the windows of a book that may answer a claim, and those around some of its
        sentences, with what is known of each: what the ranking is trained on."""
        stored = self._books.get(reference)
        self._index.check_has([stored])
        keys = (stored.edition << EDITION_BITS) + np.asarray(sentences, np.int64)
        people = _KeptPeople(self._attribution, {stored.edition: self._books.open(stored)})
        return search.score_windows(
            self._index.table,
            lambda: self._index.encoder,
            search.Query(claim),
            PassageFilter({stored.edition}),
            people.in_sentences,
            keys,
        )

    def _find_sections(
        self, editions: Mapping[int, OpenBook], chapters: str
    ) -> dict[int, tuple[int, int]]:
        """Return the sections of a range of chapters by edition, for the books that have it."""
        chapter_ranges.parse_range(chapters)
        sections: dict[int, tuple[int, int]] = {}
        failures: list[ScholarError] = []
        for edition, book in editions.items():
            try:
                sections[edition] = chapter_ranges.find_sections(
                    book.chapters, chapters, book.book.title
                )
            except (NotThere, UsageError) as failure:
                failures.append(failure)
        if failures and len(editions) == 1:
            raise failures[0]
        if failures and not sections:
            raise NotThere(f"none of {len(editions)} books has these chapters: {failures[0]}")
        if failures:
            self._announce(
                f"left out {len(failures)} of {len(editions)} books, such as this: {failures[0]}"
            )
        return sections

    def _character_keys(
        self,
        books: Sequence[OpenBook],
        speaker: str | None,
        about: str | None,
        progress: Progress,
    ) -> set[int] | None:
        """Return the keys of the rows whose sentences one character says and in which another is;
        None where neither is asked for."""
        parts = []
        if speaker is not None:
            parts.append(_row_keys(self._attribution.sentences_said(books, speaker, progress)))
        if about is not None:
            parts.append(_row_keys(self._attribution.sentences_about(books, about, progress)))
        return set.intersection(*parts) if parts else None


class _KeptPeople:
    """The people of some books by edition, as far as they are known; `unknown` are the editions
    that were asked for and are not."""

    def __init__(self, attribution: AttributionService, books: Mapping[int, OpenBook]) -> None:
        self._attribution = attribution
        self._books = books
        self.unknown: set[int] = set()

    def of_edition(self, edition: int) -> BookPeople | None:
        """Return the people of an edition."""
        book = self._books.get(edition)
        return None if book is None else self._attribution.kept_people(book)

    def in_sentences(self, edition: int) -> SentencePeople | None:
        """Return who is in each sentence of an edition."""
        book = self._books.get(edition)
        people = None if book is None else self._attribution.kept_presence(book)
        if people is None:
            self.unknown.add(edition)
        return people


def _row_keys(sentences: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the keys of the rows of sentences, given by edition."""
    return {
        (edition << EDITION_BITS) + number
        for edition, numbers in sentences.items()
        for number in numbers
    }


def check_claim(claim: str, chapters: str | None = None) -> None:
    """Raise UsageError for a claim or a range of chapters that cannot be searched for."""
    search.normalize_claim(claim)
    if chapters:
        chapter_ranges.parse_range(chapters)


class IndexService:
    """Reports on, repairs and tidies the index of the model in use, and what is kept of books."""

    def __init__(
        self,
        catalog: Catalog,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        write_lock: WriteLock,
        announce: Callable[[str], None],
    ) -> None:
        self._catalog = catalog
        self._books = books
        self._index = index
        self._attribution = attribution
        self._write_lock = write_lock
        self._announce = announce

    def state(self) -> IndexState:
        """Return what the index holds and what it lacks."""
        books = self._catalog.books()
        table = self._index.table
        indexed = self._catalog.indexed_editions(table.name)
        return IndexState(
            table.state(),
            self._index.model.name,
            len(books),
            tuple(stored.book for stored in books if stored.edition not in indexed),
            len(self._catalog.unfinished()),
            tuple(table.others()),
        )

    def check(self) -> None:
        """Put one query of each kind to the index.

        Raises NotIndexed when it lacks a book, Damaged when it cannot answer.
        """
        books = self._catalog.books()
        expected = {stored.edition for stored in books} & self._index.editions()
        if expected:
            table = self._index.table
            if not expected <= table.editions():
                raise Damaged("the index has lost passages; run: scholar index rebuild")
            dimensions = self._index.model.dimensions
            vector = np.full(dimensions, dimensions**-0.5, np.float32)
            keys, _ = table.nearest(vector, 10, EVERYTHING)
            table.matching("morning evening house", 10, EVERYTHING)
            table.around(keys, 1, EVERYTHING)
        self._index.check_has(books)

    def read_people(self, references: Sequence[str], progress: Progress = silent) -> list[Book]:
        """Find who is in each sentence of some books, or of all, where that is not known, and
        return those books; an interrupted run goes on where it stopped."""
        books = map(self._books.open, self._books.select(references, None).books)
        unknown = [book for book in books if self._attribution.kept_people(book) is None]
        for done, book in enumerate(unknown):
            progress(f"reading {book.book.title}", done, len(unknown))
            self._attribution.people(book)
        return [book.book for book in unknown]

    def rebuild(
        self, progress: Progress = silent, *, afresh: bool = False, only: bool = False
    ) -> list[Book]:
        """Encode every book that the index of the model in use lacks, and return those books.

        `afresh` starts from nothing, as does a damaged index; an interrupted rebuild goes on
        where it stopped. Tables of an older schema are removed, and with `only` those of other
        models.
        """
        with self._write_lock.held(progress):
            indexed = self._readable_editions(afresh)
            missing = [stored for stored in self._catalog.books() if stored.edition not in indexed]
            for stored in missing:
                self._index.write_stored(self._books.open(stored), progress)
            self._index.table.optimize()
            for name in self._index.table.others(older_schemas_only=not only):
                self._index.discard_table(name)
        return [stored.book for stored in missing]

    def optimize(self) -> TableState:
        """Renew every index of the table, merge small files and drop old versions."""
        with self._write_lock.held(silent):
            self._index.clear_unfinished()
            self._index.table.optimize(thoroughly=True)
            return self._index.table.state()

    def _readable_editions(self, afresh: bool) -> set[int]:
        """Return the editions that the table has; discard a table that is damaged or unwanted."""
        try:
            if not afresh:
                self._index.clear_unfinished()
                with suppress(NotIndexed):
                    self.check()
                return self._index.editions() & self._index.table.editions()
        except Damaged as damage:
            self._announce(f"{damage.args[0].partition(';')[0]}; it is made anew")
        self._index.discard_table(self._index.table_name)
        self._index.clear_unfinished()
        return set()
