"""The boxes for claims, with the earlier claims."""

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
            tooltip="Search at once, and go to the passages; keys pressed before they are listed "
            "wait for them",
        ),
        Binding("up", "earlier", "Earlier", tooltip="The previous claim"),
        Binding("down", "later", "Later", show=False, tooltip="The next claim, then the passages"),
        Binding("ctrl+r", "history", "History", tooltip="List earlier claims"),
    ]

    class DownPressed(Message):
        """The user wants to go to the list below the box."""

    class HistoryRequested(Message):
        """The user wants to see the earlier claims."""

    def __init__(self, earlier: Callable[[], Sequence[str]], id: str | None = None) -> None:
        """`earlier` returns the earlier claims, the latest first."""
        super().__init__(placeholder="Write a claim, to find the passages that support it", id=id)
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
    """The box for a claim about papers, with the earlier claims."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(1)", "Earlier", show=False, tooltip="The previous claim"),
        Binding("down", "recall(-1)", "Later", show=False, tooltip="The next claim"),
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
