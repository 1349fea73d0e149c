"""Titles in the form of a bibliography: in headline case, without remarks about the file or the
edition, and with the volume number separate.

The stored title of a book is the title in its source, such as "THE TEMPEST", "Rob Roy, Complete,
Illustrated" or "Joseph Andrews Vol. 1".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scholar_indexes.books.segmentation.numerals import parse_arabic, parse_roman, parse_spelled
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.sanitize import one_line

SHORTEST_TITLE = 3
"""The minimum length of a main title; a shorter one is cited with its subtitle."""

_NUMBER = r"(?:[IVXLC]+|\d{1,3}|[A-Za-z]{3,9})"
_VOLUME = re.compile(
    rf"[\s,.:;(–—-]*\bVol(?:ume|\.|\b)\s*(?P<number>{_NUMBER})\b(?:\s*-\s*{_NUMBER}\b)?"
    rf"[\s.,]*(?P<total>\(?of\s+(?:{_NUMBER}\b)[\s.)]*)?[)]?",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"[\s,.:;(]*\bVols?(?:umes?|\.|\b)\s*{_NUMBER}\s*[-–]\s*{_NUMBER}\b", re.I)
_EDITION_AFTER_VOLUME = re.compile(r"of the ([\w .]+ Edition)", re.IGNORECASE)

_NOISE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "The Project Gutenberg Etext of Emma"
        r"^The Project Gutenberg (?:e-?text|e-?book)(?: of|,) ",
        # "Rob Roy, Complete, Illustrated", "Emma [Illustrated]", "Emma (Unabridged)"
        r"(?:[,:;.-]\s*(?:Complete|Unabridged|(?:Fully )?Illustrated)"
        r"|\s*[\[(](?:The )?(?:Complete|Unabridged|(?:Fully )?Illustrated)(?: Edition)?[\])])"
        r"(?=[.\s]*$|[,:;])",
        # "Les Misérables: Complete in Five Volumes"
        rf"[,:;.\s]*\b(?:Complete )?in {_NUMBER} vol(?:ume)?s?\b\.?$",
        # "Hawthorne: (English Men of Letters Series)"
        r":?\s*\([^()]* Series\)$",
        # "Sir Walter Scott: Famous Scots Series", not "Among My Books: First Series"
        r":\s(?!(?:[^:]* )?(?:New|First|Second|Third|Fourth|Fifth)\b)[^:]+\s[^:\s]+ Series$",
        # "Hours in a Library: New Edition, with Additions", "Dickens and His Illustrators: 2nd. Ed"
        r"[.:;]\s*(?:(?:New|Revised|Enlarged|Popular|Second|Third|Fourth|Fifth|\d+(?:st|nd|rd|th))"
        r"[.,]?\s+)+Ed(?:ition|\.|$)[^:]*(?=$|:)",
        # "Life of Johnson: Abridged and Edited, with an Introduction by Charles Grosvenor Osgood"
        r"[.:;,]\s*(?:Abridged|Edited|Translated|Selected|Revised)\b[^:]*\bby\b[^:]*(?=$|:)",
        # "Evelina, by the Author of Cecilia"
        r"[,:;.]?\s+by (?:the|an) (?:author|authoress|editor|writer)s? of\b.*$",
    )
)
"""Patterns of words that sources add to titles, each with an example."""

_ALTERNATIVE = re.compile(r"\s*[,;:]\s+or[,:]?\s+(?=[A-Z'‘’\"“])", re.IGNORECASE)
_SUBTITLE_MARK = re.compile(r"\s*;\s+(?!or,)(?=[A-Z])|\s*:\s+(?=\()")
_MAIN_TITLE_END = re.compile(r"[:;]\s")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BEGINS = re.compile(r"(?:[:?!.—]\s*|;\s+or,\s+|--|['’]s )[\"“‘'(\[_]*$")
_BEFORE = len("; or")
"""The number of characters before a gap that decide if a word begins a title or subtitle."""

_ROMAN = re.compile(r"[IVX]+")
_TRAILING = " ,:;-–—_."
_ABBREVIATED = re.compile(r"\b(?:Esq|Jr|Sr|etc|&c|[A-Z])$")

_LOWERED = frozenset("a an and as at but by for from in into nor of on or the to with".split())
"""Words that are lower-cased within a title."""

_OTHER_THAN_PREPOSITIONS = frozenset(
    "concerning down inside like near off opposite out outside over past regarding round up".split()
)
_FOREIGN = frozenset(
    "de del della den der des di du e el en et la las le les los und van von y".split()
)
_UNCHANGED = _LOWERED | (closed_classes.PREPOSITIONS - _OTHER_THAN_PREPOSITIONS) | _FOREIGN
"""Words that may stay in lower case within a title."""

_ELIDED = ("d'", "d’", "l'", "l’")


class CitedTitle(NamedTuple):
    """A title, and the number of its volume, empty for a whole work."""

    title: str
    volume: str = ""

    @property
    def main(self) -> str:
        """The title without its subtitle, unless that leaves it too short."""
        main = _MAIN_TITLE_END.split(self.title, maxsplit=1)[0].strip()
        return main if len(main) >= SHORTEST_TITLE else self.title


def cited_title(title: str, language: str = "en") -> CitedTitle:
    """Return a title in the form of a bibliography; one not in English keeps its capitals.

    >>> cited_title("Hours in a Library Vol. III (of 3): New Edition, with Additions.")
    CitedTitle(title='Hours in a Library', volume='3')
    """
    line = one_line(title)
    if line.isupper():
        line = _capitalized(" ".join(map(_uncapitalized, line.split())))
    line, volume = _split_volume(_RANGE.sub("", line))
    for noise in _NOISE:
        line = noise.sub("", line)
    if language == "en":
        line = _ALTERNATIVE.sub("; or, ", line.replace(" & ", " and "))
        if line.count(";") + line.count(":") == 1:
            line = _SUBTITLE_MARK.sub(lambda mark: " " if ":" in mark[0] else ": ", line)
        line = headline_case(line)
    return CitedTitle(_trimmed(line) or one_line(title), volume)


def main_title(title: str, language: str = "en") -> str:
    """Return a title without its subtitle, as a reader names the book.

    Return "Jane Eyre" for "Jane Eyre: An Autobiography", "Frankenstein" for "Frankenstein; Or, The
    Modern Prometheus". A volume number follows: "The Portrait of a Lady, vol. 1".
    """
    cited = cited_title(title, language)
    return f"{cited.main}, vol. {cited.volume}" if cited.volume else cited.main


def headline_case(title: str) -> str:
    """Return a title in headline case: capitals except for inner articles, short prepositions and
    conjunctions. A word with a capital inside it, or with digits, is unchanged."""
    words = list(_WORD.finditer(title))
    parts, at = [], 0
    for number, word in enumerate(words):
        before = title[max(0, at - _BEFORE) : word.start()]
        begins = number in (0, len(words) - 1) or bool(_BEGINS.search(before))
        is_joined = title[at : word.start()] == "-"
        parts += [title[at : word.start()], _headline_word(word[0], begins and not is_joined)]
        at = word.end()
    return "".join((*parts, title[at:]))


def _headline_word(word: str, begins: bool) -> str:
    """Return a word with or without a capital; `begins` is True for the first and last word of a
    title and for the first word of a subtitle."""
    folded = word.lower()
    if word.islower():
        may_stay = folded in (_FOREIGN if begins else _UNCHANGED) or folded.startswith(_ELIDED)
        return word if may_stay else _capitalized(word)
    return folded if folded in _LOWERED and word.istitle() and not begins else word


def _capitalized(word: str) -> str:
    return word[:1].upper() + word[1:]


def _uncapitalized(word: str) -> str:
    """Return a word in lower case unless it is a numeral or an initial: "HENRY VIII", "R. L."."""
    bare = word.strip(",.:;()")
    if _ROMAN.fullmatch(bare) or (len(bare) == 1 and word.endswith(".")):
        return word
    return word.lower()


def _split_volume(title: str) -> CitedTitle:
    """Return a title without its volume, and the volume number in digits; unchanged if it has none.

    The text after the volume is part of the title: "The Marble Faun, Volume I: The Romance of
    Monte Beni".
    """
    match = _VOLUME.search(title)
    volume = _figures(match["number"]) if match else ""
    if match is None or not volume or not title[: match.start()].strip():
        return CitedTitle(title)
    before, after = title[: match.start()].rstrip(_TRAILING), title[match.end() :].strip(_TRAILING)
    if edition := _EDITION_AFTER_VOLUME.fullmatch(after):
        after = f"The {edition[1]}"
    elif after[:5].lower() == "with ":
        return CitedTitle(f"{before}, {after[0].lower()}{after[1:]}", volume)
    return CitedTitle(f"{before}: {after}" if after else before, volume)


def _figures(number: str) -> str:
    """Return a number in digits, empty if it is not a number."""
    spelled = parse_spelled([number])
    value = parse_arabic(number) or parse_roman(number) or (spelled[0] if spelled else None)
    return str(value) if value else ""


def _trimmed(title: str) -> str:
    """Return a title without punctuation at its ends, except for the full stop of "Esq."."""
    trimmed = title.strip(_TRAILING)
    return (
        f"{trimmed}." if _ABBREVIATED.search(trimmed) and "." in title[len(trimmed) :] else trimmed
    )
