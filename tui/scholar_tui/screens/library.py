"""The shelf: what is on it, what is being put there, and the way to every book."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable, Footer, Input, OptionList, Static

from scholar_indexes import browse, records, wanted
from scholar_indexes.errors import ScholarError
from scholar_indexes.types import Progress
from scholar_indexes.untrusted import one_line
from scholar_tui.screens.add import AddScreen
from scholar_tui.screens.confirm import ConfirmScreen
from scholar_tui.screens.journey import Journey, Listing
from scholar_tui.widgets.colophon import Chapters, Colophon, in_one_line
from scholar_tui.widgets.jobs import Job, Jobs, Stage
from scholar_tui.widgets.masthead import Masthead
from scholar_tui.widgets.shelf import Row, Shelf

if TYPE_CHECKING:
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Place
    from scholar_indexes.types import Chapter

T = TypeVar("T")

EMPTY = """\
There are no books here yet.

Press s to add the bundled sample: The Great Gatsby, Pride and Prejudice and Frankenstein. \
It needs no network, and about a minute.

Press a to add a book of yours: by its number or address at Project Gutenberg, from a file \
(plain text, HTML or EPUB), or by looking for it in Gutenberg's catalogue."""


class Filter(Input):
    """In the box that narrows the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "screen.to_shelf", "To the books", tooltip="To the books that match"),
        Binding("escape", "screen.back", "All books", tooltip="Show all books again"),
    ]


class LibraryScreen(Journey):
    """The shelf."""

    NAME = "library"
    ABOUT = """
    The books of your library. The one under the cursor is the one that the other screens are
    about. Books are added one after the other while you go on; what is read, searched or asked
    elsewhere does not wait for them. Index says whether searches find a book; Read says how far
    it was read; a page is 1,800 characters.
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read", "Read", tooltip="Read on where reading stopped"),
        Binding("a", "add", "Add", tooltip="Add a book by number, address, file or title"),
        Binding("s", "sample", "Sample", tooltip="Add the three bundled books"),
        Binding("slash", "filter", "Filter", key_display="/",
                tooltip="Show only the books that have some words"),
        Binding("f", "find", "Find", tooltip="Find passages in this book"),
        Binding("p", "people", "People", show=False, tooltip="See the characters of this book"),
        Binding("q", "quiz", "Quiz", show=False, tooltip="Be quizzed on this book"),
        Binding("x", "cancel", "Cancel", tooltip="Stop what is being added, or put a failure away"),
        Binding("i", "look_in", "Chapters", show=False,
                tooltip="See all that is known of this book, and read from any of its chapters"),
        Binding("o", "order", "Order", show=False,
                tooltip="Order by author, title, size, when added or when read"),
        Binding("d,delete", "remove", "Remove", show=False,
                tooltip="Take this book off the shelf, once you have confirmed it"),
        Binding("b", "build", "Index", show=False,
                tooltip="Index the books that searches do not find yet, and mend the index"),
        Binding("r", "refresh", "Refresh", show=False,
                tooltip="Look at the shelf again, for what other programs have changed"),
        Binding("c", "copy", "Copy", show=False, tooltip="Copy this book's BibTeX entry"),
        Binding("escape", "back", "Back", show=False, tooltip="Back to the list, and all of it"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    LibraryScreen {
        & > #middle { height: 1fr; }
        & #left { width: 1fr; }
        & #notice { height: auto; padding: 0 1; color: $warning; display: none; }
        & #notice.-some { display: block; }
        & Filter { display: none; }
        & Filter.-some { display: block; }
        & #empty { height: 1fr; display: none; }
        & #line, & #more {
            height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #about { width: 44; padding: 0 1; border-left: solid $panel; }
        & #about:focus-within { border-left: solid $primary; }
        &.-wide #line { display: none; }
        &.-narrow #about { display: none; }
        &.-narrow.-in #about { display: block; width: 1fr; border-left: none; }
        &.-narrow.-in #left { display: none; }
        &.-empty #empty { display: block; }
        &.-empty Shelf { display: none; }
        &.-empty #line, &.-empty #more { display: none; }
        &.-empty #about { display: none; }
    }
    """

    @dataclass
    class Came(Message):
        """A job came further; posted by its thread."""

        job: Job
        label: str
        done: int
        total: int

    def __init__(self) -> None:
        super().__init__()
        self._books: list[Shelved] = []
        self._places: list[Place] = []
        self._indexed: set[int] | None = None
        self._order = "author"
        self._failure = ""

    def compose(self) -> ComposeResult:
        yield Masthead(self.NAME)
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Static("", id="notice", markup=False)
                yield Filter(placeholder="words of a title or an author", id="filter")
                yield Shelf(id="shelf")
                yield Static("", id="empty", classes="empty", markup=False)
                yield Static("", id="line", classes="hint", markup=False)
                yield Static(_more(self.BINDINGS), id="more", classes="hint", markup=False)
                yield Jobs(id="jobs")
            yield Colophon(id="about")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Shelf).focus()
        self.watch(self.app, "app_focus", self._came_back, init=False)

    def arrive(self, errand: Any) -> None:
        if isinstance(errand, str):
            self.scholar.book = errand.partition(":")[0]
        self._load()

    def listing(self) -> Listing | None:
        shown = self._shown()
        if not shown:
            return None
        from json import dumps

        from scholar_indexes.untrusted import safe

        data = [records.shelved(each) for each in shown]
        return Listing(
            "shelf",
            {
                "md": records.shelf_as_markdown(shown),
                "json": safe(dumps(data, ensure_ascii=False, indent=2)) + "\n",
                "bib": records.bibtex(each.book for each in shown),
            },
        )

    def ask(
        self,
        work: Callable[[Progress], T],
        then: Callable[[T], None],
        *,
        refused: Callable[[ScholarError], None] | None = None,
        group: str = "asking",
        lasting: bool = False,
    ) -> None:
        """As a Journey does; but what comes when the program is being left is let go."""

        def received(answer: T) -> None:
            if self._stands:
                then(answer)

        def refusal(failure: ScholarError) -> None:
            if not self._stands:
                return
            if refused is None:
                self.tell(str(failure), severity="error")
            else:
                refused(failure)

        super().ask(work, received, refused=refusal, group=group, lasting=lasting)

    @property
    def _stands(self) -> bool:
        """Whether all parts of the screen are there."""
        return self.is_running and bool(self.query(Chapters))

    # -- what is there -----------------------------------------------------------------------

    def _came_back(self, focused: bool) -> None:
        """The terminal has the focus again: another program may have changed the shelf."""
        if focused and self.is_current:
            self._load()

    def _load(self) -> None:
        """Read the shelf, and then, in a thread, what of it is indexed."""
        if not self._stands:
            if self.is_running:
                self.call_after_refresh(self._load)
            return
        try:
            self._books, self._failure = self.library.books(), ""
        except ScholarError as refusal:
            self._books, self._failure = [], str(refusal)
        try:
            self._places = self.desk.places()
        except ScholarError as refusal:
            self._places = []
            self.tell(str(refusal), severity="error")
        if not any(each.book.id == self.scholar.book for each in self._books):
            self.scholar.book = next(
                (place.book_id for place in self._places if self._shelved(place.book_id)), None
            )
        self._show()
        self.ask(
            lambda progress: self.library.indexed(), self._show_indexed,
            refused=self._index_unknown, group="indexed",
        )  # fmt: skip

    def _show_indexed(self, indexed: set[int]) -> None:
        changed, self._indexed = indexed != self._indexed, indexed
        missing = [each.book.title for each in self._books if each.edition not in indexed]
        if missing:
            one = one_line(missing[0], 40)
            named = f"{one} is" if len(missing) == 1 else f"{one} and {len(missing) - 1} more are"
            self._notice(
                f"{named} not indexed for the model {self.library.settings.model}, "
                "so that no search finds it: press b to do that now"
            )
        else:
            self._notice("")
        if changed:
            self._show()

    def _index_unknown(self, refusal: ScholarError) -> None:
        self._indexed = None
        self._notice(str(refusal))

    def _notice(self, line: str) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(one_line(line, 400))
        notice.set_class(bool(line), "-some")

    def _shown(self) -> list[Shelved]:
        words = self.query_one(Filter).value
        return browse.ordered(browse.narrowed(self._books, words), self._order, self._places)

    def _show(self) -> None:
        """Show the books that are not filtered out."""
        self.set_class(not self._books, "-empty")
        self.query_one("#empty", Static).update(self._failure or EMPTY)
        shown = self._shown()
        self.query_one(Shelf).show(map(self._row, shown), self.scholar.book, self._order)
        box = self.query_one(Filter)
        box.border_subtitle = f"{len(shown)} of {len(self._books)}" if box.value else ""
        here = self._shelved(self.query_one(Shelf).here)
        if here is None and self._books:
            self._show_line("no book has all these words; Escape shows all")
            self.query_one(Colophon).show(None, None, "")
        else:
            self._look_at(here)
        self.refresh_bindings()

    def _row(self, each: Shelved) -> Row:
        return Row(
            each.book.id, each.book.title, each.book.author, browse.pages(each.characters),
            each.chapters, None if self._indexed is None else each.edition in self._indexed,
            browse.read_share(each, self._place(each.book.id)), each.added,
        )  # fmt: skip

    def _shelved(self, book_id: str | None) -> Shelved | None:
        return next((each for each in self._books if each.book.id == book_id), None)

    def _place(self, book_id: str) -> Place | None:
        return next((each for each in self._places if each.book_id == book_id), None)

    @property
    def _here(self) -> Shelved | None:
        return self._shelved(self.query_one(Shelf).here)

    # -- the book under the cursor -----------------------------------------------------------

    @on(DataTable.RowHighlighted)
    def _moved(self, event: DataTable.RowHighlighted) -> None:
        shelf = self.query_one(Shelf)
        if event.row_key.value == shelf.here and self._books and self._stands:
            self._look_at(self._here)

    def _look_at(self, shelved: Shelved | None) -> None:
        """Make a book the one that the screens are about, and show what is known of it."""
        if shelved is None:
            self.query_one(Colophon).show(None, None, "")
            return
        self.scholar.book = shelved.book.id
        place = self._place(shelved.book.id)
        self._show_line(in_one_line(shelved, place))
        indexed = "not known yet"
        if self._indexed is not None:
            there = shelved.edition in self._indexed
            indexed = f"{'yes' if there else 'no'}, for {self.library.settings.model}"
        about = self.query_one(Colophon)
        if not about.show(shelved, place, indexed):
            return

        def shown(chapters: list[Chapter]) -> None:
            if self.scholar.book == shelved.book.id:
                about.show_chapters(chapters)

        self.ask(
            lambda progress: self.library.chapters(shelved), shown,
            refused=lambda refusal: about.say(str(refusal)), group="chapters",
        )  # fmt: skip

    def _show_line(self, line: Any) -> None:
        self.query_one("#line", Static).update(line)

    @on(DataTable.RowSelected)
    async def _clicked(self) -> None:
        await self.action_read()

    @on(Colophon.Chosen)
    async def _chapter_chosen(self, event: Colophon.Chosen) -> None:
        await self.scholar.go("reader", event.locator)

    async def action_read(self) -> None:
        if (here := self._here) is not None:
            await self.scholar.go("reader", here.book.id)

    async def action_find(self) -> None:
        if (here := self._here) is not None:
            await self.scholar.go("find", {"claim": "", "book": here.book.id})

    async def action_people(self) -> None:
        if (here := self._here) is not None:
            await self.scholar.go("characters", here.book.id)

    async def action_quiz(self) -> None:
        if (here := self._here) is not None:
            await self.scholar.go("quiz", here.book.id)

    def action_copy(self) -> None:
        if (here := self._here) is not None:
            self.scholar.copy(records.bibtex([here.book]), f"the BibTeX of {here.book.title}")

    def action_look_in(self) -> None:
        if self._here is not None:
            self.set_class(True, "-in")
            self.call_after_refresh(self.query_one(Chapters).focus)

    # -- looking through ---------------------------------------------------------------------

    def action_filter(self) -> None:
        box = self.query_one(Filter)
        box.set_class(True, "-some")
        box.focus()

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self._show()

    def action_to_shelf(self) -> None:
        box = self.query_one(Filter)
        box.set_class(bool(box.value), "-some")
        self.query_one(Shelf).focus()

    def action_back(self) -> None:
        """Undo one thing: the chapters, where they hide the list, then the filter."""
        box = self.query_one(Filter)
        if self.has_class("-in"):
            self.set_class(False, "-in")
        elif self.focused in (None, self.query_one(Shelf), box):
            box.value = ""
        self.call_after_refresh(self.action_to_shelf)

    def action_order(self) -> None:
        at = browse.ORDERS.index(self._order)
        self._order_by(browse.ORDERS[(at + 1) % len(browse.ORDERS)])

    @on(Shelf.Ordered)
    def _head_clicked(self, event: Shelf.Ordered) -> None:
        if event.order in browse.ORDERS:
            self._order_by(event.order)

    def _order_by(self, order: str) -> None:
        self._order = order
        self._show()
        words = {"size": "the longest first", "added": "the newest first",
                 "read": "the last read first"}  # fmt: skip
        self.tell(f"ordered: {words.get(order, f'by {order}')}")

    def action_refresh(self) -> None:
        self._load()
        self.tell(f"{len(self._books)} books" if not self._failure else self._failure)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "sample":
            return not self._books and not self._failure
        if action in ("read", "find", "people", "quiz", "look_in", "remove", "copy", "filter",
                      "order"):  # fmt: skip
            return bool(self._books)
        if action == "cancel":
            return bool(self.is_mounted and self.query_one(Jobs).jobs)
        return True

    # -- adding ------------------------------------------------------------------------------

    def action_add(self, typed: str = "") -> None:
        self.app.push_screen(AddScreen(self, typed), self._add)

    def _add(self, line: str | None) -> None:
        if line is None:
            return
        meant = wanted.read(line)
        for source in meant.sources:
            again = line if len(meant.sources) == 1 else wanted.line(source, meant.options)
            self._do(f"add {source}", partial(self._added, source, meant.options), again)

    def _added(self, source: str, options: dict[str, Any], progress: Progress) -> str:
        added = self.library.add(source, **options, progress=progress)
        return (
            f"{added.book.title}: {added.outcome}, {added.chapters:,} chapters and "
            f"{added.sentences:,} sentences"
        )

    def action_sample(self) -> None:
        def work(progress: Progress) -> str:
            self.library.add_sample(progress)
            return "the bundled books are on the shelf"

        self._do("add the bundled sample", work)

    def action_build(self) -> None:
        def work(progress: Progress) -> str:
            encoded = self.library.rebuild_index(progress)
            return f"the index holds all books; {len(encoded)} were encoded now"

        if not any(each.label == "index" for each in self.query_one(Jobs).jobs):
            self._do("index", work)

    def action_remove(self) -> None:
        here = self._here
        if here is None:
            return
        book = here.book
        comes_from = one_line(book.source, 200)
        stays = (
            f"The file it came from stays where it is ({comes_from})"
            if book.source.startswith("/") else f"It came from: {comes_from}"
        )  # fmt: skip

        def confirmed(yes: bool | None) -> None:
            if yes:
                self._do(
                    f"remove {book.id} {one_line(book.title, 60)}",
                    lambda progress: f"removed {self.library.remove(book.id, progress).title}",
                )

        self.app.push_screen(
            ConfirmScreen(
                f"Remove {one_line(book.title, 100)} from the shelf?",
                f"Scholar's copy of its text goes, with {here.sentences:,} indexed sentences and "
                f"what was found out about its speakers. {stays}. The quotations you kept, your "
                "notes and the history of your quizzes stay too.",
                "Remove",
            ),
            confirmed,
        )

    def _do(self, label: str, work: Callable[[Progress], str], typed: str = "") -> None:
        """Let a job wait its turn: one writes to the shelf at a time."""
        self.query_one(Jobs).put(Job(label, work, typed))
        self.refresh_bindings()
        self._next()

    def _next(self) -> None:
        jobs = self.query_one(Jobs)
        job = jobs.first(Stage.WAITING)
        if job is None or jobs.first(Stage.RUNNING, Stage.STOPPING):
            return
        job.stage = Stage.RUNNING
        jobs.redraw(job)

        def work(progress: Progress) -> str | None:
            def report(label: str, done: int, total: int) -> None:
                progress(label, done, total)
                self.post_message(self.Came(job, label, done, total))

            return job.run(report)

        self.ask(
            work, partial(self._ended, job), refused=partial(self._failed, job),
            group="adding", lasting=True,
        )  # fmt: skip

    @on(Came)
    def _came(self, came: Came) -> None:
        job = came.job
        job.said, job.done, job.total = came.label, came.done, came.total
        if job.stage is Stage.RUNNING:
            self.query_one(Jobs).redraw(job)

    def _ended(self, job: Job, line: str | None) -> None:
        self.tell(f"stopped: {job.label}" if line is None else line)
        self._drop(job)
        self._after_job()

    def _failed(self, job: Job, refusal: ScholarError) -> None:
        job.stage, job.said = Stage.FAILED, str(refusal)
        self.query_one(Jobs).redraw(job)
        self.tell(f"{job.label}: {refusal}", severity="error")
        self._after_job()

    def _after_job(self) -> None:
        if self.is_current:
            self._load()
        self._next()

    def _drop(self, job: Job) -> None:
        jobs = self.query_one(Jobs)
        jobs.drop(job)
        if not jobs.jobs and jobs.has_focus:
            self.query_one(Shelf).focus()
        self.refresh_bindings()

    def action_cancel(self) -> None:
        """Stop or put away the job under the cursor, else what is being done, what waits, and
        what has failed, in that order."""
        jobs = self.query_one(Jobs)
        job = jobs.chosen or jobs.first(Stage.RUNNING, Stage.WAITING, Stage.FAILED)
        if job is None:
            return
        if job.stage is Stage.RUNNING:
            job.stage = Stage.STOPPING
            jobs.redraw(job)
        elif job.stage is not Stage.STOPPING:
            self._drop(job)

    @on(OptionList.OptionSelected, "#jobs")
    def _again(self, event: OptionList.OptionSelected) -> None:
        jobs = self.query_one(Jobs)
        job = jobs.jobs[event.option_index]
        if job.stage is not Stage.FAILED:
            return
        self._drop(job)
        if job.typed:
            self.action_add(job.typed)
        else:
            self._do(job.label, job.work)


def _more(bindings: Iterable[BindingType]) -> Content:
    """The keys for a book that the footer has no room for."""
    shown = [
        each for each in Binding.make_bindings(bindings)
        if not each.show and each.key not in ("escape", "delete")
    ]  # fmt: skip
    parts = [Content.assemble((each.key, "$foreground"), f" {each.description}") for each in shown]
    return Content("  ").join(parts)
