"""The characters of a book as a table, each with a plot over the chapters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.events import Resize
from textual.widgets import DataTable

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.keyed_table import KeyedTable
from scholar_tui.widgets.plot import NARROW, sparkline

NAME_WIDTH, SHORT_NAME_WIDTH = 22, 16
"""The width of a name in cells, and its width if there is little room."""

_COLUMNS = (
    ("gender", "Gender", 6),
    ("says", "Says", 6),
    ("named", "Named", 6),
    ("first", "First", 8),
)
_NUMBERS = ("says", "named")


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """A character as the table shows it; `first` is the first appearance, as chapter.paragraph."""

    id: str
    name: str
    gender: str
    says: int
    named: int
    first: str
    over: Sequence[int]


class CharacterTable(KeyedTable):
    """The table of characters."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id)
        self._cast: list[CharacterRow] = []
        self._plotted = ""
        self._drawn_at = 0

    def show(
        self, rows: Iterable[CharacterRow], selected: str | None, order: str, plotted: str
    ) -> None:
        """Show these characters with the cursor on one of them, or else on the first; `plotted`
        is the heading of the plots."""
        self._cast, self._order, self._plotted = list(rows), order, plotted
        self._draw(selected)

    @property
    def cursor_id(self) -> str | None:
        """The id of the character under the cursor."""
        at = self.cursor_row
        return self._cast[at].id if 0 <= at < len(self._cast) else None

    @property
    def names(self) -> list[str]:
        return [row.name for row in self._cast]

    def go_to(self, character_id: str) -> bool:
        """Move the cursor to a character, and return True if it is listed."""
        at = next((at for at, row in enumerate(self._cast) if row.id == character_id), None)
        if at is not None:
            self.move_cursor(row=at, animate=False)
        return at is not None

    def on_resize(self, event: Resize) -> None:
        if event.size.width != self._drawn_at:
            self._draw(self._awaited or self.cursor_id)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        self.post_message(self.OrderRequested(str(event.column_key.value)))

    def _draw(self, selected: str | None) -> None:
        width = self._drawn_at = self.size.width
        self._awaited = None if width else selected
        if not width:
            return
        scrolled = self.scroll_y
        self.clear(columns=True)
        name = NAME_WIDTH if width >= 90 else SHORT_NAME_WIDTH
        plot = width - name - sum(cells for _, _, cells in _COLUMNS) - 2 * (len(_COLUMNS) + 2) - 1
        for key, label, cells in (("name", "Name", name), *_COLUMNS):
            self.add_column(_head(label, key == self._order, key in _NUMBERS), key=key, width=cells)
        chapters = len(self._cast[0].over) if self._cast else 0
        if plot > 1:
            self.add_column(_head(self._plotted, False, False), key="plot", width=plot)
        for row in self._cast:
            cells_ = _cells(row, min(plot, NARROW * chapters))
            self.add_row(*cells_[: len(self.columns)], key=row.id)
        if selected is None or not self.go_to(selected):
            self.move_cursor(row=0, animate=False)
        else:
            self.scroll_to(y=scrolled, animate=False)


def _head(label: str, ordering: bool, number: bool) -> Text:
    return Text(
        label,
        "underline" if ordering else "",
        justify="right" if number else "left",
        no_wrap=True,
        overflow="ellipsis",
    )


def _cells(row: CharacterRow, width: int) -> tuple[Text, ...]:
    return (
        Text(one_line(row.name, 200), no_wrap=True, overflow="ellipsis"),
        Text(row.gender),
        Text(f"{row.says:,}", justify="right"),
        Text(f"{row.named:,}", justify="right"),
        Text(row.first, no_wrap=True, overflow="ellipsis"),
        Text(sparkline(row.over, width), no_wrap=True),
    )
