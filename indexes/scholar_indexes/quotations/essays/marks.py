"""Find the quotations of a paragraph by their marks.

Quotation marks are double, curly or straight, or single if they are not apostrophes. A quotation
that is not closed by the end of its paragraph is open. A block quotation is a single quotation,
without the citation after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scholar_indexes import stopping
from scholar_indexes.quotations.essays.stretches import SEARCHED
from scholar_indexes.types import Span

LONGEST = 6_000
"""The maximum number of characters of a quotation between marks."""


MOST_BEHIND = 16
"""The maximum number of characters after a mark that decide whether it opens a quotation."""


class QuotedSpan(NamedTuple):
    """The span between quotation marks; `is_open` is True if they are not closed."""

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
"""Authors and titles: all words except small ones are capitalised."""

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
"""The source of a block quotation, or a note about its emphasis, after it in parentheses or on a
line of its own."""

LONGEST_CITATION = 200
"""The number of characters at the end of a block quotation that are searched for a citation."""


def find(text: str, *, is_block: bool = False) -> Iterator[QuotedSpan]:
    """Yield the quotations of a paragraph in order, without nested ones."""
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
            # An apostrophe; the rest of the paragraph is not searched again for later ones.
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
    """Return the end of a quotation that a mark opens, and whether it is open there: before a
    straight mark that opens another, or after LONGEST characters."""
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
    """Return True if a quotation that is open at the end of a paragraph continues in the next,
    which then begins with the same mark."""
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
