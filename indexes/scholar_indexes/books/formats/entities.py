"""Entities of XML that a parser without a DTD does not know: those of HTML, and a page's own."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

_ENTITY = re.compile(r"&(\w{2,31});")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_MAX_OPENING = 20_000
"""The characters of a page in which its declarations are searched for."""

_WINDOWS = re.compile(r"&#0{0,4}(?:12[89]|1[345]\d);")
_SUBSET = re.compile(r"<!DOCTYPE[^\[\]<>]*\[[^\]]*\]\s*>", re.IGNORECASE)
_DECLARED = re.compile(
    r"<!ENTITY\s+(\w{2,31})\s+(?:\"(&\#\w{1,6};|[^\"<&%]{0,40})\"|'(&\#\w{1,6};|[^'<&%]{0,40})')\s*>"
)
"""An entity that a page declares itself, if it is short and has no other entity in it."""


def with_declared(markup: str) -> str:
    """Return XML with the texts of the entities that it declares, and no declarations."""
    subset = _SUBSET.search(markup, 0, _MAX_OPENING)
    if not subset:
        return markup
    texts = {match[1]: match[2] or match[3] or "" for match in _DECLARED.finditer(subset[0])}
    page = markup[: subset.start()] + markup[subset.end() :]
    return _ENTITY.sub(lambda entity: texts.get(entity[1], entity[0]), page)


def with_characters(markup: str) -> str:
    """Return XML with characters for the entities of HTML, and for numbers of Windows-1252."""
    markup = _WINDOWS.sub(lambda number: unescape(number[0]), markup)
    return _ENTITY.sub(_character, markup.lstrip())


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity of HTML; XML knows only five of them."""
    return entity[0] if entity[1] in _XML_ENTITIES else html5.get(f"{entity[1]};", entity[0])
