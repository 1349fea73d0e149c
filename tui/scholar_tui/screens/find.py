"""Find: a claim, the passages that bear it out beside their page, and those that are kept.

keys -> Asked -> (in a thread) Library.find -> Found -> the list and the page
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.events import Click, DescendantFocus, Resize
from textual.suggester import SuggestFromList
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Footer, Input, Label, OptionList, Static

from scholar_indexes import records
from scholar_indexes.desk import DEFAULT_COLLECTION, Clipping
from scholar_indexes.errors import NotThere, ScholarError
from scholar_indexes.types import Book, Chapter, Hit, Progress, Span
from scholar_indexes.untrusted import one_line, safe
from scholar_tui import asked as asking
from scholar_tui.asked import Asked
from scholar_tui.screens.choosing import Choice, ChooseScreen, NoteScreen
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.widgets.claim import ClaimBox
from scholar_tui.widgets.hits import KEPT_ELSEWHERE, KEPT_HERE, HitList, Row
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.page import Page, Paint

if TYPE_CHECKING:
    from scholar_indexes.answers import Evidence, Ranked
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Desk
    from scholar_indexes.library import Library

T = TypeVar("T")

PAUSE_S = 0.35
"""After the last key, before a search begins."""

TEXTS = 12
"""Books whose text is held while their passages are looked through."""

SESSION, COLLECTION = "find.asked", "find.collection"
"""Choices on the desk: what was asked last, and the collection that was chosen."""

HINT = """Write a claim, such as
    the creature is lonely because nobody will look at it
and the passages that bear it out are listed here, best first.

↑ brings back what you asked before, Ctrl+R lists it all.
Esc, then F narrows the search; C shows what you have kept."""

EMPTY = """The library is empty, so there is nothing to search yet.

Enter adds the bundled sample: three books, in half a minute, without the network.
F2 adds books of your own, or from Project Gutenberg."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A passage in its book: which text it is of, its chapter, and what is marked."""

    book: Book
    chapter: Chapter
    span: Span


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: hits, the words each has in common with the claim, and the texts
    of their books by hash."""

    asked: Asked
    hits: list[Hit[Evidence]]
    shared: list[list[str]]
    texts: dict[str, str]


class FindScreen(Journey):
    """Find."""

    NAME = "find"
    ABOUT = """
    Write what you would like to find borne out; passages are ranked as you finish typing. Enter
    takes you to the list, and the page beside it shows each passage where it stands. Keep the
    good ones in a collection, with a note, and come back to them with C. Filters narrow the
    search to books, an author, chapters or the words of one character.
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read", "Read", tooltip="Open the passage in the reader"),
        Binding("s,space", "keep", "Keep",
                tooltip="Keep the passage in the collection, or keep it no longer"),
        Binding("d,delete", "drop", "Drop", tooltip="Take the passage out of the collection"),
        Binding("S", "collection", "Collection…", show=False,
                tooltip="Choose or make the collection that passages are kept in"),
        Binding("n", "note", "Note", tooltip="Write a note on the passage, which keeps it too"),
        Binding("w", "why", "Why",
                tooltip="Say why it was ranked here, or when and for what it was kept"),
        Binding("y", "copy", "Copy",
                tooltip="Copy the quotation with its source to the clipboard"),
        Binding("u", "undo", "Undo", show=False, tooltip="Bring back what was dropped last"),
        Binding("slash", "claim", "Claim", key_display="/", show=False,
                tooltip="Write another claim"),
        Binding("f", "filters", "Filters", show=False,
                tooltip="Show the filters, or fold them away"),
        Binding("x", "clear", "Clear", show=False, tooltip="Search without any filter"),
        Binding("b", "this_book", "This book", show=False,
                tooltip="Search only the book of this passage, or all books again"),
        Binding("m", "more", "More", show=False, tooltip="List more places"),
        Binding("c", "kept", "Kept", tooltip="Go between the hits and what was kept"),
        Binding("left_square_bracket", "collect(-1)", "Collection before", show=False,
                key_display="[", tooltip="The collection before, among what was kept"),
        Binding("right_square_bracket", "collect(1)", "Next collection", show=False,
                key_display="]", tooltip="The next collection, among what was kept"),
        Binding("j", "move(1)", "Next", show=False, tooltip="The next passage"),
        Binding("k", "move(-1)", "Previous", show=False, tooltip="The passage before"),
        Binding("J", "scroll(1)", "Page down", show=False, tooltip="Read on in the page"),
        Binding("K", "scroll(-1)", "Page up", show=False, tooltip="Read back in the page"),
        Binding("h", "history", "History", show=False, tooltip="List what was asked before"),
        Binding("escape", "back", "Back", show=False,
                tooltip="From a box to the list, from what was kept to the hits"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    FindScreen {
        #summary { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        ClaimBox, .half {
            border-title-color: $foreground; border-subtitle-color: $foreground-muted;
        }
        .half:focus-within, ClaimBox:focus { border-title-color: $primary; }
        #summary:hover { background: $panel; }
        #filters {
            display: none; height: auto; padding: 0 1; grid-gutter: 0 2;
            grid-size: 5; grid-columns: 20 1fr 18 1fr 18; grid-rows: 1;
        }
        &.-narrow #filters { grid-size: 3; grid-columns: 1fr 1fr 1fr; }
        &.-filters #filters { display: block; }
        #filters Horizontal { height: 1; }
        #filters Label { color: $foreground-muted; padding-right: 1; }
        #filters Input, #filters Button { width: 1fr; height: 1; background: $panel; }
        #filters Input { padding: 0; }
        #filters Input:focus { background: $primary-muted; }
        #filters Button {
            min-width: 4; color: $foreground; text-align: left; content-align: left middle;
        }
        #filters .-set { color: $accent; text-style: bold; }
        #halves { height: 1fr; layout: horizontal; }
        .half { border: round $panel; padding: 0 1; }
        .half:focus-within { border: round $primary; }
        #left { width: 44%; }
        #right { width: 1fr; }
        &.-narrow #halves { layout: vertical; }
        &.-narrow #left, &.-narrow #right {
            width: 100%; border: none; border-top: solid $panel;
            padding: 0 1;
        }
        &.-narrow #left:focus-within, &.-narrow #right:focus-within {
            border-top: solid $primary;
        }
        &.-narrow #left { height: 45%; }
        &.-narrow #right { height: 1fr; }
        #passage { background: $background; height: 1fr; }
        #nothing { height: 1fr; overflow-y: auto; }
        #nothing #said { color: $foreground-muted; padding: 0 1; height: auto; }
        #nothing.-refused #said { color: $error; }
        #nothing Button { margin: 1; padding: 0 1; display: none; }
        &.-nothing #right { display: none; }
        &.-nothing #left { width: 100%; height: 1fr; }
        #nothing.-empty Button { display: block; }
        #why { height: auto; max-height: 50%; display: none; border-top: solid $panel; }
        &.-why #why, #why.-trouble { display: block; }
        #why.-trouble { color: $error; }
        &.-kept ClaimBox, &.-kept #summary, &.-kept #filters { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._pause: Timer | None = None
        self._turn = Lock()
        self._opened = False
        self._due = False
        self._refused = False
        self._to_list = False
        self._rest = Asked()  # what the boxes do not show: books, mode, n, sentences, context
        self._found: Found | None = None
        self._kept: list[Clipping] = []
        self._dropped: list[Clipping] = []
        self._titles: dict[str, str] = {}
        self._collection = DEFAULT_COLLECTION
        self._spots: dict[str, Spot] = {}
        self._texts: dict[str, str] = {}
        self._shown: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        yield ClaimBox(self._history, id="claim")
        yield Static("", id="summary", markup=False)
        with Grid(id="filters"):
            with Horizontal():
                yield Label("books")
                yield Button("all", id="books", compact=True, tooltip="Only some of the books")
            for name, placeholder, tooltip in (
                ("author", "any", "Only books whose author's name has this"),
                ("chapters", "3 or 3-9", "Only these chapters: 3, 3-9, 3- or -9"),
                ("speaker", "anyone", "Only what this character says"),
            ):
                with Horizontal():
                    yield Label(name)
                    yield Input(placeholder=placeholder, id=name, compact=True, tooltip=tooltip)
            with Horizontal():
                yield Label("ranking")
                yield Button("", id="mode", compact=True, tooltip="How passages are ranked")
        with Widget(id="halves"):
            with Vertical(id="left", classes="half"):
                yield HitList(id="hits")
                with Vertical(id="nothing"):
                    yield Static("", id="said", markup=False)
                    yield Button("Add the sample", id="sample", variant="primary", compact=True)
            with Vertical(id="right", classes="half"):
                yield Page(id="passage")
                yield Static("", id="why", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(ClaimBox).border_title = "Claim (/)"
        self._collection = (
            self._on_desk(lambda desk: desk.choice(COLLECTION) or "") or DEFAULT_COLLECTION
        )
        self._say(HINT)
        self.query_one(ClaimBox).focus()

    # -- coming here -------------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        first, self._opened = not self._opened, True
        shelf, refusal = self._shelf()
        if shelf is not None:
            self._titles = {each.book.id: one_line(each.book.title, 60) for each in shelf}
            authors = sorted({one_line(each.book.author) for each in shelf} - {""})
            self.query_one("#author", Input).suggester = SuggestFromList(
                authors, case_sensitive=False
            )
        if isinstance(errand, str):
            errand = {"claim": errand}
        if isinstance(errand, Mapping):
            self._show_hits()
            self._ask_anew(asking.of(errand))
        elif first:
            self._ask_anew(asking.read(self._on_desk(lambda desk: desk.choice(SESSION))))
            self.query_one(ClaimBox).action_select_all()
            if self._asked().blank and shelf:
                self.ask(self._warmed, lambda _: None, refused=self._refuse, group="finding")
        elif self._due:
            self._search()
        else:
            self._mark()
        if shelf == [] and not self._found:
            self._say(EMPTY, empty=True)
        if refusal is not None:
            self._refuse(refusal)

    def _shelf(self) -> tuple[list[Shelved] | None, ScholarError | None]:
        """The books, or why they cannot be listed."""
        try:
            return self.library.books(), None
        except ScholarError as refusal:
            return None, refusal

    def _warmed(self, progress: Progress) -> None:
        """Load the model and open the index, so that the first search is as quick as others."""
        with self._turn:
            self.library.find("morning", n=1)

    # -- asking ------------------------------------------------------------------------------

    def _asked(self) -> Asked:
        """What stands in the boxes."""
        author, chapters, speaker = (
            self.query_one(f"#{name}", Input).value.strip()
            for name in ("author", "chapters", "speaker")
        )
        claim = self.query_one(ClaimBox).value
        return replace(self._rest, claim=claim, author=author, chapters=chapters, speaker=speaker)

    def _ask_anew(self, asked: Asked) -> None:
        """Put something in the boxes and search for it."""
        self._rest = asked
        with self.prevent(Input.Changed):
            self.query_one(ClaimBox).value = " ".join(asked.claim.split())
            for name in ("author", "chapters", "speaker"):
                self.query_one(f"#{name}", Input).value = getattr(asked, name)
        self._search()

    def _show_summary(self) -> None:
        asked = self._asked()
        parts: list[str | tuple[str, str]] = [
            ("▾ " if self.has_class("-filters") else "▸ ", "$foreground-muted"),
            ("filters (f)  ", "$foreground-muted"),
        ]
        found = list(asked.filters())
        for name, value in found:
            if name in ("book", "books"):
                value = self._books_shown(asked)
            parts += [(f"{name} ", "$foreground-muted"), (one_line(value, 60), "$accent bold"),
                      ("  ·  ", "$foreground-muted")]  # fmt: skip
        parts.append(("x clears them" if found else "none", "$foreground-muted"))
        self.query_one("#summary", Static).update(Content.assemble(*parts))
        for name in ("author", "chapters", "speaker"):
            self.query_one(f"#{name}").set_class(bool(getattr(asked, name)), "-set")
        books = self.query_one("#books", Button)
        books.label = Content(f"{self._books_shown(asked)} ▾")
        books.set_class(bool(asked.books), "-set")
        mode = self.query_one("#mode", Button)
        mode.label = Content(f"{one_line(asked.mode, 20)} ▾")
        mode.set_class(asked.mode != "hybrid", "-set")

    def _books_shown(self, asked: Asked) -> str:
        if not asked.books:
            return "all"
        first = self._titles.get(asked.books[0], asked.books[0])
        others = len(asked.books) - 1
        return f"{first} and {others} more" if others else first

    def _search_soon(self) -> None:
        self._show_summary()
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE_S, self._search)

    def _search(self) -> None:
        """Search for what stands in the boxes, in place of what is being searched for."""
        if self._pause:
            self._pause.stop()
        self._show_summary()
        asked = self._asked()
        if not asked.claim:
            self.cancel("finding")
            self._due, self._found = False, None
            self._show_hits()
            self._say(HINT)
            return
        self._due = True
        if self.scholar.journey is not self:
            return
        self._status("looking …")
        self.ask(self._looking(asked), self._show_found, refused=self._refuse, group="finding")

    def _looking(self, asked: Asked) -> Callable[[Progress], Found]:
        """The work of a search. One at a time: what is superseded while it waits never starts."""
        library, turn, there = self.library, self._turn, dict(self._texts)

        def work(progress: Progress) -> Found:
            while not turn.acquire(timeout=0.05):
                progress("looking", 0, 0)
            try:
                progress("looking", 0, 0)
                return looked(library, asked, there, progress)
            finally:
                turn.release()

        return work

    def _show_found(self, found: Found) -> None:
        self._due, self._refused, self._found = False, False, found
        self._texts |= found.texts
        for unused in list(self._texts)[: max(0, len(self._texts) - TEXTS)]:
            del self._texts[unused]
        for hit in found.hits:
            spot = Spot(hit.item.book, hit.item.chapter, hit.item.passage.span)
            self._spots[hit.item.locator] = spot
        if self.has_class("-kept"):
            return
        self._show_hits()
        if not found.hits:
            self._say(
                "Nothing was found. Try other words, fewer filters (x clears them), "
                "or the ranking dense."
            )
        elif self._to_list:
            self._note_claim()
            self.query_one(HitList).focus()
        self._to_list = False

    def _refuse(self, refusal: ScholarError) -> None:
        self._due, self._to_list, self._found, self._refused = False, False, None, True
        self._show_hits()
        with suppress(ScholarError):
            if not self.library.books():
                self._say(EMPTY, empty=True)
                return
        self._say(str(refusal), refused=True)

    # -- showing -----------------------------------------------------------------------------

    def _say(self, lines: str, *, refused: bool = False, empty: bool = False) -> None:
        """Say something where the list would be."""
        nothing = self.query_one("#nothing")
        nothing.set_class(refused, "-refused")
        nothing.set_class(empty, "-empty")
        self.query_one("#said", Static).update(safe(lines))
        self._swap(False)
        if not self.has_class("-kept"):
            self._status("")
        self._look(None)
        if empty and not isinstance(self.focused, Input):
            self.query_one("#sample").focus()

    def _list(self, rows: list[Row], highlighted: int | None) -> None:
        hits = self.query_one(HitList)
        self._swap(bool(rows))
        hits.show(rows, highlighted)
        self._look(hits.highlighted)

    def _swap(self, listed: bool) -> None:
        """Show the list and its page, or what is said in their place."""
        self.query_one(HitList).display = listed
        self.query_one("#nothing").display = not listed
        self.set_class(not listed, "-nothing")

    def _show_hits(self) -> None:
        """Show the hits in the list."""
        self.remove_class("-kept")
        hits = self._found.hits if self._found else []
        self._list(self._rows(), 0)
        left = self.query_one("#left")
        left.border_title = Content("Passages")
        left.border_subtitle = None
        more = "  ·  m lists more" if self._found and self._found.asked.n == len(hits) else ""
        self._status(f"{len(hits)} places{more}" if hits else "")
        self.refresh_bindings()

    def _show_kept(self, highlighted: int | None = 0) -> None:
        """Show what was kept in the list."""
        self.add_class("-kept")
        self._kept = self._on_desk(lambda desk: desk.clippings(self._collection)) or []
        self._list(self._rows(), highlighted)
        left = self.query_one("#left")
        left.border_title = Content(f"Kept in “{one_line(self._collection, 40)}”")
        count = len(self._on_desk(lambda desk: desk.collections()) or [])
        left.border_subtitle = Content(f"{count} collections: [ ]" if count > 1 else "S: another")
        if not self._kept:
            self._say(
                f"Nothing is kept in “{self._collection}” yet: s keeps a passage that was found.\n"
                "S chooses another collection, Esc goes back to the search."
            )
        self.set_focus(self.query_one(HitList) if self._kept else None)
        self.refresh_bindings()

    def _rows(self) -> list[Row]:
        if self.has_class("-kept"):
            return [
                Row(at, each.quote, placed(each.title, each.chapter, each.author), "", each.note)
                for at, each in enumerate(self._kept, 1)
            ]
        kept = self._kept_here()
        rows = []
        for rank, hit in enumerate(self._found.hits if self._found else [], 1):
            there = kept.get(hit.item.locator, {})
            here = there.get(self._collection)
            sign = KEPT_HERE if here else KEPT_ELSEWHERE if there else ""
            book, chapter = hit.item.book, records.chapter_name(hit.item.chapter)
            where = placed(book.title, chapter, book.author)
            rows.append(Row(rank, hit.item.passage.text, where, sign, here.note if here else ""))
        return rows

    def _kept_here(self) -> dict[str, dict[str, Clipping]]:
        """What was kept of the hits, by locator and collection."""
        wanted = {hit.item.locator for hit in self._found.hits} if self._found else set()
        kept: dict[str, dict[str, Clipping]] = {}
        if wanted:
            for each in self._on_desk(lambda desk: desk.clippings()) or []:
                if each.locator in wanted:
                    kept.setdefault(each.locator, {})[each.collection] = each
        return kept

    def _mark(self) -> None:
        """Show anew what is kept, where that has changed."""
        hits = self.query_one(HitList)
        if self.has_class("-kept"):
            self._show_kept(hits.highlighted)
            return
        for at, row in enumerate(self._rows()):
            hits.mark(at, row)
        self._show_why()

    def _status(self, line: str) -> None:
        self.query_one(ClaimBox).border_subtitle = Content(line) if line else None

    @property
    def _at(self) -> int | None:
        """Which of the list is meant."""
        hits = self.query_one(HitList)
        return hits.highlighted if hits.display and hits.rows else None

    @property
    def _locator(self) -> str | None:
        at = self._at
        if at is None:
            return None
        if self.has_class("-kept"):
            return self._kept[at].locator
        return self._found.hits[at].item.locator if self._found else None

    @on(OptionList.OptionHighlighted, "#hits")
    def _highlighted(self, moved: OptionList.OptionHighlighted) -> None:
        if moved.option_index == self._at:
            self._look(moved.option_index)

    def _look(self, at: int | None) -> None:
        """Show the page of the passage that is meant."""
        locator = self._locator if at is not None else None
        self.query_one("#why").remove_class("-trouble")
        self._show_why()
        if locator is None:
            self.cancel("page")
            self._clear_page()
            return
        spot = self._spots.get(locator)
        if spot is not None and spot.book.sha256 in self._texts:
            self.cancel("page")
            self._show_page(locator, spot)
            return
        self.ask(
            lambda _: self.library.show(locator),
            lambda extract: self._take(
                locator, Spot(extract.book, extract.chapter, extract.marked), extract.text
            ),
            refused=lambda refusal: self._lost(locator, refusal),
            group="page",
        )

    def _take(self, locator: str, spot: Spot, text: str) -> None:
        while len(self._texts) >= TEXTS:
            del self._texts[next(iter(self._texts))]
        self._texts[spot.book.sha256] = text
        self._spots[locator] = spot
        if locator == self._locator:
            self._show_page(locator, spot)

    def _lost(self, locator: str, refusal: ScholarError) -> None:
        if locator == self._locator:
            self._clear_page()
            why = self.query_one("#why", Static)
            why.update(one_line(str(refusal), 400))
            why.add_class("-trouble")

    def _clear_page(self) -> None:
        self._shown = None
        self.query_one(Page).show("")
        right = self.query_one("#right")
        right.border_title = right.border_subtitle = None

    def _show_page(self, locator: str, spot: Spot) -> None:
        page, right = self.query_one(Page), self.query_one("#right")
        text = self._texts[spot.book.sha256]
        if self._shown != (spot.book.sha256, spot.chapter.number):
            self._shown = spot.book.sha256, spot.chapter.number
            page.show(text, spot.chapter.span)
            page.paint("heading", [Paint(Span(spot.chapter.span.start, spot.chapter.body.start),
                                         "heading")])  # fmt: skip
        near = nearest(text, spot.chapter.body, spot.span)
        body = spot.chapter.body
        page.paint("dim", [Paint(Span(body.start, near.start), "dim"),
                           Paint(Span(near.end, body.end), "dim")])  # fmt: skip
        page.paint("hit", [Paint(spot.span, "hit")])
        above = spot.span.start - near.start
        fits = above < page.size.width * page.size.height // 4
        page.go_to(near.start if fits else spot.span.start, middle=True)
        right.border_title = Content(
            f"{one_line(spot.book.title, 60)}, {records.chapter_name(spot.chapter)}"
        )
        right.border_subtitle = Content(locator)

    def _show_why(self) -> None:
        if not self.has_class("-why"):
            return  # a hidden line that changes would still lay the screen out anew
        at, why = self._at, self.query_one("#why", Static)
        if at is None:
            why.update("")
        elif self.has_class("-kept"):
            why.update(told(self._kept[at]))
        elif self._found:
            why.update(explained(self._found.hits[at], self._found.shared[at]))

    # -- keys: the claim and its filters -------------------------------------------------------

    def on_resize(self, event: Resize) -> None:
        self.query_one(Footer).compact = event.size.width < 100

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are for boxes while one is written in; what cannot be done is not offered."""
        writing = isinstance(self.focused, Input)
        kept = self.has_class("-kept")
        if action == "back":
            return True
        if writing or isinstance(self.focused, Button):
            return action not in _OWN
        if action in ("read", "note", "copy", "why", "move"):
            return self._at is not None
        if action in ("drop", "collect"):
            return kept
        if action == "keep":
            return not kept and self._at is not None
        if action in ("filters", "clear", "this_book", "more"):
            return not kept
        return True

    @on(Input.Changed, "ClaimBox, #author, #chapters, #speaker")
    def _changed(self, changed: Input.Changed) -> None:
        self._search_soon()

    @on(Input.Submitted)
    def _submitted(self, submitted: Input.Submitted) -> None:
        if self.query_one("#nothing").has_class("-empty"):
            self.action_add_sample()
            return
        if self._found and self._found.hits and self._found.asked == self._asked():
            self._note_claim()
            self.query_one(HitList).focus()
            return
        self._to_list = True
        self._search()

    @on(ClaimBox.Left)
    def _left(self) -> None:
        if self._at is not None:
            self.query_one(HitList).focus()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, HitList | Page):
            self._note_claim()

    def _note_claim(self) -> None:
        """Remember what was asked, once somebody looks at what was found."""
        if self._found and not self.has_class("-kept"):
            claim = one_line(self._found.asked.claim, 2_000)
            if self._history()[:1] != [claim]:
                self._on_desk(lambda desk: desk.note_claim(claim))

    def _history(self) -> list[str]:
        return self._on_desk(lambda desk: desk.claims()) or []

    @on(ClaimBox.Remembering)
    def action_history(self) -> None:
        def take(chosen: list[str] | None) -> None:
            if chosen:
                self._show_hits()
                self._to_list = True
                self._ask_anew(replace(self._asked(), claim=chosen[0]))

        claims = [Choice(each, each) for each in self._history()]
        if claims:
            self.app.push_screen(ChooseScreen("Asked before", claims), take)
        else:
            self.tell("nothing was asked yet; write a claim and press Enter")

    def action_claim(self) -> None:
        if self.has_class("-kept"):
            self._show_hits()
        self.query_one(ClaimBox).focus()

    def action_back(self) -> None:
        if self.has_class("-kept"):
            self._show_hits()
            self._say_nothing()
            self.query_one(HitList if self._at is not None else ClaimBox).focus()
        elif isinstance(self.focused, Input | Button):
            self.set_focus(self.query_one(HitList) if self._at is not None else None)
        elif self.has_class("-filters"):
            self.action_filters()

    def _say_nothing(self) -> None:
        """Say again why there are no hits."""
        if self._at is None and not self._found:
            if self._refused:
                self._search()
            else:
                self._say(HINT)

    @on(Click, "#summary")
    def action_filters(self) -> None:
        self.toggle_class("-filters")
        self._show_summary()
        if self.has_class("-filters"):
            self.query_one("#books").focus()
        elif self.query_one("#filters").has_focus_within:
            self.query_one(HitList if self._at is not None else ClaimBox).focus()

    def action_clear(self) -> None:
        self._ask_anew(self._asked().plain)

    def action_more(self) -> None:
        if self._found and self._found.asked.n == len(self._found.hits):
            self._rest = self._asked().more()
            self._search()

    def action_this_book(self) -> None:
        if self._asked().books:
            books: tuple[str, ...] = ()
        elif self._found and self._at is not None:
            books = (self._found.hits[self._at].item.book.id,)
        else:
            return
        self._rest = replace(self._asked(), books=books)
        self._search()

    @on(Button.Pressed, "#books")
    def _choose_books(self) -> None:
        def take(chosen: list[str] | None) -> None:
            if chosen is not None:
                every = set(chosen) >= set(self._titles)
                self._rest = replace(self._asked(), books=() if every else tuple(chosen))
                self._search()

        shelf = self._shelf()[0] or []
        marked = []
        for reference in self._asked().books:
            with suppress(ScholarError):
                marked.append(self.library.book(reference).book.id)
        choices = [Choice(each.book.id, each.book.title, each.book.author) for each in shelf]
        self.app.push_screen(
            ChooseScreen(
                "Search in", choices, marked=marked, hint="Tab marks, Enter takes, Esc goes back"
            ),
            take,
        )

    @on(Button.Pressed, "#mode")
    def _choose_mode(self) -> None:
        def take(chosen: list[str] | None) -> None:
            if chosen:
                self._rest = replace(self._asked(), mode=chosen[0])
                self._search()

        choices = [Choice(mode, mode, does) for mode, does in asking.MODES.items()]
        self.app.push_screen(ChooseScreen("Rank passages", choices), take)

    @on(Button.Pressed, "#sample")
    def action_add_sample(self) -> None:
        def add(progress: Progress) -> None:
            if not self.library.add_sample_once(progress):
                self.library.add_sample(progress)

        def added(_: None) -> None:
            self.query_one("#nothing").remove_class("-empty")
            self.tell("the sample is on the shelf")
            self.arrive(None)
            self._search()
            self.query_one(ClaimBox).focus()

        def refused(refusal: ScholarError) -> None:
            self.tell(str(refusal), severity="error")
            self._refuse(refusal)

        self._say("Adding three books; you may write your claim meanwhile.")
        self.ask(add, added, refused=refused, group="adding", lasting=True)

    # -- keys: a passage -----------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        hits = self.query_one(HitList)
        if self._at is not None:
            hits.highlighted = min(max(self._at + by, 0), len(hits.rows) - 1)

    def action_scroll(self, by: int) -> None:
        page = self.query_one(Page)
        page.scroll_relative(y=by * max(page.size.height // 2, 1), animate=False)

    @on(HitList.Opened)
    async def action_read(self) -> None:
        if locator := self._locator:
            await self.scholar.go("reader", locator)

    def action_copy(self) -> None:
        at = self._at
        if at is None:
            return
        if self.has_class("-kept"):
            kept = self._kept[at]
            quote, source, locator = kept.quote, records.cited(kept), kept.locator
        elif self._found:
            hit = self._found.hits[at].item
            quote, locator = hit.passage.text, hit.locator
            source = records.citation(hit.book, hit.chapter)
        words = one_line(quote)
        if not words.startswith(("“", '"', "‘")):
            words = f"“{words}”"
        text = f"{words}\n— {one_line(source)} [{one_line(locator)}]"
        self.scholar.copy(text, "the quotation and its source")

    def action_why(self) -> None:
        self.toggle_class("-why")
        self._show_why()

    # -- keys: what is kept --------------------------------------------------------------------

    def _keep_here(self) -> Clipping | None:
        """Keep the hit that is meant, where it is not kept already."""
        at = self._at
        if at is None or not self._found:
            return None
        new = clipping(self._found.hits[at].item, self._found.asked.claim, self._collection)
        return self._on_desk(lambda desk: desk.keep(new))

    def action_keep(self) -> None:
        locator = self._locator
        if locator is None:
            return
        there = self._kept_here().get(locator, {}).get(self._collection)
        if there:
            self._drop(there)
        elif self._keep_here():
            self.tell(f"kept in “{self._collection}”")
            self._mark()

    def action_drop(self) -> None:
        if self._at is not None:
            self._drop(self._kept[self._at])

    def _drop(self, kept: Clipping) -> None:
        self._on_desk(lambda desk: desk.drop(kept.number))
        self._dropped.append(kept)
        note = " and its note" if kept.note else ""
        self.tell(f"dropped from “{kept.collection}”{note}; u brings it back")
        self._mark()

    def action_undo(self) -> None:
        if not self._dropped:
            self.tell("nothing was dropped")
            return
        back = self._dropped[-1]
        if self._on_desk(lambda desk: desk.keep(back)):
            self._dropped.pop()
            self.tell(f"kept in “{back.collection}” again")
        self._mark()

    def action_note(self) -> None:
        at = self._at
        if at is None:
            return
        kept = self._kept[at] if self.has_class("-kept") else self._keep_here()
        if kept is None:
            return
        self._mark()

        def take(note: str | None) -> None:
            if note is not None:
                self._on_desk(lambda desk: desk.annotate(kept.number, note))
                self._mark()

        self.app.push_screen(NoteScreen(kept.quote, kept.note), take)

    def action_kept(self) -> None:
        if self.has_class("-kept"):
            self.action_back()
        else:
            self._show_kept()

    def action_collection(self) -> None:
        """Choose a collection; among the hits the passage is kept in it."""

        def take(chosen: list[str] | None) -> None:
            if not chosen:
                return
            self._choose_collection(chosen[0])
            if self.has_class("-kept"):
                self._show_kept()
            elif self._keep_here():
                self.tell(f"kept in “{self._collection}”")
                self._mark()
            else:
                self._mark()

        there = self._on_desk(lambda desk: desk.collections()) or []
        choices = [Choice(name, name, f"{count} kept") for name, count in there]
        if self._collection not in {name for name, _ in there}:
            choices.insert(0, Choice(self._collection, self._collection, "nothing kept yet"))
        choices.sort(key=lambda each: each.value != self._collection)
        title = "Show the collection" if self.has_class("-kept") else "Keep in the collection"
        self.app.push_screen(
            ChooseScreen(
                title, choices, new="a new collection", hint="Type a name to make a new one"
            ),
            take,
        )

    def action_collect(self, by: int) -> None:
        names = [name for name, _ in self._on_desk(lambda desk: desk.collections()) or []]
        if names:
            at = names.index(self._collection) + by if self._collection in names else 0
            self._choose_collection(names[at % len(names)])
            self._show_kept()

    def _choose_collection(self, name: str) -> None:
        self._collection = one_line(name, 80) or DEFAULT_COLLECTION
        self._on_desk(lambda desk: desk.choose(COLLECTION, self._collection))

    def _on_desk(self, deed: Callable[[Desk], T]) -> T | None:
        """Read or write a row of the desk; a refusal is told."""
        try:
            return deed(self.desk)
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return None

    # -- leaving -------------------------------------------------------------------------------

    def listing(self) -> Listing | None:
        if self.has_class("-kept"):
            return listing_of_kept(self._collection, self._kept, self._shelf()[0] or [])
        return listing_of_hits(self._found) if self._found and self._found.hits else None


_OWN = frozenset(
    "read keep drop collection note why copy undo claim filters clear this_book more kept "
    "collect move scroll history".split()
)
"""Actions on plain letters, which are the box's while one is written in."""


def looked(library: Library, asked: Asked, there: Mapping[str, str], progress: Progress) -> Found:
    """Search, and fetch what shows the hits in their pages; there are texts already at hand."""
    from scholar_indexes.search import shared

    hits = library.find(
        asked.claim, books=asked.books, author=asked.author or None,
        chapters=asked.chapters or None, n=asked.n, mode=asked.mode, sentences=asked.sentences,
        context=asked.context, speaker=asked.speaker or None, progress=progress,
    )  # fmt: skip
    texts: dict[str, str] = {}
    for book in list({hit.item.book.id: hit.item.book for hit in hits}.values())[:TEXTS]:
        with suppress(NotThere):  # it was removed just now
            if (text := there.get(book.sha256)) is None:
                text = library.text(library.book(book.id))
            texts[book.sha256] = text
    with suppress(ScholarError):  # a full disk keeps nobody from finding
        library.desk.choose(SESSION, asked.written())
    return Found(asked, hits, [shared(asked.claim, hit.item.passage.text) for hit in hits], texts)


def nearest(text: str, body: Span, hit: Span) -> Span:
    """The paragraphs in which a hit stands."""
    from scholar_indexes.books.passages import paragraphs

    start, end = hit.start, hit.end
    for paragraph in paragraphs(text, body):
        if paragraph.start >= hit.end:
            break
        if paragraph.end > hit.start:
            start, end = min(start, paragraph.start), max(end, paragraph.end)
    return Span(start, end)


def placed(title: str, chapter: str, author: str) -> str:
    """Where a quotation stands, what tells it from its neighbours first."""
    return ", ".join(one_line(part) for part in (title, chapter, author) if part)


def explained(hit: Hit[Evidence], shared: list[str]) -> Content:
    """Why a hit is ranked where it is."""
    words = ", ".join(one_line(word, 40) for word in shared[:20]) or "no word of the claim"
    ranks = f"{ranked(hit.item.dense)}  ·  by words {ranked(hit.item.lexical)}"
    return _lines([("by meaning", ranks), ("in common", words)])


def told(kept: Clipping) -> Content:
    """When and for what a quotation was kept, and the note on it."""
    lines = [("kept", one_line(kept.kept).replace("T", " ").removesuffix("Z"))]
    if kept.claim:
        lines.append(("for", one_line(kept.claim, 300)))
    if kept.note:
        lines.append(("note", safe(kept.note)))
    return _lines(lines)


def ranked(there: Ranked | None) -> str:
    return f"rank {there.rank} ({there.score:.3f})" if there else "not among its places"


def _lines(lines: list[tuple[str, str]]) -> Content:
    return Content("\n").join(
        Content.assemble((f"{name:<10} ", "$foreground-muted"), value) for name, value in lines
    )


def clipping(found: Evidence, claim: str, collection: str) -> Clipping:
    """A hit as it is kept."""
    chapter = ", ".join((*map(one_line, found.chapter.part), records.chapter_name(found.chapter)))
    return Clipping(
        found.locator, found.passage.text, found.book.id, found.book.author, found.book.title,
        chapter, one_line(claim, 2_000), collection=collection,
    )  # fmt: skip


def listing_of_hits(found: Found) -> Listing:
    rows = [records.evidence(rank, hit, explain=True) for rank, hit in enumerate(found.hits, 1)]
    return Listing(
        one_line(found.asked.claim, 60),
        {
            "md": "\n".join(
                records.as_markdown(each["quote"], each["citation"], each["locator"])
                for each in rows
            ),
            "json": json.dumps(rows, ensure_ascii=False, indent=2) + "\n",
            "bib": records.bibtex(hit.item.book for hit in found.hits),
        },
    )


def listing_of_kept(collection: str, kept: list[Clipping], shelf: list[Shelved]) -> Listing | None:
    if not kept:
        return None
    books = {each.book.id: each.book for each in shelf}
    return Listing(
        collection,
        {
            "md": "\n".join(
                records.as_markdown(each.quote, records.cited(each), each.locator, each.note)
                for each in kept
            ),
            "json": json.dumps(
                [records.clipping(each) for each in kept], ensure_ascii=False, indent=2
            ) + "\n",
            "bib": records.bibtex(
                books.get(each.book_id)
                or Book(each.book_id, each.title, each.author, "", "", "")
                for each in kept
            ),
        },
    )  # fmt: skip
