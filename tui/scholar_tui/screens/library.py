"""Library: the books, the additions in progress, and the ways to open a book."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.events import Click
from textual.widgets import DataTable, Input, OptionList, Static

from scholar_indexes.serialize.listings import ExportListing
from scholar_tui.controllers.book_list import BookListController
from scholar_tui.controllers.library_changes import LibraryChanges
from scholar_tui.screens import library_layout
from scholar_tui.screens.add import AddScreen
from scholar_tui.screens.confirm import ConfirmScreen
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.book_details import BookDetails, ChapterList
from scholar_tui.widgets.book_table import BookTable
from scholar_tui.widgets.job_list import JobList
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.screen_header import ScreenHeader

if TYPE_CHECKING:
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_tui.job_queue import Job
    from scholar_tui.navigation import NavigationRequest

BOOK_ACTIONS = frozenset(
    {
        *("read", "find", "quiz", "look_in", "remove", "copy", "filter", "order"),
    }
)
"""Actions that need a book."""


class BookFilter(Input):
    """The box for words of a title or an author."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "screen.to_shelf", "To the books", tooltip="To the books that match"),
        Binding("escape", "screen.back", "All books", tooltip="Show all books again"),
    ]


class LibraryScreen(ModeScreen):
    """Library."""

    NAME = "library"
    ABOUT = """
    The books of your library. The other screens open the one under the cursor. Books are added
    one after another while you continue; reading, searches and quizzes elsewhere do not wait for
    them. Index shows whether searches find a book; Read shows how far you have read it; a page
    is 1,800 characters.
    """
    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {
        "In the box that adds a book": AddScreen,
        "In the list of chapters": ChapterList,
        "In a confirmation": ConfirmScreen,
        "In the box that narrows the list": BookFilter,
        "In the list of additions": JobList,
        "In the list of books": BookTable,
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = library_layout.BINDINGS
    DEFAULT_CSS = library_layout.CSS

    def __init__(self) -> None:
        super().__init__()
        self._list = BookListController(self)
        self._changes = LibraryChanges(self.library, self.scholar.jobs, self.app.push_screen)
        self._step = ""
        """The label of the work that was running last."""
        self._delegate_actions()

    def _delegate_actions(self) -> None:
        """Leave to the controllers what they do alone."""
        self.action_filter = self._list.open_filter
        self.action_to_shelf = self._list.focus
        self.action_order = self._list.sort_by_next
        self.action_sample = self._changes.add_sample
        self.action_build = self._changes.rebuild_index

    def compose(self) -> ComposeResult:
        yield ScreenHeader(self.NAME)
        yield Static("", id="resume", markup=False)
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Static("", id="notice", markup=False)
                yield BookFilter(placeholder="words of a title or an author", id="filter")
                yield BookTable(id="shelf")
                yield Static("", id="empty", classes="empty", markup=False)
                yield Static("", id="line", classes="hint", markup=False)
                yield Static(_hidden_keys(self.BINDINGS), id="more", classes="hint", markup=False)
                yield JobList(self.scholar.jobs, id="jobs")
            yield BookDetails(id="about")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(BookTable).focus()
        self.watch(self.app, "app_focus", self._check_for_changes, init=False)
        self.watch(self.app, "progress", self._follow_work, init=False)
        self.scholar.jobs.changed.subscribe(self, self._follow_jobs)

    @property
    def is_complete(self) -> bool:
        return super().is_complete and bool(self.query(ChapterList))

    @property
    def books(self) -> list[StoredBook]:
        """All books of the library."""
        return self._list.books

    def activate(self, request: NavigationRequest | None) -> None:
        if isinstance(request, str):
            self.scholar.current_book = request.partition(":")[0]
        self._load()

    def _load(self) -> None:
        if self.is_complete:
            self._list.load()
        elif self.is_running:
            self.call_after_refresh(self._load)

    def _check_for_changes(self, focused: bool) -> None:
        """Reload when the terminal gets the focus: another program may have changed books."""
        if focused and self.is_current:
            self._load()

    def _follow_work(self, progress: tuple[str, int, int]) -> None:
        """Reload when another step of some work begins: the previous step may have added a book,
        or indexed one."""
        label = progress[0]
        if self._step and label != self._step:
            self._reload_if_current()
        self._step = label

    def _follow_jobs(self, progressed: Job | None) -> None:
        """Reload when a job was begun or has ended, and leave the list of jobs when it is empty."""
        if progressed is None:
            if self.query_one(JobList).has_focus and not self.scholar.jobs.jobs:
                self.focus_books()
            self._reload_if_current()
            self.refresh_bindings()

    def _reload_if_current(self) -> None:
        if self.is_current:
            self._load()

    @on(DataTable.RowHighlighted)
    def _show_highlighted(self, event: DataTable.RowHighlighted) -> None:
        is_current = event.row_key.value == self.query_one(BookTable).cursor_id
        if is_current and self.books and self.is_complete:
            self._list.show_details(self._list.selected)

    @on(BookDetails.ChapterSelected)
    async def _read_chapter(self, event: BookDetails.ChapterSelected) -> None:
        await self.scholar.navigate("reader", event.locator)

    @on(DataTable.RowSelected)
    async def action_read(self) -> None:
        if (stored := self._list.selected) is not None:
            await self.scholar.navigate("reader", stored.book.id)

    async def action_find(self) -> None:
        if (stored := self._list.selected) is not None:
            await self.scholar.navigate("find", {"claim": "", "book": stored.book.id})

    async def action_quiz(self) -> None:
        if (stored := self._list.selected) is not None:
            await self.scholar.navigate("quiz", stored.book.id)

    def action_copy(self) -> None:
        if (stored := self._list.selected) is not None:
            from scholar_tui import exporting

            bibtex = exporting.bibliography(self.library, [stored.book])
            self.scholar.copy(bibtex, f"the BibTeX of {stored.book.title}")

    def action_look_in(self) -> None:
        """Show the details if they are hidden, and focus the chapters."""
        if self._list.selected is not None:
            self.set_class(True, "-in")
            self.query_one(BookDetails).show_technical(True)
            self.call_after_refresh(self.query_one(ChapterList).focus)

    @on(Input.Changed, "#filter")
    def _apply_filter(self) -> None:
        self._list.show()

    def focus_books(self) -> None:
        self.query_one(BookTable).focus()

    def action_back(self) -> None:
        """Close the chapters if they hide the list, or else clear the filter."""
        box = self.query_one(BookFilter)
        if self.has_class("-in"):
            self.set_class(False, "-in")
            self.query_one(BookDetails).show_technical(False)
        elif self.focused in (None, self.query_one(BookTable), box):
            box.value = ""
        self.call_after_refresh(self.action_to_shelf)

    def action_clear_filters(self) -> None:
        self.query_one(BookFilter).value = ""
        self.call_after_refresh(self.action_to_shelf)

    @on(Click, "#resume")
    async def action_resume(self) -> None:
        """Continue the book that was read last."""
        if (stored := self._list.last_read) is not None:
            await self.scholar.navigate("reader", stored.book.id)

    @on(BookTable.OrderRequested)
    def _sort(self, event: BookTable.OrderRequested) -> None:
        self._list.sort_by(event.order)

    def action_refresh(self) -> None:
        self._load()
        self.show_message(self._list.failure or f"{len(self.books)} books")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "sample":
            return not self.books and not self._list.failure and not self._changes.adds_sample
        if action == "clear_filters":
            return self.is_mounted and bool(self.query_one(BookFilter).value)
        if action == "resume":
            return self._list.last_read is not None
        if action in BOOK_ACTIONS:
            return bool(self.books)
        if action == "cancel":
            return bool(self.scholar.jobs.jobs)
        return True

    def action_add(self, typed: str = "") -> None:
        self.app.push_screen(AddScreen(self, typed), self._changes.add)

    def action_remove(self) -> None:
        if (stored := self._list.selected) is not None:
            self._changes.remove(stored)

    def action_cancel(self) -> None:
        self.scholar.jobs.cancel(self.query_one(JobList).chosen)

    @on(OptionList.OptionSelected, "#jobs")
    def _retry(self, event: OptionList.OptionSelected) -> None:
        """Retry a failed job; the line of an addition can be changed first."""
        job = self.scholar.jobs.take_failed(event.option_index)
        if job is None:
            return
        if job.typed:
            self.action_add(job.typed)
        else:
            self.scholar.jobs.retry(job)

    def exports(self) -> list[ExportListing]:
        from scholar_tui import exporting

        books = self._list.shown
        return exporting.export_books(self.library, books) if books else []


def _hidden_keys(bindings: Iterable[BindingType]) -> Content:
    """Return the keys for a book that do not fit in the footer."""
    hidden = [
        binding
        for binding in Binding.make_bindings(bindings)
        if not binding.show and binding.key not in ("escape", "delete")
    ]
    parts = [
        Content.assemble((binding.key, "$foreground"), f" {binding.description}")
        for binding in hidden
    ]
    return Content("  ").join(parts)
