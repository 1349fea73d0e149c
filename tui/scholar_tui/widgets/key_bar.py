"""The footer of a screen: its keys and their actions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import ActiveBinding
from textual.events import Leave, MouseDown, MouseMove
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

PALETTE_EDGE = "▏"

ENDING = {"ctrl+p": "Actions", "f1": "More"}
"""The keys at the right end, which are never left out, and their labels."""


@dataclass(frozen=True, slots=True)
class KeyLabel:
    """A key on the line, its action, and the cells in which a click presses it."""

    key: str
    description: str
    tooltip: str
    enabled: bool
    cells: range


class KeyBar(Widget):
    """The most useful keys that work where the cursor is, each of which can be clicked.

    They are in the order of the bindings; keys that do not fit are only in the help.

    It is one widget that draws one line. Textual's Footer has a widget for every key and recreates
    all of them whenever the focus moves, which was a quarter of the time that a screen took.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "key-bar--key",
        "key-bar--description",
        "key-bar--hover",
        "key-bar--edge",
    }
    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1; color: $footer-foreground; background: $footer-background;
        & > .key-bar--key {
            color: $footer-key-foreground; background: $footer-key-background; text-style: bold;
        }
        & > .key-bar--description {
            color: $footer-description-foreground; background: $footer-description-background;
        }
        & > .key-bar--hover {
            color: $footer-key-foreground; background: $block-hover-background;
        }
        & > .key-bar--edge { color: $foreground 20%; }
    }
    """

    compact: reactive[bool] = reactive(False)
    """One cell between two keys instead of two."""

    _hovered_key: reactive[str | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[KeyLabel] = []
        """The keys as they were last drawn, from left to right."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, screen: Screen[object]) -> None:
        if self.app.app_focus and screen is self.screen:
            self.refresh()

    def render(self) -> Text:
        self.labels = []
        active = self.screen.active_bindings
        ending = self._ending(active)
        room = max(self.size.width - ending.cell_len, 0)
        line = Text(no_wrap=True, end="")
        first_of_action: dict[str, ActiveBinding] = {}
        for shown in active.values():
            if shown.binding.show and shown.binding.key not in ENDING:
                first_of_action.setdefault(shown.binding.action, shown)
        for group, members in groupby(first_of_action.values(), lambda shown: shown.binding.group):
            grouped = list(members)
            if group is not None and len(grouped) > 1:
                self._append_group(line, grouped, group.description, room)
            else:
                for shown in grouped:
                    self._append_key(line, shown, room)
        line.truncate(room, pad=True)
        self._label_ending(active, room)
        return line.append_text(ending)

    def _append_key(self, line: Text, shown: ActiveBinding, room: int) -> None:
        """Append " f1 Help ", or "f1 Help" and a blank if the bar is compact, if it fits."""
        margin = "" if self.compact else " "
        name = self.app.get_key_display(shown.binding)
        part = Text.assemble((f"{margin}{name}{margin}", self._style("key", shown)))
        if shown.binding.description:
            gap = " " if self.compact else ""
            part.append(
                f"{gap}{shown.binding.description}{margin}", self._style("description", shown)
            )
        start = line.cell_len
        if start + part.cell_len > room:
            return
        line.append_text(part)
        self._add_label(shown, range(start, line.cell_len))
        line.append(" " if self.compact else "")

    def _append_group(
        self, line: Text, grouped: Iterable[ActiveBinding], description: str, room: int
    ) -> None:
        """Append " 1234 Similar ", if it fits: the keys of a group have one description."""
        keys = [(self.app.get_key_display(shown.binding), shown) for shown in grouped]
        width = 2 + sum(len(name) for name, _ in keys) + len(description)
        if line.cell_len + width > room:
            return
        line.append(" ")
        for name, shown in keys:
            start = line.cell_len
            line.append(name, self._style("key", shown))
            self._add_label(shown, range(start, line.cell_len))
        line.append(" ")
        line.append(description, self._style("description"))
        line.append(" ")

    def _ending(self, active: dict[str, ActiveBinding]) -> Text:
        """Return the keys at the right end: for the palette, and for the help with all keys."""
        ending = Text.assemble((PALETTE_EDGE, self.get_component_rich_style("key-bar--edge")))
        for key, description in ENDING.items():
            if (shown := active.get(key)) is not None:
                ending.append(self.app.get_key_display(shown.binding), self._style("key", shown))
                ending.append(f" {description} ", self._style("description", shown))
        return ending

    def _label_ending(self, active: dict[str, ActiveBinding], start: int) -> None:
        start += len(PALETTE_EDGE)
        for key, description in ENDING.items():
            if (shown := active.get(key)) is not None:
                stop = start + len(self.app.get_key_display(shown.binding)) + len(description) + 2
                self._add_label(shown, range(start, stop), description)
                start = stop

    def _add_label(self, shown: ActiveBinding, cells: range, description: str = "") -> None:
        binding = shown.binding
        description = description or binding.description
        tooltip = shown.tooltip or binding.description
        self.labels.append(KeyLabel(binding.key, description, tooltip, shown.enabled, cells))

    def _style(self, part: str, shown: ActiveBinding | None = None) -> Style:
        style = self.get_component_rich_style(f"key-bar--{part}", partial=True)
        if shown is not None and shown.binding.key == self._hovered_key:
            style += self.get_component_rich_style("key-bar--hover", partial=True)
        if shown is not None and not shown.enabled:
            style += Style(dim=True)
        return style

    def label_at(self, cell: int) -> KeyLabel | None:
        """Return the key at this offset from the left."""
        return next((label for label in self.labels if cell in label.cells), None)

    def on_mouse_move(self, event: MouseMove) -> None:
        label = self.label_at(event.x)
        self._hovered_key = label.key if label else None
        self.tooltip = label.tooltip if label else None

    def on_leave(self, event: Leave) -> None:
        self._hovered_key = None

    def on_mouse_down(self, event: MouseDown) -> None:
        label = self.label_at(event.x)
        if label is not None and label.enabled:
            self.app.simulate_key(label.key)
        elif label is not None:
            self.app.bell()
