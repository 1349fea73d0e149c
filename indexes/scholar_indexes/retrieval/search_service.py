"""Search in the library for the passages that support a claim."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.announcing import AnnounceOnce
from scholar_indexes.arrays import Ints1d
from scholar_indexes.attribution.pipeline import find_character
from scholar_indexes.books.reading import chapter_ranges
from scholar_indexes.claims import normalize_claim
from scholar_indexes.errors import Damaged, NotThere, UsageError
from scholar_indexes.requests import ALL, FindRequest, Order
from scholar_indexes.results import FoundEvidence
from scholar_indexes.retrieval import absent_words, search
from scholar_indexes.retrieval.absent_words import ClaimWords
from scholar_indexes.retrieval.evidence import Quoter
from scholar_indexes.retrieval.feedback import NO_KEYS, Feedback
from scholar_indexes.retrieval.phrases import find_phrases
from scholar_indexes.retrieval.readings import names_within, possible_names
from scholar_indexes.retrieval.rerankers.by_name import Rerankers
from scholar_indexes.retrieval.rerankers.resources import Resources
from scholar_indexes.retrieval.rereading import read_again
from scholar_indexes.retrieval.scope import Limits, Scope, ScopeReader
from scholar_indexes.retrieval.second_stage import PassageInContext, SecondStage, in_context
from scholar_indexes.retrieval.support import Judge, without_rises
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import NO_PHRASES, PhraseReading
from scholar_indexes.settings import Settings
from scholar_indexes.storage.passages import EDITION_BITS, PassageFilter
from scholar_indexes.types import Hit, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.coreference.people import BookPeople, SentencePeople
    from scholar_indexes.coreference.roles import BookRoles
    from scholar_indexes.paths import Paths
    from scholar_indexes.results import Evidence


NOBODY = "nobody"
"""The name for no character, with which noun phrases mean nobody."""


@dataclass(frozen=True, slots=True)
class _Search:
    """A request, and its query with the marked passages."""

    request: FindRequest
    query: search.Query

    @property
    def resolves_phrases(self) -> bool:
        """Return True if the book decides whom the noun phrases of the claim mean."""
        return not self.request.about


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
        self.rerankers = Rerankers(Resources(places, settings, announce))
        self._books = books
        self._index = index
        self._attribution = attribution
        self._announce = announce
        self._announce_once = AnnounceOnce(announce)
        self._scopes = ScopeReader(books, index, attribution, announce)

    def find(self, request: FindRequest, progress: Progress = silent) -> FoundEvidence:
        """Return the passages for a claim, without overlaps. When several books are searched,
        damaged ones are skipped, and so are those without the given chapters, which are announced.

        Noun phrases of the claim such as "her cousin" mean the characters of `about`; without any,
        the book decides whom they mean; with "" or "nobody" they mean nobody. Passages of `like`
        and `unlike` are excluded, and the ranking moves toward the former and away from the latter.
        If the people in the sentences of a book are not known, names are matched as words there,
        and the result names the book; with `wait` they are found first for the book that has most
        of the hits and a name of the claim.

        Raises UsageError for an empty claim or for the depth ALL with several books, NotThere if no
        book passes the filters or a locator has no passage, and NotIndexed if a book has no
        passages for the model in use.
        """
        feedback = Feedback(self._scopes.places(request.like), self._scopes.places(request.unlike))
        query = search.Query(
            request.claim, request.mode, *request.sentences, request.n, request.fold, feedback
        )
        needs_stages = request.like or request.unlike or request.min_support is not None
        if not query.is_short_claim and needs_stages:
            raise UsageError(
                "--like, --unlike and --min-support are for plain claims in hybrid mode; "
                "leave out --mode or the mask"
            )
        about = tuple(name for name in request.about if name.strip() and name.lower() != NOBODY)
        limits = Limits(request.books, request.author, request.chapters, request.speaker, about)
        asked = _Search(request, query)
        hits = self._find_readable(asked, limits, progress)
        return hits.in_reading_order() if request.order is Order.TEXT else hits

    def _find_readable(self, asked: _Search, limits: Limits, progress: Progress) -> FoundEvidence:
        """Return what `find` does, before it is put in order; skip damaged books."""
        try:
            return self._find(asked, limits, progress)
        except Damaged:
            left_out = self._scopes.unreadable(limits)
            if not left_out:
                raise  # the index is damaged, not a book
            return self._find(asked, replace(limits, left_out=left_out), progress)

    def _find(self, asked: _Search, limits: Limits, progress: Progress) -> FoundEvidence:
        """Return the result of `find`; raises Damaged if a searched book is damaged."""
        scope = self._scopes.scope(limits, progress)
        editions = scope.editions
        words = self._look_up(asked.query, editions)
        query = replace(asked.query, claim=words.claim)
        asked = replace(asked, query=query)
        outcome = self._search(asked, scope, limits.about, progress)
        if asked.request.wait and (meant := outcome.people_wanted) is not None:
            self._find_people(editions[meant], progress)
            outcome = self._search(asked, scope, limits.about, progress)
        second_stage = outcome.second_stage
        if second_stage is not None and second_stage.is_stopped:
            self._announce("reading was stopped; the passages are in the order of the first stage")
            second_stage = None
        quoter = Quoter(
            editions,
            outcome.people.in_sentences,
            Judge(
                len(editions),
                second_stage.name if second_stage else None,
                outcome.unsure,
                lacks_name=bool(words.absent),
            ),
            context=asked.request.context,
            lengths=(query.shortest, query.longest),
            rows=scope.rows,
            marked=query.feedback.marked,
        )
        evidence = without_rises(quoter.quote(outcome.windows))
        least = asked.request.min_support
        if least is not None:
            evidence = [hit for hit in evidence if _has_support(hit.item, least)]
        self._say_words(words)
        self._say_who_is_meant(evidence)
        unknown = [editions[edition].book for edition in outcome.people_unknown]
        wanted = outcome.people_wanted
        return FoundEvidence(
            evidence,
            scope.not_searched,
            unknown,
            None if wanted is None else editions[wanted].book,
        )

    def _look_up(self, query: search.Query, editions: Mapping[int, OpenBook]) -> ClaimWords:
        """Return the words of a claim that the books lack, and their other spellings there."""
        if not query.is_short_claim:
            return ClaimWords(query.claim, {}, ())
        return absent_words.look_up(
            query.claim,
            self._index.table,
            PassageFilter(editions=list(editions)),
            (open_book.book for open_book in editions.values()),
        )

    def _say_words(self, words: ClaimWords) -> None:
        """Announce the words of a claim that no book has, with the spelling that they are read
        in."""
        for name, spelling in words.respelled.items():
            self._announce(f"no book searched has the word {name!r}; read as {spelling!r}")
        for name in words.absent:
            self._announce(f"no book searched has the word {name!r}")

    def _say_who_is_meant(self, evidence: Sequence[Hit[Evidence]]) -> None:
        """Announce the characters that the phrases of a claim were resolved to."""
        meant = dict.fromkeys(
            (phrase, character.name) for hit in evidence for phrase, character in hit.item.meant
        )
        if meant and evidence:
            taken = ", ".join(f"{phrase!r} as {name}" for phrase, name in meant)
            self._announce(f"read {taken}; to override this, use --about NAME")

    def _search(
        self, asked: _Search, scope: Scope, about: Sequence[str], progress: Progress
    ) -> _Found:
        """Return the windows for a query, with the currently known people of their books."""
        query = asked.query
        people = _KeptPeople(self._attribution, scope.editions, about, asked.resolves_phrases)
        names = possible_names(query.claim) if query.is_short_claim else []
        second_stage = self._second_stage(asked, scope.editions, progress)
        windows = search.search(
            self._index.table,
            lambda: self._index.encoder,
            query,
            scope.rows,
            people.in_sentences,
            second_stage,
            _all_keys(scope.editions) if asked.request.depth == ALL else NO_KEYS,
            people.phrases,
        )
        unsure = people.unknown_with(names)
        if len(scope.editions) == 1 and asked.resolves_phrases and query.is_short_claim:
            # A phrase may mean a character if only this book is searched.
            unsure |= people.unknown if find_phrases(query.claim) else set()
        return _Found(windows, second_stage, people, unsure)

    def _second_stage(
        self,
        asked: _Search,
        editions: Mapping[int, OpenBook],
        progress: Progress,
    ) -> SecondStage | None:
        """Return the second stage for a query; None without one. If it is damaged, that is
        announced, and only the first stage ranks."""
        query = asked.query
        if not query.is_short_claim:
            return None
        try:
            reranker = self.rerankers.get(asked.request.rerank)
        except Damaged as damage:
            self._announce_once(f"{damage}; using only the first stage")
            return None
        if reranker is None:
            return None
        depth = asked.request.depth
        if depth == ALL:
            depth = sum(len(book.sentences) for book in editions.values())
        return SecondStage(reranker, query.claim, editions, progress, depth)

    def _find_people(self, book: OpenBook, progress: Progress) -> None:
        """Find the people of a book if they are not known, and announce it."""
        if self._attribution.kept_people(book) is None:
            title = book.book.title
            self._announce(
                f"finding who is in each sentence of {title}, which is done once and can take "
                "minutes; to do it for all books in advance, run: scholar index people"
            )
            self._attribution.people(book, progress)

    def read_again(
        self,
        request: FindRequest,
        hits: Sequence[Hit[Evidence]],
        name: str,
        progress: Progress = silent,
    ) -> Iterator[list[Hit[Evidence]]]:
        """Yield the hits of a request, as a re-ranker ranks them, each time that it has read some
        more of them; see rereading.read_again.

        Raises what Rerankers.get does, and NotThere if a book of the hits is not there any more.
        """
        reranker = self.rerankers.get(name)
        if reranker is not None:
            passage = partial(_in_context, cache(self._books.get_open), reranker.context)
            yield from read_again(request, hits, reranker, passage, progress)

    def people(self, book: OpenBook) -> BookPeople | None:
        """Return the people of a book; None if they are not known yet."""
        return self._attribution.kept_people(book)

    def knows_people(self, reference: str) -> bool:
        """Return True if the people in the sentences of a book are known."""
        return self.people(self._books.get_open(reference)) is not None

    def score(self, claim: str, reference: str, sentences: Sequence[int]) -> search.ScoredWindows:
        """Return the candidate windows of a book for a claim, and the windows around the given
        sentences, with their features: the training data of the ranking."""
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
        raise UsageError("--depth all reads a whole book; choose one with -b")
    ((edition, book),) = editions.items()
    return (edition << EDITION_BITS) + np.arange(len(book.sentences), dtype=np.int64)


def _in_context(
    open_book: Callable[[str], OpenBook], sentences: int, evidence: Evidence
) -> PassageInContext:
    """Return a passage with the sentences around it; raises NotThere if its text was replaced."""
    book = open_book(evidence.book.id)
    if book.book.sha256 != evidence.book.sha256:
        raise NotThere(f"the text of {book.book.title} was replaced; search again")
    span = evidence.passage.span
    chapters, _, starts, ends = book.sentences.T
    first, last = np.searchsorted(starts, span.start), np.searchsorted(ends, span.end)
    window = int(first), int(last) + 1
    return in_context(book.text, chapters, starts, ends, window, sentences)


def _has_support(evidence: Evidence, least: float) -> bool:
    return evidence.support is not None and evidence.support.probability >= least


class _KeptPeople:
    """The known people of books, by edition, read once. `about` are the names of people whom the
    phrases of a claim mean; without any, phrases are resolved if `resolves_phrases`."""

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
        self._in_sentences: dict[int, SentencePeople | None] = {}

    @property
    def unknown(self) -> set[int]:
        """The editions whose people were asked for and are not known."""
        return {edition for edition, people in self._in_sentences.items() if people is None}

    @property
    def phrases(self) -> PhraseReading:
        """The reading of the noun phrases of a claim."""
        if self._about:
            return PhraseReading(about=self._find_about())
        return PhraseReading(self._roles) if self._resolves_phrases else NO_PHRASES

    def _find_about(self) -> Mapping[int, Sequence[int]]:
        """Return the numbers in the casts of the books of the characters that the reader named."""
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
        """Return the editions without known people whose text contains one of the names,
        capitalised and not only at the start of a sentence."""
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
        """Return the people in each sentence of an edition; their file is looked for once."""
        if edition not in self._in_sentences:
            book = self._books.get(edition)
            people = None if book is None else self._attribution.kept_presence(book)
            self._in_sentences[edition] = people
        return self._in_sentences[edition]


@dataclass(frozen=True, slots=True)
class _Found:
    """The windows that a search found, the second stage that ranked them, if any, the people of the
    books, and the editions without known people that may have a character whom the claim means."""

    windows: Sequence[Window]
    second_stage: SecondStage | None
    people: _KeptPeople
    unsure: set[int]

    @property
    def people_unknown(self) -> list[int]:
        """The unsure editions among the windows, the ones with most windows first."""
        return [edition for edition, _ in self._counts() if edition in self.unsure]

    @property
    def people_wanted(self) -> int | None:
        """The unsure edition that has most of the windows, at least half of them."""
        edition, count = next(iter(self._counts()), (0, 0))
        return edition if 2 * count >= len(self.windows) and edition in self.unsure else None

    def _counts(self) -> list[tuple[int, int]]:
        """Return the editions of the windows, with their number of windows, most first."""
        return Counter(window.place.edition for window in self.windows).most_common()


def check_claim(claim: str, chapters: str | None = None) -> None:
    """Raise UsageError for a claim or a range of chapters that cannot be searched for."""
    normalize_claim(claim)
    if chapters:
        chapter_ranges.parse_range(chapters)
