"""Help over any screen: what one does here, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from scholar_tui.screens.journey import Journey

if TYPE_CHECKING:
    from scholar_tui.keys import Key


class HelpScreen(ModalScreen[None]):
    """Help."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "dismiss", "Close", tooltip="Back to the screen"),
    ]
    DEFAULT_CSS = """
    HelpScreen > .box { width: 84; height: 90%; }
    HelpScreen Static { height: auto; margin-bottom: 1; }
    """

    def __init__(self, journey: Journey) -> None:
        super().__init__()
        self._journey = journey

    def compose(self) -> ComposeResult:
        from scholar_tui import keys
        from scholar_tui.app import JOURNEYS, ScholarApp

        name = self._journey.NAME
        with VerticalScroll(classes="box"):
            yield Static(Text(JOURNEYS[name].label, style="bold"), markup=False)
            yield Static(" ".join(self._journey.ABOUT.split()), markup=False)
            for node, found in keys.of_module(f"screens.{name}"):
                if not issubclass(node, Journey):
                    yield Static(Text(keys.purpose(node), style="italic"), markup=False)
                yield Static(_table(found), markup=False)
            yield Static(Text("Everywhere", style="bold"), markup=False)
            yield Static(_table(keys.of_class(ScholarApp)), markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def _table(found: list[Key]) -> Text:
    wide = min(max((len(each.keys) for each in found), default=0), 24)
    lines = (Text.assemble((f"{each.keys:>{wide}}", "bold"), "  ", each.does) for each in found)
    return Text("\n").join(lines)
