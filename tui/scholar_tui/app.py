"""The screen of scholar: six journeys over one library.

    scholar tui -> ScholarApp -> a Journey for each mode -> Journey.ask -> Library

A screen is imported when it is first gone to, so that the first one is there at once.
"""

from __future__ import annotations

import errno
import gc
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.reactive import var
from textual.screen import Screen

from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library
from scholar_indexes.untrusted import one_line
from scholar_tui import themes
from scholar_tui.messages import Announced, Answered, Doing

if TYPE_CHECKING:
    from scholar_indexes.places import Places
    from scholar_indexes.settings import Settings
    from scholar_tui.screens.journey import Journey


@dataclass(frozen=True, slots=True)
class Way:
    """How a journey is gone to."""

    key: str
    label: str
    about: str


JOURNEYS = {
    "library": Way("f2", "Library", "The shelf: add books, look into them, remove them"),
    "find": Way("f3", "Find", "Find the passages that bear out a claim, and keep them"),
    "reader": Way("f4", "Read", "Read a book, with who speaks in colour"),
    "characters": Way("f5", "People", "The characters of a book and what is said of them"),
    "papers": Way("f6", "Papers", "Papers alike in background, method or result"),
    "quiz": Way("f7", "Quiz", "Be asked who is who"),
}


def _screen(name: str) -> Journey:
    module = importlib.import_module(f"scholar_tui.screens.{name}")
    return cast("Journey", getattr(module, f"{name.title()}Screen")())


class ScholarApp(App[None]):
    """Every journey of one person's library, in a terminal or a browser."""

    TITLE = "scholar"
    CSS_PATH = "scholar.tcss"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        name: partial(_screen, name) for name in JOURNEYS
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", priority=True),
        *(
            Binding(way.key, f"go('{name}')", way.label, show=False, priority=True)
            for name, way in JOURNEYS.items()
        ),
        Binding("ctrl+e", "export", "Export", tooltip="Save or edit what is listed here"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    doing: var[tuple[str, int, int]] = var(("", 0, 0))
    """What is being done: label, done and total, as a Progress has them."""

    book: var[str | None] = var(cast("str | None", None))
    """The id of the book that the screens are about."""

    def __init__(
        self, places: Places, settings: Settings, start: str = "library", errand: Any = None
    ) -> None:
        """start names the journey to begin with, and errand is what it is to do there."""
        super().__init__()
        gc.set_threshold(700, 10, 1_000)  # a full collection amid typing takes 150 ms
        self.animation_level = "none"  # a key that is held down must not wait for a glide
        self.library = Library(places, settings, self._announce)
        self._start = start
        self._errands: dict[str, Any] = {} if errand is None else {start: errand}
        for theme in themes.THEMES:
            self.register_theme(theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.THEMES[0].variables)

    async def on_mount(self) -> None:
        self.theme = self._first_theme()
        self.watch(self, "theme", self._remember_theme, init=False)
        await self.switch_mode(self._start)

    # -- ways --------------------------------------------------------------------------------

    async def go(self, name: str, errand: Any = None) -> None:
        """Bring a journey to the front, with something to do there."""
        if errand is not None:
            self._errands[name] = errand
        if self.current_mode == name and len(self.screen_stack) == 1:
            cast("Journey", self.screen).bring()
            return
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        if self.current_mode != name:
            self.workers.cancel_node(self.screen)
            await self.switch_mode(name)

    async def action_go(self, name: str) -> None:
        await self.go(name)

    def take_errand(self, name: str) -> Any:
        return self._errands.pop(name, None)

    def action_help(self) -> None:
        from scholar_tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.journey))

    def action_export(self) -> None:
        from scholar_tui.screens.export import ExportScreen

        listing = self.journey.listing()
        if listing is None:
            self.tell("there is nothing to export here yet")
        elif not isinstance(self.screen, ExportScreen):
            self.push_screen(ExportScreen(listing))

    @property
    def journey(self) -> Journey:
        """The journey that is in front, or under what asks something."""
        return cast("Journey", self.screen_stack[0])

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        for name, way in JOURNEYS.items():
            yield SystemCommand(way.label, way.about, partial(self.run_action, f"go('{name}')"))
        yield SystemCommand("Export", "Save or edit what is listed", self.action_export)
        yield from super().get_system_commands(screen)

    # -- telling -----------------------------------------------------------------------------

    def tell(self, line: str, *, severity: Any = "information") -> None:
        """Show a line for a while, an error for longer."""
        timeout = 12 if severity == "error" else 5
        self.notify(one_line(line, 600), severity=severity, timeout=timeout, markup=False)

    def copy(self, text: str, what: str) -> None:
        """Put a text on the clipboard, over SSH too where the terminal takes OSC 52."""
        self.copy_to_clipboard(text)
        self.tell(f"copied {what}")

    def unforeseen(self, failure: Exception) -> ScholarError:
        """What should not happen, as a line that says what to do."""
        if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT):
            return ScholarError(
                f"no space is left for {failure.filename or 'what is to be written'}; "
                "free some and do it again"
            )
        self.log.error(failure)
        return ScholarError(
            f"{type(failure).__name__}: {one_line(str(failure), 300)}; this should not happen. "
            "To check: scholar doctor"
        )

    def _announce(self, line: str) -> None:
        self.post_message(Announced(line))

    def on_announced(self, message: Announced) -> None:
        self.tell(message.line)

    def on_doing(self, message: Doing) -> None:
        self.doing = (message.label, message.done, message.total)

    def on_answered(self, message: Answered) -> None:
        if message.wanted():
            message.handle(message.answer)

    # -- themes ------------------------------------------------------------------------------

    def _first_theme(self) -> str:
        try:
            chosen = self.library.desk.choice("theme")
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
            chosen = None
        if chosen in self.available_themes:
            return chosen
        return themes.SIXTEEN if self.console.color_system == "standard" else themes.DARK

    def _remember_theme(self, theme: str) -> None:
        try:
            self.library.desk.choose("theme", theme)
        except ScholarError as refusal:
            self.tell(str(refusal), severity="error")
