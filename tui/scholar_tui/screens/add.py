"""The dialog that adds a book: one box for a number, an address, a file, or words."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from scholar_indexes.books.adding import source_parser
from scholar_indexes.books.adding.source_parser import AddLine, SourceKind
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.sanitize import one_line
from scholar_tui.job_queue import Job, Lane
from scholar_tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
    from scholar_indexes.types import Progress
    from scholar_tui.screens.mode_screen import ModeScreen

MOST_SHOWN = 60

FETCH = "fetch"
"""The option that fetches Gutenberg's catalogue."""

FETCHING = "fetching Gutenberg's catalogue"

CATALOGUE_JOB = "fetch Gutenberg's catalogue"

HINT = (
    "A Gutenberg number (1342, or several), an address, a file (~/, /, ./), or words of a title "
    "or an author to search for in Gutenberg's catalogue."
)


class _Paths(Suggester):
    """Suggestions that complete a path."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        import asyncio

        paths = await asyncio.to_thread(source_parser.completions, value)
        return next((path for path in paths if path.startswith(value)), None)


class AddScreen(Dialog[str | None]):
    """The dialog that adds a book."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", tooltip="Add nothing"),
        Binding(
            "enter",
            "take",
            "Add",
            show=False,
            tooltip="Add the marked item, or what was typed; open a folder",
        ),
        Binding("down", "move(1)", "Next", show=False, tooltip="The next result"),
        Binding("up", "move(-1)", "Previous", show=False, tooltip="The previous result"),
        Binding("pagedown", "move(10)", "Ten down", show=False, tooltip="Ten down"),
        Binding("pageup", "move(-10)", "Ten up", show=False, tooltip="Ten up"),
    ]
    DEFAULT_CSS = """
    AddScreen OptionList {
        height: auto; max-height: 14; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis; display: none;
        &.-some { display: block; }
        & > .option-list--option-highlighted { background: $primary-muted; color: $foreground; }
    }
    AddScreen #message { height: auto; margin-top: 1; }
    """

    def __init__(self, mode_screen: ModeScreen, typed: str = "") -> None:
        super().__init__()
        self._mode_screen = mode_screen
        self._typed = typed
        self._offers: list[str] = []
        """The number or path that each option adds, or FETCH."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label("Add a book", markup=False)
            yield Input(
                self._typed,
                placeholder="1342, an address, a file, or words to search for",
                suggester=_Paths(),
                select_on_focus=False,
                id="typed",
            )
            yield OptionList(id="found", markup=False)
            yield Static(HINT, id="message", classes="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(".box").styles.width = 96  # paths and titles are long
        self.query_one("#found").can_focus = False
        self.query_one(Input).focus()
        self._mode_screen.scholar.jobs.changed.subscribe(self, self._show_job)

    async def on_key(self) -> None:
        """Do nothing: bindings handle all keys, and none reaches the screen below."""

    # -- typing ------------------------------------------------------------------------------

    @on(Input.Changed)
    def _changed(self, changed: Input.Changed) -> None:
        self._look(changed.value)

    def _look(self, line: str) -> None:
        """Look up the possible meanings of a line; late results are ignored."""
        try:
            request = source_parser.read(line)
        except UsageError as refusal:
            self._mode_screen.cancel_work("looking up")
            self._offer([], [])
            self._say(str(refusal))
            return
        if request.kind is SourceKind.NOTHING:
            self._mode_screen.cancel_work("looking up")
            self._offer([], [])
            self._say(HINT)
        elif request.kind is SourceKind.FILE:
            self._mode_screen.run_in_worker(
                lambda progress: source_parser.completions(line),
                partial(self._show_paths, line),
                group="looking up",
            )
        elif request.kind is SourceKind.GUTENBERG:
            self._mode_screen.run_in_worker(
                lambda progress: self._known(request),
                partial(self._show_known, line),
                group="looking up",
            )
        else:
            words = request.sources[0]
            self._mode_screen.run_in_worker(
                lambda progress: self._mode_screen.library.books.gutenberg.search(
                    words, MOST_SHOWN
                ),
                partial(self._show_found, line),
                on_error=partial(self._no_catalogue, line),
                group="looking up",
            )

    def _known(self, request: AddLine) -> list[tuple[str, CatalogEntry | None]]:
        from scholar_indexes.books.gutenberg.mirrors import gutenberg_id

        return [
            (source, self._mode_screen.library.books.gutenberg.lookup(number))
            for source in request.sources
            if (number := gutenberg_id(source))
        ]

    def _show_paths(self, line: str, paths: list[str]) -> None:
        if self._is_late(line):
            return
        self._offer(paths, [Content(one_line(path)) for path in paths])
        if not paths:
            file = source_parser.read(line).sources[0]
            is_file = os.path.isfile(file)
            self._say("Enter adds this file." if is_file else "There is no such file yet.")
        elif os.path.isdir(os.path.expanduser(line)):
            books = sum(not path.endswith("/") for path in paths)
            many = f"{books} files" if books > 1 else "1 file" if books else "No file"
            self._say(f"{many} in this folder can be read as books; ↓ chooses, Enter accepts.")
        else:
            self._say("Enter accepts the completed path, ↓ chooses another.")

    def _show_known(self, line: str, known: list[tuple[str, CatalogEntry | None]]) -> None:
        if self._is_late(line):
            return
        self._offer([], [])
        named = [
            f"{entry.gutenberg_id} {one_line(entry.title, 70)} ({_by(entry)})"
            for _, entry in known
            if entry is not None
        ]
        if len(named) == len(known) and named:
            self._say(f"Enter adds {'; '.join(named)}.")
        elif len(known) > 1:
            self._say(f"Enter adds {len(known)} books from Gutenberg.")
        else:
            self._say("Enter adds this from Gutenberg.")

    def _show_found(self, line: str, entries: list[CatalogEntry]) -> None:
        if self._is_late(line):
            return
        stored_ids = {entry.book.id for entry in self._mode_screen.library.books.all()}
        self._offer(
            [*(str(entry.gutenberg_id) for entry in entries), FETCH],
            [
                *(_entry(entry, f"pg{entry.gutenberg_id}" in stored_ids) for entry in entries),
                Content.styled("Update Gutenberg's catalogue", "$foreground-muted"),
            ],
        )
        many = f"the first {MOST_SHOWN}" if len(entries) == MOST_SHOWN else str(len(entries))
        if entries:
            self._say(f"{many} in Gutenberg's catalogue; ↓ chooses, Enter adds.")
        else:
            self._say("Nothing in Gutenberg's catalogue has all these words; try fewer.")

    def _no_catalogue(self, line: str, refusal: ScholarError) -> None:
        if self._is_late(line):
            return
        if self._is_fetching:
            self._say(f"{FETCHING} …")
            return
        settings = self._mode_screen.library.settings
        if not isinstance(refusal, NotThere):
            self._say(str(refusal))
        elif settings.offline:
            self._offer([], [])
            self._say(
                "Gutenberg's catalogue is missing, and the setting offline forbids fetching it. "
                "Add a file, or a previously downloaded book by its number."
            )
            return
        else:
            self._say(
                "To search for books by title and author, Gutenberg's catalogue is needed once: "
                f"some megabytes from {one_line(settings.mirrors[0], 80)} (the exact size is "
                "shown first). After that it is available offline too."
            )
        self._offer([FETCH], [Content("Fetch Gutenberg's catalogue now")])

    def _is_late(self, line: str) -> bool:
        return not self.is_attached or self.query_one(Input).value != line

    # -- choosing ----------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if not self._offers:
            return
        last = len(self._offers) - 1
        if options.highlighted is None:
            options.highlighted = 0 if by > 0 else last
        else:
            options.highlighted = min(max(options.highlighted + by, 0), last)

    @on(Input.Submitted)
    def action_take(self) -> None:
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self._take(self._offers[at])
            return
        line = self.query_one(Input).value
        try:
            request = source_parser.read(line)
        except UsageError as refusal:
            self._say(str(refusal))
            return
        if request.kind is SourceKind.FILE and not os.path.isfile(request.sources[0]):
            self._take_path(line, request.sources[0])
        elif request.kind is SourceKind.WORDS:
            self.action_move(1)
        elif request.kind is not SourceKind.NOTHING:
            self.dismiss(line)

    def _take_path(self, line: str, path: str) -> None:
        """Open a folder, or accept the completion of a path."""
        if not os.path.isdir(path):
            completed = next(iter(source_parser.completions(line)), "")
            if completed:
                self._take(completed)
            else:
                self._say("There is no such file or folder; check the spelling.")
        elif line.endswith("/"):
            self.action_move(1)
        else:
            self._write(os.path.join(line, ""))

    @on(OptionList.OptionSelected)
    def _clicked(self, selected: OptionList.OptionSelected) -> None:
        self._take(self._offers[selected.option_index])

    def _take(self, offer: str) -> None:
        if offer == FETCH:
            self._fetch()
        elif offer.endswith("/"):
            self._write(offer)
        else:
            self.dismiss(offer)

    def _write(self, line: str) -> None:
        box = self.query_one(Input)
        box.value = line
        box.cursor_position = len(line)

    # -- the catalogue -----------------------------------------------------------------------

    def _fetch(self) -> None:
        """Fetch Gutenberg's catalogue; this continues after the dialog is closed."""
        self._offer([], [])
        self._say(f"{FETCHING} …")
        if self._is_fetching:
            return
        self._mode_screen.scholar.jobs.add(
            Job(
                CATALOGUE_JOB,
                self._update,
                lane=Lane.CATALOGUE,
                on_done=self._fetched,
                on_failed=self._not_fetched,
            )
        )

    def _update(self, progress: Progress) -> str:
        count = self._mode_screen.library.books.gutenberg.update(progress)
        return f"Gutenberg's catalogue lists {count:,} books"

    @property
    def _is_fetching(self) -> bool:
        return CATALOGUE_JOB in self._mode_screen.scholar.jobs.unfinished

    def _fetched(self) -> None:
        if (dialog := self._in_front()) is not None:
            dialog._look(dialog.query_one(Input).value)

    def _not_fetched(self, refusal: ScholarError) -> None:
        if (dialog := self._in_front()) is not None:
            dialog._offer([FETCH], [Content("Try to fetch Gutenberg's catalogue again")])
            dialog._say(str(refusal))

    def _in_front(self) -> AddScreen | None:
        """Return the open dialog: this one, or another one that was opened after it."""
        screen = self._mode_screen.app.screen
        return screen if isinstance(screen, AddScreen) else None

    def _show_job(self, progressed: Job | None) -> None:
        """Show the progress of fetching the catalogue."""
        if progressed and progressed.label == CATALOGUE_JOB:
            done, total = progressed.done, progressed.total
            share = f" {100 * done // total} %" if total else f" {done:,}"
            self._say(f"{FETCHING}: {one_line(progressed.message, 60)}{share}")

    # -- showing -----------------------------------------------------------------------------

    def _offer(self, offers: list[str], drawn: list[Content]) -> None:
        self._offers = offers
        options = self.query_one(OptionList)
        options.set_options(Option(content) for content in drawn)
        options.highlighted = None
        options.set_class(bool(offers), "-some")

    def _say(self, line: str) -> None:
        self.query_one("#message", Static).update(one_line(line, 400))


def _by(entry: CatalogEntry) -> str:
    from scholar_indexes.books.gutenberg.gutenberg_catalog import display_author

    return one_line(display_author(entry.authors), 40) or "no author"


def _entry(entry: CatalogEntry, shelved: bool) -> Content:
    marks = [entry.language] if entry.language != "en" else []
    marks += ["on the shelf"] if shelved else []
    return Content.assemble(
        one_line(entry.title, 200),
        ("  ", ""),
        (_by(entry), "$foreground-muted"),
        (f"  {entry.gutenberg_id}", "$foreground-muted"),
        (f"  {', '.join(marks)}" if marks else "", "$accent"),
    )
