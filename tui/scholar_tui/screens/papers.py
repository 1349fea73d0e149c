"""Papers: a list to browse, an abstract by its facets, and papers similar in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Input, Select, Static

from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.types import QUERY_FACETS, Facet
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.paper_catalog import PaperCatalogController
from scholar_tui.controllers.paper_changes import PaperChangesController, find_file
from scholar_tui.controllers.paper_follow import PaperFollowController
from scholar_tui.controllers.paper_scope import ANY_FACET, PaperScope, PaperScopeController
from scholar_tui.controllers.paper_search import PaperSearch, PaperSearchController
from scholar_tui.screens import papers_layout
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.claim_box import PaperClaimInput
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.paper_lists import (
    LETTERS,
    AbstractView,
    PaperList,
    PaperListPane,
    SentencePairs,
)
from scholar_tui.widgets.screen_header import ScreenHeader
from scholar_tui.widgets.scrollable_items import ScrollableItems

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_service import PaperLibrary
    from scholar_tui.navigation import NavigationRequest

FACET_STYLES = {
    Facet.BACKGROUND: "bold $speaker-0",
    Facet.METHOD: "bold $speaker-1",
    Facet.RESULT: "bold $speaker-2",
    Facet.OTHER: "bold",
}


class PapersScreen(ModeScreen):
    """Papers."""

    NAME = "papers"
    ABOUT = (
        "Your papers are on the left, next to the abstract of one: the letter and the colour of "
        "a sentence show whether it is background (B), method (M), result (R) or other (O). 1, 2 "
        "and 3 find the papers similar in background, method or result, 4 the papers similar "
        "overall; in the abstract, m marks sentences and Enter finds papers with similar ones. "
        "Below a list of such papers, the matching sentences are shown side by side; Enter "
        "follows a paper, Backspace goes back. p searches all papers with any text, or with a "
        "file of one paper; the box next to it (Tab) limits the search to their background, "
        "method or result."
    )
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "A paper with its abstract, sentence by sentence: a colour and a letter for each facet, a "
        "tick for chosen sentences, a dot and a background for matches": AbstractView,
        "The box for a claim; up and down bring back earlier claims": PaperClaimInput,
        "A list of items of several lines, with a cursor on one of them": ScrollableItems,
        "The query and the matches side by side, with their shares of the score": SentencePairs,
        "Papers by title, with their details below": PaperList,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = papers_layout.BINDINGS
    CSS = papers_layout.OVERRIDING_CSS
    DEFAULT_CSS = papers_layout.CSS

    def __init__(self) -> None:
        super().__init__()
        self._was_opened = False
        self.abstract = AbstractView(id="abstract", classes="pane")
        self.pairs = SentencePairs(id="pairs", classes="pane")
        self._bookmark_access = BookmarkAccess(self)
        self._scope = PaperScopeController(self, self._bookmark_access, self._apply_scope)
        self._catalog = PaperCatalogController(self, self._scope.set_collection)
        self._searches = PaperSearchController(self, self._remember_cursor, self._catalog.show)
        self._changes = PaperChangesController(self, self._catalog.load, self._drop_paper)
        self._following = PaperFollowController(
            lambda: self.shown, self.abstract, self._searches, self.copy, self.show_message
        )
        self._delegate_actions()

    def _delegate_actions(self) -> None:
        """Leave to the controllers what they do alone."""
        self.action_alike = self._following.search_alike
        self.action_follow = self._following.follow
        self.action_choose = self._following.choose_sentence
        self.action_copy = self._following.copy_citation
        self.action_copy_bibtex = self._following.copy_bibtex
        self.action_back = self._searches.back
        self.action_collection = self._scope.choose_collection
        self.action_add = self._changes.ask_for_source
        self.action_rebuild = self._changes.rebuild

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        with Horizontal(id="top"):
            yield Static("Find", classes="label")
            yield PaperClaimInput(
                self._bookmark_access.claims,
                id="claim",
                placeholder="a claim, a question, or a file with one paper",
            )
            yield Select(
                [
                    ("in all facets", ANY_FACET),
                    *((f"in the {facet}", facet) for facet in QUERY_FACETS),
                ],
                value=ANY_FACET,
                allow_blank=False,
                id="facet",
                compact=True,
                tooltip="Search for a claim in all facets, or in one",
            )
            yield Static("Years", classes="label")
            yield Input(id="years", placeholder="2010-2014", max_length=20)
        yield Static("", id="trail", markup=False)
        with Horizontal(id="middle"):
            yield PaperListPane(id="left", classes="pane")
            yield self.abstract
        yield self.pairs
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#claim").border_title = "find"
        self.query_one("#years").border_title = "years"
        self.abstract.border_title = "abstract"
        self.abstract.border_subtitle = Content("  ").join(
            Content.assemble((LETTERS[facet], style), f" {facet}")
            for facet, style in FACET_STYLES.items()
        )
        self.rows.focus()

    @property
    def papers(self) -> PaperLibrary:
        return self.library.papers

    @property
    def scope(self) -> PaperScope:
        """The collection, years and facet of the list and of searches."""
        return self._scope.scope

    @property
    def search(self) -> PaperSearch | None:
        """The search whose hits are listed; None for the list of all papers."""
        return self._searches.current

    @property
    def rows(self) -> PaperList:
        return self.query_one("#papers", PaperList)

    @property
    def shown(self) -> StoredPaper | None:
        """The paper whose abstract is shown."""
        return self.rows.row.stored if self.rows.row else None

    def activate(self, request: NavigationRequest | None) -> None:
        if not self._was_opened:
            self._was_opened = True
            self._scope.restore()
        claim = request if isinstance(request, str) else (request or {}).get("claim")
        if claim:
            self.query_one("#claim", Input).value = one_line(str(claim), 2_000)
            self._searches.start(PaperSearch(claim=str(claim)))
        else:
            self._searches.restart()
        self._catalog.load()

    def set_lists_hits(self, lists_hits: bool) -> None:
        """Show or hide the parts for hits: the trail and the pairs of sentences."""
        if lists_hits != self.has_class("-found"):
            self.set_class(lists_hits, "-found")
            self.refresh_bindings()

    def _apply_scope(self) -> None:
        self.refresh_bindings()
        self._catalog.reload()
        self._searches.repeat()

    def _remember_cursor(self) -> None:
        """Remember the position of the user in the current list."""
        if self.search:
            self.search.cursor = self.rows.cursor
        elif self.shown:
            self._catalog.select(self.shown)

    def _drop_paper(self, stored: StoredPaper) -> None:
        """Update the lists after a paper was removed."""
        self._searches.remove_paper(stored.number)
        self._catalog.load()
        if self.search:
            self.search.cursor = self.rows.cursor
            self._searches.show_hits()

    @on(ScrollableItems.CursorMoved, "#papers")
    def _show_paper(self) -> None:
        self._remember_cursor()
        if self.search and self.rows.cursor < len(self._searches.hits):
            self._searches.show_hit(self.rows.cursor)
        else:
            self.abstract.show_paper(self.shown)
            self.pairs.show_pairs([])
            self.pairs.border_subtitle = None
        if not self.search and self.shown:
            self._catalog.load_more(self.rows.cursor)

    @on(ScrollableItems.CursorMoved, "#pairs")
    def _show_sentence(self) -> None:
        pair = self.pairs.pair
        if pair and pair.hit.number and self.focused is self.pairs:
            self.abstract.move_to(pair.hit.number)

    @on(ScrollableItems.ItemChosen)
    async def _follow_clicked(self) -> None:
        await self.run_action("follow")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear_filters":
            words = self.is_mounted and self.query_one("#filter", Input).value
            return bool(words) or self.scope != PaperScope()
        return action != "back" or self.search is not None

    def action_step(self, by: int) -> None:
        self.rows.action_move(by)

    def action_leave(self) -> None:
        """Escape: leave a box or the abstract, cancel the search, clear the filter, go back."""
        box = self.query_one("#filter", Input)
        if self.focused is not self.rows:
            self.rows.focus()
        elif self._searches.cancel():
            pass
        elif box.value:
            box.value = ""
        else:
            self.action_back()

    def action_claim(self) -> None:
        self.query_one("#claim").focus()

    def action_years(self) -> None:
        self.query_one("#years").focus()

    def action_clear_filters(self) -> None:
        self.query_one("#filter", Input).value = ""
        self._scope.clear()
        self.rows.focus()

    def action_filter(self) -> None:
        self.query_one(PaperListPane).open_filter()

    @on(Input.Submitted, "#claim")
    def _search_claim(self, event: Input.Submitted) -> None:
        claim = event.value.strip()
        if not claim:
            self.show_message("write a claim or a question to find papers for")
            return

        def start(path: str) -> None:
            if path:
                self._searches.start(PaperSearch(reference=path, title=claim))
                return
            self._bookmark_access.run(lambda bookmarks: bookmarks.record_claim(claim))
            self._searches.start(PaperSearch(claim=claim))

        self.rows.focus()
        self.run_in_worker(lambda _: find_file(claim), start)

    @on(Select.Changed, "#facet")
    def _change_facet(self) -> None:
        self._scope.take_facet()

    @on(Input.Changed, "#years")
    def _change_years(self, event: Input.Changed) -> None:
        self._scope.change_years(event.value.strip())

    @on(Input.Submitted, "#years")
    def _leave_years(self, event: Input.Submitted) -> None:
        if self._scope.check_years(event.value):
            self.rows.focus()

    @on(Input.Changed, "#filter")
    def _change_filter(self, event: Input.Changed) -> None:
        words = event.input.value  # event.value may be older
        event.input.set_class(bool(words), "-used")
        self.refresh_bindings()
        if self.search:
            self.search.filter, self.search.cursor = words, 0
            self._searches.show_hits()
        else:
            self._catalog.set_filter(words)

    def action_remove(self) -> None:
        if self.shown is None:
            self.show_message("there is no paper to remove here")
        else:
            self._changes.remove(self.shown)

    def exports(self) -> list[ExportListing]:
        from scholar_tui import exporting

        papers = [row.stored for row in self.rows.rows]
        if not papers:
            return []
        if self.search is None:
            return exporting.export_papers(one_line(self.scope.collection or "papers"), papers)
        return exporting.export_similar_papers(self.search, self._searches.hits)
