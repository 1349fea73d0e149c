"""The Textual application: six screens over one library.

    scholar tui -> ScholarApp -> a ModeScreen for each mode -> ModeScreen.run_in_worker -> Library

The module of the first screen is imported at the start, the others while the user looks at it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.filter import LineFilter, Monochrome, NoColor
from textual.reactive import var
from textual.screen import Screen
from textual.worker import Worker

from scholar_indexes.background.people_queue import PeopleQueue, Stage
from scholar_indexes.errors import ScholarError, is_disk_full
from scholar_indexes.library import Library
from scholar_indexes.progress import TimeEstimate, describe_remaining
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.evidence import people_failure
from scholar_tui import themes
from scholar_tui.change_queue import ChangeQueue
from scholar_tui.commands import PaletteProvider
from scholar_tui.job_queue import JobQueue
from scholar_tui.keys import bind
from scholar_tui.messages import (
    STOPPED,
    Announcement,
    JobProgressed,
    PeopleUpdate,
    ProgressUpdate,
    WorkFinished,
)
from scholar_tui.navigation import SCREENS, NavigationRequest
from scholar_tui.screens.dialog import Dialog
from scholar_tui.style_sheet import KeptStylesheet
from scholar_tui.type_ahead import TypeAhead
from scholar_tui.walk import Walk

if TYPE_CHECKING:
    from scholar_indexes.paths import Paths
    from scholar_indexes.settings import Settings
    from scholar_indexes.types import Book
    from scholar_tui.screens.mode_screen import ModeScreen

PREPARE_AFTER_S = 0.5
"""Seconds from the start until the modules of all screens are imported."""

KEPT_AT_THE_END_WITHIN_S = 1.0
"""Seconds that the screens wait at exit for unsaved changes; see run.in_terminal."""

NO_COLOURS, GREYS = NoColor(), Monochrome()
"""The filters for NO_COLOR, for themes of sixteen colours and for others."""


def _import_screen(name: str) -> ModuleType:
    return importlib.import_module(f"scholar_tui.screens.{name}")


def _load_screen(name: str) -> ModeScreen:
    return cast("ModeScreen", getattr(_import_screen(name), f"{name.title()}Screen")())


class ScholarApp(App[None]):
    """All screens over one user's library, in a terminal or a browser."""

    TITLE = "scholar"
    CSS_PATH = "scholar.tcss"
    COMMANDS = {PaletteProvider}  # noqa: RUF012
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        name: partial(_load_screen, name) for name in SCREENS
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", priority=True, show=False, tooltip="Help, with all keys"),
        bind("help", "help", "Help", show=False),
        *(
            Binding(entry.key, f"navigate('{name}')", entry.label, show=False, priority=True)
            for name, entry in SCREENS.items()
        ),
        Binding(
            "ctrl+e",
            "export",
            "Export",
            tooltip="Save or edit what is listed here; in a box, go to the end of the line",
        ),
        Binding(
            "ctrl+g",
            "stop",
            "Stop",
            show=False,
            tooltip="Stop the running work; finished parts are kept",
        ),
        Binding(
            "f9",
            "walk",
            "Walk",
            priority=True,
            show=False,
            tooltip="Begin a walk of five steps through the screens, or leave it",
        ),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    progress: var[tuple[str, int, int]] = var(("", 0, 0))
    """The label, the steps done and the total steps of the running work, as in Progress."""

    remaining: var[str] = var("")
    """The remaining time of the running work; empty if unknown."""

    background: var[tuple[str, int, int, str]] = var(("", 0, 0, ""))
    """The progress of the background work, with its remaining time."""

    people_found: var[Book | None] = var(cast("Book | None", None), always_update=True)
    """The book whose people were last found in the background."""

    walk_line: var[str] = var("")
    """The step of the walk; empty without a walk."""

    current_book: var[str | None] = var(cast("str | None", None))
    """The id of the current book, which all screens share."""

    def __init__(
        self,
        places: Paths,
        settings: Settings,
        start: str = "library",
        request: NavigationRequest | None = None,
    ) -> None:
        """Start with the screen named `start`, and pass `request` to it."""
        self.DEFAULT_MODE = start  # type: ignore[misc]  # the first mode that Textual opens
        super().__init__()
        self.stylesheet: KeptStylesheet = KeptStylesheet(variables=self.get_css_variables())
        gc.set_threshold(700, 10, 1_000)  # a full collection during typing takes 150 ms
        self.animation_level = "none"  # a held key must not wait for an animation
        self.type_ahead = TypeAhead(self)
        self.library = Library(places, settings, self._announce)
        self.people = PeopleQueue(
            self.library, lambda news: cast(None, self.post_message(PeopleUpdate(news)))
        )
        """Finds the people of the books that claims are about."""
        self._people_estimate = TimeEstimate()
        self.running: dict[Worker[Any], Callable[[ScholarError], None]] = {}
        """The workers that have reported progress, each with its error callback."""
        self.busy: set[Worker[Any]] = set()
        """The workers whose threads have not ended."""
        self.changes = ChangeQueue(self)
        """The corrections, notes and marks that are not saved yet."""
        self.jobs = JobQueue(self)
        """The additions and other jobs that change the library."""
        self.walk = Walk(self)
        self._is_ending = False
        self._requests: dict[str, NavigationRequest] = {} if request is None else {start: request}
        for theme in themes.THEMES:
            self.register_theme(theme)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of all lines, with the one for NO_COLOR that fits the theme: Textual
        chooses it before the theme is set, and draws sixteen colours black on black."""
        fitting = NO_COLOURS if self.native_ansi_color else GREYS
        return [
            fitting if isinstance(line_filter, Monochrome | NoColor) else line_filter
            for line_filter in super().get_line_filters()
        ]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.THEMES[0].variables)

    def refresh_css(self, animate: bool = True) -> None:
        """Style the screens again if the theme has changed.

        Textual does so for each screen that it opens, but a widget has its styles from the start.
        """
        if not self.stylesheet.fits(self.get_css_variables()):
            super().refresh_css(animate)

    def on_load(self) -> None:
        """Set the theme before any screen exists, so that no styles need refreshing."""
        self.theme = self._initial_theme()
        self.watch(self, "theme", self._remember_theme, init=False)

    def on_mount(self) -> None:
        self.changes.adopt()
        self.walk.offer()
        self.set_timer(PREPARE_AFTER_S, self._prepare_screens)

    def _prepare_screens(self) -> None:
        """Import the modules of all screens in a thread, which takes longer than to open one."""
        threading.Thread(target=lambda: [*map(_import_screen, SCREENS)], daemon=True).start()

    async def navigate(self, name: str, request: NavigationRequest | None = None) -> None:
        """Bring the named screen to the front and pass it a request, unless a dialog has to stay
        open."""
        had_dialogs = len(self.screen_stack) > 1
        if not await self.close_dialogs():
            return
        if request is not None:
            self._requests[name] = request
        if self.current_mode == name and not had_dialogs:
            cast("ModeScreen", self.screen).process_request()
        elif self.current_mode != name:
            self.workers.cancel_node(self.screen)
            await self.switch_mode(name)
        self.walk.follow()

    async def action_navigate(self, name: str) -> None:
        await self.navigate(name)

    async def close_dialogs(self) -> bool:
        """Close all dialogs and save what was written in them; return False if saving fails and a
        dialog has to stay open."""
        while len(self.screen_stack) > 1:
            if isinstance(self.screen, Dialog) and not await self.screen.keep_writing():
                return False
            await self.pop_screen()
        return True

    async def action_quit(self) -> None:
        """Quit, unless a dialog has to stay open."""
        if await self.close_dialogs():
            self.exit()

    def exit(self, *arguments: Any, **options: Any) -> None:
        self._is_ending = True
        super().exit(*arguments, **options)

    def on_exit_app(self) -> None:
        self.changes.outlive_screens()

    async def on_unmount(self) -> None:
        """Stop the background work, and wait a moment for unsaved changes, such as the note of a
        closed dialog."""
        await asyncio.to_thread(self.people.close)
        if self.changes.pending:
            await asyncio.to_thread(self.changes.wait, KEPT_AT_THE_END_WITHIN_S)

    def take_request(self, name: str) -> NavigationRequest | None:
        """Return the pending request for the named screen, and forget it."""
        return self._requests.pop(name, None)

    def action_help(self) -> None:
        from scholar_tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.mode_screen))

    def action_export(self) -> None:
        from scholar_tui.screens.export import ExportScreen

        if isinstance(self.screen, ExportScreen):
            return
        if listings := self.mode_screen.exports():
            self.push_screen(ExportScreen(self.mode_screen, listings))
        else:
            self.show_message("there is nothing to export here yet")

    def action_walk(self) -> None:
        self.walk.toggle()

    def action_stop(self) -> None:
        """Stop the work that has reported progress, and report that where its result was expected;
        finished parts are kept."""
        running = list(self.running.items())  # a copy: threads change it
        for worker, tell in running:
            worker.cancel()
            tell(ScholarError(STOPPED))
        if not running and self.people.stop():
            self.show_message("stopped; to find people later: scholar index people")
        elif not running:
            self.show_message("nothing is running")

    @property
    def mode_screen(self) -> ModeScreen:
        """The screen of the current mode, which may be under a dialog."""
        return cast("ModeScreen", self.screen_stack[0])

    def action_command_palette(self) -> None:
        if not CommandPalette.is_open(cast("App[object]", self)):
            self.push_screen(
                CommandPalette(placeholder="Search for a command", id="--command-palette")
            )

    async def on_event(self, event: events.Event) -> None:
        """Pass on a key or a paste once the previous key has taken effect."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if self.type_ahead.admits(event):
                await self.hand_on(event)
        else:
            await super().on_event(event)

    async def hand_on(self, event: events.Key | events.Paste) -> None:
        """Pass a key or a paste to the widget that has the focus."""
        self.type_ahead.follow(event)
        await super().on_event(event)

    def show_message(self, line: str, *, severity: Any = "information") -> None:
        """Show a line for 5 seconds, an error for 12."""
        timeout = 12 if severity == "error" else 5
        self.notify(one_line(line, 600), severity=severity, timeout=timeout, markup=False)

    def copy(self, text: str, description: str) -> None:
        """Copy a text to the clipboard, over SSH too if the terminal supports OSC 52."""
        self.copy_to_clipboard(text)
        self.show_message(f"copied {description}")

    def as_refusal(self, failure: Exception) -> ScholarError:
        """Return an exception as an error whose message says what to do."""
        if isinstance(failure, ScholarError):
            return failure
        if is_disk_full(failure):
            return ScholarError(
                f"no space is left for {failure.filename or 'the output'}; free some and try again"
            )
        self.log.error(failure)
        return ScholarError(
            f"{type(failure).__name__}: {one_line(str(failure), 300)}; this should not happen. "
            "To check: scholar doctor"
        )

    def _handle_exception(self, error: Exception) -> None:
        """Exit with an error, except for one of a screen that opens while the program ends:
        Textual gives it no widgets, and its handlers run without them."""
        if self.is_running and not self._is_ending:
            super()._handle_exception(error)
        else:
            self.log.error(error)

    def _announce(self, line: str) -> None:
        self.post_message(Announcement(line))

    def on_announcement(self, message: Announcement) -> None:
        self.show_message(message.line)

    def on_progress_update(self, message: ProgressUpdate) -> None:
        self.remaining = message.remaining
        self.progress = (message.label, message.done, message.total)

    def on_job_progressed(self, message: JobProgressed) -> None:
        self.jobs.show_progress(message.job, message.label, message.done, message.total)

    def on_people_update(self, message: PeopleUpdate) -> None:
        """Show the progress of finding the people of a book, or its outcome."""
        news = message.news
        if news.stage is Stage.FINDING:
            remaining = self._people_estimate.remaining_s(news.done, news.total)
            described = describe_remaining(remaining)
            self.background = (news.label, news.done, news.total, described)
            return
        self.background = ("", 0, 0, "")
        if news.stage is Stage.FAILED:
            self.show_message(people_failure(news.book, news.reason), severity="error")
        elif news.stage is Stage.FOUND:
            self.people_found = news.book

    def on_work_finished(self, message: WorkFinished) -> None:
        if message.is_wanted():
            message.handle(message.answer)
            self.walk.follow()
        if message.box_worker:
            self.type_ahead.box_opened(message.box_worker)

    def choice(self, name: str) -> str | None:
        """Return a remembered choice; a failure is shown."""
        try:
            return self.library.bookmarks.choice(name)
        except ScholarError as refusal:
            self.show_message(str(refusal), severity="error")
            return None

    def set_choice(self, name: str, value: str) -> None:
        """Remember a choice; a failure is shown."""
        try:
            self.library.bookmarks.set_choice(name, value)
        except ScholarError as refusal:
            self.show_message(str(refusal), severity="error")

    def _initial_theme(self) -> str:
        chosen = self.choice("theme")
        if chosen in self.available_themes:
            return chosen
        return themes.SIXTEEN if self.console.color_system == "standard" else themes.DARK

    def _remember_theme(self, theme: str) -> None:
        self.set_choice("theme", theme)
