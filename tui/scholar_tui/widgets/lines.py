"""Breaking a text into lines of a width, without copying it."""

from __future__ import annotations

import re
from array import array
from functools import cache

from rich.cells import cell_len

from scholar_indexes.types import Span

_SIGNS = {
    **dict.fromkeys((*range(32), *range(127, 160), *range(55296, 57344)), "�"),
    **dict.fromkeys((1564, 8206, 8207, 65279, *range(8234, 8239), *range(8294, 8298)), "�"),
    **dict.fromkeys((9, 10, 8232, 8233), " "),
}
"""What would control a terminal or deceive a reader, and a sign of the same length for it."""

_NOT_NARROW = re.compile(
    r"[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05f4\u0620-\u064a\u1e00-\u1fff"
    r"\u2010-\u205f\u2070-\u20cf\u2100-\u22ff]"
)
"""Characters that may take two cells or none; where there are none, a character is a cell."""

_MOST_MARKS = 8
"""Marks on one letter that stay with it at a break within a word."""


def shown(text: str) -> str:
    """The text as it is drawn: character for character, with signs for control characters."""
    return text.translate(_SIGNS)


def broken(text: str, within: Span, width: int) -> tuple[array[int], array[int]]:
    """The starts and the ends of the lines of a stretch of text, at most width cells wide.

    Lines break after blanks, hyphens and dashes, or anywhere in a longer word; every line
    break of the text stays. White space at a break belongs to no line. A character wider
    than the width has a line of its own. Linear in the text.
    """
    starts, ends = array("q"), array("q")
    at, last = within.start, within.end
    match = _pattern(width).match
    wide = _next_wide(text, at, last)
    while at < last:
        found = match(text, at, last)
        assert found  # an empty line matches too
        end, after = found.span(1)[1], found.end()
        if end >= wide:
            end, after = _by_cells(text, at, last, width)
        if after > wide:
            wide = _next_wide(text, after, last)
        starts.append(at)
        ends.append(end)
        at = after
    return starts, ends


def _next_wide(text: str, start: int, end: int) -> int:
    found = _NOT_NARROW.search(text, start, end)
    return found.start() if found else end


@cache
def _pattern(width: int) -> re.Pattern[str]:
    """One line in group 1, with the white space that a break swallows after it."""
    return re.compile(
        rf"((?:[^\n]{{1,{width}}}(?:(?=[ \t\n])|(?<=[-—–])|\Z)|[^\n]{{1,{width}}}|))[ \t]*\n?"
    )


def _by_cells(text: str, start: int, last: int, width: int) -> tuple[int, int]:
    """One line where characters differ in width: of wide ones fewer fit, of marks more."""

    def line(room: int) -> tuple[int, int, int]:
        found = _pattern(room).match(text, start, last)
        assert found
        return cell_len(shown(found[1])), found.end(1), found.end()

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
            if end == last or text[end] == "\n" or cell_len(shown(text[end])):
                break
            end = after = end + 1
    return end, after
