"""Breaking a text into lines of a width, without copying it."""

from __future__ import annotations

import re
from array import array
from functools import cache

from rich.cells import cell_len

from scholar_indexes.types import Span

_NOT_NARROW = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e31-\u0eff"
    r"\u1100-\u11ff\u200b-\u200f\u20d0-\u20ff\u2329\u232a\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff"
    r"\ufe00-\ufe6f\uff00-\uff60\uffe0-\uffe6\U0001f000-\U0003ffff]"
)
"""Characters that may take two cells or none; where there are none, a character is a cell."""


def broken(text: str, within: Span, width: int) -> tuple[array[int], array[int]]:
    """The starts and the ends of the lines of a stretch of text, at most width cells wide.

    Lines break after blanks, hyphens and dashes, or anywhere in a longer word; every line
    break of the text stays. White space at a break belongs to no line. Linear in the text.
    """
    starts, ends = array("q"), array("q")
    pattern = _pattern(width)
    at = within.start
    narrow = _NOT_NARROW.search(text, within.start, within.end) is None
    while at < within.end:
        if narrow:
            found = pattern.match(text, at, within.end)
            end, after = (found.end(1), found.end()) if found else (at + 1, at + 1)
        else:
            end, after = _by_cells(text, at, within.end, width, pattern)
        starts.append(at)
        ends.append(end)
        at = after
    return starts, ends


@cache
def _pattern(width: int) -> re.Pattern[str]:
    """One line in group 1, with the white space that a break swallows after it."""
    return re.compile(
        rf"((?:[^\n]{{1,{width}}}(?:(?=[ \t\n])|(?<=[-—–])|\Z)|[^\n]{{1,{width}}}|))[ \t]*\n?"
    )


def _by_cells(
    text: str, start: int, end: int, width: int, pattern: re.Pattern[str]
) -> tuple[int, int]:
    """One line where characters differ in width: the narrower pattern that fits."""
    room = width
    while True:
        found = pattern.match(text, start, end)
        if found is None:
            return start + 1, start + 1
        excess = cell_len(found[1]) - width
        if excess <= 0 or room == 1:
            return found.end(1), found.end()
        room = max(1, room - max(1, excess // 2))
        pattern = _pattern(room)
