"""Find: a claim, the passages that bear it out beside their page, and those that are saved.

keys -> ClaimQuery -> (in a worker) Library.find -> SearchResults -> the list and the page
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.events import Click, DescendantFocus, Resize
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui import claim_query
from scholar_tui.claim_query import ClaimQuery
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.claim_search import (
    LAST_QUERY_CHOICE,
    SearchController,
    SearchResults,
    TextCache,
)
from scholar_tui.controllers.collections import CollectionController
from scholar_tui.controllers.hit_actions import HitActions
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.controllers.hit_page import HitPageController
from scholar_tui.controllers.sample_books import SampleController
from scholar_tui.controllers.saved_quotations import MAX_CLAIM_CHARS, SavedQuotationController
from scholar_tui.controllers.search_filters import FilterController
from scholar_tui.exporting import export_hits, export_saved
from scholar_tui.screens import find_layout
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen, NoteScreen
from scholar_tui.screens.mode_screen import ExportListing, ModeScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.filter_grid import FilterGrid
from scholar_tui.widgets.hit_list import HitList
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.screen_header import ScreenHeader

if TYPE_CHECKING:
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_tui.navigation import NavigationRequest

TYPING_DELAY_S = 0.35
"""After the last key, before a search begins."""

COMPACT_WIDTH = 100
"""Cells below which the footer is compact."""


class FindScreen(ModeScreen):
    """Find."""

    NAME = "find"
    ABOUT = """
    Write what you would like to find borne out; passages are ranked as you finish typing. Enter
    takes you to the list, and the page beside it shows each passage where it stands. Keep the
    good ones in a collection, with a note, and come back to them with C. Filters narrow the
    search to books, an author, chapters or the words of one character.
    """
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "In a list to choose from": ChooseScreen,
        "The claim": ClaimBox,
        "The list of quotations": HitList,
        "In a note": NoteScreen,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = find_layout.BINDINGS
    DEFAULT_CSS = find_layout.CSS

    def __init__(self) -> None:
        super().__init__()
        self._was_opened = False
        self._timer: Timer | None = None
        self._focus_list = False
        """Whether the list is to be focused once there are hits."""
        self._bookmark_access = BookmarkAccess(self)
        self._collections = CollectionController(self, self._bookmark_access)
        self._texts = TextCache()
        self._filters = FilterController(self, self._start_search)
        self._search = SearchController(self, self._texts, self._show_results, self._show_error)
        self._saved = SavedQuotationController(
            self, self._bookmark_access, self._collections, lambda: self._list.refresh()
        )
        self._list = HitListController(
            self,
            self._search,
            self._saved,
            self._collections,
            lambda locator: self._page.show(locator),
        )
        self._sample = SampleController(
            self, self._list, self._search_after_adding, self._show_failure
        )
        self._hit_actions = HitActions(self, self._list, self._saved, self._collections)

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        yield ClaimBox(self._bookmark_access.claims, id="claim")
        yield Static("", id="summary", markup=False)
        yield FilterGrid(id="filters")
        with Widget(id="halves"):
            with Vertical(id="left", classes="half"):
                yield HitList(id="hits")
                with Vertical(id="nothing"):
                    yield Static("", id="message", markup=False)
                    yield Button("Add the sample", id="sample", variant="primary", compact=True)
            with Vertical(id="right", classes="half"):
                yield BookText(id="passage")
                yield Static("", id="why", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._page = HitPageController(
            self,
            self._texts,
            self.query_one(BookText),
            self.query_one("#right"),
            self._list.show_page_error,
        )
        self.query_one(ClaimBox).border_title = "Claim (/)"
        self._collections.reload()
        self._list.show_text(find_layout.HINT)
        self.query_one(ClaimBox).focus()

    @property
    def results(self) -> SearchResults | None:
        """The results of the last search."""
        return self._search.results

    def activate(self, request: NavigationRequest | None) -> None:
        is_first, self._was_opened = not self._was_opened, True
        books: list[StoredBook] | None = None
        refusal: ScholarError | None = None
        try:
            books = self.library.books()
        except ScholarError as failure:
            refusal = failure
        else:
            self._filters.set_books(books)
        if request is not None:
            self._list.show_hits()
            fields = request if isinstance(request, Mapping) else {"claim": request}
            self._search_for(claim_query.parse_request(fields))
        elif is_first:
            self._restore_last_query(has_books=bool(books))
        elif self._search.is_pending:
            self._start_search()
        else:
            self._list.refresh()
        if books == [] and not self.results:
            self._list.show_text(find_layout.EMPTY, offers_sample=True)
        if refusal is not None:
            self._show_failure(refusal)

    def _restore_last_query(self, *, has_books: bool) -> None:
        saved = self._bookmark_access.choice(LAST_QUERY_CHOICE)
        self._search_for(claim_query.parse_saved(saved))
        self.query_one(ClaimBox).action_select_all()
        if self._filters.query.is_blank and has_books:
            self._search.warm_up()

    def _search_for(self, query: ClaimQuery) -> None:
        """Write a query into the boxes and search for it."""
        self._filters.set_query(query)
        self._start_search()

    def _start_search(self) -> None:
        """Search for what stands in the boxes, in place of the running search."""
        if self._timer:
            self._timer.stop()
        self._filters.show_summary(self.has_class("-filters"))
        query = self._filters.query
        if not query.claim:
            self._search.reset()
            self._list.show_hits()
            self._list.show_text(find_layout.HINT)
            return
        self._search.is_pending = True
        if self.scholar.mode_screen is self:
            self._list.show_status("looking …")
            self._search.start(query)

    def _show_results(self, results: SearchResults) -> None:
        self._page.add_hits(results)
        if self._list.lists_saved:
            return
        self._list.show_hits()
        if not results.hits:
            self._list.show_text(find_layout.NOTHING_FOUND)
        elif self._focus_list:
            self._remember_claim()
            self._list.focus()
        self._focus_list = False

    def _show_error(self, refusal: ScholarError) -> None:
        self._focus_list = False
        self._list.show_hits()
        try:
            is_empty = not self.library.books()
        except ScholarError:
            is_empty = False
        if is_empty:
            self._list.show_text(find_layout.EMPTY, offers_sample=True)
        else:
            self._list.show_text(str(refusal), is_error=True)

    def _remember_claim(self) -> None:
        """Remember the claim in the history, once the user looks at what was found."""
        if self.results and not self._list.lists_saved:
            claim = one_line(self.results.query.claim, MAX_CLAIM_CHARS)
            if self._bookmark_access.claims()[:1] != [claim]:
                self._bookmark_access.run(lambda bookmarks: bookmarks.record_claim(claim))

    def on_resize(self, event: Resize) -> None:
        self.query_one(KeyBar).compact = event.size.width < COMPACT_WIDTH

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for letters while the user writes, and for what cannot be done now."""
        if action == "back":
            return True
        if isinstance(self.focused, Input | Button):
            return action not in find_layout.LETTER_ACTIONS
        saved = self._list.lists_saved
        if action in ("read", "note", "copy", "why", "move"):
            return self._list.index is not None
        if action in ("drop", "collect"):
            return saved
        if action == "keep":
            return not saved and self._list.index is not None
        if action in ("filters", "clear", "this_book", "more"):
            return not saved
        return True

    @on(OptionList.OptionHighlighted, "#hits")
    def _show_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index == self._list.index:
            self._list.highlight(event.option_index)

    @on(Input.Changed, "ClaimBox, #author, #chapters, #speaker")
    def _search_soon(self) -> None:
        self._filters.show_summary(self.has_class("-filters"))
        if self._timer:
            self._timer.stop()
        self._timer = self.set_timer(TYPING_DELAY_S, self._start_search)

    @on(Input.Submitted)
    def _search_or_focus_list(self) -> None:
        if self.query_one("#nothing").has_class("-empty"):
            self.action_add_sample()
        elif self.results and self.results.hits and self.results.query == self._filters.query:
            self._remember_claim()
            self._list.focus()
        else:
            self._focus_list = True
            self._start_search()

    @on(ClaimBox.DownPressed)
    def _focus_hits(self) -> None:
        if self._list.index is not None:
            self._list.focus()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, HitList | BookText):
            self._remember_claim()

    @on(ClaimBox.HistoryRequested)
    def action_history(self) -> None:
        def select(chosen: list[str] | None) -> None:
            if chosen:
                self._list.show_hits()
                self._focus_list = True
                self._search_for(replace(self._filters.query, claim=chosen[0]))

        claims = [ChoiceItem(claim, claim) for claim in self._bookmark_access.claims()]
        if claims:
            self.app.push_screen(ChooseScreen("Asked before", claims), select)
        else:
            self.show_message("nothing was asked yet; write a claim and press Enter")

    def action_claim(self) -> None:
        if self._list.lists_saved:
            self._list.show_hits()
        self.query_one(ClaimBox).focus()

    def action_back(self) -> None:
        """Go from saved quotations to the hits, from a box to the list, or fold the filters."""
        if self._list.lists_saved:
            self._list.show_hits()
            self._explain_no_hits()
            self._focus_list_or_claim()
        elif isinstance(self.focused, Input | Button):
            has_rows = self._list.index is not None
            self.set_focus(self.query_one(HitList) if has_rows else None)
        elif self.has_class("-filters"):
            self.action_filters()

    def _focus_list_or_claim(self) -> None:
        self.query_one(HitList if self._list.index is not None else ClaimBox).focus()

    def _explain_no_hits(self) -> None:
        if self._list.index is None and not self.results:
            if self._search.has_failed:
                self._start_search()
            else:
                self._list.show_text(find_layout.HINT)

    @on(Click, "#summary")
    def action_filters(self) -> None:
        self.toggle_class("-filters")
        self._filters.show_summary(self.has_class("-filters"))
        if self.has_class("-filters"):
            self.query_one("#books").focus()
        elif self.query_one("#filters").has_focus_within:
            self._focus_list_or_claim()

    def action_clear(self) -> None:
        self._search_for(self._filters.query.without_filters())

    def action_more(self) -> None:
        if self.results and self.results.is_cut_off:
            self._filters.change(n=self._filters.query.with_more_hits().n)
            self._start_search()

    def action_this_book(self) -> None:
        if self._filters.query.books:
            self._filters.change(books=())
        elif hit := self._list.hit:
            self._filters.change(books=(hit.book.id,))
        else:
            return
        self._start_search()

    @on(Button.Pressed, "#books")
    def _choose_books(self) -> None:
        self._filters.choose_books()

    @on(Button.Pressed, "#mode")
    def _choose_mode(self) -> None:
        self._filters.choose_mode()

    @on(Button.Pressed, "#sample")
    def action_add_sample(self) -> None:
        self._sample.add()

    def _search_after_adding(self) -> None:
        self.query_one("#nothing").remove_class("-empty")
        self.activate(None)
        self._start_search()
        self.query_one(ClaimBox).focus()

    def _show_failure(self, refusal: ScholarError) -> None:
        """Show that the library cannot be searched."""
        self._search.fail()
        self._show_error(refusal)

    def action_move(self, by: int) -> None:
        self._list.move(by)

    def action_scroll(self, by: int) -> None:
        page = self.query_one(BookText)
        page.scroll_relative(y=by * max(page.size.height // 2, 1), animate=False)

    @on(HitList.HitOpened)
    async def action_read(self) -> None:
        if locator := self._list.locator:
            await self.scholar.navigate("reader", locator)

    def action_copy(self) -> None:
        self._hit_actions.copy()

    def action_why(self) -> None:
        self.toggle_class("-why")
        self._list.show_explanation()

    def action_keep(self) -> None:
        self._hit_actions.toggle_saved()

    def action_drop(self) -> None:
        if quotation := self._list.quotation:
            self._saved.remove(quotation)

    def action_undo(self) -> None:
        self._saved.undo_removal()

    def action_note(self) -> None:
        self._hit_actions.edit_note()

    def action_kept(self) -> None:
        if self._list.lists_saved:
            self.action_back()
        else:
            self._list.show_saved()

    def action_collection(self) -> None:
        self._hit_actions.choose_collection()

    def action_collect(self, by: int) -> None:
        self._hit_actions.show_neighbour(by)

    def export_listing(self) -> ExportListing | None:
        if not self._list.lists_saved:
            return export_hits(self.results) if self.results and self.results.hits else None
        try:
            books = self.library.books()
        except ScholarError:
            books = []
        return export_saved(self._collections.name, self._list.quotations, books)
