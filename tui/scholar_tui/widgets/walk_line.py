"""The line that shows the step of the walk."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class WalkLine(Static):
    """The next thing to do, and the key that leaves the walk; hidden without a walk."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    WalkLine {
        height: 1; padding: 0 1; background: $primary-muted; display: none;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def on_mount(self) -> None:
        self.watch(self.app, "walk_line", self._show)

    def _show(self, line: str) -> None:
        self.display = bool(line)
        self.update(Content.assemble((line, "bold"), "  ·  F9 leaves the walk"))
