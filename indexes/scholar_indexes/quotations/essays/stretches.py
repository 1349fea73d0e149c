"""The readable text of an essay, without its markup, with the position of every character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scholar_indexes import stopping
from scholar_indexes.stopping import checked

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_NOTE_SIGN = re.compile(
    # a power follows a digit or a letter that is a word of its own
    r"(?<![\d⁰¹²³⁴-⁹])(?<!\b[^\W\d_])(?:\[[⁰¹²³⁴-⁹]{1,4}\]|[⁰¹²³⁴-⁹]{1,4})(?!\w)"
)
_DIGITS = re.compile("[⁰¹²³⁴-⁹]+")
"""The digits of a note sign; searching for these first takes a tenth of the time."""

SEARCHED = 200_000
"""The number of characters searched between two checks that the answer is still wanted."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A paragraph of readable text; `offsets` (n,) are the positions of its characters in the
    source.

    `is_block` is True for a block quotation: all of it is quoted.
    """

    text: str
    offsets: Sequence[int]
    is_block: bool = False


class StretchBuilder:
    """Collects the characters of a stretch; digits become superscript ones while `is_raised`."""

    def __init__(self, *, is_block: bool = False) -> None:
        self.is_block = is_block
        self.is_raised = False
        self._parts: list[str] = []
        self._offsets: list[int] = []

    def add(self, text: str, offset: int) -> None:
        """Add a text that is in the source verbatim."""
        self._parts.append(raised(text) if self.is_raised else text)
        self._offsets += range(offset, offset + len(text))

    def put(self, text: str, offset: int) -> None:
        """Add a text that represents something else at an offset."""
        self._parts.append(text)
        self._offsets += [offset] * len(text)

    def build(self) -> Stretch:
        return Stretch("".join(self._parts), tuple(self._offsets), self.is_block)


def raised(text: str) -> str:
    """Return a text with superscript digits for its digits."""
    return text.translate(_RAISED)


def filled(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches that are not empty, without the superscript numbers of notes."""
    return [
        without_signs
        for stretch in checked(stretches)
        if (without_signs := _without_note_signs(stretch)).text.strip()
    ]


def _without_note_signs(stretch: Stretch) -> Stretch:
    left_out = {at for sign in _note_signs(stretch.text) for at in range(*sign.span())}
    if not left_out:
        return stretch
    kept = [at for at in range(len(stretch.text)) if at not in left_out]
    return Stretch(
        "".join(stretch.text[at] for at in kept),
        tuple(stretch.offsets[at] for at in kept),
        stretch.is_block,
    )


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
        found = _DIGITS.search(text, at, at + SEARCHED)
        digits = _DIGITS.match(text, found.start()) if found else None
        at = digits.end() if digits else at + SEARCHED
        if digits:
            yield digits
