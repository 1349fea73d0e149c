"""Mark the elements of a page that style sheets hide, raise or put on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from scholar_indexes.books.formats import drop_capitals, note_signs, style_sheets

ON_LINES = "data-lines"
"""The attribute of an inline element that has lines of its own."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))


def mark(root: etree._Element, sheets: Sequence[str]) -> None:
    """Mark the elements that are hidden, raised, or on lines of their own, by attributes."""
    _mark_hidden(root, sheets)
    _mark_raised(root, sheets)
    _mark_lines(root, sheets)


def _mark_raised(root: etree._Element, sheets: Sequence[str]) -> None:
    """Mark the elements that style sheets raise."""
    classes = style_sheets.raised_classes(sheets)
    for element in root.iter("span", "a", "small") if classes else ():
        if style_sheets.has_style(classes, str(element.tag), note_signs.classes(element)):
            element.set(note_signs.RAISED_BY_SHEET, "")


def _mark_lines(root: etree._Element, sheets: Sequence[str]) -> None:
    """Mark the inline elements of several words that style puts on lines of their own."""
    classes = style_sheets.block_classes(sheets)
    for element in root.iter("span", "a", "b", "i", "em", "strong", "small", "cite"):
        if (
            style_sheets.has_style(classes, str(element.tag), note_signs.classes(element))
            or style_sheets.is_block(element.get("style") or "")
        ) and _count_words(element) > 1:
            element.set(ON_LINES, "")


def _mark_hidden(root: etree._Element, sheets: Sequence[str]) -> None:
    """Mark the elements that style sheets hide as hidden, except headings and first letters: a
    picture may be shown instead.

    Nothing is hidden if it is most of the page: then a program was to show it.
    """
    classes = style_sheets.hidden_classes(sheets)
    if not classes:
        return
    elements = [
        element
        for element in root.iter("*")
        if element.tag not in _HEADINGS
        and style_sheets.has_style(classes, str(element.tag), note_signs.classes(element))
        and not (
            drop_capitals.DROP_CAPITAL.fullmatch(element.text or "")
            and (element.tail or "")[:1].isalpha()
        )
    ]
    words = sum(_count_words(element) for element in elements)
    if 2 * words <= _count_words(root):
        for element in elements:
            element.set("hidden", "hidden")


def _count_words(element: etree._Element) -> int:
    return sum(len(text.split()) for text in element.itertext())
