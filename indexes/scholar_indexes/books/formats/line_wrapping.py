"""Undo the line breaks that were forced by a fixed line width, and only those.

Plain text from Project Gutenberg breaks its lines at some width, which differs from
book to book and within a book. A break was forced exactly if the first word of the next
line would not have fitted on the line before, so the local width, measured on the
surrounding paragraphs, distinguishes prose from verse.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from scholar_indexes.books.formats import line_hyphens

_LONGEST_WIDTH = 160  # text is never wrapped wider, so a longer line is a whole paragraph
_SHORTEST_WIDTH = 30
_NEIGHBOURS = 4  # filled blocks on either side used to measure the local width
_ITEM = re.compile(
    r"\s*(?:(?:chapter|book|part|letter|volume|act|scene) [\dIVXLCivxlc]+\b"
    r"|\d{1,3}\. |[IVXLC]{1,8}\. |.{0,100}(?:\. ){6}|.{0,100}\.{7})",
    re.IGNORECASE,
)
_CLOSING = "\"'”’)]_*"
_MANY_LINES = 20
"""The least number of lines that show how a text is spaced."""


def respaced(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a text with an empty line between paragraphs, and none within one: some
    texts have one after every line, others none at all."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if len(filled) < _MANY_LINES:
        return lines
    long = sum(len(lines[n]) for n in filled if len(lines[n]) > _LONGEST_WIDTH)
    if 10 * (len(lines) - len(filled)) < len(lines) and 2 * long > sum(map(len, lines)):
        return [part for line in lines for part in (line, "")]  # a line is a paragraph
    return _single_spaced(lines, filled)


def _single_spaced(lines: Sequence[str], filled: Sequence[int]) -> Sequence[str]:
    """Return the lines without the empty line after each, given the numbers of the others.

    A text with an empty line after every line has more between its paragraphs, and most of its
    lines end within a sentence.
    """
    distances = [after - n for n, after in pairwise(filled)]
    if min(distances) < 2 or max(distances) < 3:
        return lines
    inside = [lines[n] for n, distance in zip(filled, distances, strict=False) if distance == 2]
    ended = sum(line.rstrip(_CLOSING)[-1:] in ".!?:" for line in inside)
    lengths = sorted(map(len, inside)) or [0]
    is_wrapped = lengths[len(lengths) // 2] >= _SHORTEST_WIDTH and lengths[-1] <= _LONGEST_WIDTH
    if 3 * ended > len(inside) or not is_wrapped:
        return lines
    spaced = [lines[filled[0]]]
    for n, distance in zip(filled[1:], distances, strict=True):
        spaced += [""] * ((distance - 1) // 2) + [lines[n]]
    return spaced


def unwrap(lines: Iterable[str]) -> list[str]:
    """Return the blocks of a text: prose as one line, everything else with its own lines, and no
    divided words.

    lines have no line ends. Blocks have no blank lines, and verse keeps its indentation
    relative to the rest of its block.
    """
    blocks = list(_split_blocks(lines))
    widths = _Widths(blocks)
    unwrapped: list[str] = []
    for number, block in enumerate(blocks):
        unwrapped.extend(map(line_hyphens.joined, _unwrap_block(block, widths.at(number))))
    return unwrapped


def _split_blocks(lines: Iterable[str]) -> Iterable[list[str]]:
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
    """The local line width at each block, from the filled blocks nearest to it."""

    def __init__(self, blocks: Sequence[Sequence[str]]) -> None:
        broken = [n for n, block in enumerate(blocks) if len(block) > 1]
        self._filled = [n for n in broken if len(blocks[n]) >= 4 and is_filled(blocks[n])]
        self._widths = [max(map(len, blocks[n])) for n in self._filled]
        if len(self._filled) * 100 < len(broken):
            self._filled.clear()

    def at(self, block: int) -> int | None:
        """Return the width at a block, or None without evidence that the text is wrapped."""
        if not self._filled:
            return None
        middle = bisect_left(self._filled, block)
        low = max(0, min(middle - _NEIGHBOURS, len(self._filled) - 2 * _NEIGHBOURS))
        near = sorted(self._widths[low : low + 2 * _NEIGHBOURS])
        return near[len(near) // 2]


def is_filled(block: Sequence[str]) -> bool:
    """Return True if a block of lines is prose wrapped at its own maximum width."""
    if len(block) < 3:
        return False
    width = max(map(len, block))
    if not _SHORTEST_WIDTH <= width <= _LONGEST_WIDTH:
        return False
    forced = sum(_is_forced(line, after, width) for line, after in pairwise(block))
    return forced >= 0.75 * (len(block) - 1) and _continuing_share(block) >= 0.34


def _is_forced(line: str, after: str, width: int) -> bool:
    """Return True if the first word of the next line would not have fitted on a line."""
    return len(line) + 1 + len(_first_word(after)) > width


def _first_word(line: str) -> str:
    return line[:400].split(maxsplit=1)[0] if line[:400].strip() else line.strip()


def _continuing_share(block: Sequence[str]) -> float:
    """Return the share of a block's lines after the first that begin in lower case.

    Lines without lower-case letters are skipped; if there are no others, the share is 1.
    """
    cased = [line for line in block[1:] if line != line.upper()]
    return sum(_opens_small(line) for line in cased) / len(cased) if cased else 1.0


def _opens_small(line: str) -> bool:
    word = line.lstrip(" _\"'“‘(*-—")[:1]
    return word.islower()


def _unwrap_block(block: Sequence[str], width: int | None) -> Iterable[str]:
    """Yield the paragraphs of a block, given the local width."""
    filled = is_filled(block)
    if filled:
        width = max(map(len, block))
    margin = min(_indent(line) for line in block)
    items = [bool(_ITEM.match(line)) for line in block]
    if sum(items) >= 3:  # a list, such as a table of contents
        filled = False
    else:
        items = [False] * len(block)
    verse = not filled and len(block) >= 4 and _continuing_share(block) < 0.2
    paragraph: list[str] = []
    line_so_far = [block[0]]
    for (line, after), item in zip(pairwise(block), items[1:], strict=True):
        if not item and _is_continued(line, after, width, filled, verse):
            line_so_far.append(after)
            continue
        paragraph.append(_join(line_so_far, margin))
        line_so_far = [after]
        if filled and _indent(after) - margin >= 2:  # a new, indented paragraph
            yield "\n".join(paragraph)
            paragraph = []
            line_so_far = [after.lstrip()]
    paragraph.append(_join(line_so_far, margin))
    yield "\n".join(paragraph)


def _is_continued(line: str, after: str, width: int | None, filled: bool, verse: bool) -> bool:
    """Return True if only the page width separates a line from the next."""
    if width is None:
        is_ended = line.rstrip(_CLOSING)[-1:] in ".!?:"
        return not verse and 50 <= len(line) <= 80 and not is_ended and _opens_small(after)
    if len(line) > _LONGEST_WIDTH:
        return False
    if verse:  # a line too long for the page continues below, indented
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


def _join(pieces: Sequence[str], margin: int) -> str:
    """Return the pieces joined to one line, without a space at a hyphen or dash."""
    if len(pieces) == 1:
        return " " * max(0, _indent(pieces[0]) - margin) + _squeeze(pieces[0])
    joined = [_squeeze(pieces[0])]
    for line, after in pairwise(pieces):
        joined.append("" if _ends_bound(line) or _opens_bound(after.lstrip()) else " ")
        joined.append(_squeeze(after))
    return "".join(joined)


def _ends_bound(line: str) -> bool:
    dashes = len(line) - len(line.rstrip("-"))
    if line.endswith(line_hyphens.SIGN):
        return line[-2:-1].isalpha()
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
