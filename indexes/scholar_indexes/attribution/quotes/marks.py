"""Quotation marks, and the cost of each way to interpret one.

A quotation mark may open, close or be an apostrophe, and its neighbours only suggest which.
Only differences between costs matter; a cost of about 3 means something that an editor would
correct.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from scholar_indexes.attribution.quotes.clipped_words import (
    CLIPPED_AFTER,
    CLIPPED_BEFORE,
    OFTEN_CLIPPED,
)
from scholar_indexes.attribution.quotes.conventions import Convention
from scholar_indexes.types import Span

NEVER = 9.0

OTHER_MARKS = "_\"“”„‟'‘’`«»"
"""Italics and marks that may come between a mark and the adjacent text."""

_WORD = r"[^\W_]"
_DOUBLE_MARKS = re.compile(r"[\"“”„‟]|``|''|‘‘|’’")
_SINGLE_MARKS = re.compile(rf"(?<!{_WORD})['’‘`]|['’‘`](?!{_WORD})")
_GUILLEMETS = re.compile(r"[«»]")
_LETTERS = re.compile(r"[^\W\d_]*")
_BRACKETS = "([{"
_STOPS = ".,;:!?…)]}"
_DASHES = "-—–―"
_VOWELS = frozenset("aeiouAEIOU")


class Costs(NamedTuple):
    """The cost of each interpretation of a mark.

    `inside` and `outside` are the costs if it is no quotation mark at all (an apostrophe, a
    misprint), inside and outside a quotation.
    """

    opens: float
    closes: float
    inside: float
    outside: float


class QuotationMark(NamedTuple):
    """A quotation mark with its costs; begins is True for the first mark of a paragraph."""

    start: int
    end: int
    costs: Costs
    begins: bool


def find_marks(text: str, paragraph: Span, convention: Convention) -> list[QuotationMark]:
    """Return the marks of a paragraph that may open or close a quotation."""
    pattern = {Convention.SINGLE: _SINGLE_MARKS, Convention.GUILLEMETS: _GUILLEMETS}.get(
        convention, _DOUBLE_MARKS
    )
    marks = []
    for match in pattern.finditer(text, paragraph.start, paragraph.end):
        start, end = match.span()
        before = _neighbour(text, start - 1, -1, paragraph)
        after = _neighbour(text, end, 1, paragraph)
        if convention is Convention.SINGLE:
            costs = _single_mark_costs(text, paragraph, start, before, after)
        else:
            costs = _double_mark_costs(match.group(), before, after, convention)
        begins = start - paragraph.start < 3 and not text[paragraph.start : start].strip("_ ")
        marks.append(QuotationMark(start, end, costs, begins))
    return marks


def _neighbour(text: str, position: int, step: int, paragraph: Span) -> str:
    """Return the character next to a mark, past italics and other marks; "" if there is none."""
    for _ in range(3):
        if not paragraph.start <= position < paragraph.end:
            break
        if text[position] not in OTHER_MARKS:
            return text[position]
        position += step
    return ""


def _is_blank(neighbour: str) -> bool:
    return not neighbour or neighbour.isspace()


def _double_mark_costs(mark: str, before: str, after: str, convention: Convention) -> Costs:
    """Return the costs of a mark that is never an apostrophe."""
    opens, closes, inside, outside = costs = _costs_by_neighbours(before, after)
    if len(mark) == 2 and convention is Convention.DOUBLE:  # more likely two apostrophes
        return Costs(opens + 1, closes, 1.0, 0.0)
    # A test of substrings: a mark may be two characters, as in TeX.
    if mark in "“„‟``‘‘":
        return Costs(0.0, max(closes, 1.0) if opens > closes else NEVER, inside, outside)
    if mark in "”’’":
        return Costs(max(opens, 1.5) if closes > opens else NEVER, 0.0, inside, 2.0)
    if mark in "«»" and _is_blank(before) == _is_blank(after):  # spaced as in French
        return Costs(0.0, 2.0, 4.0, 4.0) if mark == "«" else Costs(2.0, 0.0, 4.0, 4.0)
    return costs


def _costs_by_neighbours(before: str, after: str) -> Costs:
    """Return the costs of a mark that looks the same on both sides, from its neighbours."""
    return next(costs for applies, costs in _NEIGHBOUR_RULES if applies(before, after))


_NEIGHBOUR_RULES: tuple[tuple[Callable[[str, str], bool], Costs], ...] = (
    (lambda before, after: not before, Costs(0.0, NEVER, 4.0, 4.0)),
    (lambda before, after: not after, Costs(4.0, 0.0, 4.0, 2.0)),
    (lambda before, after: before.isspace() and after.isspace(), Costs(1.0, 1.0, 2.0, 2.0)),
    (lambda before, after: before.isspace() or before in _BRACKETS, Costs(0.0, 3.0, 4.0, 4.0)),
    (lambda before, after: after.isspace() or after in _STOPS, Costs(4.0, 0.0, 4.0, 2.0)),
    (lambda before, after: before in _DASHES, Costs(0.5, 1.0, 3.0, 3.0)),
    (lambda before, after: after in _DASHES, Costs(1.0, 0.5, 3.0, 3.0)),
    (lambda before, after: True, Costs(0.5, 0.5, 3.0, 3.0)),
)
"""Conditions on the characters before and after a mark; the first that holds applies."""


def _single_mark_costs(text: str, paragraph: Span, start: int, before: str, after: str) -> Costs:
    """Return the costs of a mark that may be an apostrophe."""
    mark = text[start]
    if _stands_before_word(before, after):
        return _costs_before_word(text, paragraph, start, before, after)
    if _is_blank(before) and _is_blank(after):
        return Costs(1.5, 1.5, 1.0, 1.0)
    if mark in "‘`":
        return Costs(3.0, NEVER, 0.5, 0.5)
    closes, apostrophe = _costs_after_word(text, paragraph, start, before, after)
    return Costs(NEVER, closes, apostrophe, min(apostrophe, 2.0))


def _stands_before_word(before: str, after: str) -> bool:
    if _is_blank(after) or after in _STOPS:
        return False
    return _is_blank(before) or before in _BRACKETS or before in _DASHES


def _costs_before_word(text: str, paragraph: Span, start: int, before: str, after: str) -> Costs:
    mark = text[start]
    opens, apostrophe = _opening_costs(text, paragraph, start, after)
    if mark == "’":
        opens, apostrophe = opens + 4.0, 0.0
    elif mark != "'":
        apostrophe += 1.5
    closes = 1.0 if before != "" and before in _DASHES else 5.0
    return Costs(opens, closes, apostrophe, apostrophe)


def _opening_costs(text: str, paragraph: Span, start: int, after: str) -> tuple[float, float]:
    """Return the costs of a mark before a word as an opening mark, and as an apostrophe.

    Quotations mostly open after punctuation and with a capital; an apostrophe replaces an h
    or begins one of the clipped words.
    """
    preceding = _preceding_character(text, paragraph, start)
    runs_on = preceding.isalnum()
    opens = 0.0 if not runs_on else 0.5 if after.isupper() else 1.5
    word = _LETTERS.match(text, start + 1, paragraph.end)
    if after.isdigit() or (word and word.group().lower() in CLIPPED_BEFORE):
        return opens + 1.5, 0.0
    apostrophe = 3.0
    if after in _VOWELS:
        apostrophe = 2.0 if after.isupper() else 1.0
    return opens, apostrophe + (2.0 if not preceding else 0.0 if runs_on else 1.0)


def _preceding_character(text: str, paragraph: Span, start: int) -> str:
    """Return the character before a position, past at most three blanks; "" at the start of the
    paragraph."""
    last = start - 1
    while last >= paragraph.start and text[last].isspace() and start - last < 4:
        last -= 1
    return text[last] if last >= paragraph.start else ""


def _costs_after_word(
    text: str, paragraph: Span, start: int, before: str, after: str
) -> tuple[float, float]:
    """Return the costs of a mark after a word as a closing mark, and as an apostrophe."""
    if not after or not before.isalnum():
        return 0.0, 4.0
    first = start
    while first > paragraph.start and text[first - 1].isalpha() and start - first < 12:
        first -= 1
    written = text[first:start]
    word = written.lower()
    if word in CLIPPED_AFTER:
        return 2.0, 0.0
    closes = 2.0 if after.isspace() else 1.0
    if not word.endswith(OFTEN_CLIPPED):
        return closes, 2.5
    # The dogs' chain: a plural before a noun owns it rather than ends a quotation.
    owns = written.islower() and after.isspace() and text[start + 1 : start + 3].strip().islower()
    return closes + (0.5 if owns else 0.0), 0.5
