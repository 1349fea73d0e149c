"""Lines of several widths as Braille characters, which have two by four dots in a cell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

Dot = tuple[int, int]
"""The column and the row of a dot."""

DOTS_ACROSS, DOTS_DOWN = 2, 4
"""The dots of a cell."""

_BLANK = 0x2800
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of each dot of a cell, by column and row."""


class BrailleCanvas:
    """Cells of dots, each in the style of the line that was drawn last through it."""

    def __init__(self, width: int, height: int) -> None:
        """`width` and `height` are in cells."""
        self._width, self._height = width, height
        self._bits: dict[tuple[int, int], int] = {}
        self._styles: dict[tuple[int, int], str] = {}

    def draw_line(self, start: Dot, end: Dot, width: int, style: str = "") -> None:
        """Draw a straight line, `width` dots wide; one of width 0 is dotted."""
        (x1, y1), (x2, y2) = start, end
        steps = max(abs(x2 - x1), abs(y2 - y1), 1)
        is_steep = abs(y2 - y1) > abs(x2 - x1)
        for step in range(0, steps + 1, 1 if width else 3):
            x = round(x1 + (x2 - x1) * step / steps)
            y = round(y1 + (y2 - y1) * step / steps)
            for offset in range(-((width - 1) // 2), width // 2 + 1) if width else (0,):
                self._set(x + offset * is_steep, y + offset * (not is_steep), style)

    def pieces(self, row: int) -> Iterator[tuple[str, str]]:
        """Yield the pieces of a row of cells, each with its style."""
        cells = [(column, row) for column in range(self._width)]
        for style, run in groupby(cells, lambda cell: self._styles.get(cell, "")):
            yield "".join(chr(_BLANK + self._bits.get(cell, 0)) for cell in run), style

    def _set(self, x: int, y: int, style: str) -> None:
        cell = x // DOTS_ACROSS, y // DOTS_DOWN
        if 0 <= cell[0] < self._width and 0 <= cell[1] < self._height:
            bit = _BITS[x % DOTS_ACROSS][y % DOTS_DOWN]
            self._bits[cell] = self._bits.get(cell, 0) | bit
            self._styles[cell] = style
