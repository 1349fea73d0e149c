"""Joining of the quotations of a speech that spans several paragraphs.

By convention each paragraph of a long speech opens with a mark and only the last one closes.
Detected quotations already have such paragraphs as pieces; annotated ones (in PDNC) may not, and
attributing each paragraph separately would let the listener speak in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from scholar_indexes.stopping import checked
from scholar_indexes.types import Quotation, Span

Answer = TypeVar("Answer")

_NEAR = 4_000
"""The most characters between two parts of a speech."""

_MARKS = "\"“”‘’'»«"
_REOPENED = re.compile(rf"\n\s*\n[\s_]*[{_MARKS}]")
_PARTED = re.compile(r"[\"“”«»]|\n\s*\n")


def attribute_speeches(
    text: str,
    quotations: Sequence[Quotation],
    answer: Callable[[Sequence[Quotation]], Sequence[Answer]],
) -> list[Answer]:
    """Return for each quotation the answer for the speech that contains it.

    `answer` takes whole speeches and returns one answer for each.
    """
    groups = group_by_speech(text, quotations)
    answers = dict[int, Answer]()
    for group, speech_answer in zip(groups, answer(join_speeches(quotations, groups)), strict=True):
        answers.update(dict.fromkeys(group, speech_answer))
    return [answers[number] for number in range(len(quotations))]


def group_by_speech(text: str, quotations: Sequence[Quotation]) -> list[list[int]]:
    """Return the numbers of the quotations of each speech, in reading order.

    A quotation continues the previous one if no mark closes between them. Takes time linear in
    the text.
    """
    order = sorted(range(len(quotations)), key=lambda number: quotations[number].span)
    groups: list[list[int]] = []
    for number in checked(order):
        if groups:
            first, last = quotations[groups[-1][0]], quotations[groups[-1][-1]]
            if _continues(text, first, last, quotations[number]):
                groups[-1].append(number)
                continue
        groups.append([number])
    return groups


def join_speeches(
    quotations: Sequence[Quotation], groups: Sequence[Sequence[int]]
) -> list[Quotation]:
    """Return one quotation for each speech, given the numbers of its parts.

    Text between two parts, such as words that the speaker quotes, is spoken too.
    """
    speeches = []
    for first, *others in groups:
        pieces = list(quotations[first].pieces)
        for number in others:
            joined, *rest = quotations[number].pieces
            pieces[-1] = Span(pieces[-1].start, joined.end)
            pieces += rest
        speeches.append(Quotation(tuple(pieces)))
    return speeches


def _continues(text: str, first: Quotation, last: Quotation, after: Quotation) -> bool:
    """Return True if `after` continues the speech from `first` to `last`."""
    opened, end, start = first.span.start, last.span.end, after.span.start
    if not end <= start < end + _NEAR or text[end - 1] in _MARKS + "-—":
        return False
    between = _REOPENED.sub("", text[end:start])
    if not between.strip():
        return between != text[end:start]
    doubled = opened > 0 and text[opened - 1] in '"“«'
    return doubled and _PARTED.search(between) is None
