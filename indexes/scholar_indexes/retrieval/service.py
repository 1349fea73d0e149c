"""Search in the library: the passages for a claim, and the index behind them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from scholar_indexes.announcing import AnnounceOnce
from scholar_indexes.arrays import Ints1d
from scholar_indexes.attribution.pipeline import find_character
from scholar_indexes.books import chapter_ranges
from scholar_indexes.errors import Damaged, NotThere, UsageError
from scholar_indexes.results import FoundEvidence
from scholar_indexes.retrieval import search
from scholar_indexes.retrieval.candidates import NO_PHRASES, Mode, PhraseReading
from scholar_indexes.retrieval.evidence import Quoter
from scholar_indexes.retrieval.feedback import NO_KEYS, Feedback
from scholar_indexes.retrieval.phrases import find_phrases
from scholar_indexes.retrieval.readings import names_within, possible_names
from scholar_indexes.retrieval.rerankers import Rerankers
from scholar_indexes.retrieval.scope import Limits, Scope, ScopeReader
from scholar_indexes.retrieval.second_stage import Reranker, SecondStage
from scholar_indexes.retrieval.support import Judge, without_rises
from scholar_indexes.settings import Settings
from scholar_indexes.storage.passages import EDITION_BITS, PassageFilter
from scholar_indexes.types import Hit, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.service import AttributionService
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.passage_index import PassageIndex
    from scholar_indexes.books.service import BookService
    from scholar_indexes.coreference.people import BookPeople, SentencePeople
    from scholar_indexes.coreference.roles import BookRoles
    from scholar_indexes.paths import Paths
    from scholar_indexes.results import Evidence


NOBODY = "nobody"
"""The name of no character, by which noun phrases mean nobody."""


class FindOptions(TypedDict, total=False):
    """The options of SearchService.find."""

    books: Sequence[str]
    author: str | None
    chapters: str | None
    n: int
    mode: str
    sentences: tuple[int, int]
    context: int
    fold: bool
    speaker: str | None
    about: str | Sequence[str] | None
    like: Sequence[str]
    unlike: Sequence[str]
    min_support: float | None
    read_people: bool
    rerank: str | None
    depth: int | None
    progress: Progress


ALL = -1
"""The depth that lets a model read a whole book."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A query, how much text comes with each passage, the least support, whether to find who is in
    the sentences of a book first, whether to find whom noun phrases of the claim mean, and the
    second stage and how many passages it reads, by default those of the settings and the model."""

    query: search.Query
    context: int
    min_support: float | None
    read_people: bool
    resolves_phrases: bool
    rerank: str | None
    depth: int | None


class SearchService:
    """Finds passages for claims."""

    def __init__(
        self,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        places: Paths,
        settings: Settings,
        announce: Callable[[str], None],
    ) -> None:
        self.rerankers = Rerankers(places, settings, announce)
        self._books = books
        self._index = index
        self._attribution = attribution
        self._announce = announce
        self._announce_once = AnnounceOnce(announce)
        self._scopes = ScopeReader(books, index, attribution, announce)

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
        fold: bool = True,
        speaker: str | None = None,
        about: str | Sequence[str] | None = None,
        like: Sequence[str] = (),
        unlike: Sequence[str] = (),
        min_support: float | None = None,
        read_people: bool = False,
        rerank: str | None = None,
        depth: int | None = None,
        progress: Progress = silent,
    ) -> FoundEvidence:
        """Return the passages for a claim, best first, none overlapping another. Of several books
        those that are damaged are left out.

        `sentences` is the least and the most a passage may have; `context` is how many
        sentences on either side come with it; with `fold` they are chosen as a set, and what stands
        beside a better one is folded into it; `chapters` are written as chapter_ranges says, and
        of several books those that lack them are left out and announced; `speaker` leaves only
        the words of one character, `about` only sentences in which one of some characters is. Noun
        phrases of the claim such as "her cousin" mean these, and without `about` whom the book
        says; with "" or "nobody" they mean nobody. `like` and `unlike` are
        locators of passages that the reader approved of or rejected: they are left out, and the
        others move toward those and away from these; `min_support` leaves out what has less
        support. Where it is not known who is in each sentence of a book, names are matched as words
        there, and the result names the book; with `read_people` that is found first for the book
        that has most of the hits and a name of the claim, which can take minutes. `rerank` names
        the second stage, by default that of the settings, and `depth` is how many passages it
        reads: all of a book for ALL.

        Raises UsageError for an empty claim or for ALL of several books, NotThere when no book
        passes the filters or a locator names no place, and NotIndexed when a book has no passages
        for the model in use.
        """
        feedback = Feedback(self._scopes.places(like), self._scopes.places(unlike))
        query = search.Query(claim, Mode(mode), *sentences, n, fold, feedback)
        if not query.is_short_claim and (like or unlike or min_support is not None):
            raise UsageError(
                "--like, --unlike and --min-support are for plain claims in hybrid mode; "
                "leave out --mode, or the mask"
            )
        given = (about,) if isinstance(about, str) else tuple(about or ())
        people = tuple(name for name in given if name.strip() and name.lower() != NOBODY)
        limits = Limits(books, author, chapters, speaker, people)
        reading = _Reading(query, context, min_support, read_people, not given, rerank, depth)
        try:
            return self._find(reading, limits, progress)
        except Damaged:
            left_out = self._scopes.unreadable(limits)
            if not left_out:
                raise  # it is the index
            return self._find(reading, replace(limits, left_out=left_out), progress)

    def _find(self, reading: _Reading, limits: Limits, progress: Progress) -> FoundEvidence:
        """Return what `find` does; raises Damaged where a book that may answer is damaged."""
        query = reading.query
        scope = self._scopes.scope(limits, progress)
        editions = scope.editions
        found = self._search(reading, scope, limits.about, progress)
        if reading.read_people and (meant := found.people_wanted) is not None:
            self._find_people(editions[meant], progress)
            found = self._search(reading, scope, limits.about, progress)
        second_stage = found.second_stage
        if second_stage is not None and second_stage.is_stopped:
            self._announce("reading was stopped; the passages are in the order of the first stage")
            second_stage = None
        quoter = Quoter(
            editions,
            found.people.in_sentences,
            Judge(len(editions), second_stage.name if second_stage else None, found.unsure),
            context=reading.context,
            lengths=(query.shortest, query.longest),
            rows=scope.rows,
            marked=(*query.feedback.approved, *query.feedback.rejected),
        )
        evidence = without_rises(quoter.quote(found.hits))
        least = reading.min_support
        if least is not None:
            evidence = [hit for hit in evidence if _has_support(hit.item, least)]
        self._say_who_is_meant(evidence)
        unknown = [editions[edition].book for edition in found.people_unknown]
        wanted = found.people_wanted
        return FoundEvidence(
            evidence,
            scope.not_searched,
            unknown,
            None if wanted is None else editions[wanted].book,
        )

    def _say_who_is_meant(self, evidence: Sequence[Hit[Evidence]]) -> None:
        """Announce whom the phrases of a claim were taken for."""
        meant = dict.fromkeys(
            (phrase, character.name) for hit in evidence for phrase, character in hit.item.meant
        )
        if meant and evidence:
            taken = ", ".join(f"{phrase!r} for {name}" for phrase, name in meant)
            self._announce(f"took {taken}; --about NAME overrules")

    def _search(
        self, reading: _Reading, scope: Scope, about: Sequence[str], progress: Progress
    ) -> _Found:
        """Return the hits for a query, with what is known of the people of their books by now."""
        query = reading.query
        people = _KeptPeople(self._attribution, scope.editions, about, reading.resolves_phrases)
        names = possible_names(query.claim) if query.is_short_claim else []
        second_stage = self._second_stage(reading, scope.editions, people, progress)
        hits = search.search(
            self._index.table,
            lambda: self._index.encoder,
            query,
            scope.rows,
            people.in_sentences,
            second_stage,
            _all_keys(scope.editions) if reading.depth == ALL else NO_KEYS,
            people.phrases,
        )
        unsure = people.unknown_with(names)
        if len(scope.editions) == 1 and reading.resolves_phrases and query.is_short_claim:
            # A phrase may mean somebody of a book that is asked alone.
            unsure |= people.unknown if find_phrases(query.claim) else set()
        return _Found(hits, second_stage, people, unsure)

    def _second_stage(
        self,
        reading: _Reading,
        editions: Mapping[int, OpenBook],
        people: _KeptPeople,
        progress: Progress,
    ) -> SecondStage | None:
        """Return the second stage for a query; None without one. One that is damaged is announced,
        and the first stage answers."""
        query = reading.query
        if not query.is_short_claim:
            return None
        try:
            reranker = self.rerankers.get(reading.rerank)
        except Damaged as damage:
            self._announce_once(f"{damage}; the first stage answers alone")
            return None
        if reranker is None:
            return None
        depth = reading.depth
        if depth == ALL:
            depth = sum(len(book.sentences) for book in editions.values())
        return SecondStage(reranker, query.claim, editions, people.of_edition, progress, depth)

    @property
    def reranker(self) -> Reranker | None:
        """The second stage that the settings name; raises what Rerankers.get raises."""
        return self.rerankers.get()

    def _find_people(self, book: OpenBook, progress: Progress) -> None:
        """Find the people of a book where they are not known, and say so."""
        if self._attribution.kept_people(book) is None:
            title = book.book.title
            self._announce(
                f"finding who is in each sentence of {title}, which is done once and can take "
                "minutes; for all books ahead of time: scholar index people"
            )
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
            people.phrases,
        )


def _all_keys(editions: Mapping[int, OpenBook]) -> Ints1d:
    """Return the keys of all sentences of a book; raises UsageError for several."""
    if len(editions) != 1:
        raise UsageError("--depth all reads a whole book; name one with -b")
    ((edition, book),) = editions.items()
    return (edition << EDITION_BITS) + np.arange(len(book.sentences), dtype=np.int64)


def _has_support(evidence: Evidence, least: float) -> bool:
    return evidence.support is not None and evidence.support.probability >= least


class _KeptPeople:
    """The people of some books by edition, as far as they are known; `unknown` are the editions
    that were asked for and are not. `about` are names of people whom the phrases of a claim mean;
    without any, they are resolved if `resolves_phrases`."""

    def __init__(
        self,
        attribution: AttributionService,
        books: Mapping[int, OpenBook],
        about: Sequence[str] = (),
        resolves_phrases: bool = True,
    ) -> None:
        self._attribution = attribution
        self._books = books
        self._about = about
        self._resolves_phrases = resolves_phrases
        self.unknown: set[int] = set()

    @property
    def phrases(self) -> PhraseReading:
        """How the noun phrases of a claim are read."""
        if self._about:
            return PhraseReading(about=self._find_about())
        return PhraseReading(self._roles) if self._resolves_phrases else NO_PHRASES

    def _find_about(self) -> Mapping[int, Sequence[int]]:
        """Return the numbers of those whom the reader named, in the casts of the books."""
        numbers: dict[int, list[int]] = defaultdict(list)
        for edition in self._books:
            people = self.of_edition(edition)
            if people is None:
                continue
            for name in self._about:
                with suppress(NotThere):
                    character = find_character(people.cast, name)
                    numbers[edition].append(people.cast.index(character))
        return numbers

    def _roles(self, edition: int) -> BookRoles | None:
        book = self._books.get(edition)
        return None if book is None else self._attribution.kept_roles(book)

    def unknown_with(self, names: Sequence[str]) -> set[int]:
        """Return the unknown editions in whose text one of some names stands, with its capital and
        not only where a sentence begins."""
        return {
            edition
            for edition in self.unknown
            if edition in self._books and names_within(self._books[edition].text, names)
        }

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


@dataclass(frozen=True, slots=True)
class _Found:
    """The hits of a search, the second stage that ranked them, if any, the people of the books, and
    the editions that may have somebody whom the claim means, but it is not known where."""

    hits: Sequence[search.SearchHit]
    second_stage: SecondStage | None
    people: _KeptPeople
    unsure: set[int]

    @property
    def people_unknown(self) -> list[int]:
        """The unsure editions among the hits, those of most hits first."""
        counts = Counter(hit.place.edition for hit in self.hits)
        return [edition for edition, _ in counts.most_common() if edition in self.unsure]

    @property
    def people_wanted(self) -> int | None:
        """The unsure edition that has most of the hits, at least half of them."""
        counts = Counter(hit.place.edition for hit in self.hits)
        edition, count = next(iter(counts.most_common(1)), (0, 0))
        return edition if 2 * count >= len(self.hits) and edition in self.unsure else None


def check_claim(claim: str, chapters: str | None = None) -> None:
    """Raise UsageError for a claim or a range of chapters that cannot be searched for."""
    search.normalize_claim(claim)
    if chapters:
        chapter_ranges.parse_range(chapters)
