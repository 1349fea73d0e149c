"""Collections: passages gathered for an argument, with notes, and where each of them stands.

The screen keeps passages in the same collections (storage.bookmarks).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from scholar_indexes.books import locators
from scholar_indexes.books.chapter_names import full_name, full_section_name
from scholar_indexes.books.verbatim import find_verbatim
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.results import CitedPlace, Extract
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation, collection_name
from scholar_indexes.types import NO_IMPRINT, Book, Span

if TYPE_CHECKING:
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.service import BookService
    from scholar_indexes.storage.catalog import StoredBook

CONTEXT_CHARS = 300
"""Characters of its paragraphs on either side of a passage, at most."""

MAX_CLAIM_CHARS = 2_000

NO_PASSAGE = "{} is no passage; name a paragraph, or a part of one, as find prints it"


class NewPassage(NamedTuple):
    """A passage to be added to a collection, with the claim and the note to keep with it."""

    locator: str
    claim: str = ""
    note: str = ""


class AddedPassage(NamedTuple):
    """A passage of a collection after it was added; `was_there` says if it was there before, and
    `is_changed` if its claim or its note was replaced."""

    saved: SavedQuotation
    was_there: bool
    is_changed: bool


@dataclass(frozen=True, slots=True)
class PlacedQuotation:
    """A quotation with the place to cite it by, and what stands around it in its paragraphs.

    `extract` is the paragraphs that it stands in, with it as their marked span. That and `span`
    are None, and `before` and `after` are empty, where the library does not have the book
    (`is_in_library` is False) or the book not the place; `is_changed` is True where the book has
    other words there now, or none.
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
        """Its span in the text of its book."""
        return self.extract.marked if self.extract else None


class CollectionService:
    """The collections of a user."""

    def __init__(self, books: BookService, bookmarks: Bookmarks) -> None:
        self._books = books
        self._bookmarks = bookmarks

    def names(self) -> list[tuple[str, int]]:
        """Return the names of the collections, and how many passages each has."""
        return self._bookmarks.collections()

    def make(self, name: str) -> str:
        """Make an empty collection; see Bookmarks.make_collection."""
        return self._bookmarks.make_collection(name)

    def quotations(self, name: str) -> list[SavedQuotation]:
        """Return the passages of a collection as they were added; raises NotThere for a collection
        that there is not."""
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
        """Add passages to a collection, which is made where there is none; return each.

        With `replace_notes` a note takes the place of that of a passage that was there, with
        `replace_claims` a claim that of its claim. Raises
        UsageError for what is no locator of a passage, and NotThere for a place that no book has:
        then none is added.
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
        """Take the passages at some locators out of a collection; return how many.

        Raises NotThere for a collection that there is not, or that lacks one of them: then none is
        taken out.
        """
        numbers = {saved.locator: saved.number for saved in self.quotations(name)}
        normal = [self._normal(locator) for locator in wanted]
        for locator in normal:
            if locator not in numbers:
                raise NotThere(
                    f"the collection {name!r} has no {locator}; see what it has: "
                    f"scholar collection show {name!r}"
                )
        for locator in dict.fromkeys(normal):
            self._bookmarks.delete(numbers[locator])
        return len(set(normal))

    def delete(self, name: str) -> int:
        """Delete a collection; return how many passages it had. Raises NotThere without one."""
        self._check(name)
        return self._bookmarks.delete_collection(collection_name(name))

    def place(self, quotations: Iterable[SavedQuotation]) -> Iterator[PlacedQuotation]:
        """Yield quotations with the places to cite them by; a book that is not in the library is
        cited by what was kept of it."""
        books: dict[str, OpenBook | None] = {}
        for saved in quotations:
            if saved.book_id not in books:
                books[saved.book_id] = self._open(saved.book_id)
            yield self._place(saved, books[saved.book_id])

    def name_chapters(self, quotations: Iterable[SavedQuotation]) -> list[SavedQuotation]:
        """Return quotations with their chapters as the library names them now; what it does not
        have, cannot read, or has other words for is named as it was kept."""
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
        """Return a locator with the id of its book, where that is in the library."""
        place = locators.parse(locator)
        book = self._open(place.book_id)
        return str(replace(place, book_id=book.book.id) if book else place)

    def _read(self, passage: NewPassage) -> SavedQuotation:
        place = locators.parse(passage.locator)
        if place.paragraph is None:
            raise UsageError(NO_PASSAGE.format(place))
        book = self._books.open(self._books.get(place.book_id))
        span = book.locate(place, book.book.title)
        chapter = book.chapter_numbered(place.chapter, book.book.title)
        return SavedQuotation(
            str(replace(place, book_id=book.book.id)),
            span.of(book.text).strip(),
            book.book.id,
            book.book.author,
            book.book.title,
            full_name(chapter, book.book.title),
            one_line(passage.claim, MAX_CLAIM_CHARS),
            passage.note,
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
        if not saved.quote:
            saved = replace(saved, quote=text.strip())
        extract = book.extract(place, 0)
        low, high = extract.paragraphs[0][1].start, extract.paragraphs[-1][1].end
        before = book.text[max(low, span.start - CONTEXT_CHARS) : span.start]
        after = book.text[span.end : min(high, span.end + CONTEXT_CHARS)]
        return PlacedQuotation(saved, cited, extract, before, after, _is_changed(saved, text))


def _current_chapter(saved: SavedQuotation, book: OpenBook) -> str:
    """Return the name that a book has for the chapter of a saved quotation; the name that was saved
    where its place has other words now. Raises ScholarError for a place that is not there."""
    title = book.book.title
    place = locators.parse(saved.locator)
    name = full_name(book.chapter_numbered(place.chapter, title), title)
    if name == saved.chapter or _is_changed(saved, book.locate(place, title).of(book.text)):
        return saved.chapter
    return name


def _moved_span(saved: SavedQuotation, book: OpenBook) -> Span | None:
    """Return where the words of a saved quotation stand if that is not at its locator; None if they
    stand nowhere else, or at several places."""
    with suppress(ScholarError):
        place = locators.parse(saved.locator)
        if not _is_changed(saved, book.locate(place, book.book.title).of(book.text)):
            return None
    spans = list(islice(find_verbatim(saved.quote, book.text), 2))
    return spans[0] if len(spans) == 1 else None


def _is_changed(saved: SavedQuotation, text: str) -> bool:
    """Return True if a saved quotation is not what stands at its place."""
    return one_line(text).strip() != one_line(saved.quote).strip()


def follow_words(bookmarks: Bookmarks, book: OpenBook) -> None:
    """Give the saved quotations of a book, which was written or divided otherwise, the locators of
    where their words stand now. Those whose words are not there, or at several places, stay."""
    moves = []
    for saved in bookmarks.quotations(book_id=book.book.id):
        if (span := _moved_span(saved, book)) is not None:
            chapter, locator = book.place_of(span)
            moves.append((saved.number, str(locator), full_name(chapter, book.book.title)))
    if moves:
        bookmarks.move(moves)


def quotations_of(record: Mapping[str, Any], claim: str = "") -> Iterator[SavedQuotation]:
    """Yield the quotations of a record that scholar has printed: a hit, a quotation that was
    located or kept, a speech, or a claim with its hits. The text of one without a quotation is
    that of its locator.

    Raises UsageError for a record that has no locator of a passage.
    """
    claim = _text(record.get("claim")) or claim
    if isinstance(hits := record.get("hits"), list):
        for hit in hits:
            if isinstance(hit, Mapping):
                yield from quotations_of(hit, claim)
        return
    locator = _text(record.get("locator"))
    place = locators.parse(locator)
    if place.paragraph is None:
        raise UsageError(NO_PASSAGE.format(place))
    book = record.get("book")
    named = book if isinstance(book, Mapping) else {}
    chapter = record.get("chapter")
    selector = record.get("selector")
    exact = selector.get("exact") if isinstance(selector, Mapping) else None
    quote = _text(exact) or _text(record.get("exact")) or _text(record.get("quote"))
    pieces = record.get("pieces")
    if isinstance(pieces, list) and len(pieces) > 1:
        quote = ""  # the pieces of a speech; at its locator stands what is between them too
    yield SavedQuotation(
        str(place),
        quote or _text(record.get("keyword")),
        place.book_id,
        _text(named.get("author")),
        _text(named.get("title")),
        _chapter_name(chapter, place.chapter or 0, _text(named.get("title"))),
        one_line(claim, MAX_CLAIM_CHARS),
        _text(record.get("note")),
    )


def _chapter_name(chapter: object, number: int, book_title: str) -> str:
    """Return the name of the chapter of a record, which is an object or a name."""
    if not isinstance(chapter, Mapping):
        return one_line(_text(chapter))
    part = chapter.get("part")
    headings = part if isinstance(part, list) else []
    return full_section_name(map(_text, headings), _text(chapter.get("title")), number, book_title)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
