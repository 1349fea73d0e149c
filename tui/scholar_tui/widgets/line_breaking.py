"""Breaking texts into lines of a width in terminal cells."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from rich.cells import cell_len, set_cell_size
from textual.geometry import Offset

from scholar_indexes.emphasis import Emphasis
from scholar_indexes.sanitize import one_line, visible
from scholar_indexes.types import Span

_BLANKS = dict.fromkeys((9, 10, 8232, 8233), " ")
"""Characters that begin a line or a column, each with its replacement by a blank."""

_NOT_NARROW = re.compile(
    r"[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05f4\u0620-\u064a\u1e00-\u1fff"
    r"\u2010-\u205f\u2070-\u20cf\u2100-\u22ff]"
)
"""Characters that may take two cells or none; without them, each character takes one cell."""

_MOST_MARKS = 8
"""The maximum number of marks on a letter that stay with it at a break within a word."""


def printable(text: str) -> str:
    """Return the text on one line, with the same length, and a sign for each invisible
    character."""
    return visible(text.translate(_BLANKS))


def break_lines(text: str, within: Span, width: int) -> tuple[array[int], array[int]]:
    """Return the starts and the ends of the lines of a span of text, at most `width` cells wide.

    Lines break after blanks, hyphens and dashes, or anywhere in a longer word; every line
    break of the text stays. White space at a break belongs to no line. A character wider
    than the width has its own line. The time is linear in the length of the text.
    """
    starts, ends = array("q"), array("q")
    at, last = within.start, within.end
    match = _pattern(width).match
    wide = _next_wide(text, at, last)
    while at < last:
        line = match(text, at, last)
        assert line  # an empty line matches too
        end, after = line.span(1)[1], line.end()
        if end >= wide:
            end, after = _by_cells(text, at, last, width)
        if after > wide:
            wide = _next_wide(text, after, last)
        starts.append(at)
        ends.append(end)
        at = after
    return starts, ends


@dataclass(frozen=True, slots=True)
class BrokenLines:
    """The lines of a text, given by the positions of their starts and ends.

    Marks of emphasis have no column: the position at a column is after the marks that end emphasis
    there, and before a mark that begins it. `marks` has the positions of all marks, and `opening`
    the positions of the marks that begin emphasis.
    """

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    marks: Sequence[int] = ()
    opening: Collection[int] = ()

    @classmethod
    def of(
        cls, text: str, within: Span, width: int, emphasis: Sequence[Emphasis] = ()
    ) -> BrokenLines:
        """Return the lines of a span of text, at most `width` cells wide, given its emphasis."""
        opening = {words.start for words in emphasis}
        marks = sorted(opening.union(words.end - 1 for words in emphasis))
        return cls(*break_lines(text, within, width), marks, opening)

    def __len__(self) -> int:
        return len(self.starts)

    def span(self, line: int) -> Span:
        return Span(self.starts[line], self.ends[line])

    def line_at(self, position: int) -> int:
        """Return the number of the line of a position."""
        return max(bisect_right(self.starts, position) - 1, 0)

    def position(self, offset: Offset) -> int:
        """Return the position at a column of a line; the margin is left of column 0."""
        line = self.span(min(max(offset.y, 0), len(self) - 1))
        position = line.start + max(offset.x, 0)
        for mark in self.marks_within(line):
            if mark < position or (mark == position and mark not in self.opening):
                position += 1
        return min(position, line.end)

    def offset(self, position: int) -> Offset:
        """Return the column and the line of a position."""
        line = self.line_at(position)
        before = Span(self.starts[line], min(position, self.ends[line]))
        return Offset(before.end - before.start - len(self.marks_within(before)), line)

    def marks_within(self, span: Span) -> Sequence[int]:
        """Return the positions of the marks of emphasis in a span."""
        return self.marks[bisect_left(self.marks, span.start) : bisect_left(self.marks, span.end)]


def wrap_lines(text: str, width: int) -> list[str]:
    """Return a text as lines of at most `width` cells; none for an empty text."""
    line = one_line(text)
    starts, ends = break_lines(line, Span(0, len(line)), max(width, 1))
    return [line[start:end] for start, end in zip(starts, ends, strict=True)]


def fit_to_width(text: str, width: int) -> str:
    """Return a text as one line of `width` cells, padded, or with an ellipsis if it is cut."""
    return set_cell_size(truncate_to_width(text, width), width)


def truncate_to_width(text: str, width: int) -> str:
    """Return a text as one line of at most `width` cells, with an ellipsis if it is cut."""
    line = one_line(text, 4 * width + 4)
    if cell_len(line) <= width:
        return line
    return f"{set_cell_size(line, max(width - 1, 0)).rstrip()}…"


def _next_wide(text: str, start: int, end: int) -> int:
    """Return the position of the next character that may not take one cell, or the end."""
    wide = _NOT_NARROW.search(text, start, end)
    return wide.start() if wide else end


@cache
def _pattern(width: int) -> re.Pattern[str]:
    """Return a pattern of one line, group 1, and the white space at the break after it."""
    return re.compile(
        rf"((?:[^\n]{{1,{width}}}(?:(?=[ \t\n])|(?<=[-—–])|\Z)|[^\n]{{1,{width}}}|))[ \t]*\n?"
    )


def _by_cells(text: str, start: int, last: int, width: int) -> tuple[int, int]:
    """Return the end of one line and the start of the next, if characters differ in width."""

    def line(room: int) -> tuple[int, int, int]:
        match = _pattern(room).match(text, start, last)
        assert match
        return cell_len(printable(match[1])), match.end(1), match.end()

    room = width
    cells, end, after = line(room)
    while cells > width and room > 1:
        room = max(1, room - max(1, (cells - width) // 2))
        cells, end, after = line(room)
    while room < (wider := min(width + end - start - cells, 4 * width)):
        room = wider
        more, farther, beyond = line(room)
        if more > width:
            break
        cells, end, after = more, farther, beyond
    if after == end:
        for _ in range(_MOST_MARKS):
            if end == last or text[end] == "\n" or cell_len(printable(text[end])):
                break
            end = after = end + 1
    return end, after
