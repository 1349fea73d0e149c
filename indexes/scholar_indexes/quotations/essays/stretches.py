"""The readable text of an essay, without its markup, with the position of every character."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scholar_indexes import stopping
from scholar_indexes.decoding import LIGATURES, with_windows_characters
from scholar_indexes.note_anchors import RAISED
from scholar_indexes.quotations.essays.character_tables import pairs
from scholar_indexes.stopping import checked

_RAISED = str.maketrans("0123456789", RAISED)
_NOTE_SIGN = re.compile(
    # a power follows a digit or a letter that is a word of its own
    rf"(?<![\d{RAISED}])(?<!\b[^\W\d_])(?:\[[{RAISED}]{{1,4}}\]|[{RAISED}]{{1,4}})(?!\w)"
)
_DIGITS = re.compile(f"[{RAISED}]+")
"""The digits of a note sign; searching for these first takes a tenth of the time."""

_UNTYPED = re.compile(f"[\u00ad\u200b\u2060\ufeff{''.join(LIGATURES)}]")
_TYPED_MARK = re.compile(
    r"``|‘‘|´´|(?<!\S),,(?=[^\W_])|<<|>>|(?P<close>''|’’)"
    r"|&(?P<name>quot|[lrb]dquo|[lr]squo|[lr]aquo|\#(?:3[49]|14[5-8]|82(?:1[67]|2[01])));"
)
"""Quotation marks of several characters."""

_MARKS = pairs(
    """
    `` “   ‘‘ “   ´´ "   ,, „   << «   >> »
    quot "   ldquo “   rdquo ”   bdquo „   laquo «   raquo »   #34 "   #39 '
    lsquo ‘   rsquo ’   #145 ‘   #146 ’   #147 “   #148 ”   #8216 ‘   #8217 ’   #8220 “   #8221 ”
    """
)
_OPENS_TWICE = re.compile(r"``|‘‘|(?<!\S)(?:,,|'')(?=[^\W_])")

LEAST_INDENT = 360
"""The minimum indent of a block quotation beyond other paragraphs, in twentieths of a point."""

SEARCHED = 200_000
"""The number of characters searched between two checks that the answer is still wanted."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A paragraph of readable text; `offsets` (n,) are the positions of its characters in the
    source.

    `is_block` is True for a block quotation: all of it is quoted. `indent` is in twentieths of a
    point, None for an item of a list, a heading and the like.
    """

    text: str
    offsets: Sequence[int]
    is_block: bool = False
    indent: float | None = 0.0


class StretchBuilder:
    """Collects the characters of a stretch; digits become superscript ones while `is_raised`."""

    def __init__(self, *, is_block: bool = False, indent: float | None = 0.0) -> None:
        self.is_block = is_block
        self._indent = indent
        self.is_raised = False
        self._parts: list[str] = []
        self._offsets: list[int] = []

    def __bool__(self) -> bool:
        return any(map(str.strip, self._parts))

    def add(self, text: str, offset: int) -> None:
        """Add a text that is in the source verbatim."""
        self._parts.append(raised(text) if self.is_raised else text)
        self._offsets += range(offset, offset + len(text))

    def put(self, text: str, offset: int) -> None:
        """Add a text that represents something else at an offset."""
        self._parts.append(text)
        self._offsets += [offset] * len(text)

    def copy(self, stretch: Stretch, start: int, end: int) -> None:
        """Add a part of another stretch."""
        self._parts.append(stretch.text[start:end])
        self._offsets += stretch.offsets[start:end]

    def build(self) -> Stretch:
        return Stretch("".join(self._parts), tuple(self._offsets), self.is_block, self._indent)


def raised(text: str) -> str:
    """Return a text with superscript digits for its digits."""
    return text.translate(_RAISED)


def with_indented_blocks(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return the paragraphs of an essay; the ones with more indent than most of its text are block
    quotations."""
    sizes: Counter[float] = Counter()
    for stretch in stretches:
        if not stretch.is_block and stretch.indent is not None:
            sizes[stretch.indent] += len(stretch.text.strip())
    least = max(sizes, key=lambda indent: sizes[indent], default=0.0) + LEAST_INDENT
    return [
        replace(stretch, is_block=stretch.is_block or (stretch.indent or 0.0) >= least)
        for stretch in stretches
    ]


def filled(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches that are not empty, without the superscript numbers of notes and soft
    hyphens, with one character for each quotation mark, and letters for ligatures."""
    return [
        ready
        for stretch in checked(stretches)
        if (ready := _with_marks(_without_note_signs(_with_letters(stretch)))).text.strip()
    ]


def _with_letters(stretch: Stretch) -> Stretch:
    """Return a stretch without soft hyphens and the like, and with letters for ligatures and
    control characters."""
    stretch = replace(stretch, text=with_windows_characters(stretch.text))
    if not _UNTYPED.search(stretch.text):
        return stretch
    builder, at = StretchBuilder(is_block=stretch.is_block), 0
    for match in checked(_UNTYPED.finditer(stretch.text)):
        builder.copy(stretch, at, match.start())
        builder.put(LIGATURES.get(match[0], ""), stretch.offsets[match.start()])
        at = match.end()
    builder.copy(stretch, at, len(stretch.text))
    return builder.build()


def _with_marks(stretch: Stretch) -> Stretch:
    """Return a stretch with one character for each quotation mark of several: ``so''."""
    text = stretch.text
    if not _TYPED_MARK.search(text):
        return stretch
    closes = _OPENS_TWICE.search(text) is not None
    builder, at = StretchBuilder(is_block=stretch.is_block), 0
    for match in checked(_TYPED_MARK.finditer(text)):
        if match["close"]:
            opens = not text[max(0, match.start() - 1) : match.start()].strip()
            mark = ("“" if opens else "”") if closes else match[0]
        else:
            mark = _MARKS[match["name"] or match[0]]
        builder.copy(stretch, at, match.start())
        builder.put(mark, stretch.offsets[match.start()])
        at = match.end()
    builder.copy(stretch, at, len(text))
    return builder.build()


def _without_note_signs(stretch: Stretch) -> Stretch:
    builder, at = StretchBuilder(is_block=stretch.is_block), 0
    for sign in _note_signs(stretch.text):
        builder.copy(stretch, at, sign.start())
        at = sign.end()
    builder.copy(stretch, at, len(stretch.text))
    return builder.build() if at else stretch


def _note_signs(text: str) -> Iterator[re.Match[str]]:
    """Yield the superscript numbers of notes, with their brackets."""
    for digits in _raised_numbers(text):
        first = digits.start()
        bracket = first - 1 if text[first - 1 : first] == "[" else first
        if sign := _NOTE_SIGN.match(text, bracket) or _NOTE_SIGN.match(text, first):
            yield sign


def _raised_numbers(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs of superscript digits."""
    at = 0
    while at < len(text):
        stopping.check()
        digit = _DIGITS.search(text, at, at + SEARCHED)
        digits = _DIGITS.match(text, digit.start()) if digit else None
        at = digits.end() if digits else at + SEARCHED
        if digits:
            yield digits
