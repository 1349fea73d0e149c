"""Starting searches for the claim and the filters as they are typed, and showing the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.timer import Timer

from scholar_indexes.errors import ScholarError
from scholar_indexes.requests import Order
from scholar_indexes.sanitize import one_line
from scholar_tui import claim_query
from scholar_tui.claim_query import ClaimQuery
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.claim_search import (
    LAST_QUERY_CHOICE,
    SearchController,
    SearchResults,
)
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.controllers.saved_quotations import MAX_CLAIM_CHARS
from scholar_tui.controllers.search_filters import FilterController
from scholar_tui.empty_library import WayOut, describe_empty
from scholar_tui.screens import find_layout
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.widgets.claim_box import ClaimBox

if TYPE_CHECKING:
    from scholar_tui.navigation import NavigationRequest
    from scholar_tui.screens.find import FindScreen

TYPING_DELAY_S = 0.35
"""Seconds between the last key and the search."""


class ClaimEntryController:
    """Decides when to search for the contents of the boxes, and shows the outcome."""

    def __init__(
        self,
        screen: FindScreen,
        filters: FilterController,
        search: SearchController,
        hits: HitListController,
        access: BookmarkAccess,
    ) -> None:
        self._screen = screen
        self._filters = filters
        self._search = search
        self._hits = hits
        self._access = access
        self._timer: Timer | None = None
        self._focus_list = False
        """True if the list is to be focused once there are hits."""
        self.found_no_books = False
        """True while the last search found an empty library."""

    def restore(self, *, has_books: bool) -> None:
        """Write the last query of an earlier session into the boxes and search for it."""
        self.search_for(claim_query.parse_saved(self._access.choice(LAST_QUERY_CHOICE)))
        self._screen.query_one(ClaimBox).action_select_all()
        if self._filters.query.is_blank and has_books:
            self._search.warm_up()

    def search_for_request(self, request: NavigationRequest) -> None:
        """Search for the request of another screen, replacing the list."""
        self._hits.show_hits()
        fields = request if isinstance(request, Mapping) else {"claim": request}
        self.search_for(claim_query.parse_request(fields))

    def search_for(self, query: ClaimQuery) -> None:
        """Write a query into the boxes and search for it."""
        self._filters.set_query(query)
        self.search()

    def search(self) -> None:
        """Search for the contents of the boxes, replacing the running search."""
        if self._timer:
            self._timer.stop()
        self._filters.show_summary()
        self.found_no_books = False
        query = self._filters.query
        if not query.claim:
            self._search.reset()
            self._hits.show_hits()
            self._hits.show_text(find_layout.HINT)
            return
        self._search.is_pending = True
        if self._screen.scholar.mode_screen is self._screen:
            self._hits.show_status("searching …")
            self._search.start(query, moves_focus=self._focus_list)

    def search_soon(self) -> None:
        """Search once the user has stopped typing, who then goes on typing."""
        self._focus_list = False
        self._filters.show_summary()
        if self._timer:
            self._timer.stop()
        self._timer = self._screen.set_timer(TYPING_DELAY_S, self.search)

    def submit(self) -> None:
        """Go to the hits for the contents of the boxes, now or once they arrive; the query is
        remembered at once, even if the user quits before the search is done."""
        results, query = self._search.results, self._filters.query
        self._record_claim(query)
        if query.claim:
            self._access.set_choice(LAST_QUERY_CHOICE, query.to_json())
        is_answered = results is not None and results.query == query
        if results and results.hits and is_answered and not self._search.news:
            self._hits.focus()
        else:
            self._focus_list = True
            self.search()

    def search_more(self) -> None:
        """Search for more hits, if there may be more."""
        results = self._search.results
        if results and results.is_cut_off:
            self._filters.change(n=self._filters.query.with_more_hits().n)
            self.search()

    def toggle_this_book(self) -> None:
        """Search only the book of the highlighted hit, or all books again."""
        if self._filters.query.books:
            self._filters.change(books=())
        elif hit := self._hits.hit:
            self._filters.change(books=(hit.book.id,))
        else:
            return
        self.search()

    def mark_hit(self, *, approved: bool) -> None:
        """Approve or reject the highlighted hit, or undo that, and search again."""
        hit, query = self._hits.hit, self._filters.query
        if hit is None:
            return
        if not query.takes_marks:
            self._screen.show_message("marks need a plain claim and hybrid ranking")
            return
        marked = query.with_mark(hit.locator, approved=approved)
        self._filters.change(like=marked.like, unlike=marked.unlike)
        self._focus_list = True
        self.search()

    def toggle_thorough(self) -> None:
        """Let the large model rank the listed passages, or show them as they were ranked before."""
        results = self._search.results
        if results is None or not results.hits:
            return
        if results.before is not None:
            self._search.show(results.before)
        elif not results.query.takes_marks or results.query.order is not Order.SCORE:
            self._screen.show_message(
                "the large model needs a plain claim and hybrid ranking, best first"
            )
        else:
            self._search.read_again(
                lambda refusal: self._screen.show_message(str(refusal), severity="error")
            )

    def choose_earlier(self) -> None:
        """Let the user choose an earlier claim."""

        def select(chosen: list[str] | None) -> None:
            if chosen:
                self._hits.show_hits()
                self._focus_list = True
                self.search_for(replace(self._filters.query, claim=chosen[0]))

        claims = [ChoiceItem(claim, claim) for claim in self._access.claims()]
        if claims:
            self._screen.app.push_screen(ChooseScreen("Earlier claims", claims), select)
        else:
            self._screen.show_message("no earlier claims; write a claim and press Enter")

    def remember_claim(self) -> None:
        """Remember the claim in the history, once the user looks at its hits."""
        results = self._search.results
        if results and not self._hits.lists_saved:
            self._record_claim(results.query)

    def _record_claim(self, query: ClaimQuery) -> None:
        claim = one_line(query.claim, MAX_CLAIM_CHARS)
        if self._access.claims()[:1] != [claim]:
            self._access.run(lambda bookmarks: bookmarks.record_claim(claim))

    def show_results(self, results: SearchResults) -> None:
        """List the hits of a search, unless saved quotations are listed."""
        for unread in results.not_searched:
            line = f"not searched: {unread.book.title}: {unread.reason}"
            self._screen.show_message(line, severity="error")
        if self._hits.lists_saved:
            return
        self._hits.show_hits()
        if not results.hits:
            self._forget_keys()
            self._hits.show_text(find_layout.NOTHING_FOUND)
        elif self._focus_list:
            self.remember_claim()
            self._hits.focus()
        self._focus_list = False

    def show_error(self, refusal: ScholarError) -> None:
        """Show why a search failed; for an empty library, show how to fill it. If the model that
        was asked for is missing or was stopped, search without it."""
        if self._filters.query.rerank is not None:
            self._screen.show_message(str(refusal), severity="error")
            self._filters.change(rerank=None)
            self.search()
            return
        self._forget_keys()
        self._focus_list = False
        self._hits.show_hits()
        try:
            is_empty = not self._screen.library.books.all()
        except ScholarError:
            is_empty = False
        if is_empty:
            self.show_empty()
        else:
            self._hits.show_text(str(refusal), is_error=True)

    def _forget_keys(self) -> None:
        """Forget keys that were pressed for a list of hits, of which there are none."""
        if self._focus_list:
            self._screen.scholar.type_ahead.forget()

    def show_empty(self) -> None:
        """Show how to fill an empty library, or that books are being added to it."""
        self.found_no_books = True
        jobs = self._screen.scholar.jobs
        text = describe_empty(WayOut.SAMPLE_HERE, jobs)
        self._hits.show_text(text, offers_sample=not jobs.unfinished_books)

    def show_failure(self, refusal: ScholarError) -> None:
        """Show that the library cannot be searched."""
        self._search.fail()
        self.show_error(refusal)

    def show_hits_again(self) -> None:
        """List the hits in place of saved quotations, or show why there are none."""
        self._hits.show_hits()
        if self._hits.index is not None or self._search.results:
            return
        if self._search.has_failed:
            self.search()
        else:
            self._hits.show_text(find_layout.HINT)
