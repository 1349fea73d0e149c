"""The books of the library as a table, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual.events import Resize
from textual.widgets import DataTable

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.keyed_table import KeyedTable

LEAST_TITLE, LEAST_AUTHOR = 22, 12
"""The minimum widths of titles, below which other columns are dropped, and of authors."""


@dataclass(frozen=True, slots=True)
class BookRow:
    """A book as the table shows it; `indexed` is None while unknown."""

    id: str
    title: str
    author: str
    pages: int
    chapters: int
    indexed: bool | None
    read: int | None
    added: str


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    label: str
    width: int
    rank: int
    """The columns of the highest rank are dropped first if there is little room."""


_COLUMNS = (
    _Column("title", "Title", 0, 0),
    _Column("author", "Author", 18, 1),
    _Column("pages", "Pages", 5, 2),
    _Column("chapters", "Ch.", 4, 4),
    _Column("index", "Index", 5, 3),
    _Column("read", "Read", 5, 2),
    _Column("added", "Added", 10, 5),
)
_LABELS = {column.name: column.label for column in _COLUMNS}
_NUMBERS = ("pages", "chapters", "read")


class BookTable(KeyedTable):
    """The table of the books of the library."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id)
        self._rows_shown: list[BookRow] = []
        self._shape: tuple[tuple[str, int], ...] = ()

    def show(self, rows: Iterable[BookRow], selected: str | None, order: str) -> None:
        """Show these books, with the cursor on the selected one if it is among them."""
        self._rows_shown, self._order = list(rows), order
        self._draw(selected)

    @property
    def cursor_id(self) -> str | None:
        """The id of the book under the cursor."""
        if self._awaited is not None:
            return self._awaited
        at = self.cursor_row
        return self._rows_shown[at].id if 0 <= at < len(self._rows_shown) else None

    @property
    def ids(self) -> list[str]:
        return [row.id for row in self._rows_shown]

    def go_to(self, book_id: str | None) -> None:
        if book_id in self.ids:
            self.move_cursor(row=self.ids.index(book_id), animate=False)

    def on_resize(self, event: Resize) -> None:
        if _shape(event.size.width, self._rows_shown) != self._shape:
            self._draw(self.cursor_id)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        order = {"pages": "size"}.get(str(event.column_key.value), str(event.column_key.value))
        self.post_message(self.OrderRequested(order))

    def _draw(self, selected: str | None) -> None:
        width = self.size.width
        self._awaited = selected if not width and selected in self.ids else None
        if not width:
            return
        self._shape = _shape(width, self._rows_shown)
        before = self.cursor_row
        scrolled = self.scroll_y
        self.clear(columns=True)
        for name, room in self._shape:
            self.add_column(self._label(name), key=name, width=room)
        for row in self._rows_shown:
            cells = _cells(row)
            self.add_row(*(cells[name] for name, _ in self._shape), key=row.id)
        if selected in self.ids:
            self.move_cursor(row=self.ids.index(selected), animate=False)
        elif self._rows_shown:
            self.move_cursor(row=min(before, len(self._rows_shown) - 1), animate=False)
        self.scroll_to(y=scrolled, animate=False)

    def _label(self, name: str) -> Text:
        """Return the label of a column, underlined if the books are in its order."""
        is_order = {"size": "pages"}.get(self._order, self._order) == name
        return Text(
            _LABELS[name],
            "underline" if is_order else "",
            justify="right" if name in _NUMBERS else None,
        )


def _shape(width: int, rows: Sequence[BookRow]) -> tuple[tuple[str, int], ...]:
    """Return the columns that fit and their widths."""
    columns: Sequence[_Column] = _COLUMNS
    while True:
        taken = sum(column.width + 2 for column in columns) + 1
        title = width - taken
        if title >= LEAST_TITLE or len(columns) == 1:
            break
        last = max(columns, key=lambda column: column.rank)
        columns = [column for column in columns if column is not last]
    rooms = {"title": max(title, 4)}
    author = next((column for column in columns if column.name == "author"), None)
    if author is not None:
        shared = title + author.width
        rooms["author"] = _author_width(shared, rows)
        rooms["title"] = shared - rooms["author"]
    return tuple((column.name, rooms.get(column.name, column.width)) for column in columns)


def _author_width(shared: int, rows: Sequence[BookRow]) -> int:
    """Return the width of the authors that cuts the least from authors and titles, which share
    the given cells."""
    lengths = [(cell_len(row.author), cell_len(row.title)) for row in rows]

    def count_cut(width: int) -> int:
        room = shared - width
        return sum(max(author - width, 0) + max(title - room, 0) for author, title in lengths)

    return min(range(LEAST_AUTHOR, shared - LEAST_TITLE + 1), key=count_cut)


def _cells(row: BookRow) -> dict[str, Text]:
    indexed = {True: Text("✓", "dim"), False: Text("no", "bold"), None: Text("…", "dim")}
    return {
        "title": _cut(row.title),
        "author": _cut(row.author),
        "pages": _number(f"{row.pages:,}"),
        "chapters": _number(f"{row.chapters:,}"),
        "index": indexed[row.indexed],
        "read": _number("" if row.read is None else f"{row.read} %"),
        "added": Text(row.added[:10]),
    }


def _cut(text: str) -> Text:
    return Text(one_line(text, 300), no_wrap=True, overflow="ellipsis")


def _number(text: str) -> Text:
    return Text(text, justify="right", no_wrap=True)
