"""Finding the people in the books of a claim, and searching again once they, or more books, are
known."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from scholar_indexes.announcing import AnnounceOnce
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.evidence import people_notice
from scholar_indexes.serialize.quiz_text import count_phrase
from scholar_tui.controllers.claim_entry import ClaimEntryController
from scholar_tui.controllers.claim_search import SearchController, SearchResults
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.controllers.search_filters import FilterController
from scholar_tui.widgets.book_text import BookText

if TYPE_CHECKING:
    from scholar_indexes.types import Book
    from scholar_tui.screens.find import FindScreen


BOOKS = "the new books"


class PeopleController:
    """Finds people in the background, and searches again when they, or more books, are known."""

    def __init__(
        self,
        screen: FindScreen,
        filters: FilterController,
        search: SearchController,
        hits: HitListController,
        entry: ClaimEntryController,
    ) -> None:
        self._screen = screen
        self._filters = filters
        self._search = search
        self._hits = hits
        self._entry = entry
        self._say_once = AnnounceOnce(screen.show_message)

    def find(self, results: SearchResults) -> None:
        """Find the people that were unknown to a search; if several books lack them, show how to
        find them."""
        if results.people_wanted is not None:
            self._screen.scholar.people.find(results.people_wanted)
        elif results.people_unknown:
            self._say_once(people_notice(results.people_unknown))

    def receive(self, book: Book | None) -> None:
        """Repeat the search now that the people of a book are known, or offer that to a reader who
        has moved on in the list."""
        results = self._search.results
        if book is None or results is None or not self._is_current(results):
            return
        if book not in results.people_unknown:
            return
        self._ask_again(f"the people of {one_line(book.title, 80)} are known now", "people")

    def follow_shelf(self) -> None:
        """Repeat a search of all books now that there are more, or offer that."""
        results = self._search.results
        if results is None or results.query.books or not self._is_current(results):
            return
        with suppress(ScholarError):
            books = self._screen.library.books.all()
            more = sum(stored.book.id not in results.shelf for stored in books)
            if not more or self._search.news == BOOKS:
                return
            if self._screen.is_current:
                self._ask_again(f"{count_phrase(more, 'more book')} can be searched now", BOOKS)
            else:  # the user is adding books, and sees this when they are back
                self._search.news = BOOKS
                self._hits.show_count()

    def _ask_again(self, known: str, news: str) -> None:
        """Search again with what is new, or show the key that does."""
        self._search.news = news
        if self.may_ask_again:
            self._screen.show_message(f"{known}; the search was repeated")
            self._entry.search()
        else:
            self._screen.show_message(f"{known}; R in the list of Find searches again, with {news}")
            if not self._hits.lists_saved:
                self._hits.show_count()

    @property
    def may_ask_again(self) -> bool:
        """Return True if a better answer is possible, and the reader looks at the first passage of
        the list or at none."""
        results = self._search.results
        return (
            bool(self._search.news)
            and results is not None
            and self._is_current(results)
            and self._screen.is_current
            and not self._hits.lists_saved
            and self._hits.index in (None, 0)
            and not isinstance(self._screen.focused, BookText)
        )

    def _is_current(self, results: SearchResults) -> bool:
        """Return True unless other results are on their way."""
        return not self._search.is_pending and results.query == self._filters.query
