"""Counts over chapters as block characters, which any terminal can show, without colours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from rich.text import Text
from textual.widget import Widget

EIGHTHS = " ▁▂▃▄▅▆▇█"
_ACROSS = " ▏▎▍▌▋▊▉█"

NARROW, BROAD = 3, 6
"""The maximum width of a chapter in cells, in a row of a table and in a separate plot."""

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def chapter_cells(n: int, width: int, most: int = NARROW) -> list[tuple[int, int]]:
    """Return the cells [start, end) that each of n chapters takes in a width, in order.

    If there is room, all take the same number, with a gap after each if it is three or more;
    otherwise several share a cell.
    """
    if n <= 0 or width <= 0:
        return []
    if n > width:
        return [(at * width // n, at * width // n + 1) for at in range(n)]
    cells = min(width // n, most)
    filled = cells - 1 if cells >= NARROW else cells
    return [(at * cells, at * cells + filled) for at in range(n)]


def cell_heights(counts: Sequence[int], width: int, most: int = NARROW) -> list[float]:
    """Return the height of each cell from 0 to 1; chapters that share a cell have their mean."""
    spots = chapter_cells(len(counts), width, most)
    sums = [0.0] * (max((end for _, end in spots), default=0))
    shared = [0] * len(sums)
    for count, (start, end) in zip(counts, spots, strict=bool(spots)):
        for cell in range(start, end):
            sums[cell] += count
            shared[cell] += 1
    means = [
        total / (chapters_in_cell or 1)
        for total, chapters_in_cell in zip(sums, shared, strict=True)
    ]
    highest = max(means, default=0.0)
    return [mean / highest if highest else 0.0 for mean in means]


def sparkline(counts: Sequence[int], width: int) -> str:
    """Return counts as one line of bars; every count above zero is visible."""
    return bar_chart(counts, width, 1, NARROW)[0]


def bar_chart(counts: Sequence[int], width: int, height: int, most: int = BROAD) -> list[str]:
    """Return counts as lines of bars, the highest line first."""
    cells = cell_heights(counts, width, most)
    eighths = [max(round(share * 8 * height), 1) if share else 0 for share in cells]
    return [
        "".join(EIGHTHS[min(max(share - 8 * below, 0), 8)] for share in eighths)
        for below in reversed(range(height))
    ]


def axis_labels(numbers: Sequence[int], width: int, most: int = BROAD) -> str:
    """Return the numbers of chapters under their bars, as many round ones as fit."""
    starts = [start for start, _ in chapter_cells(len(numbers), width, most)]
    for step in _STEPS:
        labels = _round_labels(numbers, starts, step)
        if _have_room(labels, width):
            line = ""
            for start, label in labels:
                line = line.ljust(start) + label
            return line
    return ""


def _round_labels(
    numbers: Sequence[int], starts: Sequence[int], step: int
) -> list[tuple[int, str]]:
    """Return the first number and the multiples of a step, with the cells that they start in.

    The first multiple is omitted if it touches the first number.
    """
    labels = [
        (start, str(number))
        for at, (number, start) in enumerate(zip(numbers, starts, strict=bool(starts)))
        if not at or number % step == 0
    ]
    if step > 1 and not _have_gaps(labels[:2]):
        del labels[1]
    return labels


def _have_gaps(labels: Sequence[tuple[int, str]]) -> bool:
    return all(start + len(label) < other for (start, label), (other, _) in pairwise(labels))


def _have_room(labels: Sequence[tuple[int, str]], width: int) -> bool:
    """Return True if labels have gaps between them and end within a width."""
    return _have_gaps(labels) and all(start + len(label) <= width for start, label in labels)


def horizontal_bar(count: int, highest: int, width: int) -> str:
    """Return a count as a horizontal bar, padded to `width` cells."""
    eighths = max(round(8 * width * count / highest), 1) if count and highest else 0
    return ("█" * (eighths // 8) + _ACROSS[eighths % 8]).strip().ljust(width)


class Plot(Widget):
    """Counts over chapters, in the available width and height."""

    DEFAULT_CSS = """
    Plot { height: 1fr; color: $primary; & > .plot--marked { color: $accent; } }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"plot--marked"}

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._counts: Sequence[int] = ()
        self._numbers: Sequence[int] = ()
        self._what = ""
        self._marked: int | None = None

    def show(
        self,
        counts: Sequence[int],
        numbers: Sequence[int],
        what: str,
        marked: int | None = None,
    ) -> None:
        """Show counts by chapter; `what` names the things that are counted, `marked` is the index
        of a chapter."""
        self._counts, self._numbers, self._what = counts, numbers, what
        self._marked = marked
        self.refresh()

    def item_at(self, x: int) -> int | None:
        """Return the index of the chapter at a column of the widget."""
        at = x - self.gutter.left
        cells = chapter_cells(len(self._counts), self.size.width, BROAD)
        return next((item for item, (start, end) in enumerate(cells) if start <= at < end), None)

    def render(self) -> Text:
        width, height = self.size
        shown = Text(no_wrap=True, overflow="ellipsis")
        if height < 3 or not self._counts:
            return shown
        most = max(self._counts)
        shown.append(f"{self._what}, at most {most:,} in a chapter\n", "dim")
        for line in bar_chart(self._counts, width, height - 2):
            bars = Text(f"{line}\n")
            if self._marked is not None:
                cells = chapter_cells(len(self._counts), width, BROAD)[self._marked]
                bars.stylize(self.get_component_rich_style("plot--marked", partial=True), *cells)
            shown.append_text(bars)
        return shown.append(axis_labels(self._numbers, width), "dim")
