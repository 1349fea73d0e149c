"""A list of quotations: a few lines of each, its source, and the mark of a saved one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.style import Style
from textual.strip import Strip

from scholar_indexes.emphasis import Run, slice_runs, styled_line
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import COLOURS
from scholar_indexes.types import Span
from scholar_tui.widgets.line_breaking import break_lines
from scholar_tui.widgets.margin_notes import HAS_NOTE
from scholar_tui.widgets.scrollable_items import ScrollableItems, StyledLine

SAVED_HERE, SAVED_ELSEWHERE = "●", "○"

QUOTE_LINES, SHORT_QUOTE_LINES, SHORT_LIST_HEIGHT = 3, 2, 12
"""Lines of a quotation, in a list and in one lower than the last; the page shows all of it."""


LEAST_CITATION = 12
"""The minimum width of a citation next to a remark; if it is less, the remark is not shown."""

LEAST_WIDTH = 12
"""The width for which the rows of a narrower list are drawn."""

NUMBER_WIDTH = 4
"""The width of the number before a row."""


@dataclass(frozen=True, slots=True)
class HitRow:
    """A quotation as the list shows it; `saved_mark` is the sign of a saved one, or empty; `remark`
    is a short remark, such as "verbatim"; `before` and `after` are the text around it, as far as
    it is known."""

    number: int
    quote: str
    citation: str
    saved_mark: str = ""
    note: str = ""
    remark: str = ""
    before: str = ""
    after: str = ""
    colour: str = ""


class HitList(ScrollableItems):
    """The list of quotations."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "items--remark",
        *(f"items--{colour}" for colour in COLOURS),
    }
    DEFAULT_CSS = """
    HitList {
        height: 1fr; background: $background;
        & > .items--here { background: $panel; color: $foreground; text-style: none; }
        &:focus > .items--here { background: $primary-muted; }
        & > .items--remark { color: $secondary; }
        & > .items--yellow { color: $mark-yellow; }
        & > .items--blue { color: $mark-blue; }
        & > .items--pink { color: $mark-pink; }
        & > .items--orange { color: $mark-orange; }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[HitRow] = []
        self._heights: list[int] = []
        self._room = (0, 0)
        """The width and the lines of a quotation for which the heights are known."""

    def show(self, rows: Sequence[HitRow], highlighted: int | None = 0) -> None:
        """List rows, replacing the existing ones."""
        self._rows, self._heights = list(rows), []
        with self.prevent(self.CursorMoved):
            self.show_again(highlighted)

    def mark(self, at: int, row: HitRow) -> None:
        """Replace and redraw a row."""
        if row == self._rows[at]:
            return
        self._rows[at] = row
        if at < len(self._heights):
            self._heights[at] = row_height(row, *self._room)
        with self.prevent(self.CursorMoved):
            self.show_again()

    @property
    def rows(self) -> Sequence[HitRow]:
        return self._rows

    @property
    def highlighted(self) -> int | None:
        """The index of the row under the cursor."""
        return self.cursor if self._rows else None

    def count(self) -> int:
        return len(self._rows)

    def heights(self, width: int) -> Iterable[int]:
        room = max(width, LEAST_WIDTH), self._quote_lines
        if self._room != room or len(self._heights) != len(self._rows):
            self._room = room
            self._heights = [row_height(row, *room) for row in self._rows]
        return self._heights

    def lines(self, at: int, width: int) -> list[StyledLine]:
        return row_lines(self._rows[at], *self._room)

    def on_resize(self) -> None:
        if self._room[1] and self._quote_lines != self._room[1]:
            self._lay()

    @property
    def _quote_lines(self) -> int:
        return SHORT_QUOTE_LINES if self.size.height < SHORT_LIST_HEIGHT else QUOTE_LINES

    def _under_cursor(self, pieces: StyledLine, first: bool, base: Style, width: int) -> Strip:
        return self._strip(pieces, base + self._style("here"), width)


def row_height(row: HitRow, width: int, most: int = QUOTE_LINES) -> int:
    """Return the number of lines of row_lines."""
    quoted = _count_lines(row.quote, row.before, row.after, width, most)
    return quoted + (2 if row.note else 1)


def row_lines(row: HitRow, width: int, most: int = QUOTE_LINES) -> list[StyledLine]:
    """Return a row as the list shows it: at most `most` lines of the quotation, and no line wider
    than `width`."""
    indent = " " * NUMBER_WIDTH
    numbers = [f"{row.number:>{NUMBER_WIDTH - 1}} ", *[indent] * most]
    lines: list[StyledLine] = [
        [(number, "faint"), *((run.text, _style(run)) for run in runs)]
        for number, runs in zip(numbers, _quote_lines(row, width, most), strict=False)
    ]
    lines.append([(indent, ""), *_source(row, width - NUMBER_WIDTH)])
    if row.note:
        note = clip_lines(one_line(row.note), width - NUMBER_WIDTH, 1)[0]
        lines.append([(indent, ""), (note, "italic score")])
    return lines


@lru_cache(maxsize=20_000)  # a list of thousands is shown again after every change
def _count_lines(quote: str, before: str, after: str, width: int, most: int) -> int:
    return len(clip_runs(styled_line(quote, before, after), width - NUMBER_WIDTH, most))


def _quote_lines(row: HitRow, width: int, most: int) -> list[list[Run]]:
    return clip_runs(styled_line(row.quote, row.before, row.after), width - NUMBER_WIDTH, most)


def _source(row: HitRow, width: int) -> StyledLine:
    """Return the marks, the remark and the citation of a row, on one line of a width."""
    mark = row.saved_mark + (HAS_NOTE if row.note else "")
    pieces = [(f"■ {row.colour}", row.colour)] if row.colour else []
    pieces += [(mark, "score")] if mark else []
    room = width - sum(cell_len(text) + 1 for text, _ in pieces)
    if row.remark and room - cell_len(row.remark) > LEAST_CITATION:
        pieces.append((row.remark, "remark"))
        room -= cell_len(row.remark) + 1
    where = clip_lines(one_line(row.citation), room, 1)[0]
    return [*((f"{text} ", style) for text, style in pieces), (where, "faint")]


def _style(run: Run) -> str:
    return " ".join(filter(None, ("strong" if run.bold else "", "italic" if run.italic else "")))


def clip_lines(text: str, width: int, most: int) -> list[str]:
    """Return the first lines of a text broken to a width, the last with "…" if more follow."""
    lines = clip_runs([Run(text, 0)] if text else [], width, most)
    return ["".join(run.text for run in line) for line in lines]


def clip_runs(runs: Sequence[Run], width: int, most: int) -> list[list[Run]]:
    """Return the first lines of a text in runs, as in clip_lines."""
    text = "".join(run.text for run in runs)
    starts, ends = break_lines(text, Span(0, len(text)), max(width, 1))
    lines = [slice_runs(runs, *at) for at in zip(starts[:most], ends[:most], strict=True)]
    if len(starts) > most:
        last = text[starts[most - 1] : ends[most - 1]].rstrip()
        while cell_len(last) >= max(width, 2):
            head, _, _ = last.rpartition(" ")
            last = head.rstrip() or chop_cells(last, max(width - 1, 1))[0]
        lines[-1] = [*slice_runs(lines[-1], 0, len(last)), Run("…", 0)]
    return lines or [[]]
