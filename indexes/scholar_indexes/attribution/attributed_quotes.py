"""Quotations with their speakers, located in a book."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scholar_indexes.results import AttributedQuote

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.reading.open_book import OpenBook


def attributed_quotes(book: OpenBook, dialogue: Dialogue) -> Iterator[AttributedQuote]:
    """Yield every quotation with its speaker and locator, except quotations outside the
    chapters."""
    for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True):
        place = book.cite(quotation.span)
        if place is not None:
            yield AttributedQuote(
                book.book,
                place.chapter,
                place.paragraph,
                quotation,
                quotation.of(book.text),
                attribution,
                attribution.evidence.of(book.text) if attribution.evidence else "",
                place.locator,
            )
