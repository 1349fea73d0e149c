"""The boxes for claims, with the claims searched for before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.message import Message
from textual.widgets import Input


class ClaimBox(Input):
    """The box for a claim about books."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "submit",
            "Passages",
            tooltip="Search at once, and go to the passages once they are listed; a letter typed "
            "before that is added to the claim, which is searched anew",
        ),
        Binding("up", "earlier", "Earlier", tooltip="The claim asked before"),
        Binding(
            "down", "later", "Later", show=False, tooltip="The claim asked after, then the passages"
        ),
        Binding("ctrl+r", "history", "History", tooltip="List what was asked before"),
    ]

    class DownPressed(Message):
        """The user wants to go to the list below the box."""

    class HistoryRequested(Message):
        """The user wants to see the claims searched for before."""

    def __init__(self, earlier: Callable[[], Sequence[str]], id: str | None = None) -> None:
        """earlier returns the claims searched for before, the last first."""
        super().__init__(placeholder="Write a claim: what you would like to find borne out", id=id)
        self._earlier = earlier
        self._history: list[str] = []
        self._at = 0

    def action_earlier(self) -> None:
        if not self._at:
            self._history = [
                self.value,
                *(claim for claim in self._earlier() if claim != self.value),
            ]
        self._go(self._at + 1)

    def action_later(self) -> None:
        if self._at:
            self._go(self._at - 1)
        else:
            self.post_message(self.DownPressed())

    def action_history(self) -> None:
        self.post_message(self.HistoryRequested())

    def watch_value(self, value: str) -> None:
        if self._at and self._history[self._at] != value:
            self._at = 0

    def on_paste(self, event: Paste) -> None:
        """Join the lines of a paste into one claim."""
        event.prevent_default()
        event.stop()
        self.replace(" ".join(event.text.split()), *sorted(self.selection))

    def _go(self, at: int) -> None:
        if 0 <= at < len(self._history):
            self._at = at
            self.value = self._history[at]
            self.cursor_position = len(self.value)


class PaperClaimInput(Input):
    """The box for a claim about papers, with the claims searched for before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(1)", "Asked before", show=False, tooltip="What was asked before"),
        Binding(
            "down", "recall(-1)", "Asked later", show=False, tooltip="What was asked after that"
        ),
    ]

    def __init__(self, claims: Callable[[], list[str]], **options: Any) -> None:
        super().__init__(**options)
        self._claims = claims
        self._back = 0
        self._draft = ""

    def action_recall(self, by: int) -> None:
        claims = self._claims()
        if not self._back:
            self._draft = self.value
        self._back = max(0, min(self._back + by, len(claims)))
        self.value = claims[self._back - 1] if self._back else self._draft
        self.cursor_position = len(self.value)

    def on_input_submitted(self) -> None:
        self._back = 0
