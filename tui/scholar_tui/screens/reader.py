"""Reader: a book in one scroll, with its speakers in colour, and ways to go to any place in it.

request -> (in a worker) Library.read -> BookPage -> (in a worker) Library.speakers -> style layers
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.events import Resize
from textual.widgets import Input, Label, Static

from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import safe
from scholar_indexes.serialize.listings import ExportListing
from scholar_tui.controllers.annotations import AnnotationController
from scholar_tui.controllers.book_loading import BookLoader
from scholar_tui.controllers.book_page import BookPageController
from scholar_tui.controllers.book_search import BookSearchController
from scholar_tui.controllers.bookmark_access import BookmarkAccess, ReportPolicy
from scholar_tui.controllers.passage_selection import PassageSelectionController
from scholar_tui.controllers.quotation_colours import SpeakerController
from scholar_tui.controllers.quotation_corrections import QuotationCorrectionController
from scholar_tui.controllers.reading_position import ReadingPositionController
from scholar_tui.controllers.side_panel import SecondPlace, SidePanelController
from scholar_tui.controllers.table_of_contents import ContentsController
from scholar_tui.screens import reader_layout
from scholar_tui.screens.dialogs import ChooseScreen, GoToScreen, NoteScreen
from scholar_tui.screens.mode_screen import BROAD, ModeScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.concordance import Concordance, SearchHits
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.outline import Outline
from scholar_tui.widgets.running_head import RunningHead, StatusLine
from scholar_tui.widgets.screen_header import ScreenHeader

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_tui.navigation import NavigationRequest

STYLE_LAYERS = (
    "heading",
    "kept",
    "speakers",
    "unsure",
    "hit",
    "quotation",
    "cue",
    "found",
    "match",
)
"""The layers of styles on the page, from the lowest."""


class BookPage(BookText, inherit_bindings=False):
    """The page of the reader, without the keys of a scroll view: the screen has its own."""


class SearchBox(Input):
    """The box for words of the book."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.to_hits", "Hits", tooltip="To the list of hits"),
    ]


class ReaderScreen(ModeScreen):
    """Read."""

    NAME = "reader"
    ABOUT = """
    Read a book from beginning to end, or go to a passage that was found. Speakers are in colour,
    and the names of the speakers in view are below the page; a quotation in italics and underlined
    has a guessed speaker. Step from one quotation of a speaker to the next, search the whole book,
    with its hits as a concordance, jump to a chapter or a locator. Copying and keeping take the
    text selected with the mouse, or else the quotation you stepped to, or the marked paragraph, or
    the paragraph at the top, always with its source. Kept passages are tinted and have a mark in
    the margin, the first letter of their colour if H gave them one, with your notes next to it if
    there is room. From 160 columns, a panel shows the
    notes and the speakers; V pins a second place of the book there. Your position is remembered for
    every book. c corrects a wrong speaker; the correction is saved with your data.
    """
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "In the box that searches the book": SearchBox,
        "In the list of hits": Concordance,
        "In a list to choose from": ChooseScreen,
        "In the box for a place": GoToScreen,
        "In a note": NoteScreen,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (BROAD, "-broad")]  # noqa: RUF012
    AUTO_FOCUS = "BookText"
    BINDINGS: ClassVar[list[BindingType]] = reader_layout.BINDINGS
    DEFAULT_CSS = reader_layout.CSS

    def __init__(self) -> None:
        super().__init__(classes="-empty")
        self.reading: BookNavigator | None = None
        """The open book."""
        self.page = BookPage(id="page")
        self.outline = Outline(id="outline")
        self.head = RunningHead(id="running")
        self.place = BookPageController(self.page)
        self._bookmark_access = BookmarkAccess(self, ReportPolicy.CHANGED)
        self.loader = BookLoader(self, self._bookmark_access)
        self.reading_position = ReadingPositionController(self, self._bookmark_access)
        self.speakers = SpeakerController(self, self._bookmark_access)
        self._corrections = QuotationCorrectionController(self)
        self._contents = ContentsController(self)
        self._search = BookSearchController(self)
        self.annotations = AnnotationController(self, self._bookmark_access)
        self.side = SidePanelController(self)
        self._passages = PassageSelectionController(self, self._bookmark_access)
        self._delegate_actions()

    def _delegate_actions(self) -> None:
        """Leave to the controllers what they do alone."""
        self.action_back = self.reading_position.back
        self.action_book = self.loader.choose_book
        self.action_chapter = self._contents.step_chapter
        self.action_outline = self._contents.toggle
        self.action_search = self._search.open
        self.action_to_hits = self._search.to_list
        self.action_read_on = self._search.read_on
        self.action_match = self._search.step
        self.action_colours = self.speakers.toggle_colours
        self.action_quotation = partial(self.speakers.step, same_speaker=False)
        self.action_speaker = partial(self.speakers.step, same_speaker=True)
        self.action_who = self.speakers.choose_speaker
        self.action_correct = self._corrections.choose_speaker
        self.action_undo = self._corrections.undo
        self.action_mark = self._passages.mark_paragraph
        self.action_copy = self._passages.copy
        self.action_keep = self._passages.save
        self.action_collection = self._passages.choose_collection
        self.action_highlight = self._passages.choose_colour
        self.action_note = self._passages.edit_note
        self.action_annotation = self.annotations.step
        self.action_annotations = self.annotations.choose
        self.action_pin = self.side.pin

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        yield self.head
        with Horizontal():
            yield self.outline
            with Vertical(id="sheet"):
                yield Static("", id="empty", classes="empty", markup=False)
                yield self.page
                yield SearchHits(id="found")
                with Horizontal(id="seek"):
                    yield Label("search", markup=False)
                    yield SearchBox(id="sought", compact=True, placeholder="words of the book")
                yield StatusLine(id="message")
                yield StatusLine(id="legend")
            with Vertical(id="side"):
                with VerticalScroll(id="notes", can_focus=False):
                    yield Static("", id="noted", markup=False)
                yield Static("", id="pinned", markup=False)
                yield SecondPlace(id="second")
        yield KeyBar()

    def on_mount(self) -> None:
        self.speakers.load_choice()
        self.watch(self.app, "theme", self.speakers.show_legend, init=False)

    @property
    def is_complete(self) -> bool:
        return super().is_complete and bool(self.query(BookText))

    def activate(self, request: NavigationRequest | None) -> None:
        if isinstance(request, str) and request.strip():
            self.loader.open_request(request)
        else:
            self.loader.resume()
        self.annotations.reload()

    def on_screen_suspend(self) -> None:
        self.loader.interrupt()
        self.reading_position.save()

    def on_unmount(self) -> None:
        self.reading_position.save()

    def show_empty(self, line: str) -> None:
        """Show why there is no book."""
        self._close_book()
        self.add_class("-empty")
        self.query_one("#empty", Static).update(safe(line))
        self.set_focus(None)
        self.refresh_bindings()

    def _close_book(self) -> None:
        """Save where reading stopped, and forget everything about the open book."""
        self.reading_position.save()
        self.reading = None
        self._search.clear()
        self.speakers.reset()
        self.annotations.reset()
        self.side.reset()

    def show_book(self, reading: BookNavigator, place: Locator | None) -> None:
        """Show a book at a place, or where reading stopped."""
        self._close_book()
        self.reading = reading
        self.scholar.current_book = reading.book.id
        self.remove_class("-empty")
        self.refresh_bindings()
        self.place.show_text(reading.text, reading.chapters, layers=STYLE_LAYERS)
        self._contents.show(reading)
        self.annotations.reload()
        start = self.reading_position.resume(reading)
        if place is not None:
            self.visit(place, origin=start)
        self.page.focus()
        self.speakers.load()
        self.call_after_refresh(self._show_location)

    def visit(self, place: Locator, origin: int | None = None) -> None:
        """Go to a place of the open book; a place with a span is centred and marked."""
        if self.reading is None:
            return
        locator = Locator(self.reading.book.id, place.chapter, place.paragraph, place.span)
        try:
            span = self.reading.span(locator)
        except ScholarError as refusal:
            self.show_message(str(refusal), severity="error")
            return
        has_span = place.span is not None
        self.place.set_mark(span if has_span else None)
        self.reading_position.visit(span, middle=has_span, origin=origin)
        self.page.focus()

    def show_below(self, line: str | Content) -> None:
        """Show a line about the marked passage, below the page."""
        message = self.query_one("#message", Static)
        message.update(line)
        message.display = True

    @on(BookText.TopChanged, "#page")
    def _follow_page(self) -> None:
        self.reading_position.follow_page()
        self._show_location()

    def _show_location(self) -> None:
        """Show the chapter, the locator and the speakers of the text in view."""
        reading = self.reading
        if reading is None:
            return
        self.outline.follow(reading.chapter(self.place.position))
        self.head.show_place(reading, self.place.position, self.page.visible_span)
        self._search.show_count()
        self.speakers.show_legend()

    def action_scroll(self, how: str) -> None:
        if self.reading:
            page = self.side.second if self.side.second.has_focus else self.page
            getattr(page, f"action_{how}")()

    def action_edge(self, first: bool) -> None:
        if self.reading:
            self.reading_position.jump(0 if first else len(self.reading.text))

    def action_go_to(self) -> None:
        if self.reading:
            self.app.push_screen(GoToScreen(self._contents.describe), self._contents.go_to)

    async def action_passages(self) -> None:
        """Find passages in this book."""
        if self.reading:
            await self.scholar.navigate("find", {"claim": "", "book": self.reading.book.id})

    @on(Outline.ChapterChosen)
    def _go_to_chapter(self, event: Outline.ChapterChosen) -> None:
        self._contents.go_to_chapter(event.chapter)

    @on(Input.Changed, "#sought")
    def _search_soon(self, event: Input.Changed) -> None:
        self._search.search_soon(event.value)

    @on(Input.Submitted, "#sought")
    def _submit_search(self, event: Input.Submitted) -> None:
        self._search.submit(event.value)

    @on(SearchHits.HitMarked)
    def _mark_hit(self, event: SearchHits.HitMarked) -> None:
        self._search.mark(event.number)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.reading is None:
            return action in ("book", "leave")
        if action == "clear_filters":
            return self._search.has_words or self.speakers.quote is not None
        return True

    def action_clear_filters(self) -> None:
        self._search.clear()
        self.speakers.deselect()
        if self.reading:
            self.page.focus()

    @on(BookText.PlaceClicked, "#page")
    def _select_quotation(self, event: BookText.PlaceClicked) -> None:
        if not self.page.selected:  # else the click ended a selection
            self.speakers.select_at(event.position)

    @on(BookText.SelectionChanged, "#page")
    def _tell_of_selection(self) -> None:
        self.speakers.show_legend()

    def on_resize(self, event: Resize) -> None:
        self.side.fit(event.size.width)

    def action_leave(self) -> None:
        """Escape: leave the search, then the outline, then unmark everything."""
        if self._search.has_focus:
            self._search.give_up()
        elif self.outline.has_focus:
            self._contents.hide_if_narrow()
        elif not self.side.second.has_focus:
            self._search.clear()
            self.place.set_mark(None)
            self.speakers.deselect()
            self.page.select(None)
        if self.reading:
            self.page.focus()

    def exports(self) -> list[ExportListing]:
        return self._passages.exports()
