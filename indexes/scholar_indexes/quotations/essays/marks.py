"""Find the quotations of a paragraph by their marks.

Quotation marks are double, of any language, or single if they are not apostrophes. A quotation
that is not closed by the end of its paragraph is open. A block quotation is a single quotation,
without the citation after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scholar_indexes import stopping
from scholar_indexes.quotations.essays.character_tables import pairs
from scholar_indexes.quotations.essays.stretches import SEARCHED
from scholar_indexes.types import Span

LONGEST = 6_000
"""The maximum number of characters of a quotation between marks."""

MOST_BEHIND = 16
"""The maximum number of characters after a mark that decide whether it opens a quotation."""

MOST_REOPENED = 20
"""The number of open quotations of a paragraph that end where another begins; a later one goes on
to its LONGEST, so that no paragraph takes long."""


class QuotedSpan(NamedTuple):
    """The span between quotation marks; `is_open` is True if they are not closed."""

    span: Span
    is_open: bool


_CLOSING = pairs(
    """
    “ ”   „ “”   ” ”   " "   ″ ″   ＂ ＂   〝 〞〟   « »   » «»   ‹ ›   › ‹›   「 」   『 』   ｢ ｣
    《 》   〈 〉   ❝ ❞   ‟ ”   ‘ ’'   ' '’   ‚ ‘’   ` '’   ‛ ’   ❛ ❜
    """
)
"""The marks that close a quotation, by the mark that opens it."""

_MISTYPED = pairs(
    """
    “ "„“″   „ "„″   ” "“″   " ”“″   ″ "”   〝 "”   » ”   « “
    """
)
"""Other marks that close a quotation if none of the right ones follows in its paragraph."""

_SINGLE = "‘'‚`‛❛"
_SAME = '"″＂”»›'
"""Marks that open and close quotations; they open one after a space or a bracket."""

_OPENS = re.compile(
    r"[“„«‹「『｢〝《〈❝‟]"
    r"|(?<![^\W_])[\"″＂](?=\S)"
    r"|(?<![^\s(\[—–])[”»›](?=[^\W_])"
    r"|(?<![\w’'])[‘‚‛❛](?=\S)"
    r"|(?<![\w’'`])`(?=[^\W\d_])"
    r"|(?<![\w’'.,;!?])'(?=[^\W\d_])(?!(?:[Tt]is|[Tt]was|[Tt]were|[Tt]will|[Ee]m|cause|til|round)\b)"
)
_DOUBLE = re.compile('[“„”"″＂〝〞〟«»‹›「」『』｢｣《》〈〉❝❞‟]')
_BEFORE_OPENING = re.compile(r"(?:^|[\s(\[—–])$")
_AFTER_OPENING = re.compile(r"[^\W_]|[‘'“\[]")
_AFTER_SINGLE = re.compile(r"(?![^\W_])")
_NAME = r"[“\"‘'*_]*[A-ZÀ-Þ][^\s,;:()]*"
_SMALL = r"(?:and|of|the|in|an?|to|with|from|for|on|at|by|de|la|le|du|des|von|van|der|et|al)\b\.?"
_NAMES = rf"{_NAME}(?:[\s,;:]+(?:{_NAME}|{_SMALL}))*"
"""Authors and titles: all words except small ones are capitalised."""

_DIVISION = (
    r"(?i:chap(?:ter)?s?|chs?|pages?|pp?|lines?|ll?|vol(?:ume)?s?|bks?|books?|parts?|pts?|acts?"
    r"|sc(?:ene)?s?|cantos?|stanzas?|sonnets?|letters?)"
)
_NUMBER_WORD = "(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_ROMAN_PLACE = rf"{_DIVISION}\.?\s(?:[IVXLC]+|[ivxlc]+|{_NUMBER_WORD})\b"
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
_LINE = r"(?:^|(?<=\n))[ \t]*"
_CITATION = re.compile(
    rf"(?:(?:{_PARENTHESIS}\.?\s*)+"
    # novels have names in parentheses within a sentence ("that he (Mr. Darcy) was"), but hardly
    # ever several with a comma between them
    rf"|(?:{_LINE}|(?<=[.!?…”’\"])\s)\({_NAMES}\)\.?"
    rf"|\({_NAME}(?:\s(?:{_NAME}|{_SMALL}))*,\s{_NAMES}\)\.?"
    rf"|{_LINE}(?:(?:—|―|–|-{{2,3}}) ?){{1,2}}[A-Z][^\n]{{0,80}}"
    rf"|(?:(?<=[.!?…”’\"])\s(?:—|―|–|--)|{_LINE}(?:[-~]|[Ss]ource:))\s?(?![^\W\d_]+\.$)"
    rf"{_NAMES}(?:,\s(?:{_PLACE}|\d{{1,4}}))*\.?"
    rf"|{_LINE}{_NAMES}(?:(?:,\s{_PLACE})+|,\s\d{{1,3}}|\s{_PARENTHESIS})\.?)$"
)
"""The source of a block quotation, or a note about its emphasis, after it in parentheses or on a
line of its own."""

_PAGE = re.compile(rf"\s{_PARENTHESIS}\.?$")

LONGEST_CITATION = 200
"""The number of characters at the end of a block quotation that are searched for a citation."""


def find(text: str, *, is_block: bool = False, start: int = 0) -> Iterator[QuotedSpan]:
    """Yield the quotations of a paragraph in order from a position, without nested ones."""
    if is_block:
        yield _block(text)
        return
    at, unclosed, reopened = start, "", 0
    while opening := _next_opening(text, at):
        start = opening.end()
        mark = opening[0]
        if mark in unclosed:
            at = start
            continue
        end, is_open = _closing(text, mark, start, may_end_early=reopened < MOST_REOPENED)
        if is_open and mark in _SINGLE:
            # An apostrophe; the rest of the paragraph is not searched again for later ones.
            at, unclosed = start, unclosed + mark
            continue
        reopened += is_open
        if text[start:end].strip():
            yield QuotedSpan(_trimmed(text, start, _without_citation(text, start, end)), is_open)
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


def _closing(text: str, mark: str, start: int, *, may_end_early: bool) -> tuple[int, bool]:
    """Return the end of a quotation that a mark opens, and whether it is open there: before a mark
    that opens another, or after LONGEST characters."""
    limit = min(len(text), start + LONGEST)
    if mark in _SINGLE:
        return _closing_single(text, mark, start, limit)
    end = _closing_double(text, mark, start, limit, is_mistyped=False)
    if end is None:
        end = _closing_double(text, mark, start, limit, is_mistyped=True)
    if end is not None:
        return end, False
    again = (
        at
        for at in range(start, limit if may_end_early else start)
        if text[at] == mark and _may_open(text, at)
    )
    return next(again, limit), True


def _closing_single(text: str, mark: str, start: int, limit: int) -> tuple[int, bool]:
    for at in range(start, limit):
        if text[at] in _CLOSING[mark] and _AFTER_SINGLE.match(text, at + 1):
            return at, False
        if text[at] == mark == "`":  # code
            break
    return limit, True


def _closing_double(
    text: str, mark: str, start: int, limit: int, *, is_mistyped: bool
) -> int | None:
    """Return the place of the mark that closes a quotation, after nested ones; None if there is
    none."""
    opened = [mark]
    for match in _DOUBLE.finditer(text, start, limit):
        at, letter = match.start(), match[0]
        opens = _may_open(text, at)
        if opens and letter == mark and mark in _SAME:
            return None
        closed = _closed_by(letter, opened, opens=opens, is_mistyped=is_mistyped)
        if closed == 0:
            return at
        if closed is not None:
            del opened[closed:]
        elif letter in _CLOSING and (opens or letter not in _SAME):
            opened.append(letter)
    return None


def _closed_by(letter: str, opened: list[str], *, opens: bool, is_mistyped: bool) -> int | None:
    """Return the index of the innermost opened mark that a letter closes."""
    may_open = opens and letter in _CLOSING and letter not in "”»›"
    for at in () if may_open else reversed(range(len(opened))):
        if letter in _CLOSING[opened[at]]:
            return at
    if is_mistyped and not opens:
        for at in reversed(range(len(opened))):
            if letter in _MISTYPED.get(opened[at], ""):
                return at
    return None


def _may_open(text: str, at: int) -> bool:
    """Return True for a mark after a space or bracket and before a word."""
    return bool(
        _BEFORE_OPENING.search(text[max(0, at - 1) : at]) and _AFTER_OPENING.match(text, at + 1)
    )


def mark_before(text: str, span: Span) -> str:
    """Return the mark that opens a quotation."""
    return text[: span.start].rstrip()[-1:]


def goes_on(mark: str, following: str) -> bool:
    """Return True if a quotation that is open at the end of a paragraph continues in the next,
    which then begins with the same mark."""
    return bool(mark) and following.lstrip().startswith(mark)


def closing_in(following: str, mark: str) -> int | None:
    """Return the place where a later paragraph closes a quotation, -1 if it has no marks, and None
    if it does not continue the quotation."""
    first = _DOUBLE.search(following)
    if first is None:
        return -1
    is_closing = first[0] in _CLOSING.get(mark, "") + _MISTYPED.get(mark, "")
    return first.start() if is_closing and not _may_open(following, first.start()) else None


def _without_citation(text: str, start: int, end: int) -> int:
    """Return the end of a quotation without a page number in parentheses before its mark."""
    end = start + len(text[start:end].rstrip())
    citation = _PAGE.search(text, max(start + 1, end - LONGEST_CITATION), end)
    return citation.start() if citation else end


def _block(text: str) -> QuotedSpan:
    end = len(text.rstrip())
    citation = _CITATION.search(text, max(0, end - LONGEST_CITATION), end)
    return QuotedSpan(_trimmed(text, 0, citation.start() if citation else end), False)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without the white space at its ends."""
    inside = text[start:end]
    return Span(start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip()))
