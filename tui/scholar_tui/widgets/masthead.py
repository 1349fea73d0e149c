"""The line at the top: the screens by their keys, and what is being done."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Click
from textual.widgets import Static

from scholar_indexes.untrusted import one_line


class Tab(Static):
    """A screen's name; a click goes there."""

    def __init__(self, name: str, label: str, key: str) -> None:
        super().__init__(
            Text.assemble((key.upper(), "dim"), " ", label), id=f"tab-{name}", markup=False
        )
        self._name_of_screen = name

    async def on_click(self, event: Click) -> None:
        event.stop()
        await self.app.run_action(f"app.go('{self._name_of_screen}')")


class Masthead(Horizontal):
    DEFAULT_CSS = """
    Masthead {
        dock: top; height: 1; background: $panel; color: $foreground;
        & > Tab { width: auto; padding: 0 1; }
        & > Tab:hover { background: $primary-muted; }
        & > Tab.-here { text-style: bold; background: $primary; color: $background; }
        & > #doing { width: 1fr; text-align: right; padding: 0 1; color: $accent;
                     text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, here: str) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        from scholar_tui.app import JOURNEYS

        for name, journey in JOURNEYS.items():
            tab = Tab(name, journey.label, journey.key)
            tab.set_class(name == self._here, "-here")
            yield tab
        yield Static("", id="doing", markup=False)

    def on_mount(self) -> None:
        self.watch(self.app, "doing", self._show)

    def _show(self, doing: tuple[str, int, int]) -> None:
        label, done, total = doing
        share = f" {100 * done // total} %" if total else ""
        self.query_one("#doing", Static).update(f"{one_line(label, 60)}{share}" if label else "")
