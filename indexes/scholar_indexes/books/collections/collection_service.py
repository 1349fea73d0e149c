"""The collections of a user: their passages, with notes, and the citations of these.

The terminal interface keeps passages in the same collections (storage.bookmarks).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.results import CitedPlace, Extract
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation, collection_name
from scholar_indexes.types import NO_IMPRINT, Book, Span

if TYPE_CHECKING:
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.citation.locators import Locator
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.storage.catalog import StoredBook

CONTEXT_CHARS = 300
"""The maximum number of characters of context on either side of a passage."""

MAX_CLAIM_CHARS = 2_000

NO_PASSAGE = "{} is not a passage; give a paragraph, or a part of one, as printed by find"


class NewPassage(NamedTuple):
    """A passage to add to a collection, with its claim, its note and its colour."""

    locator: str
    claim: str = ""
    note: str = ""
    colour: str = ""


class AddedPassage(NamedTuple):
    """A passage added to a collection; `was_there` is True if it was there before, `is_changed`
    if its claim or its note was replaced."""

    saved: SavedQuotation
    was_there: bool
    is_changed: bool


@dataclass(frozen=True, slots=True)
class PlacedQuotation:
    """A quotation with its citation, and its context in its paragraphs.

    `extract` has the paragraphs with the quotation, marked as a span. `extract` and `span` are
    None, and `before` and `after` are empty, if the library does not have the book
    (`is_in_library` is False) or the book does not have the passage; `is_changed` is True if
    the book now has other words there, or none.
    """

    saved: SavedQuotation
    place: CitedPlace
    extract: Extract | None = None
    before: str = ""
    after: str = ""
    is_changed: bool = False
    is_in_library: bool = True

    @property
    def span(self) -> Span | None:
        """The span of the quotation in the text of its book."""
        return self.extract.marked if self.extract else None


class CollectionService:
    """The collections of a user."""

    def __init__(self, books: BookService, bookmarks: Bookmarks) -> None:
        self._books = books
        self._bookmarks = bookmarks

    def names(self) -> list[tuple[str, int]]:
        """Return the names of the collections, with the number of passages in each."""
        return self._bookmarks.collections()

    def make(self, name: str) -> str:
        """Create an empty collection; see Bookmarks.make_collection."""
        return self._bookmarks.make_collection(name)

    def quotations(self, name: str) -> list[SavedQuotation]:
        """Return the passages of a collection in its order.

        Raises NotThere if the collection does not exist.
        """
        self._check(name)
        return self._bookmarks.quotations(collection_name(name))

    def add(
        self,
        name: str,
        passages: Sequence[NewPassage],
        *,
        replace_notes: bool = True,
        replace_claims: bool = False,
    ) -> list[AddedPassage]:
        """Add passages to a collection, which is created if missing; return the added passages.

        With `replace_notes`, a new note replaces the note of an existing passage; with
        `replace_claims`, a new claim replaces its claim. Raises UsageError for an invalid
        locator, and NotThere for a passage that no book has; then none is added.
        """
        name = collection_name(name)
        quotations = [replace(self._read(passage), collection=name) for passage in passages]
        before = {saved.locator for saved in self._bookmarks.quotations(name)}
        added = []
        for quotation in quotations:
            kept = saved = self._bookmarks.save(quotation)
            if replace_notes and quotation.note and saved.note != quotation.note:
                self._bookmarks.annotate(saved.number, quotation.note)
                saved = replace(saved, note=quotation.note)
            if replace_claims and quotation.claim and saved.claim != quotation.claim:
                self._bookmarks.set_claim(saved.number, quotation.claim)
                saved = replace(saved, claim=quotation.claim)
            added.append(AddedPassage(saved, saved.locator in before, saved != kept))
            before.add(saved.locator)
        return added

    def remove(self, name: str, wanted: Sequence[str]) -> int:
        """Remove the passages with the given locators from a collection; return their number.

        Raises NotThere if the collection or one of the passages does not exist; then none is
        removed.
        """
        numbers = {saved.locator: saved.number for saved in self.quotations(name)}
        normal = [self._normal(locator) for locator in wanted]
        for locator in normal:
            if locator not in numbers:
                raise NotThere(
                    f"the collection {name!r} has no {locator}; see: "
                    f"scholar collection show {name!r}"
                )
        for locator in dict.fromkeys(normal):
            self._bookmarks.delete(numbers[locator])
        return len(set(normal))

    def delete(self, name: str) -> int:
        """Delete a collection; return its number of passages. Raises NotThere if it is missing."""
        self._check(name)
        return self._bookmarks.delete_collection(collection_name(name))

    def place(self, quotations: Iterable[SavedQuotation]) -> Iterator[PlacedQuotation]:
        """Yield quotations with their citations.

        A book that is not in the library is cited by the saved metadata.
        """
        books: dict[str, OpenBook | None] = {}
        for saved in quotations:
            if saved.book_id not in books:
                books[saved.book_id] = self._open(saved.book_id)
            yield self._place(saved, books[saved.book_id])

    def name_chapters(self, quotations: Iterable[SavedQuotation]) -> list[SavedQuotation]:
        """Return quotations with the current chapter names of the library.

        The saved name is kept if the library does not have the book or passage, cannot read it,
        or has other words there.
        """
        stored_books: Mapping[str, StoredBook] = {}
        with suppress(ScholarError):
            stored_books = {stored.book.id: stored for stored in self._books.all()}
        named = []
        for saved in quotations:
            if stored := stored_books.get(saved.book_id):
                with suppress(ScholarError):
                    saved = replace(
                        saved, chapter=_current_chapter(saved, self._books.open(stored))
                    )
            named.append(saved)
        return named

    def _check(self, name: str) -> None:
        if collection_name(name) not in dict(self.names()):
            raise NotThere(f"there is no collection {name!r}; see: scholar collection list")

    def _normal(self, locator: str) -> str:
        """Return a locator with the exact id of its book, if the book is in the library."""
        place = locators.parse(locator)
        book = self._open(place.book_id)
        return str(replace(place, book_id=book.book.id) if book else place)

    def _read(self, passage: NewPassage) -> SavedQuotation:
        place = locators.parse(passage.locator)
        if place.paragraph is None:
            raise UsageError(NO_PASSAGE.format(place))
        book = self._books.open(self._books.get(place.book_id))
        return replace(
            quotation_at(book, place, book.locate(place, book.book.title)),
            claim=one_line(passage.claim, MAX_CLAIM_CHARS),
            note=passage.note,
            colour=passage.colour,
        )

    def _open(self, book_id: str) -> OpenBook | None:
        try:
            return self._books.open(self._books.get(book_id))
        except (NotThere, UsageError):  # no such book, or several
            return None

    def _place(self, saved: SavedQuotation, book: OpenBook | None) -> PlacedQuotation:
        if book is None:
            lost_book = Book(saved.book_id, saved.title, saved.author, "", "", "")
            without = CitedPlace(lost_book, NO_IMPRINT, None, saved.locator, saved.title)
            return PlacedQuotation(saved, without, is_in_library=False)
        place = replace(locators.parse(saved.locator), book_id=book.book.id)
        try:
            span = book.locate(place, book.book.title)
            cited = self._books.cited_place(str(place))
        except NotThere:
            whole = self._books.cited_place(book.book.id)
            return PlacedQuotation(saved, whole, is_changed=True)
        text = span.of(book.text)
        is_changed = not saved.has_words_of(text)
        if not saved.quote or not is_changed:  # its lines and paragraphs may have been joined
            saved = replace(saved, quote=text.strip())
        extract = book.extract(place, 0)
        low, high = extract.paragraphs[0][1].start, extract.paragraphs[-1][1].end
        before = book.text[max(low, span.start - CONTEXT_CHARS) : span.start]
        after = book.text[span.end : min(high, span.end + CONTEXT_CHARS)]
        return PlacedQuotation(
            saved, cited, extract, before, after, is_changed and not saved.has_words_of(text)
        )


def quotation_at(book: OpenBook, place: Locator, span: Span) -> SavedQuotation:
    """Return the passage at a span of a book, as it is to be saved, with its locator."""
    chapter = book.chapter_numbered(place.chapter, book.book.title)
    return SavedQuotation(
        str(replace(place, book_id=book.book.id)),
        span.of(book.text).strip(),
        book.book.id,
        book.book.author,
        book.book.title,
        full_name(chapter, book.book.title),
    )


def _current_chapter(saved: SavedQuotation, book: OpenBook) -> str:
    """Return a book's current name for the chapter of a saved quotation.

    Return the saved name if the passage has other words now. Raises ScholarError if the book
    does not have the passage.
    """
    title = book.book.title
    place = locators.parse(saved.locator)
    name = full_name(book.chapter_numbered(place.chapter, title), title)
    if name == saved.chapter or not saved.has_words_of(book.locate(place, title).of(book.text)):
        return saved.chapter
    return name
