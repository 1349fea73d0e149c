"""The header line: a tab for each screen, and the progress of running work."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Click
from textual.widgets import Static

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.line_breaking import truncate_to_width

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

STOPS = "  ^g stops"


class HeaderTab(Static):
    """The tab of a screen; a click opens the screen."""

    def __init__(self, name: str, label: str, key: str) -> None:
        super().__init__(
            Text.assemble((key.upper(), "dim"), " ", label), id=f"tab-{name}", markup=False
        )
        self._screen_name = name

    async def on_click(self, event: Click) -> None:
        event.stop()
        await self.app.run_action(f"app.navigate('{self._screen_name}')")


class ScreenHeader(Horizontal):
    """The header of every screen."""

    DEFAULT_CSS = """
    ScreenHeader {
        dock: top; height: 1; background: $panel; color: $foreground;
        & > HeaderTab { width: auto; padding: 0 1; }
        & > HeaderTab:hover { background: $primary-muted; }
        & > HeaderTab.-here { text-style: bold; background: $primary; color: $background; }
        & > #doing { width: 1fr; text-align: right; padding: 0 1; color: $accent;
                     text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, current: str) -> None:
        super().__init__()
        self._current = current

    def compose(self) -> ComposeResult:
        from scholar_tui.navigation import SCREENS

        for name, entry in SCREENS.items():
            tab = HeaderTab(name, entry.label, entry.key)
            tab.set_class(name == self._current, "-here")
            yield tab
        yield Static("", id="doing", markup=False)

    def on_mount(self) -> None:
        self.watch(self.app, "progress", self._show_progress)
        self.watch(self.app, "background", self._show_progress)

    def on_resize(self) -> None:
        self._show_progress()

    def _show_progress(self) -> None:
        """Show the work that the user waits for, or else the background work."""
        app = cast("ScholarApp", self.app)
        label, done, total = app.progress
        remaining = app.remaining
        if not label:
            label, done, total, remaining = app.background
        line, doing = describe_progress(label, done, total, remaining), self.query_one("#doing")
        if total > 0:  # the key that stops it is seen even if the rest does not fit
            room = doing.content_size.width - len(STOPS)
            line = f"{truncate_to_width(line, room) if room > 0 else line}{STOPS}"
        cast("Static", doing).update(line)


def describe_progress(label: str, done: int, total: int, remaining: str) -> str:
    """Return the progress of work on a line: "40 % finding mentions, about 8 s left"; empty at
    its end."""
    share = f"{100 * done // total} % " if label and total else ""
    return f"{share}{one_line(label, 60)}{', ' if remaining else ''}{remaining}"
