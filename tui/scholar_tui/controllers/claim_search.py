"""Searching the library for a claim in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from scholar_indexes.errors import NotThere, ScholarError
from scholar_indexes.settings import THOROUGH
from scholar_indexes.types import Hit, Progress
from scholar_tui.claim_query import ClaimQuery
from scholar_tui.screens.mode_screen import ModeScreen

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.results import Evidence, UnreadBook
    from scholar_indexes.types import Book

GROUP = "finding"
"""The group of the search workers."""

LAST_QUERY_CHOICE = "find.asked"
"""The name under which the last query is remembered."""

MAX_TEXTS = 12
"""The maximum number of book texts kept in memory."""

LOCK_POLL_S = 0.05

LOADING = "loading the large model"


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The hits of a query, the words that each shares with the claim, the texts of their books by
    hash, and the books that could not be read or whose people are unknown, as in FoundEvidence.

    `shelf` has the ids of all books of the library. `before` are the results as the search ranked
    them, if the large model has read them again."""

    query: ClaimQuery
    hits: list[Hit[Evidence]]
    shared_words: list[list[str]]
    texts: dict[str, str]
    not_searched: Sequence[UnreadBook]
    people_unknown: Sequence[Book]
    people_wanted: Book | None
    shelf: frozenset[str]
    before: SearchResults | None = None

    def ranked_again(self, hits: list[Hit[Evidence]]) -> SearchResults:
        """Return the results with their hits in another order."""
        words = dict(zip((hit.item.locator for hit in self.hits), self.shared_words, strict=True))
        shared = [words[hit.item.locator] for hit in hits]
        return replace(self, hits=hits, shared_words=shared, before=self)

    @property
    def is_cut_off(self) -> bool:
        """Return True if a search with a larger limit may find more hits."""
        approved = sum(hit.item.locator in self.query.like for hit in self.hits)
        return self.query.n == len(self.hits) - approved


class TextCache:
    """The texts of the most recently used books, by hash."""

    def __init__(self, size: int = MAX_TEXTS) -> None:
        self._size = size
        self._texts: dict[str, str] = {}

    def add(self, sha256: str, text: str) -> None:
        self._texts.pop(sha256, None)
        self._texts[sha256] = text
        while len(self._texts) > self._size:
            del self._texts[next(iter(self._texts))]

    def get(self, sha256: str) -> str | None:
        return self._texts.get(sha256)

    def copy(self) -> dict[str, str]:
        return dict(self._texts)


class SearchController:
    """Runs one search at a time and holds the results of the last one."""

    def __init__(
        self,
        screen: ModeScreen,
        texts: TextCache,
        on_results: Callable[[SearchResults], None],
        on_error: Callable[[ScholarError], None],
    ) -> None:
        self._screen = screen
        self._texts = texts
        self._on_results = on_results
        self._on_error = on_error
        self._lock = Lock()
        self.results: SearchResults | None = None
        self.is_pending = False
        """True while a query waits for its results."""
        self.has_failed = False
        self.news = ""
        """Something that was unknown when the results were found: people, or books."""

    def start(self, query: ClaimQuery, *, moves_focus: bool = False) -> None:
        """Search, replacing the running search; the results are passed to on_results, which moves
        the focus if `moves_focus`."""
        self._screen.run_in_worker(
            self._locked_search(query),
            self._receive,
            on_error=self._fail,
            group=GROUP,
            moves_focus=moves_focus,
        )

    def read_again(self, on_error: Callable[[ScholarError], None]) -> None:
        """Let the large model read the listed hits again, from the top. If it is stopped, they are
        ranked as far as it has read, and otherwise stay in their order."""
        if (results := self.results) is None:
            return
        ranked = [results]

        def work(progress: Progress) -> SearchResults:
            progress(LOADING, 0, 0)
            search = self._screen.library.search
            for hits in search.read_again(results.query, results.hits, THOROUGH, progress):
                ranked.append(results.ranked_again(hits))
            return ranked[-1]

        def show(refusal: ScholarError) -> None:
            if ranked[-1] is not results:
                self.show(ranked[-1])
            on_error(refusal)

        self._screen.run_in_worker(self._locked(work), self.show, on_error=show, group=GROUP)

    def show(self, results: SearchResults) -> None:
        """Show results of the last query in another order."""
        self.results = results
        self._on_results(results)

    def reset(self) -> None:
        """Cancel the running search and forget the results."""
        self._screen.cancel_work(GROUP)
        self.is_pending, self.results = False, None

    def warm_up(self) -> None:
        """Load the model and open the index, so that the first search is as fast as others."""

        def search(progress: Progress) -> None:
            with self._lock:
                self._screen.library.find("morning", n=1)

        self._screen.run_in_worker(search, lambda _: None, on_error=self._fail, group=GROUP)

    def fail(self) -> None:
        """Forget the results because the library cannot be searched."""
        self.is_pending, self.has_failed, self.results = False, True, None

    def _locked_search(self, query: ClaimQuery) -> Callable[[Progress], SearchResults]:
        """Return the work of a search."""
        library, texts = self._screen.library, self._texts.copy()
        listed = self.results.hits if self.results else []
        approved = [hit for hit in listed if hit.item.locator in query.like]
        return self._locked(lambda progress: run_search(library, query, approved, texts, progress))

    def _locked(
        self, work: Callable[[Progress], SearchResults]
    ) -> Callable[[Progress], SearchResults]:
        """Return work that waits until no other runs; if it is superseded meanwhile, it never
        starts."""

        def run(progress: Progress) -> SearchResults:
            while not self._lock.acquire(timeout=LOCK_POLL_S):
                progress("searching", 0, 0)
            try:
                progress("searching", 0, 0)
                return work(progress)
            finally:
                self._lock.release()

        return run

    def _receive(self, results: SearchResults) -> None:
        self.is_pending, self.has_failed, self.results = False, False, results
        self.news = ""
        for sha256, text in results.texts.items():
            self._texts.add(sha256, text)
        self._on_results(results)

    def _fail(self, refusal: ScholarError) -> None:
        self.fail()
        self._on_error(refusal)


def run_search(
    library: Library,
    query: ClaimQuery,
    approved: Sequence[Hit[Evidence]],
    texts: Mapping[str, str],
    progress: Progress,
) -> SearchResults:
    """Search, and fetch those texts of the hits' books that are not in `texts`; approved hits come
    first."""
    from scholar_indexes.retrieval.search import shared_words

    shelf = frozenset(stored.book.id for stored in library.books.all())
    others = library.find(query, progress=progress)
    hits = [*approved, *others]
    fetched: dict[str, str] = {}
    for book in list({hit.item.book.id: hit.item.book for hit in hits}.values())[:MAX_TEXTS]:
        with suppress(NotThere):  # it was just removed
            if (text := texts.get(book.sha256)) is None:
                text = library.books.read(book.id, lambda stored: stored.text)
            fetched[book.sha256] = text
    with suppress(ScholarError):  # a full disk must not prevent searching
        library.bookmarks.set_choice(LAST_QUERY_CHOICE, query.to_json())
    words = [shared_words(query.claim, hit.item.passage.text) for hit in hits]
    return SearchResults(
        query,
        hits,
        words,
        fetched,
        others.not_searched,
        others.people_unknown,
        others.people_wanted,
        shelf,
    )
