"""Read HTML: its paragraphs without tags, scripts and code; block quotations as such.

A scanner over tokens, as HTML that people and word processors write is seldom valid. The book
reader's parser is not used since it does not keep where the characters stand in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from scholar_indexes.books.formats.decoding import plain
from scholar_indexes.books.formats.html import BLOCKS
from scholar_indexes.quotations.essays.stretches import Stretch, StretchBuilder
from scholar_indexes.quotations.essays.word import QUOTE_STYLE

_TOKEN = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|<(?P<unread>script|style|title|textarea|iframe|svg|math|template|noscript|select|code|kbd"
    r"|samp)(?![\w-])[^<>]*(?:(?<=/)>|>(?:.*?</(?P=unread)\s*>|.*))"
    r"|<(?P<end>/?)(?P<tag>[a-z][\w:-]*)"
    # a tag that is not closed is taken as far as it was read, so that no text is read twice
    r"(?P<attributes>(?:=\s*(?:\"[^\"]*\"|'[^']*')|[^<>])*+)>?"
    r"|<[!?][^>]*>?"
    r"|(?P<entity>&\#?\w{1,32};?)"
    r"|(?P<space>\s+)"
    r"|(?P<text>[^<&\s]+|.)",
    re.DOTALL | re.IGNORECASE,
)
_CLASS = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_SOURCES = frozenset(("footer", "figcaption", "cite"))
"""Elements of a block quotation that say where it is from."""


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs, headings and cells of a page, or of a part of one."""
    builder, depths = StretchBuilder(), dict.fromkeys(("blockquote", "pre", *_SOURCES), 0)
    for token in _TOKEN.finditer(text):
        tag, is_end, at = (token["tag"] or "").lower(), bool(token["end"]), token.start()
        if tag in depths:
            depths[tag] = max(0, depths[tag] + (-1 if is_end else 1))
        if tag == "blockquote":
            depths |= dict.fromkeys(_SOURCES, 0)
        is_block = depths["blockquote"] > 0 and not any(depths[name] for name in _SOURCES)
        if tag in BLOCKS or (is_block != builder.is_block and tag in _SOURCES):
            yield builder.build()
            is_styled = tag == "p" and not is_end and _has_quote_style(token["attributes"])
            builder = StretchBuilder(is_block=is_block or is_styled)
        elif tag == "br":
            builder.put("\n", at)
        elif tag == "q":
            builder.put("”" if is_end else "“", at)
        elif token["unread"]:
            builder.put(" ", at)
        elif token["entity"]:
            builder.put(plain(unescape(token["entity"])), at)
        elif token["space"] and not depths["pre"]:
            builder.put(" ", at)
        elif token["space"] or token["text"]:
            builder.add(token[0], at)
    yield builder.build()


def _has_quote_style(attributes: str) -> bool:
    """Return True for a paragraph of a style for quotations, as Word writes them."""
    match = _CLASS.search(attributes)
    return bool(match and QUOTE_STYLE.search(match[0]))
