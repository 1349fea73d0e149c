"""The large first letter of a chapter, which is text or a picture in HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scholar_indexes.books.formats import note_signs

if TYPE_CHECKING:
    from lxml import etree

DROP_CAPITAL = re.compile(r"[\"'“‘]?[A-Z]")
_PICTURED_CAPITAL = re.compile(
    r"(?P<words>[\w\s-]{0,40}\b(?i:drop[ -]?cap|initial|letter|capital)\b[\s:,-]*)?"
    r"(?P<capital>[\"'“‘]?[A-Z])[\"'”’.]*"
)
"""The text for a picture of the first letter: "T", "Illustrated letter T"."""

_CAPITAL_CLASS = re.compile(
    r"drop(?:-?caps?)?|initials?|first-?letter|lettrine|firstcharacter", re.IGNORECASE
)
_LONGEST_CAPITAL = 2
_SHORT_WORDS = frozenset("AIOEY")
"""Letters that are words too: "E venne", "Y otra"."""


def is_capital(element: etree._Element) -> bool:
    """Return True for a large first letter that is no word."""
    if not any(map(_CAPITAL_CLASS.fullmatch, note_signs.classes(element))):
        return False
    text = note_signs.short_text(element, _LONGEST_CAPITAL) or ""
    return DROP_CAPITAL.fullmatch(text) is not None and text[-1] not in _SHORT_WORDS


def is_rest_of_word(text: str) -> bool:
    """Return True for "he geese" and "HE geese" after a T, but not for "Babel" after a B."""
    start = text.lstrip("'’")[:2]
    return start[:1].islower() or (len(start) == 2 and start.isalpha() and start.isupper())


def read_picture(picture: etree._Element) -> str:
    """Return the first letter of a paragraph that a picture shows, empty for other pictures."""
    match = _PICTURED_CAPITAL.fullmatch(picture.get("alt") or "")
    if match is None or (match["words"] and not (picture.tail or "")[:1].isalpha()):
        return ""
    return match["capital"]
