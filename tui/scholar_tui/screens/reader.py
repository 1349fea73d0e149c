"""Reader: a book in one scroll, who speaks in colour, and a way to every place in it.

errand -> (in a thread) Library.read -> Page -> (in a thread) Library.speakers -> coats of paint
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Input, Label, Static

from scholar_indexes import records
from scholar_indexes.books import locators
from scholar_indexes.books.locators import Locator
from scholar_indexes.desk import DEFAULT_COLLECTION, Clipping, Place
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.types import Chapter, Progress, Span
from scholar_indexes.untrusted import one_line, safe
from scholar_tui.screens.choosing import Choice, ChooseScreen
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.outline import Outline, label
from scholar_tui.widgets.page import SPEAKERS, Page, Paint

if TYPE_CHECKING:
    from scholar_indexes.answers import Quote
    from scholar_indexes.desk import Desk
    from scholar_indexes.reading import Reading, Voices

T = TypeVar("T")

RESTS_S = 0.4
"""After the last line that moved, before the place is written down."""

PAUSE_S = 0.15
"""After the last key of what is sought, before it is."""

COATS = ("heading", "speakers", "unsure", "hit", "quotation", "cue", "found", "match")
"""The coats of paint, from the lowest."""

COLLECTION, COLOURS = "find.collection", "reader.colours"
"""Choices on the desk: the collection that was chosen, here or in Find; whether in colour."""

_CHARACTERS = re.compile(r":\d+-\d+$", re.ASCII)

EMPTY = """The shelf is empty.

Press F2 to put books on it: a number or a title of Project Gutenberg, a file of your own, or the
sample of three novels that comes with scholar."""


class Line(Static):
    """A line about the book: the mouse selects in the page alone."""

    ALLOW_SELECT = False

    def __init__(self, id: str) -> None:
        super().__init__("", id=id, markup=False)


class BookPage(Page, inherit_bindings=False):
    """The page of the reader, which has a key of its own for every way through it."""


class GoToScreen(ModalScreen[str | None]):
    """In the box for a place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", tooltip="Stay where you are"),
    ]
    DEFAULT_CSS = """
    GoToScreen #means { height: auto; max-height: 4; color: $foreground-muted; }
    GoToScreen #means.-wrong { color: $error; }
    """

    def __init__(self, meant: Callable[[str], str]) -> None:
        """meant says what a place is, or raises a ScholarError."""
        super().__init__()
        self._meant = meant

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Go to", markup=False)
            yield Input(placeholder="12, 3.4, pg1342:3.4, a chapter's title, 50%")
            yield Static("a chapter, chapter.paragraph, a locator, a title or a share of the book",
                         id="means", markup=False)  # fmt: skip

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _preview(self, changed: Input.Changed) -> None:
        if changed.value.strip():
            try:
                self._say(self._meant(changed.value))
            except ScholarError as refusal:
                self._say(str(refusal))

    @on(Input.Submitted)
    def _go(self, submitted: Input.Submitted) -> None:
        try:
            self._meant(submitted.value)
        except ScholarError as refusal:
            self._say(str(refusal), wrong=True)
        else:
            self.dismiss(submitted.value)

    def _say(self, line: str, *, wrong: bool = False) -> None:
        means = self.query_one("#means", Static)
        means.set_class(wrong, "-wrong")
        means.update(one_line(line, 240))


class ReaderScreen(Journey):
    NAME = "reader"
    ABOUT = """
    Read a book from beginning to end, or come to a place that was found. Who speaks is in colour,
    with the names of those in sight below the page; a quotation in italics and underlined is one
    whose speaker is a guess. Step from one quotation of a speaker to the next, search the whole
    book, jump to a chapter or a locator. What is copied or kept is what the mouse selected, or else
    the quotation you stepped to, or the paragraph that is marked, or the one at the top, always
    with its source. Where you stop is remembered for every book.
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = "Page"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/",
                tooltip="Search the whole book; capitals count only where you type some"),
        Binding("n", "match(1)", "Next match", show=False, tooltip="The next match"),
        Binding("N", "match(-1)", "Match before", show=False, tooltip="The match before"),
        Binding("g", "go_to", "Go to",
                tooltip="Go to a chapter, a paragraph, a locator, a title or a share of the book"),
        Binding("o", "outline", "Outline", tooltip="Show the chapters, or hide them"),
        Binding("y", "copy", "Copy", tooltip="Copy what is selected or marked with its source"),
        Binding("s", "keep", "Keep", show=False,
                tooltip="Keep what is selected or marked in the collection"),
        Binding("S", "collection", "Collection…", show=False,
                tooltip="Keep it in another collection, or a new one"),
        Binding("full_stop", "speaker(1)", "Speaker on", show=False, key_display=".",
                tooltip="The next quotation of this speaker, with what says so"),
        Binding("comma", "speaker(-1)", "Speaker back", show=False, key_display=",",
                tooltip="The quotation of this speaker before"),
        Binding("greater_than_sign", "quotation(1)", "Quotation on", show=False, key_display=">",
                tooltip="The next quotation, whoever speaks"),
        Binding("less_than_sign", "quotation(-1)", "Quotation back", show=False, key_display="<",
                tooltip="The quotation before, whoever speaks"),
        Binding("w", "who", "Who", show=False, tooltip="Choose whose quotations to step through"),
        Binding("l", "colours", "Colours", show=False, tooltip="Colours of speakers on or off"),
        Binding("J", "mark(1)", "Mark on", show=False, tooltip="Mark the next paragraph"),
        Binding("K", "mark(-1)", "Mark back", show=False, tooltip="Mark the paragraph before"),
        Binding("right_square_bracket", "chapter(1)", "Chapter on", show=False, key_display="]",
                tooltip="The next chapter"),
        Binding("left_square_bracket", "chapter(-1)", "Chapter back", show=False, key_display="[",
                tooltip="The beginning of the chapter, and then the chapter before"),
        Binding("backspace", "back", "Back", show=False,
                tooltip="Back to where you were before the last jump"),
        Binding("b", "book", "Book", show=False, tooltip="Read another book of the shelf"),
        Binding("space,pagedown", "scroll('page_down')", "Page down", show=False,
                tooltip="Turn the page; its last line comes to the top"),
        Binding("pageup", "scroll('page_up')", "Page up", show=False, tooltip="Turn back"),
        Binding("j,down", "scroll('scroll_down')", "Line down", show=False, tooltip="A line on"),
        Binding("k,up", "scroll('scroll_up')", "Line up", show=False, tooltip="A line back"),
        Binding("home", "edge(True)", "Beginning", show=False, tooltip="Beginning of the book"),
        Binding("end", "edge(False)", "End", show=False, tooltip="End of the book"),
        Binding("escape", "leave", "Back", show=False,
                tooltip="From the search or the outline to the page; then unmark everything"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    ReaderScreen {
        #running { height: 1; background: $surface; color: $foreground-muted; padding: 0 1; }
        #where { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        #count { width: auto; padding: 0 1; color: $accent; }
        #place { width: auto; }
        #outline { width: 34; max-width: 45%; display: none; }
        &.-wide #outline { display: block; }
        #sheet { width: 1fr; background: $surface; }
        #page { height: 1fr; }
        #said {
            height: auto; max-height: 2; padding: 0 1; background: $panel; display: none;
            text-overflow: ellipsis;
        }
        #legend { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #seek { height: 1; display: none; background: $panel; }
        #seek Label { width: auto; padding: 0 0 0 1; color: $accent; }
        #sought { border: none; height: 1; width: 1fr; padding: 0 1; background: $panel; }
        #empty { height: 1fr; display: none; }
        &.-empty #empty { display: block; }
        &.-empty #page, &.-empty #legend, &.-empty #running, &.-empty #outline { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._reading: Reading | None = None
        self._voices: Voices | None = None
        self._coats: tuple[list[Paint], list[Paint]] = [], []
        self._silence = ""
        """Why there are no voices; empty while they may still come."""
        self._speechless = False
        self._coloured = True
        self._quote: Quote | None = None
        self._mark: Span | None = None
        self._sought = ""
        self._matches: list[Span] = []
        self._match = -1
        self._seeking = False
        self._sought_from = 0
        self._trail: list[int] = []
        self._visiting = False
        """Whether nothing was read yet since a place was shown that somebody was sent to."""
        self._arrival = 0
        """What was at the top then."""
        self._opening: tuple[str, Locator | None] | None = None
        self._interrupted: tuple[str, Locator | None] | None = None
        """What was being opened when the screen was left."""
        self._top = 0
        self._noted: Place | None = None
        self._rests: Timer | None = None
        self._pause: Timer | None = None
        self._refusal = ""

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        with Horizontal(id="running"):
            yield Line(id="where")
            yield Line(id="count")
            yield Line(id="place")
        with Horizontal():
            yield Outline(id="outline")
            with Vertical(id="sheet"):
                yield Static("", id="empty", classes="empty", markup=False)
                yield BookPage(id="page")
                with Horizontal(id="seek"):
                    yield Label("search", markup=False)
                    yield Input(id="sought", compact=True, placeholder="words of the book")
                yield Line(id="said")
                yield Line(id="legend")
        yield Footer()

    def on_mount(self) -> None:
        self._coloured = self._on_desk(lambda desk: desk.choice(COLOURS)) != "off"
        self.watch(self.app, "theme", self._legend, init=False)

    @property
    def _whole(self) -> bool:
        """Whether the screen still stands: an answer may come while the program is quitting."""
        return bool(self.query(Page))

    @property
    def page(self) -> Page:
        return self.query_one(Page)

    @property
    def outline(self) -> Outline:
        return self.query_one(Outline)

    # -- coming and going --------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        if isinstance(errand, str) and errand.strip():
            self._visit(errand)
        else:
            self._return()

    def on_screen_suspend(self) -> None:
        self._interrupted, self._opening = self._opening, None
        self._note()

    def on_unmount(self) -> None:
        self._note()

    def _visit(self, errand: str) -> None:
        """Go to a locator, or to a book where it was left."""
        try:
            place = locators.parse(errand)
        except UsageError:
            place = None  # a title, perhaps
        reading = self._reading
        if place and reading and place.book_id == reading.book.id and self._current(reading):
            if place.chapter is None:
                self._return()
            else:
                self._show_place(place)
            return
        if place and place.chapter is not None:
            self._open(place.book_id, place)
        else:
            self._open(errand)

    def _return(self) -> None:
        """Read on: the book that the screens are about, the last one, or any."""
        if self._opening:
            return
        if self._interrupted:
            self._open(*self._interrupted)
            return
        try:
            listed = {each.book.id: each for each in self.library.books()}
        except ScholarError as refusal:
            self._empty(str(refusal))
            return
        reading = self._reading
        wanted = self.scholar.book or (reading.book.id if reading else None)
        if reading and wanted == reading.book.id:
            there = listed.get(wanted)
            if there is None:
                self._gone(reading)
            elif there.book.sha256 != reading.book.sha256:
                self._replaced(reading)
            else:
                if not self._speechless:  # it failed, and may not now
                    self._silence = ""
                self._hear()
            return
        last = self._on_desk(lambda desk: desk.last_place())
        for book_id in (wanted, last.book_id if last else None, *listed):
            if book_id in listed:
                self._open(book_id)
                return
        self._empty(EMPTY)

    def _current(self, reading: Reading) -> bool:
        """Whether the book is still on the shelf with the text that is shown."""
        try:
            there = self.library.catalog.with_id(reading.book.id)
        except ScholarError:
            return True
        return there is not None and there.book.sha256 == reading.book.sha256

    def _gone(self, reading: Reading) -> None:
        title = one_line(reading.book.title, 80)
        self._reading = None
        self._empty(
            f"“{title}” was taken off the shelf.\n\n"
            "Press b to read another book, or F2 to add this one again."
        )

    def _replaced(self, reading: Reading) -> None:
        self._note()
        self.tell(f"the text of {one_line(reading.book.title, 80)} was replaced; it is read anew")
        self._open(reading.book.id)

    def _open(self, reference: str, place: Locator | None = None) -> None:
        """Open a book at a place, or where it was left."""
        self._note()
        self.cancel("speakers")
        self._opening, self._interrupted = (reference, place), None
        if self._reading is None:
            self._empty("Opening the book …")
        self.ask(
            lambda progress: self.library.read(reference),
            lambda reading: self._opened(reading, place),
            refused=self._unopened,
            group="opening",
        )

    def _unopened(self, refusal: ScholarError) -> None:
        self._opening = None
        if not self._whole:
            return
        if self._reading is None:
            line = str(refusal)
            self._empty(
                f"{line[:1].upper()}{line[1:]}.\n\n"
                "Press b to read another book, or F2 for the shelf."
            )
        else:
            self.tell(str(refusal), severity="error")

    def _empty(self, line: str) -> None:
        """Nothing is read, and this is why."""
        self.add_class("-empty")
        self.query_one("#empty", Static).update(safe(line))
        self._close_search()
        self.query_one("#said").display = False
        self.set_focus(None)

    def _opened(self, reading: Reading, place: Locator | None) -> None:
        self._opening = None
        if not self._whole:
            return
        self._reading, self._voices, self._silence = reading, None, ""
        self._quote = self._mark = None
        self._matches, self._match, self._sought, self._trail = [], -1, "", []
        self.scholar.book = reading.book.id
        self.remove_class("-empty")
        self._close_search()
        page = self.page
        page.show(reading.text)
        for coat in COATS:
            page.paint(coat, ())
        page.paint("heading", [
            Paint(Span(each.span.start, each.body.start), "heading") for each in reading.chapters
            if each.span.start < each.body.start
        ])  # fmt: skip
        written = [
            each for each in reading.chapters if each.number or each.span.of(reading.text).strip()
        ]
        self.outline.show(tuple(written))
        kept = self._on_desk(lambda desk: desk.place(reading.book.id))
        start = self._top = reading.resumed(kept)
        at = self._noted = Place(reading.book.id, reading.locator(start), start)
        self._on_desk(lambda desk: desk.note_place(at))
        page.go_to(start)
        if place is not None:
            self._show_place(place, since=start)
        page.focus()
        self._hear()
        self.call_after_refresh(self._look)

    def _show_place(self, place: Locator, since: int | None = None) -> None:
        """Bring a place to the middle; one with a span is marked."""
        if self._reading is None:
            return
        try:
            span = self._reading.span(Locator(self._reading.book.id, *_inner(place)))
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return
        self._note()
        self._visiting = True
        self._wait_for_rest()
        self._trail.append(self.page.top if since is None else since)
        self._set_mark(span if place.span else None)
        self.page.go_to(span.start, middle=place.span is not None)
        self.call_after_refresh(self._arrive_there)
        self.page.focus()

    def _arrive_there(self) -> None:
        self._arrival = self.page.top

    # -- where one is ------------------------------------------------------------------------

    @on(Page.Moved)
    def _moved(self) -> None:
        self._top = self.page.top  # what the message has may be of the book before
        self._look()
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        if self._rests is not None:
            self._rests.stop()
        self._rests = self.set_timer(RESTS_S, self._rested)

    def _rested(self) -> None:
        arriving = self._visiting and self.page.top == self._arrival
        self._visiting = False  # from here on it is reading
        if not arriving:
            self._note()

    def _note(self) -> None:
        """Write down where reading stopped."""
        if self._rests is not None:
            self._rests.stop()
            self._rests = None
        reading = self._reading
        if reading is None or self._visiting:
            return
        place = Place(reading.book.id, reading.locator(self._top), self._top)
        if place != self._noted:
            self._noted = place
            self._on_desk(lambda desk: desk.note_place(place))

    def _look(self) -> None:
        """Say where one is, and who is heard there."""
        reading = self._reading
        if reading is None:
            return
        seen = self.page.seen
        here = self._here
        chapter = reading.chapter(here)
        self.outline.follow(chapter)
        names = (reading.book.title, *chapter.part, label(chapter))
        self._write("#where", " · ".join(one_line(each) for each in names if each))
        self._write("#place", f"{reading.locator(here)}  {reading.share(seen):>3} %")
        self._count()
        self._legend()

    @property
    def _here(self) -> int:
        """The place one is at: its words, not the white space before them."""
        here = self.page.here
        words = Span(here, self.page.seen.end).of(self.page.text)
        return here + len(words) - len(words.lstrip()) if words.strip() else here

    def _write(self, part: str, line: str) -> None:
        static = self.query_one(part, Static)
        if static.content != line:
            static.update(line)

    def _on_desk(self, do: Callable[[Desk], T]) -> T | None:
        """Do something on the desk; what it refuses is told once."""
        try:
            done = do(self.desk)
        except (ScholarError, OSError) as failure:
            refusal = (
                failure if isinstance(failure, ScholarError) else self.scholar.unforeseen(failure)
            )
            if str(refusal) != self._refusal:
                self._refusal = str(refusal)
                self.tell(self._refusal, severity="error")
            return None
        self._refusal = ""
        return done

    def _jump(self, start: int, *, middle: bool = False) -> None:
        """Go elsewhere, with a way back."""
        self._visiting = False
        self._trail.append(self.page.top)
        self.page.go_to(start, middle=middle)

    def _bring(self, span: Span) -> None:
        """Bring a span into sight, if it is not."""
        seen = self.page.seen
        if not (seen.start <= span.start and span.end <= seen.end):
            self._jump(span.start, middle=True)

    def action_back(self) -> None:
        while self._trail and self._trail[-1] == self.page.top:
            self._trail.pop()
        if self._trail:
            self._visiting = False
            self.page.go_to(self._trail.pop())
        else:
            self.tell("this is where you began")

    def action_scroll(self, how: str) -> None:
        if self._reading:
            getattr(self.page, f"action_{how}")()

    def action_edge(self, first: bool) -> None:
        if self._reading:
            self._jump(0 if first else len(self._reading.text))

    def action_chapter(self, by: int) -> None:
        if self._reading is None:
            return
        here = self.page.here
        openings = [each.span.start for each in self._reading.chapters
                    if each.span.of(self._reading.text).strip()]  # fmt: skip
        there = (
            next((each for each in openings if each > here), None) if by > 0
            else next((each for each in reversed(openings) if each < here), None)
        )  # fmt: skip
        if there is None:
            self.tell("this is the last chapter" if by > 0 else "this is the beginning")
        else:
            self._jump(there)

    def action_go_to(self) -> None:
        if self._reading:
            self.app.push_screen(GoToScreen(self._meant), self._gone_to)

    def _meant(self, written: str) -> str:
        """What a place is, as one would say it; raises a ScholarError."""
        reading = self._reading
        if reading is None:
            return ""
        if elsewhere := self._elsewhere(written):
            return f"{one_line(self.library.book(elsewhere.book_id).book.title)}, {elsewhere}"
        span = reading.meant(written)
        chapter = reading.chapter(span.start)
        opening = one_line(reading.paragraph(max(span.start, chapter.body.start)).of(reading.text))
        return f"{label(chapter)}, {reading.locator(span.start)}: {opening}"

    def _elsewhere(self, written: str) -> Locator | None:
        """A locator of another book, if it is one."""
        if self._reading is None or ":" not in written.strip().strip(":"):
            return None
        try:
            place = locators.parse(written)
        except UsageError:
            return None
        here = (
            place.book_id.isdigit() or place.book_id.casefold() == self._reading.book.id.casefold()
        )
        return None if here else place

    def _gone_to(self, written: str | None) -> None:
        if written is None or self._reading is None:
            return
        if elsewhere := self._elsewhere(written):
            self._visit(str(elsewhere))
            return
        span = self._reading.meant(written)
        self._set_mark(span if _CHARACTERS.search(written.strip()) else None)
        self._jump(span.start, middle=self._mark is not None)

    def action_book(self) -> None:
        """Choose another book."""
        try:
            listed = self.library.books()
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            return
        if not listed:
            self._empty(EMPTY)
            return
        here = self._reading.book.id if self._reading else ""
        choices = []
        for each in listed:
            place = self._on_desk(lambda desk, book_id=each.book.id: desk.place(book_id))  # type: ignore[misc]
            share = f"  {100 * place.start // max(each.characters, 1)} %" if place else ""
            mark = "  (this one)" if each.book.id == here else ""
            choices.append(
                Choice(each.book.id, each.book.title, f"{each.book.author}{share}{mark}")
            )
        choices.sort(key=lambda choice: choice.value != here)
        self.app.push_screen(ChooseScreen("Read", choices), self._book_chosen)

    def _book_chosen(self, chosen: list[str] | None) -> None:
        if chosen and not (self._reading and self._reading.book.id == chosen[0]):
            self._open(chosen[0])

    # -- the outline -------------------------------------------------------------------------

    def action_outline(self) -> None:
        outline = self.outline
        outline.display = not outline.display
        if outline.display and self._reading:
            outline.focus()
        else:
            self.page.focus()

    @on(Outline.Chosen)
    def _chapter_chosen(self, chosen: Outline.Chosen) -> None:
        self._jump(chosen.chapter.span.start)
        if self.has_class("-narrow"):
            self.outline.display = False
        self.page.focus()

    # -- search ------------------------------------------------------------------------------

    def action_search(self) -> None:
        if self._reading is None:
            return
        self._sought_from = self.page.top
        self.query_one("#seek").display = True
        field = self.query_one("#sought", Input)
        field.focus()
        field.action_select_all()

    @on(Input.Changed, "#sought")
    def _typed(self, changed: Input.Changed) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE_S, lambda: self._seek(changed.value))

    @on(Input.Submitted, "#sought")
    def _submitted(self, submitted: Input.Submitted) -> None:
        if self._pause is not None:
            self._pause.stop()
        if submitted.value.strip() != self._sought:
            self._seek(submitted.value)
        self._close_search()
        self._trail.append(self._sought_from)
        self._visiting = False
        self.page.focus()

    def _close_search(self) -> None:
        self.query_one("#seek").display = False

    def _seek(self, sought: str) -> None:
        """Look for words in the whole book."""
        from scholar_indexes import reading as books

        reading, self._sought = self._reading, sought.strip()
        if reading is None:
            return
        self._seeking = True

        def look(progress: Progress) -> tuple[list[Span], list[Paint]]:
            found = books.matches(reading, sought, lambda: progress("", 0, 0))
            return found, [Paint(each, "found") for each in found]

        self.ask(look, lambda answer: self._found(sought, *answer), group="seeking")

    def _found(self, sought: str, found: list[Span], paints: list[Paint]) -> None:
        if sought.strip() != self._sought or not self._whole:
            return
        self._matches, self._match, self._seeking = found, -1, False
        self.page.paint("found", paints)
        self._go_to_match(self._after(self._sought_from, 1) if found else -1)
        if not found and self._sought:
            self.page.go_to(self._sought_from)

    def _after(self, place: int, by: int) -> int:
        """The number of the match at or after a place, or of the last before it; round the end."""
        from bisect import bisect_left

        at = bisect_left(self._matches, Span(place, 0))
        return (at if by > 0 else at - 1) % len(self._matches)

    def action_match(self, by: int) -> None:
        if self._seeking:
            return
        if not self._matches:
            none = f"“{one_line(self._sought, 40)}” is not in this book; / searches again"
            self.tell(none if self._sought else "nothing is sought yet; / searches")
            return
        seen = self.page.seen
        here = self._matches[self._match] if self._match >= 0 else None
        if here is not None and here.start < seen.end and here.end > seen.start:
            self._go_to_match((self._match + by) % len(self._matches))
        else:
            self._go_to_match(self._after(seen.start, by))

    def _go_to_match(self, number: int) -> None:
        self._match = number
        self._count()
        self.page.paint("match", [Paint(self._matches[number], "current")] if number >= 0 else [])
        if number < 0:
            return
        span = self._matches[number]
        seen = self.page.seen
        if not (seen.start <= span.start and span.end <= seen.end):
            self._visiting = False
            self.page.go_to(span.start, middle=True)

    def _count(self) -> None:
        sought = one_line(self._sought)
        if not sought:
            self._write("#count", "")
            return
        shown = sought if len(sought) <= 18 else f"{sought[:17]}…"
        total = len(self._matches)
        at = f"{self._match + 1:,} of {total:,}" if self._match >= 0 else "none"
        self._write("#count", f"“{shown}” {at}")

    # -- who speaks --------------------------------------------------------------------------

    def _hear(self) -> None:
        """Find who speaks, unless that is known or was tried."""
        reading = self._reading
        if reading is None or self._voices or self._silence:
            return
        book_id = reading.book.id

        def listen(progress: Progress) -> tuple[Voices, list[Paint], list[Paint]]:
            from scholar_indexes.reading import Voices

            voices = Voices(self.library.speakers(book_id, progress=progress))
            return voices, *coats(voices)

        self.ask(
            listen,
            lambda answer: self._heard(reading, *answer),
            refused=lambda refusal: self._unheard(reading, refusal),
            group="speakers",
        )
        self._legend()

    def _heard(
        self, reading: Reading, voices: Voices, speakers: list[Paint], guesses: list[Paint]
    ) -> None:
        if reading is not self._reading or not self._whole:
            return
        if any(each.book.sha256 != reading.book.sha256 for each in voices.quotes[:1]):
            self._replaced(reading)
            return
        self._voices = voices
        self._coats = speakers, guesses
        self._colour()
        self._legend()

    def _unheard(self, reading: Reading, refusal: ScholarError) -> None:
        if reading is not self._reading or not self._whole:
            return
        self._silence = str(refusal)
        self._speechless = isinstance(refusal, NoMatch)
        if not self._speechless:
            self.tell(self._silence, severity="error")
        self._legend()

    def _colour(self) -> None:
        speakers, guesses = self._coats if self._voices and self._coloured else ([], [])
        self.page.paint("speakers", speakers)
        self.page.paint("unsure", guesses)

    def _legend(self, *_: object) -> None:
        """The names of those who speak in what is seen, in their colours."""
        legend = self.query_one("#legend", Static)
        if self._silence:
            shown = Content.styled(one_line(self._silence, 300), "$foreground-muted")
        elif self._voices is None:
            shown = Content.styled(
                "finding out who speaks; the first time this takes some seconds, read on meanwhile",
                "$foreground-muted",
            )
        elif not self._coloured:
            shown = Content.styled("colours are off; l brings them back", "$foreground-muted")
        else:
            shown = _names(self._voices, self.page.seen)
        if legend.content != shown:
            legend.update(shown, layout=False)

    def action_colours(self) -> None:
        self._coloured = not self._coloured
        self._colour()
        self._legend()
        self._on_desk(lambda desk: desk.choose(COLOURS, "on" if self._coloured else "off"))

    def action_quotation(self, by: int) -> None:
        self._step(by, None)

    def action_speaker(self, by: int) -> None:
        from scholar_indexes.reading import speaker

        who = speaker(self._quote) if self._quote else None
        self._step(by, who.id if who else None)

    def _step(self, by: int, who: str | None) -> None:
        if not self._some_voices or self._voices is None:
            return
        seen = self.page.seen
        here = self._quote.quotation.span if self._quote else None
        if here is not None and here.start < seen.end and here.end > seen.start:
            start = here.start
        else:  # none yet, or one read on from
            start = seen.start - 1 if by > 0 else seen.end
        found = self._voices.next(start, who=who, back=by < 0)
        if found is None:
            name = one_line(self._voices.cast[who].name, 60) if who else "anybody"
            self.tell(f"no quotation of {name} {'after' if by > 0 else 'before'} this")
        else:
            self._choose(found)

    @property
    def _some_voices(self) -> bool:
        if self._reading and self._voices is None:
            self.tell(self._silence or "who speaks is still being found; in a moment")
        return self._voices is not None

    @on(Page.Pointed)
    def _pointed(self, pointed: Page.Pointed) -> None:
        if self._voices and (found := self._voices.at(pointed.at)):
            self._choose(found)

    def _choose(self, quote: Quote) -> None:
        """Show a quotation, who speaks it, and what says so."""
        assert self._voices
        self._quote = quote
        self._paint_quotation()
        self._bring(quote.quotation.span)
        said = self.query_one("#said", Static)
        said.update(_said(self._voices, quote))
        said.display = True

    def _paint_quotation(self) -> None:
        """Paint the quotation one is at, and what decided on its speaker."""
        quote = self._quote
        evidence = quote.attribution.evidence if quote else None
        pieces = quote.quotation.pieces if quote else ()
        self.page.paint("quotation", [Paint(piece, "current") for piece in pieces])
        self.page.paint("cue", [Paint(evidence, "found")] if evidence else [])

    def action_who(self) -> None:
        """Choose a speaker."""
        if not self._some_voices or self._voices is None:
            return
        voices = self._voices
        choices = [
            Choice(who, voices.cast[who].name, f"{count:,} quotation{'s' * (count != 1)}")
            for who, count in voices.counts.items()
        ]
        self.app.push_screen(ChooseScreen("Whose quotations", choices), self._who_chosen)

    def _who_chosen(self, chosen: list[str] | None) -> None:
        if not chosen or self._voices is None:
            return
        start = self.page.seen.start - 1
        found = self._voices.next(start, who=chosen[0]) or self._voices.next(-1, who=chosen[0])
        if found:
            self._choose(found)

    # -- taking something along --------------------------------------------------------------

    def _set_mark(self, span: Span | None) -> None:
        self._mark = span
        self.page.paint("hit", [Paint(span, "hit")] if span else [])

    def action_mark(self, by: int) -> None:
        """Mark a paragraph, the next one or the one before."""
        reading = self._reading
        if reading is None:
            return
        seen = self.page.seen
        if self._mark is None or self._mark.end < seen.start or self._mark.start > seen.end:
            span = reading.paragraph(self._here)
        else:
            span = reading.beside(self._mark.start, by) or self._mark
        self._set_mark(span)
        if not (seen.start <= span.start and span.end <= seen.end):
            self._visiting = False
            self.page.go_to(span.start, middle=by > 0)

    def _taken(self) -> tuple[Span, str] | None:
        """What is meant by copying or keeping, and its locator."""
        reading = self._reading
        if reading is None:
            return None
        selected = self.page.selected
        if selected and not selected.of(reading.text).strip():
            selected = None
        quoted = self._quote.quotation.span if self._quote else None
        span = selected or quoted or self._mark or reading.paragraph(self._here)
        citable = reading.citable(span)
        if selected and citable[0].end < span.start + len(span.of(reading.text).rstrip()):
            self.tell("a quotation ends with its chapter: what is beyond it is left out")
        return citable

    def _clipping(self, collection: str) -> Clipping | None:
        taken = self._taken()
        if self._reading is None or taken is None:
            return None
        span, locator = taken
        book, chapter = self._reading.book, self._reading.chapter(span.start)
        return Clipping(
            locator, span.of(self._reading.text), book.id, book.author, book.title,
            ", ".join((*chapter.part, label(chapter))), collection=collection,
        )  # fmt: skip

    def action_copy(self) -> None:
        clipping = self._clipping(DEFAULT_COLLECTION)
        if clipping is None:
            return
        quote, source = one_line(clipping.quote), records.cited(clipping)
        opening = quote if len(quote) <= 50 else f"{quote[:49]}…"
        text = f"“{quote}”\n— {source} [{clipping.locator}]"
        self.scholar.copy(text, f"{clipping.locator} “{opening}” with its source")

    def action_keep(self) -> None:
        if self._reading:
            self._keep(self._collection())

    def _collection(self) -> str:
        """The collection that was chosen last, here or in Find."""
        chosen = self._on_desk(lambda desk: desk.choice(COLLECTION))
        return chosen or DEFAULT_COLLECTION

    def _keep(self, collection: str) -> None:
        clipping = self._clipping(collection)
        if clipping is None:
            return

        def keep(desk: Desk) -> bool:
            before = {each.number for each in desk.clippings(one_line(collection, 80))}
            return desk.keep(clipping).number in before

        there = self._on_desk(keep)
        if there is not None:
            kept = "was kept before" if there else "kept"
            self.tell(f"{kept} in “{one_line(collection, 80)}”: {clipping.locator}")

    def action_collection(self) -> None:
        """Choose or make a collection to keep in, now and from now on."""
        if self._reading is None:
            return
        there = dict(self._on_desk(lambda desk: desk.collections()) or [])
        now = self._collection()
        there.setdefault(now, 0)
        choices = [Choice(name, name, f"{count} kept") for name, count in there.items()]
        choices.sort(key=lambda choice: choice.value != now)

        def take(chosen: list[str] | None) -> None:
            if chosen:
                name = one_line(chosen[0], 80)
                self._on_desk(lambda desk: desk.choose(COLLECTION, name))
                self._keep(name)

        self.app.push_screen(
            ChooseScreen(
                "Keep in the collection", choices, new="a new collection",
                hint="Type a name to make a new one",
            ),
            take,
        )  # fmt: skip

    def action_leave(self) -> None:
        """Escape: out of the search, then out of the outline, then off what is marked."""
        if self.query_one("#sought").has_focus:
            self._unseek()
            self.page.go_to(self._sought_from)
        elif self.outline.has_focus:
            if self.has_class("-narrow"):
                self.outline.display = False
        else:
            self._unseek()
            self._quote = None
            self._set_mark(None)
            self._paint_quotation()
            self.query_one("#said").display = False
            self.page.select(None)
        if self._reading:
            self.page.focus()

    def _unseek(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        self.cancel("seeking")
        self._sought, self._matches, self._match, self._seeking = "", [], -1, False
        with self.prevent(Input.Changed):
            self.query_one("#sought", Input).value = ""
        self.page.paint("found", ())
        self.page.paint("match", ())
        self._close_search()
        self._count()

    # -- export ------------------------------------------------------------------------------

    def listing(self) -> Listing | None:
        """What is selected; or the quotations of the chapter; or the paragraph."""
        reading = self._reading
        if reading is None:
            return None
        bib = records.bibtex([reading.book])
        chapter = reading.chapter(self._here)
        spoken = self._voices.within(chapter.span) if self._voices else []
        if self.page.selected or not spoken:
            clipping = self._clipping(DEFAULT_COLLECTION)
            assert clipping
            source = records.cited(clipping)
            return Listing(f"{reading.book.id}-quotation", {
                "md": records.as_markdown(clipping.quote, source, clipping.locator),
                "json": _json([records.clipping(clipping)]),
                "bib": bib,
            })  # fmt: skip
        return Listing(f"{reading.book.id}-chapter-{chapter.number}-quotations", {
            "md": _markdown(reading.book.title, chapter, spoken),
            "json": _json([records.quotation(each) for each in spoken]),
            "bib": bib,
        })  # fmt: skip


def coats(voices: Voices) -> tuple[list[Paint], list[Paint]]:
    """Quotations in the colours of their speakers, and those whose speakers are guesses."""
    from scholar_indexes.reading import speaker, unsure

    speakers, guesses = [], []
    for each in voices.quotes:
        who = speaker(each)
        for piece in each.quotation.pieces:
            if who is not None:
                speakers.append(Paint(piece, f"speaker-{_colour(voices, who.id)}"))
            if unsure(each):
                guesses.append(Paint(piece, "unsure"))
    return speakers, guesses


def _colour(voices: Voices, who: str) -> int:
    """The most talkative have a colour each; all others share the last."""
    return min(voices.ranks[who], SPEAKERS - 1)


def _names(voices: Voices, seen: Span) -> Content:
    """The speakers of what is seen, as they first speak."""
    from scholar_indexes.reading import speaker, unsure

    heard = voices.within(seen)
    cast = {who.id: who for who in map(speaker, heard) if who}
    parts: list[Content] = [
        Content.styled(f"■ {one_line(who.name, 30)}", f"$speaker-{_colour(voices, who.id)}")
        for who in cast.values()
    ]
    if any(map(unsure, heard)):
        parts.append(Content.styled("unsure", "italic underline"))
    if not parts:
        return Content.styled("nobody speaks here", "$foreground-muted")
    return Content("   ").join(parts)


def _said(voices: Voices, quote: Quote) -> Content:
    """Who speaks, how surely, and by which words one knows."""
    from scholar_indexes.reading import speaker, unsure

    who = speaker(quote)
    cue = one_line(quote.cue, 120)
    by = f"by “{cue}”" if cue else "by whose turn it is to speak"
    if who is None:
        return Content.assemble(
            ("who says this is not known", "bold"), f" · {one_line(quote.locator)}"
        )
    sure = f"{100 * quote.attribution.confidence:.0f} % sure"
    return Content.assemble(
        (one_line(who.name, 60), f"bold $speaker-{_colour(voices, who.id)}"),
        f" · {'a guess, ' if unsure(quote) else ''}{sure} · {by} · ",
        f"{voices.number(quote):,} of {voices.counts[who.id]:,} · {one_line(quote.locator)}",
    )


def _inner(place: Locator) -> tuple[int | None, int | None, Span | None]:
    return place.chapter, place.paragraph, place.span


def _json(found: list[dict[str, Any]]) -> str:
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _markdown(title: str, chapter: Chapter, spoken: list[Quote]) -> str:
    from scholar_indexes.reading import speaker

    heading = records.markdown_escaped(one_line(f"{title}, {label(chapter)}"))
    lines = [f"# {heading}\n"]
    for each in spoken:
        who = speaker(each)
        name = who.name if who else "speaker not known"
        source = f"{name}, in {records.citation(each.book, each.chapter)}"
        lines.append(records.as_markdown(each.text, source, each.locator))
    return "\n".join(lines)
