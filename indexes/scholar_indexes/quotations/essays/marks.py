"""Find the quotations of a paragraph by their marks.

Double marks, curly or straight, and single ones where they are no apostrophes. A mark that is not
closed by the end of its paragraph is said to be open. A block quotation is one as a whole, without
the citation behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scholar_indexes import stopping
from scholar_indexes.quotations.essays.stretches import SEARCHED
from scholar_indexes.types import Span

LONGEST = 6_000
"""Characters of a quotation between marks, at most."""


MOST_BEHIND = 16
"""Characters behind a mark that tell whether it opens a quotation, at most."""


class QuotedSpan(NamedTuple):
    """The span between quotation marks; `is_open` says that they are not closed."""

    span: Span
    is_open: bool


_CLOSING = {"“": "”", "„": "“”", "«": "»", '"': '"', "‘": "’'", "'": "'’"}
_OPENS = re.compile(
    r"[“„«]"
    r"|(?<![^\W_])\"(?=\S)"
    r"|(?<![\w’'])‘(?=\S)"
    r"|(?<![\w’'.,;!?])'(?=[^\W\d_])(?!(?:[Tt]is|[Tt]was|[Tt]were|[Tt]will|[Ee]m|cause|til|round)\b)"
)
_OPENS_AGAIN = re.compile(r"\s\"(?=[^\W_])")
_AFTER_SINGLE = re.compile(r"(?![^\W_])")
_NAME = r"[“\"‘']?[A-ZÀ-Þ][^\s,;:()]*"
_SMALL = r"(?:and|of|the|in|an?|to|with|from|for|on|at|by|de|la|le|du|des|von|van|der|et|al)\b\.?"
_NAMES = rf"{_NAME}(?:[\s,;:]+(?:{_NAME}|{_SMALL}))*"
"""Authors and titles: all words but small ones have a capital."""

_DIVISION = (
    r"(?i:chap(?:ter)?s?|chs?|pages?|pp?|lines?|ll?|vol(?:ume)?s?|bks?|books?|parts?|pts?|acts?"
    r"|sc(?:ene)?s?|cantos?|stanzas?|sonnets?|letters?)"
)
_ROMAN_PLACE = rf"{_DIVISION}\.?\s(?:[IVXLC]+|[ivxlc]+)\b"
_PLACE = rf"(?:{_ROMAN_PLACE}|{_DIVISION}\.?\s?\d[\d.:–-]*|\d+[.:]\d[\d.:–-]*)"
_EDITORIAL = (
    r"(?i:(?:my|our|original|added)\s(?:emphas[ie]s|italics|translation)"
    r"|(?:emphas[ie]s|italics|translation)\s(?:(?:is|are)\s)?"
    r"(?:mine|ours|(?:my|our)\sown|added|original|in\s(?:the\s)?original)"
    r"|ibid\.?)"
)
_PARENTHESIS = (
    r"\((?:(?=[^()]{0,120}\d)[^()]{0,120}"
    rf"|[^()]{{0,120}}\b{_ROMAN_PLACE}(?:[,;]\s{_EDITORIAL})?"
    rf"|(?:[^()]{{0,80}}[,;]\s)?{_EDITORIAL})\)"
)
_CITATION = re.compile(
    rf"(?:(?:{_PARENTHESIS}\.?\s*)+"
    # novels have names in parentheses within a sentence ("that he (Mr. Darcy) was"), but hardly
    # ever several with a comma between them
    rf"|(?:^|(?<=[.!?…”’\"])\s|(?<=\n))\({_NAMES}\)\.?"
    rf"|\({_NAME}(?:\s(?:{_NAME}|{_SMALL}))*,\s{_NAMES}\)\.?"
    r"|(?:^|(?<=\n))(?:—|―|–|-{2,3}) ?[A-Z][^\n]{0,80}"
    rf"|(?:^|(?<=\n)){_NAMES}(?:(?:,\s{_PLACE})+|\s{_PARENTHESIS})\.?)$"
)
"""The source of a block quotation, or a word about its emphasis, behind it in parentheses or on a
line of its own."""

LONGEST_CITATION = 200
"""Characters at the end of a block quotation among which a citation is looked for."""


def find(text: str, *, is_block: bool = False) -> Iterator[QuotedSpan]:
    """Yield the quotations of a paragraph in their order, none within another."""
    if is_block:
        yield _block(text)
        return
    at, is_single_open = 0, False
    while opening := _next_opening(text, at):
        start = opening.end()
        is_single = opening[0] in "‘'"
        if is_single and is_single_open:
            at = start
            continue
        end, is_open = _closing(text, opening[0], start)
        if is_open and is_single:
            # An apostrophe; what follows it in the paragraph is not searched again for each.
            at, is_single_open = start, True
            continue
        if text[start:end].strip():
            yield QuotedSpan(_trimmed(text, start, end), is_open)
        at = end if is_open else end + 1


def _next_opening(text: str, at: int) -> re.Match[str] | None:
    """Return the next mark that may open a quotation."""
    while at < len(text):
        stopping.check()
        match = _OPENS.search(text, at, at + SEARCHED + MOST_BEHIND)
        if match and match.start() < at + SEARCHED:
            return match
        at += SEARCHED
    return None


def _closing(text: str, mark: str, start: int) -> tuple[int, bool]:
    """Return where a quotation ends that opens with a mark, and if it is not closed there: before
    a straight mark that opens another, or after LONGEST characters."""
    depth, limit = 0, min(len(text), start + LONGEST)
    for at in range(start, limit):
        letter = text[at]
        if mark == letter == '"' and _OPENS_AGAIN.match(text, at - 1):
            return at, True
        if letter in _CLOSING[mark] and not (
            mark in "‘'" and not _AFTER_SINGLE.match(text, at + 1)
        ):
            if not depth:
                return at, False
            depth -= 1
        elif letter == mark and mark in "“«":
            depth += 1
    return limit, True


def goes_on(text: str, span: Span, following: str) -> bool:
    """Return True if a quotation that is open at the end of a paragraph goes on in the next, which
    then begins with the same mark."""
    mark = text[: span.start].rstrip()[-1:]
    return bool(mark) and following.lstrip().startswith(mark)


def _block(text: str) -> QuotedSpan:
    end = len(text.rstrip())
    citation = _CITATION.search(text, max(0, end - LONGEST_CITATION), end)
    return QuotedSpan(_trimmed(text, 0, citation.start() if citation else end), False)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without the white space at its ends."""
    inside = text[start:end]
    return Span(start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip()))
