"""The base class of the tables of books and of characters."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from scholar_tui.keys import bind


class KeyedTable(DataTable[Text], inherit_bindings=False):
    """A table whose rows have ids and whose columns request an order."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down", "cursor_down", "Down", "The next row", show=False),
        bind("up", "cursor_up", "Up", "The previous row", show=False),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="A page down"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="A page up"),
        Binding("home", "scroll_top", "First", show=False, tooltip="The first row"),
        Binding("end", "scroll_bottom", "Last", show=False, tooltip="The last row"),
    ]
    DEFAULT_CSS = """
    KeyedTable {
        height: 1fr; background: $surface; scrollbar-size-vertical: 1; overflow-x: hidden;
        &:focus { background-tint: $surface 0%; }
        & > .datatable--header { background: $panel; color: $foreground; text-style: bold; }
        & > .datatable--header-cursor, & > .datatable--header-hover {
            background: $primary; color: $background;
        }
        & > .datatable--cursor { background: $primary-muted; color: $foreground; }
        &:focus > .datatable--cursor { background: $primary; color: $background; }
    }
    """

    class OrderRequested(Message):
        """A column header was clicked, to sort the rows by it."""

        def __init__(self, order: str) -> None:
            super().__init__()
            self.order = order

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row", cursor_foreground_priority="css")
        self._order = ""
        self._awaited: str | None = None
        """The id of the row for the cursor, once the table has a width."""
