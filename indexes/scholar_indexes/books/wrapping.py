"""Undoing the line breaks a fixed line width forced, and only those.

Plain text from Project Gutenberg breaks its lines at some width, which differs from
book to book and within a book. A break was forced exactly where the first word of the
next line would not have fitted on the line before, so the width in force, measured on
the paragraphs around, tells prose from verse.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

_LONGEST_WIDTH = 160  # no one wraps wider, so a longer line is a whole paragraph
_SHORTEST_WIDTH = 30
_NEIGHBOURS = 4  # filled blocks on either side that tell the width in force
_ITEM = re.compile(
    r"\s*(?:(?:chapter|book|part|letter|volume|act|scene) [\dIVXLCivxlc]+\b"
    r"|\d{1,3}\. |[IVXLC]{1,8}\. |.{0,100}(?:\. ){6}|.{0,100}\.{7})",
    re.IGNORECASE,
)
_CLOSING = "\"'”’)]_*"


def unwrap(lines: Iterable[str]) -> list[str]:
    """The blocks of a text: prose as one line, everything else with its own lines.

    lines have no line ends. Blocks come back without blank lines in them, and verse
    keeps its indentation relative to the rest of its block.
    """
    blocks = list(_blocks(lines))
    widths = _Widths(blocks)
    out: list[str] = []
    for number, block in enumerate(blocks):
        out.extend(_unwrap_block(block, widths.at(number)))
    return out


def _blocks(lines: Iterable[str]) -> Iterable[list[str]]:
    block: list[str] = []
    for line in lines:
        if line.strip():
            block.append(line.rstrip())
        elif block:
            yield block
            block = []
    if block:
        yield block


class _Widths:
    """The line width in force at each block, from the filled blocks nearest to it."""

    def __init__(self, blocks: Sequence[Sequence[str]]) -> None:
        several = [n for n, block in enumerate(blocks) if len(block) > 1]
        self._where: list[int] = []
        self._width: list[int] = []
        for n in several:
            block = blocks[n]
            if len(block) >= 4 and is_filled(block):
                self._where.append(n)
                self._width.append(max(map(len, block)))
        if len(self._where) * 100 < len(several):
            self._where.clear()

    def at(self, block: int) -> int | None:
        """The width at a block, None where the text shows no sign of being wrapped."""
        if not self._where:
            return None
        middle = bisect_left(self._where, block)
        low = max(0, min(middle - _NEIGHBOURS, len(self._where) - 2 * _NEIGHBOURS))
        near = sorted(self._width[low : low + 2 * _NEIGHBOURS])
        return near[len(near) // 2]


def is_filled(block: Sequence[str]) -> bool:
    """Whether a block of lines is prose broken at its own greatest width."""
    if len(block) < 3:
        return False
    width = max(map(len, block))
    if not _SHORTEST_WIDTH <= width <= _LONGEST_WIDTH:
        return False
    forced = sum(_is_forced(line, after, width) for line, after in pairwise(block))
    return forced >= 0.75 * (len(block) - 1) and _runs_on(block) >= 0.34


def _is_forced(line: str, after: str, width: int) -> bool:
    return len(line) + 1 + len(_first_word(after)) > width


def _first_word(line: str) -> str:
    return line[:400].split(maxsplit=1)[0] if line[:400].strip() else line.strip()


def _runs_on(block: Sequence[str]) -> float:
    """The share of a block's lines after the first that open in the middle of a sentence.

    Lines without small letters say nothing either way and are left out; all-capital
    blocks count as running on.
    """
    told = [line for line in block[1:] if line != line.upper()]
    return sum(_opens_small(line) for line in told) / len(told) if told else 1.0


def _opens_small(line: str) -> bool:
    word = line.lstrip(" _\"'“‘(*-—")[:1]
    return word.islower()


def _unwrap_block(block: Sequence[str], width: int | None) -> Iterable[str]:
    filled = is_filled(block)
    if filled:
        width = max(map(len, block))
    margin = min(_indent(line) for line in block)
    items = [bool(_ITEM.match(line)) for line in block]
    if sum(items) >= 3:  # a list, such as a table of contents
        filled = False
    else:
        items = [False] * len(block)
    verse = not filled and len(block) >= 4 and _runs_on(block) < 0.2
    paragraph: list[str] = []
    line_so_far = [block[0]]
    for (line, after), item in zip(pairwise(block), items[1:], strict=True):
        if not item and _belongs(line, after, width, filled, verse):
            line_so_far.append(after)
            continue
        paragraph.append(_finish(line_so_far, margin))
        line_so_far = [after]
        if filled and _indent(after) - margin >= 2:  # a new paragraph, set in
            yield "\n".join(paragraph)
            paragraph = []
            line_so_far = [after.lstrip()]
    paragraph.append(_finish(line_so_far, margin))
    yield "\n".join(paragraph)


def _belongs(line: str, after: str, width: int | None, filled: bool, verse: bool) -> bool:
    """Whether only the width of the page parts a line from the next."""
    if width is None:
        unended = line.rstrip(_CLOSING)[-1:] not in ".!?:"
        return not verse and 50 <= len(line) <= 80 and unended and _opens_small(after)
    if len(line) > _LONGEST_WIDTH:
        return False
    if verse:  # a line too long for the page runs on below, set in
        return _is_forced(line, after, width) and _indent(after) > _indent(line)
    if _is_forced(line, after, width if not filled else width * 4 // 5):
        return True
    if 2 * (len(line) - _indent(line)) < width:  # a centred line, not a full one
        return False
    return len(line) >= (0.6 if _opens_small(after) else 0.85) * width


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def _finish(pieces: Sequence[str], margin: int) -> str:
    """The pieces of one line as that line, bound without a space by a hyphen or a dash."""
    if len(pieces) == 1:
        return " " * max(0, _indent(pieces[0]) - margin) + _squeeze(pieces[0])
    out = [_squeeze(pieces[0])]
    for line, after in pairwise(pieces):
        out.append("" if _ends_bound(line) or _opens_bound(after.lstrip()) else " ")
        out.append(_squeeze(after))
    return "".join(out)


def _ends_bound(line: str) -> bool:
    dashes = len(line) - len(line.rstrip("-"))
    if line.endswith("—"):
        return not line.endswith(("——", " —"))
    before = line[: len(line) - dashes][-1:]
    if dashes == 1:
        return before.isalpha()
    return dashes == 2 and before != "" and not before.isspace()


def _opens_bound(after: str) -> bool:
    if after.startswith("—"):
        return after[1:2] not in ("", " ", "—")
    return after.startswith("--") and after[2:3] not in ("", " ", "-")
