"""Find: a claim, the passages that support it next to their page, and the saved passages.

keys -> ClaimQuery -> (in a worker) Library.find -> SearchResults -> the list and the page
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.events import Click, DescendantFocus, Resize
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from scholar_indexes.serialize.listings import ExportListing
from scholar_tui.controllers import hit_rows
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.claim_entry import ClaimEntryController
from scholar_tui.controllers.claim_search import SearchController, SearchResults, TextCache
from scholar_tui.controllers.collections import CollectionController
from scholar_tui.controllers.hit_actions import HitActions
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.controllers.hit_page import HitPageController
from scholar_tui.controllers.library_changes import sample_job
from scholar_tui.controllers.people_finding import PeopleController
from scholar_tui.controllers.saved_quotations import SavedQuotationController
from scholar_tui.controllers.search_filters import FilterController
from scholar_tui.screens import find_layout
from scholar_tui.screens.dialogs import ChooseScreen, NoteScreen
from scholar_tui.screens.mode_screen import BROAD, ModeScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.filter_grid import FilterGrid
from scholar_tui.widgets.hit_list import HitList
from scholar_tui.widgets.hit_strips import HitStrips
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.screen_header import ScreenHeader

if TYPE_CHECKING:
    from scholar_tui.job_queue import Job
    from scholar_tui.navigation import NavigationRequest

COMPACT_WIDTH = 100
"""The width in cells below which the footer is compact."""


class FindScreen(ModeScreen):
    """Find."""

    NAME = "find"
    ABOUT = """
    Write a claim to find support for; passages are ranked when you stop typing. Enter takes you
    to the list, and the page next to it shows each passage in its context. Keep the good ones in
    a collection, with a note, and come back to them with E. Filters narrow the search to books,
    an author, chapters or the words of one character.
    """
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "In a list to choose from": ChooseScreen,
        "The claim": ClaimBox,
        "The list of quotations": HitList,
        "In a note": NoteScreen,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (BROAD, "-broad")]  # noqa: RUF012
    AUTO_FOCUS = ""  # it would also go to hidden boxes
    BINDINGS: ClassVar[list[BindingType]] = find_layout.BINDINGS
    DEFAULT_CSS = find_layout.CSS

    def __init__(self) -> None:
        super().__init__(classes="-nothing")
        self._was_opened = False
        self._bookmark_access = BookmarkAccess(self)
        self._collections = CollectionController(self, self._bookmark_access)
        self._texts = TextCache()
        self._filters = FilterController(self, lambda: self._entry.search())
        self._search = SearchController(
            self, self._texts, self._show_results, lambda refusal: self._entry.show_error(refusal)
        )
        self._saved = SavedQuotationController(
            self, self._bookmark_access, self._collections, lambda: self._list.refresh()
        )
        self._list = HitListController(
            self,
            self._search,
            self._saved,
            self._collections,
            self._show_page,
        )
        self._entry = ClaimEntryController(
            self, self._filters, self._search, self._list, self._bookmark_access
        )
        self._people = PeopleController(self, self._filters, self._search, self._list, self._entry)
        self._hit_actions = HitActions(self, self._list, self._saved, self._collections)
        self._delegate_actions()

    def _delegate_actions(self) -> None:
        """Leave to the controllers what they do alone."""
        self.action_more = self._entry.search_more
        self.action_again = self._entry.search
        self.action_approve = partial(self._entry.mark_hit, approved=True)
        self.action_reject = partial(self._entry.mark_hit, approved=False)
        self.action_thorough = self._entry.toggle_thorough
        self.action_this_book = self._entry.toggle_this_book
        self.action_move = self._list.move
        self.action_copy = self._hit_actions.copy
        self.action_keep = self._hit_actions.toggle_saved
        self.action_drop = self._hit_actions.remove
        self.action_note = self._hit_actions.edit_note
        self.action_collection = self._hit_actions.choose_collection
        self.action_collect = self._hit_actions.show_neighbour
        self.action_highlight = self._hit_actions.choose_colour
        self.action_reorder = self._hit_actions.reorder
        self.action_undo = self._saved.undo_removal

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        yield ClaimBox(self._bookmark_access.claims, id="claim")
        yield Static("", id="summary", markup=False)
        yield FilterGrid(id="filters")
        with Widget(id="halves"):
            with Vertical(id="left", classes="half"):
                yield HitList(id="hits")
                yield HitStrips(id="strips")
                with Vertical(id="nothing"):
                    yield Static("", id="message", classes="empty", markup=False)
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
        self.watch(self, "focused", self._show_hints)
        self.watch(self.app, "people_found", self._people.receive, init=False)
        self.scholar.jobs.changed.subscribe(self, self._follow_jobs)
        self._collections.reload()
        self._list.show_text(find_layout.HINT)
        self.query_one(ClaimBox).focus()

    @property
    def results(self) -> SearchResults | None:
        """The results of the last search."""
        return self._search.results

    def activate(self, request: NavigationRequest | None) -> None:
        is_first, self._was_opened = not self._was_opened, True
        books, refusal = self._filters.load_books(self.library)
        if request is not None:
            self._entry.search_for_request(request)
        elif is_first:
            self._entry.restore(has_books=bool(books))
        elif self._search.is_pending or self._people.may_ask_again or self._entry.found_no_books:
            self._entry.search()
        else:
            self._list.refresh()
        if books == [] and not self.results:
            self._entry.show_empty()
        if refusal is not None:
            self._entry.show_failure(refusal)
        if self.focused is None and not self._list.lists_saved:
            self.query_one(ClaimBox).focus()

    def _show_hints(self) -> None:
        """Show the keys that work where the cursor is."""
        box = self.query_one(ClaimBox)
        box.border_title = "Claim" if self.focused is box else "Claim (/)"
        self._filters.show_summary()
        if not self._search.is_pending and not self._list.lists_saved:
            self._list.show_count()

    def _show_page(self, locator: str | None) -> None:
        """Show a passage on its page, and where it is in its book."""
        self._page.show(locator)
        self.query_one(HitStrips).mark(locator)
        self._choose_current_book()

    def _choose_current_book(self) -> None:
        """Make the book of the passage under the cursor the current one of all screens."""
        if self.query_one(HitList).has_focus and (locator := self._list.locator):
            self.scholar.current_book = locator.partition(":")[0]

    def _show_results(self, results: SearchResults) -> None:
        self._page.add_hits(results)
        self.query_one(HitStrips).show(hit_rows.hits_by_book(results.hits, self._texts.get))
        self._entry.show_results(results)
        self._people.find(results)

    def on_resize(self, event: Resize) -> None:
        self.query_one(KeyBar).compact = event.size.width < COMPACT_WIDTH
        self.call_after_refresh(self._list.show_explanation)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for letters while the user types, and for what is impossible now."""
        if action == "back":
            return True
        is_writing = isinstance(self.focused, Input | Button) and not self.is_commanded
        if is_writing and action in find_layout.LETTER_ACTIONS:
            return False
        if action == "why" and self.has_class("-broad"):
            return False  # it is always shown next to the page
        saved = self._list.lists_saved
        if action == "clear_filters":
            return bool(self._list.mark) if saved else any(self._filters.query.active_filters())
        is_on_row = self._list.index is not None
        is_possible = {
            find_layout.Needed.ROW: is_on_row,
            find_layout.Needed.SAVED: saved,
            find_layout.Needed.SEARCH: not saved,
            find_layout.Needed.HIT: not saved and is_on_row,
            find_layout.Needed.RESULTS: not saved and self.results is not None,
        }
        needed = find_layout.NEEDED.get(action)
        return needed is None or is_possible[needed]

    @on(HitList.CursorMoved, "#hits")
    def _show_highlighted(self, event: HitList.CursorMoved) -> None:
        if event.index == self._list.index:
            self._list.highlight(event.index)

    @on(Input.Changed, "ClaimBox, #author, #chapters, #speaker, #about")
    def _search_soon(self) -> None:
        self._entry.search_soon()

    @on(Input.Submitted)
    def _search_or_focus_list(self) -> None:
        if self.query_one("#nothing").has_class("-empty"):
            self.action_add_sample()
        else:
            self._entry.submit()

    @on(ClaimBox.DownPressed)
    def _focus_hits(self) -> None:
        if self._list.index is not None:
            self._list.focus()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, HitList | BookText):
            self._entry.remember_claim()
        self._choose_current_book()

    @on(ClaimBox.HistoryRequested)
    def action_history(self) -> None:
        self._entry.choose_earlier()

    def action_claim(self) -> None:
        if self._list.lists_saved:
            self._list.show_hits()
        self.query_one(ClaimBox).focus()

    def action_back(self) -> None:
        """Go from saved quotations to the hits, from a box to the list, or fold the filters."""
        if self._list.lists_saved:
            self._entry.show_hits_again()
            self._focus_list_or_claim()
        elif isinstance(self.focused, Input | Button):
            has_rows = self._list.index is not None
            self.set_focus(self.query_one(HitList) if has_rows else None)
        elif self._filters.are_expanded:
            self.action_filters()

    def _focus_list_or_claim(self) -> None:
        self.query_one(HitList if self._list.index is not None else ClaimBox).focus()

    @on(Click, "#summary")
    def action_filters(self) -> None:
        if self._list.lists_saved:
            self._list.choose_mark()
            return
        self._filters.toggle()
        if self._filters.are_expanded:
            self.query_one("#books").focus()
        elif self.query_one("#filters").has_focus_within:
            self._focus_list_or_claim()

    def action_clear_filters(self) -> None:
        if self._list.lists_saved:
            self._list.show_marked("")
            return
        self._entry.search_for(self._filters.query.without_filters())

    @on(Button.Pressed, "#books")
    def action_books(self) -> None:
        self._filters.choose_books()

    @on(Button.Pressed, "#mode")
    def _choose_mode(self) -> None:
        self._filters.choose_mode()

    @on(Button.Pressed, "#sample")
    def action_add_sample(self) -> None:
        """Add the bundled books; this continues while another screen is shown."""
        self.scholar.jobs.add_once(sample_job(self.library))
        self._entry.show_empty()

    def _follow_jobs(self, progressed: Job | None) -> None:
        """Search the books that a job has added."""
        if progressed is None and self._entry.found_no_books:
            self.activate(None)
        elif progressed is None:
            self._people.follow_shelf()

    def action_scroll(self, by: int) -> None:
        page = self.query_one(BookText)
        page.scroll_relative(y=by * max(page.size.height // 2, 1), animate=False)

    @on(HitList.ItemChosen, "#hits")
    async def action_read(self) -> None:
        if locator := self._list.locator:
            await self.scholar.navigate("reader", locator)

    def action_why(self) -> None:
        self.toggle_class("-why")
        self._list.show_explanation()

    def action_kept(self) -> None:
        if self._list.lists_saved:
            self.action_back()
        else:
            self._list.show_saved()

    def exports(self) -> list[ExportListing]:
        from scholar_tui.exporting import export_hits, export_saved

        if self._list.lists_saved:
            name, quotations = self._collections.name, self._list.quotations
            return export_saved(self.library, "The kept passages, with notes", name, quotations)
        if self.results and self.results.hits:
            return export_hits(self.library, self.results)
        return []
