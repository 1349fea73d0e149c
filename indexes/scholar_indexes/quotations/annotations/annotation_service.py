"""Imports annotations into a collection: each is put on its passage in a book of the library."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.books.collections.collection_service import MAX_CLAIM_CHARS, quotation_at
from scholar_indexes.errors import ScholarError
from scholar_indexes.folding import fold_text
from scholar_indexes.note_anchors import blank
from scholar_indexes.quotations.annotations.found_notes import FoundNote
from scholar_indexes.results import LocatedQuotation, UnreadBook
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation, collection_name
from scholar_indexes.types import Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.quotations.quotation_service import QuotationService

LONGEST_QUOTE = 20_000
"""The most characters of a passage that is searched for."""

LEAST_LETTERS = 8
"""The fewest letters of a passage at a stated place that may be part of the words in a file, which
may have the text around the passage too."""

MOST_PLACES = 20
"""The most places with the words of an annotation among which one is chosen."""

_EDGES = re.compile(r"[^\w\s]*")

NO_WORDS = "it has no words of a passage"
ONE_WORD = "one word is too little to search for"
TOO_LONG = "it is too long"
NOT_FOUND = "no book has its words"
SEVERAL = "its words are at several places"
NO_PARAGRAPH = "its words are in a heading"


@dataclass(frozen=True, slots=True)
class Import:
    """The outcome of an import: the numbers of annotations that were added, that changed one of the
    collection, and that were in it already; and the ones without a passage, each with the reason.

    `not_searched` are the books that could not be read."""

    added: int
    changed: int
    unchanged: int
    not_found: tuple[tuple[FoundNote, str], ...]
    not_searched: Sequence[UnreadBook] = ()


class _Unplaced(Exception):
    """The reason why an annotation has no passage."""


class AnnotationService:
    """Puts annotations on their passages."""

    def __init__(
        self, books: BookService, quotations: QuotationService, bookmarks: Bookmarks
    ) -> None:
        self._books = books
        self._quotations = quotations
        self._bookmarks = bookmarks

    def add(
        self, collection: str, notes: Sequence[FoundNote], progress: Progress = silent
    ) -> Import:
        """Add annotations to a collection, which is created if missing; all that are found, or none
        if the notes on a passage are too long.

        An annotation that states its place is put there if the book has its words there, letter
        for letter; otherwise its words are searched in all books, and of several places the one is
        taken with the words around them, or in the book with its title.
        """
        name = collection_name(collection)
        library = _Books(self._books)
        placed: dict[int, SavedQuotation] = {}
        for number, note in enumerate(notes):
            if (quotation := library.stated_place(note)) is not None:
                placed[number] = quotation
        sought = [number for number in range(len(notes)) if number not in placed]
        quotes = [_searched(notes[number].quote) for number in sought]
        located = self._quotations.locate(quotes, n=MOST_PLACES, progress=progress)
        not_found = []
        for number, places in zip(sought, located, strict=True):
            try:
                placed[number] = _choose(notes[number], places)
            except _Unplaced as reason:
                not_found.append((notes[number], str(reason)))
        kept = [_completed(placed[number], notes[number], name) for number in sorted(placed)]
        merged = self._bookmarks.merge(kept)
        changed = sum(outcome.is_changed for outcome in merged)
        added = sum(not outcome.was_there for outcome in merged)
        unchanged = len(merged) - added - changed
        return Import(added, changed, unchanged, tuple(not_found), located.not_searched)


class _Books:
    """The books of the library by their ids, each opened once."""

    def __init__(self, books: BookService) -> None:
        self._books = books
        self._open: dict[str, OpenBook | None] = {}

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        """The ids of the books, by the same in lower case."""
        return {stored.book.id.casefold(): stored.book.id for stored in self._books.all()}

    def stated_place(self, note: FoundNote) -> SavedQuotation | None:
        """Return the passage at the place that an annotation states; None if it states none, or if
        the passage there has other words."""
        with suppress(ScholarError):
            if note.locator:
                place = locators.parse(note.locator)
                if (book := self._book(place.book_id)) and place.paragraph is not None:
                    span = book.locate(place, book.book.title)
                    if _are_words_of(span.of(book.text), note.quote):
                        return quotation_at(book, place, span)
            if note.start is not None and (book := self._book(note.book_id)):
                span = Span(note.start, note.start + len(note.quote))
                if note.start >= 0 and _letters(span.of(book.text)) == _letters(note.quote):
                    _, place = book.place_of(span)
                    return quotation_at(book, place, span) if place.paragraph else None
        return None

    def _book(self, book_id: str) -> OpenBook | None:
        known = self._ids.get(book_id.casefold())
        if known is None:
            return None
        if known not in self._open:
            self._open[known] = self._books.get_open(known)
        return self._open[known]


def _choose(note: FoundNote, places: Sequence[LocatedQuotation]) -> SavedQuotation:
    """Return the passage of an annotation among places with its words; raises _Unplaced if there is
    none, or no reason to prefer one."""
    if not places:
        raise _Unplaced(_reason(note.quote))
    alike = [place for place in places if place.similarity == places[0].similarity]
    fits = [_fit(note, place) for place in alike]
    if fits.count(max(fits)) > 1:
        raise _Unplaced(SEVERAL)
    best = alike[fits.index(max(fits))]
    place = locators.parse(best.locator)
    if place.paragraph is None:
        raise _Unplaced(NO_PARAGRAPH)
    before, after = _marks_around(note.quote, best)
    if place.span and len(before) <= place.span.start:
        span = Span(place.span.start - len(before), place.span.end + len(after))
        place = replace(place, span=span)
    book, chapter = best.book, full_name(best.chapter, best.book.title)
    quote = f"{before}{best.exact}{after}".strip()
    return SavedQuotation(str(place), quote, book.id, book.author, book.title, chapter)


def _marks_around(quote: str, place: LocatedQuotation) -> tuple[str, str]:
    """Return the punctuation at both ends of a quotation that its place has too, which is not part
    of its words: so a passage found again is the same passage."""
    first, last = _EDGES.match(quote.strip()), _EDGES.match(quote.strip()[::-1])
    assert first is not None
    assert last is not None
    before = _common_start(first[0][::-1], place.before[::-1])
    after = _common_start(last[0][::-1], place.after)
    return place.before[len(place.before) - before :], place.after[:after]


def _searched(quote: str) -> str:
    """Return the words to search for; none of a text that is too long."""
    return quote if len(quote) <= LONGEST_QUOTE else ""


def _reason(quote: str) -> str:
    """Return why the words of an annotation are not found."""
    if not _letters(quote):
        return NO_WORDS
    if len(quote) > LONGEST_QUOTE:
        return TOO_LONG
    return NOT_FOUND if len(quote.split()) > 1 else ONE_WORD


def _fit(note: FoundNote, place: LocatedQuotation) -> tuple[bool, int, bool]:
    """Return how well a place suits an annotation: whether it is in the book with the stated id,
    the number of letters around it that are the same, and whether the book has the same title."""
    before = _common_start(_letters(note.before)[::-1], _letters(place.before)[::-1])
    after = _common_start(_letters(note.after), _letters(place.after))
    title = _letters(note.title)
    is_title = bool(title) and _letters(place.book.title).startswith(title[:20])
    return place.book.id == note.book_id, before + after, is_title


def _common_start(text: str, other: str) -> int:
    """Return the number of characters with which both texts begin."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(text), len(other)))


def _are_words_of(text: str, quote: str) -> bool:
    """Return True if a text of a book has the words of a quotation, or a long part of them."""
    letters, quoted = _letters(text), _letters(quote)
    return bool(letters) and (
        letters == quoted or (len(letters) >= LEAST_LETTERS and letters in quoted)
    )


def _letters(text: str) -> str:
    """Return the letters and digits of a text without case, accents and the anchors of notes."""
    return "".join(filter(str.isalnum, fold_text(blank(text))))


def _completed(saved: SavedQuotation, note: FoundNote, collection: str) -> SavedQuotation:
    """Return a passage with what an annotation adds to it."""
    claim = one_line(note.claim, MAX_CLAIM_CHARS)
    return replace(
        saved, note=note.note, claim=claim, colour=note.colour.casefold(), collection=collection
    )
