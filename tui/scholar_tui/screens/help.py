"""The help dialog of every screen: the purpose of the screen, and its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from scholar_tui.keys import bind
from scholar_tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from scholar_tui.key_reference import KeyDescription
    from scholar_tui.screens.mode_screen import ModeScreen

MAX_KEY_WIDTH = 24


class HelpScreen(Dialog[None]):
    """The help for the screen below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", "Close", tooltip="Back to the screen"),
        bind("help", "dismiss", "Close", "Back to the screen"),
    ]
    DEFAULT_CSS = """
    HelpScreen > .box { width: 84; height: 90%; }
    HelpScreen Static { height: auto; margin-bottom: 1; }
    """

    def __init__(self, mode_screen: ModeScreen) -> None:
        super().__init__()
        self._mode_screen = mode_screen

    def compose(self) -> ComposeResult:
        from scholar_tui import key_reference
        from scholar_tui.app import ScholarApp
        from scholar_tui.navigation import SCREENS

        screen = type(self._mode_screen)
        with VerticalScroll(classes="box"):
            yield Static(Text(SCREENS[screen.NAME].label, style="bold"), markup=False)
            yield Static(" ".join(screen.ABOUT.split()), markup=False)
            everywhere = ("Everywhere", key_reference.describe_keys(ScholarApp))
            for heading, rows in (*key_reference.describe_key_groups(screen), everywhere):
                yield Static(_format_group(heading, rows, "bold"), markup=False)
            for heading, rows in key_reference.describe_widget_keys(screen):
                yield Static(_format_group(heading, rows, "italic"), markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def _format_group(heading: str, rows: list[KeyDescription], style: str) -> Text:
    """Return keys with their purposes under a heading."""
    width = min(max((len(row.keys) for row in rows), default=0), MAX_KEY_WIDTH)
    lines = (Text.assemble((f"{row.keys:>{width}}", "bold"), "  ", row.purpose) for row in rows)
    return Text("\n").join([Text(heading, style=style), *lines])
