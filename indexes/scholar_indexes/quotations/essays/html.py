"""Read HTML: its paragraphs without tags, scripts and code, with block quotations marked.

This is a token scanner, as HTML from people and word processors is rarely valid. The book reader's
parser is not used since it does not keep the source offsets of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape

from scholar_indexes.books.formats import style_sheets
from scholar_indexes.books.formats.html import BLOCKS
from scholar_indexes.books.formats.style_sheets import StyledClass
from scholar_indexes.decoding import plain
from scholar_indexes.quotations.essays.stretches import (
    Stretch,
    StretchBuilder,
    with_indented_blocks,
)
from scholar_indexes.quotations.essays.word import OTHER_STYLE, QUOTE_STYLE
from scholar_indexes.stopping import checked

_TOKEN = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|<(?P<unread>script|style|title|textarea|iframe|svg|math|template|noscript|select|code|kbd"
    r"|samp)(?![\w-])[^<>]*(?:(?<=/)>|>(?:.*?</(?P=unread)\s*>|.*))"
    r"|<(?P<end>/?)(?P<tag>[a-z][\w:-]*)"
    # an unclosed tag is consumed as far as it was read, so that no text is read twice
    r"(?P<attributes>(?:=\s*(?:\"[^\"]*\"|'[^']*')|[^<>])*+)>?"
    r"|<[!?][^>]*>?"
    r"|(?P<entity>&\#?\w{1,32};?)"
    r"|(?P<space>\s+)"
    r"|(?P<text>[^<&\s]+|.)",
    re.DOTALL | re.IGNORECASE,
)
_CLASS = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_OWN_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_STYLE = re.compile(r"<style(?![\w-])[^<>]*>([^<]*)", re.IGNORECASE)
_NOTE_REFERENCE = re.compile(
    r"\b(?:role|class|epub:type)\s*=\s*[\"']?[^\"'<>]*?"
    r"\b(?:doc-noteref|noteref|fnanchor|footnote-?(?:ref|reference|anchor))\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r"(?:^|\s)hidden(?=[\s=/]|$)|display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all",
    re.IGNORECASE,
)
_QUOTING_BOX = re.compile(
    r"(?:block|pull|long)?[-_]?quot(?:e|ation)|epigraph|zitat|extract", re.IGNORECASE
)
"""The classes of a div that is a block quotation."""

_DELETED = ("del", "s", "strike", "rt", "rp")
_EMPTY = frozenset("area br col embed hr img input link meta source track wbr".split())
SOURCES = frozenset(("footer", "figcaption", "cite"))
"""Elements of a block quotation that give its source."""


def read(text: str, *, is_quoted: bool = False) -> Iterator[Stretch]:
    """Yield the paragraphs, headings and cells of a page, or of a part of one, perhaps within a
    block quotation."""
    scanner = _Scanner([match[1] for match in _STYLE.finditer(text)], is_quoted=is_quoted)
    stretches: list[Stretch] = []
    preformatted: list[Stretch] = []
    for token in checked(_TOKEN.finditer(text)):
        into = preformatted if scanner.is_preformatted else stretches
        if (stretch := scanner.take(token)) is not None:
            into.append(stretch)
    stretches.append(scanner.builder.build())
    # An essay may be preformatted as a whole; in another one, such text is code.
    if _size(preformatted) > _size(stretches):
        stretches += preformatted
    stretches.sort(key=lambda stretch: next(iter(stretch.offsets), 0))
    yield from with_indented_blocks(stretches)


def _size(stretches: Iterable[Stretch]) -> int:
    """Return the number of characters of some paragraphs."""
    return sum(len(stretch.text.strip()) for stretch in stretches)


class _Scanner:
    """The current paragraph, and the nesting depths of certain elements."""

    def __init__(self, sheets: Sequence[str], *, is_quoted: bool) -> None:
        self._hidden_classes = style_sheets.hidden_classes(sheets)
        self._places = style_sheets.places(sheets)
        self.builder = StretchBuilder(is_block=is_quoted)
        self._depths = dict.fromkeys(("pre", *_DELETED, *SOURCES), 0) | {"blockquote": is_quoted}
        self._hidden = ""
        self._hidden_depth = 0
        self._boxes: list[bool] = []  # True for each open div that is a block quotation

    @property
    def is_preformatted(self) -> bool:
        return self._depths["pre"] > 0

    def _hide(self, tag: str, token: re.Match[str]) -> None:
        """Count the elements of the name of a hidden one, to find its end."""
        if tag == self._hidden:
            self._hidden_depth += -1 if token["end"] else 1
        elif not self._hidden and tag not in _EMPTY and self._is_hidden(tag, token):
            self._hidden, self._hidden_depth = tag, 1
            return
        if self._hidden == "p" and tag in BLOCKS:  # its end may be left out
            self._hidden = tag if self._is_hidden(tag, token) else ""
            self._hidden_depth = int(bool(self._hidden))
        if self._hidden_depth <= 0:
            self._hidden = ""

    def _is_hidden(self, tag: str, token: re.Match[str]) -> bool:
        """Return True for the beginning of an element that is not shown."""
        if token["end"]:
            return False
        if _HIDDEN.search(token["attributes"]):
            return True
        classes = _classes(token["attributes"]) if self._hidden_classes else ()
        return style_sheets.has_style(self._hidden_classes, tag, classes)

    def take(self, token: re.Match[str]) -> Stretch | None:
        """Process a token; return the paragraph that it ends, if any."""
        if not token["tag"]:
            self._take_text(token)
            return None
        tag = token["tag"].lower()
        self._hide(tag, token)
        self._count(tag, is_end=bool(token["end"]))
        if tag in ("div", "section", "aside"):
            self._enter_or_leave(token)
        is_block = self._is_block()
        if tag in BLOCKS or (is_block != self.builder.is_block and tag in SOURCES):
            stretch = self.builder.build()
            is_paragraph = tag == "p" and not token["end"]
            is_styled = is_paragraph and _has_quote_style(token["attributes"])
            indent = self._indent(token["attributes"]) if is_paragraph else 0.0
            self.builder = StretchBuilder(is_block=is_block or is_styled, indent=indent)
            return stretch
        self._take_inline(tag, token)
        return None

    def _indent(self, attributes: str) -> float | None:
        """Return the indent of a paragraph by its classes and its own style."""
        classes = _classes(attributes)
        if any(map(OTHER_STYLE.search, classes)):
            return None
        values: dict[str, str] = {}
        for name in classes:
            for styled in (StyledClass("", name), StyledClass("p", name)):
                values |= self._places.get(styled, {})
        return style_sheets.indent(values | style_sheets.place(_value(_OWN_STYLE, attributes)))

    def _take_inline(self, tag: str, token: re.Match[str]) -> None:
        """Process a tag that ends no paragraph."""
        if tag == "sup":
            self.builder.is_raised = not token["end"]
        elif tag == "a":
            is_sign = not token["end"] and bool(_NOTE_REFERENCE.search(token["attributes"][:500]))
            self.builder.is_raised = is_sign or (self.builder.is_raised and not token["end"])
        elif tag == "br":
            self.builder.put("\n", token.start())
        elif tag == "q":
            self.builder.put("”" if token["end"] else "“", token.start())

    def _count(self, tag: str, *, is_end: bool) -> None:
        if tag in self._depths:
            self._depths[tag] = max(0, self._depths[tag] + (-1 if is_end else 1))
        if tag == "blockquote":
            self._depths |= dict.fromkeys(SOURCES, 0)
        elif tag == "ruby":
            self._depths |= {"rt": 0, "rp": 0}

    def _enter_or_leave(self, token: re.Match[str]) -> None:
        """Count the boxes around a place."""
        if not token["end"]:
            self._boxes.append(any(map(_QUOTING_BOX.fullmatch, _classes(token["attributes"]))))
        elif self._boxes:
            self._boxes.pop()

    def _is_block(self) -> bool:
        """Return True within a block quotation, except in its source."""
        is_quoted = self._depths["blockquote"] > 0 or any(self._boxes)
        return is_quoted and not any(self._depths[name] for name in SOURCES)

    def _take_text(self, token: re.Match[str]) -> None:
        at = token.start()
        if self._hidden or any(self._depths[name] for name in _DELETED):
            return
        if token["unread"] or (token["space"] and not self._depths["pre"]):
            self.builder.put(" ", at)
        elif token["entity"]:
            self.builder.put(plain(unescape(token["entity"])), at)
        elif token["space"] or token["text"]:
            self.builder.add(token[0], at)


def _classes(attributes: str) -> Sequence[str]:
    """Return the classes of an element in lower case."""
    return _value(_CLASS, attributes).lower().split()


def _value(pattern: re.Pattern[str], attributes: str) -> str:
    """Return the value of an attribute, "" without one."""
    match = pattern.search(attributes)
    return "".join(filter(None, match.groups())) if match else ""


def _has_quote_style(attributes: str) -> bool:
    """Return True for a paragraph with a quotation style, as written by Word."""
    match = _CLASS.search(attributes)
    return bool(match and QUOTE_STYLE.search(match[0]))
