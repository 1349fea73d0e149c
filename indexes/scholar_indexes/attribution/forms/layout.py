"""Letters and epigraphs, recognized by their layout and their position.

A letter has a salutation that ends its line, a date line, a complimentary close or a signature;
two of these suffice, or one with narration that mentions writing. An epigraph is at the head of a
chapter, and is verse or has its source on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scholar_indexes.types import Quotation, Span

_MONTH = (
    r"(?:Jan(?:uary|\.)|Feb(?:ruary|\.)|March|April|May|June|July|Aug(?:ust|\.)|Sept(?:ember|\.)"
    r"|Oct(?:ober|\.)|Nov(?:ember|\.)|Dec(?:ember|\.))"
)
_MARKS = r"[\s\"“”‘’'«»`_*]{0,20}"
_ADDRESSEE = r"(?:[A-Z][\w.’'-]*|my|own|and|the|old|little|friend)"
_DEAR = r"(?:[Dd]ear(?:est|s)?|DEAR(?:EST)?|[Bb]eloved|[Hh]onou?red|[Rr]espected)"
_SIR = r"(?:Sirs?|SIRS?|Madam|MADAM|Gentlemen|GENTLEMEN)"
_SALUTATIONS = (
    re.compile(
        rf"{_MARKS}(?:(?:M[yY] )?(?:[Oo]wn )?{_DEAR}(?:[ ,]+{_ADDRESSEE}){{0,4}}|{_SIR})"
        rf"_?[,:;.]?_?(?:\s{{0,4}}(?:--|—|–)|{_MARKS}\n[ \t]*\n)"
    ),
    re.compile(rf"{_MARKS}(?:MY )?DEAR(?:EST)? [A-Z]{{2}}"),
)
_DATE_LINE = re.compile(
    rf"{_MARKS}(?:[A-Z][\w.,’' -]{{0,60}}[,;.] ?_?)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}|{_MONTH},? 1\d{{3}})"
    r"[\s.,_\d-]*"
)
_RELATION = (
    r"(?:servant|friend|son|daughter|sister|brother|cousin|niece|nephew|mother|father|wife"
    r"|husband|lover)"
)
_CLOSE = re.compile(
    r"\b(?:[Yy]our'?s,? (?:\w+[ ,]+){0,3}(?:\w+ly|ever|etc|&c|always|very truly)"
    r"|(?:[Ee]ver|[Aa]lways) (?:your'?s|your \w+)"
    r"|(?:Your|(?:I am|I remain|[Bb]elieve me|[Ff]rom)[^.!?]{0,40} your) (?:\w+,? (?:and )?){1,4}"
    rf"{_RELATION}\b)"
)
_SIGNATURE = re.compile(
    r"(?:\n|--|—|\. |, | {4})[\s\"“‘'_-]*"
    r"(?:[A-Z][A-Z.'’-]+(?: [A-Z][A-Z.'’-]*){0,3}|(?:[A-Z]\. ?){2,3})_?[.,]?_?\W*$"
)
_SIGNATURE_LENGTH = 60
_CORRESPONDENCE = re.compile(
    r"\b(?:letters?|notes?|telegrams?|missive|epistle|envelope|wrote|write|written|writes|writing"
    r"|postscript|pen|reads?|reading|opened it|perused)\b",
    re.IGNORECASE,
)

_CLOSE_WITHIN = 220
"""The number of characters at the end of a letter that contain its close and its signature."""

_NARRATION_BEFORE = 300
"""The number of characters before a letter in which the narration may mention it."""

_VERSE_LINE = 62
"""The most characters in a line of verse."""

_SOURCE_LINE = re.compile(
    r"[\s\"”’'_]*(?:--|—|–)?[\s_\[(]*(?!CHAPTER|BOOK|PART)"
    r"(?:[A-Z][A-Z.'’ -]{3,}[.,:;]?[^\n]{0,50}|(?:--|—|–)\s?_?[A-Z][^\n]{2,60}"
    r"|_[A-Z][^\n_]{2,60}_\.?|[ ]{8,}[A-Z][^\n]{2,60})[\s\])_]*(?:\n|$)"
)
"""The line after an epigraph that gives its source."""

_HEADING = re.compile(r"(?:[^a-z\n]{1,70}|(?:CHAPTER|Chapter|BOOK|Book)\b[^\n]{0,80})(?:\n|$)")
_HEADINGS = 3
"""The most lines of a heading between the beginning of a chapter and its epigraph."""


def is_letter(text: str, quotation: Quotation) -> bool:
    """Return True if a quotation has the form of a letter, or of the signature that ends one."""
    span = quotation.span
    begin = text[span.start : span.start + 300]
    end = text[max(span.start, span.end - _CLOSE_WITHIN) : span.end]
    before = text[max(0, span.start - _NARRATION_BEFORE) : span.start]
    date = _DATE_LINE.match(begin)
    signs = (
        any(pattern.match(begin, date.end() if date else 0) for pattern in _SALUTATIONS),
        bool(date),
        bool(_CLOSE.search(end)),
        span.end - span.start > _SIGNATURE_LENGTH and bool(_SIGNATURE.search(end)),
    )
    if sum(signs) >= 2:
        return True
    if any(signs):
        return bool(_CORRESPONDENCE.search(_narration(before)))
    is_signature = span.end - span.start <= _SIGNATURE_LENGTH and span.of(text).isupper()
    return is_signature and bool(_CLOSE.search(before[-_SIGNATURE_LENGTH:]))


def _narration(before: str) -> str:
    """Return the last paragraph that has words, without quoted text."""
    paragraphs = [part for part in re.split(r"\n\s*\n", before) if re.search(r"\w", part)]
    last = paragraphs[-1] if paragraphs else ""
    return re.sub(r"[\"“][^\"”]*[\"”]", " ", last)


def is_epigraph(text: str, quotation: Quotation, chapter: Span) -> bool:
    """Return True if a quotation begins a chapter and is verse, or is followed by its source."""
    start, end = quotation.span.start, quotation.span.end
    between = text[chapter.start : start].strip(" \t\r\n\"“‘'«_*")
    if len(between) > 300:
        return False
    lines = [line for line in between.splitlines() if line.strip()]
    if len(lines) > _HEADINGS or not all(_HEADING.fullmatch(line.strip()) for line in lines):
        return False
    return bool(_SOURCE_LINE.match(text[end : min(end + 160, chapter.end)])) or is_set_as_verse(
        text, quotation
    )


def is_set_as_verse(text: str, quotation: Quotation) -> bool:
    """Return True if a quotation begins a paragraph and its lines are short and capitalised."""
    span = quotation.span
    opened = text.rfind("\n", 0, span.start) + 1
    if text[opened : span.start].strip(" \t\"“‘'`_"):
        return False
    lines = [line for line in span.of(text).splitlines() if line.strip()]
    return len(lines) >= 2 and all(
        len(line.strip()) <= _VERSE_LINE and line.strip(" \t\"“‘'`_(—-")[:1].isupper()
        for line in lines
    )


def chapter_heads(chapters: Sequence[Span], quotations: Sequence[Quotation]) -> dict[int, Span]:
    """Return the chapters by the number of their first quotation; both inputs are in order."""
    heads: dict[int, Span] = {}
    number = 0
    for chapter in chapters:
        while number < len(quotations) and quotations[number].span.start < chapter.start:
            number += 1
        if number < len(quotations) and quotations[number].span.start < chapter.end:
            heads[number] = chapter
    return heads
