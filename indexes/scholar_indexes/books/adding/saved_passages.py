"""Saved passages, which move with their words after the text of their book is replaced."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.books.reading.verbatim import find_verbatim
from scholar_indexes.errors import ScholarError

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
    from scholar_indexes.types import Span


def follow_words(bookmarks: Bookmarks, book: OpenBook) -> None:
    """Update the locators of a book's saved quotations after its text or division changed.

    Quotations whose words are missing, or occur more than once, keep their locators.
    """
    moves = []
    for saved in bookmarks.quotations(book_id=book.book.id):
        if (span := _moved_span(saved, book)) is not None:
            chapter, locator = book.place_of(span)
            moves.append((saved.number, str(locator), full_name(chapter, book.book.title)))
    if moves:
        bookmarks.move(moves)


def _moved_span(saved: SavedQuotation, book: OpenBook) -> Span | None:
    """Return the new span of a saved quotation whose words are no longer at its locator.

    Return None if they are still there, or if they occur nowhere else or more than once.
    """
    with suppress(ScholarError):
        place = locators.parse(saved.locator)
        if saved.has_words_of(book.locate(place, book.book.title).of(book.text)):
            return None
    spans = list(islice(find_verbatim(saved.quote, book.text), 2))
    return spans[0] if len(spans) == 1 else None
