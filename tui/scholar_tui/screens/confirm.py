"""The dialog that asks before something is lost or joined."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from scholar_tui.screens.dialog import Dialog


class ConfirmScreen(Dialog[bool]):
    """A dialog that asks for confirmation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", tooltip="Do it"),
        Binding("escape,n", "answer(False)", "No", tooltip="Leave everything as it is"),
        Binding("left,right", "app.focus_next", "Other", show=False, tooltip="The other answer"),
    ]
    DEFAULT_CSS = """
    ConfirmScreen Static { height: auto; margin-bottom: 1; }
    ConfirmScreen #question { text-style: bold; }
    ConfirmScreen Horizontal { height: auto; }
    ConfirmScreen Button { margin-right: 2; }
    """

    def __init__(self, question: str, consequences: str, yes: str, no: str = "No, keep it") -> None:
        """`yes` and `no` are the labels of the buttons; the one for no has the focus at first."""
        super().__init__()
        self._question, self._consequences, self._yes, self._no = question, consequences, yes, no

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._question, id="question", markup=False)
            yield Static(self._consequences, markup=False)
            with Horizontal():
                yield Button(f"{self._no} (n)", id="no")
                yield Button(f"{self._yes} (y)", id="yes", variant="error")

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
