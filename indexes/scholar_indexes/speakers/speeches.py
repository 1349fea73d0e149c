"""One speech over several paragraphs, each of which may be given as a quotation by itself.

By convention each paragraph of a long speech opens with a mark and only the last one closes.
Found quotations have such paragraphs as pieces already; annotated ones (PDNC's) may not, and
whoever weighs each of them by itself lets the listener speak in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from scholar_indexes.types import Quotation, Span

Said = TypeVar("Said")

_NEAR = 4_000
"""Characters from one part of a speech to the next, at most."""

_MARKS = "\"“”‘’'»«"
_REOPENED = re.compile(rf"\n\s*\n[\s_]*[{_MARKS}]")
_PARTED = re.compile(r"[\"“”«»]|\n\s*\n")


def answered(
    text: str,
    quotations: Sequence[Quotation],
    answer: Callable[[Sequence[Quotation]], Sequence[Said]],
) -> list[Said]:
    """What is answered for whole speeches, for each quotation that is one or a part of one."""
    several = parts(text, quotations)
    found = dict[int, Said]()
    for each, said in zip(several, answer(whole(quotations, several)), strict=True):
        found.update(dict.fromkeys(each, said))
    return [found[number] for number in range(len(quotations))]


def parts(text: str, quotations: Sequence[Quotation]) -> list[list[int]]:
    """The numbers of the quotations of each speech, as they are read: one goes on with the one
    before it where no mark closes between them. Takes time linear in the text."""
    order = sorted(range(len(quotations)), key=lambda number: quotations[number].span)
    found: list[list[int]] = []
    for number in order:
        if found:
            first, last = quotations[found[-1][0]], quotations[found[-1][-1]]
            if _goes_on(text, first, last, quotations[number]):
                found[-1].append(number)
                continue
        found.append([number])
    return found


def whole(quotations: Sequence[Quotation], several: Sequence[Sequence[int]]) -> list[Quotation]:
    """Speeches, by the numbers of their parts. What stands between two parts, such as words that
    the speaker quotes, is spoken too."""
    found = []
    for first, *others in several:
        pieces = list(quotations[first].pieces)
        for number in others:
            joined, *rest = quotations[number].pieces
            pieces[-1] = Span(pieces[-1].start, joined.end)
            pieces += rest
        found.append(Quotation(tuple(pieces)))
    return found


def _goes_on(text: str, first: Quotation, last: Quotation, after: Quotation) -> bool:
    """Whether a quotation goes on with the speech that a first one opens and a last one ends."""
    opened, end, start = first.span.start, last.span.end, after.span.start
    if not end <= start < end + _NEAR or text[end - 1] in _MARKS + "-—":
        return False
    between = _REOPENED.sub("", text[end:start])
    if not between.strip():
        return between != text[end:start]
    doubled = opened > 0 and text[opened - 1] in '"“«'
    return doubled and _PARTED.search(between) is None
