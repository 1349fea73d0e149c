"""Copying, saving and exporting passages of the open book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.emphasis import plain_line
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.serialize.passages import cite_saved_quotation
from scholar_indexes.storage.bookmarks import DEFAULT_COLLECTION, SavedQuotation
from scholar_indexes.types import Span
from scholar_tui.changes import Keep
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.collections import CollectionController, in_collection
from scholar_tui.controllers.saved_quotations import SavedQuotationController
from scholar_tui.widgets.emphasized import quotation_marks
from scholar_tui.widgets.outline import label

if TYPE_CHECKING:
    from scholar_tui.screens.reader import ReaderScreen

MAX_OPENING_CHARS = 50

KEPT = "What is kept from this book, with notes"


class PassageSelectionController:
    """Uses the text selected with the mouse, or else the quotation that the user stepped to, or
    the marked paragraph, or the paragraph at the top."""

    def __init__(self, screen: ReaderScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self._collections = CollectionController(screen, access)
        self._saved = SavedQuotationController(
            screen, access, self._collections, screen.annotations.reload
        )

    def copy(self) -> None:
        """Copy the passage with its source."""
        quotation = self._quotation(DEFAULT_COLLECTION)
        if quotation is None:
            return
        quote, shown = one_line(quotation.quote), plain_line(quotation.quote)
        is_short = len(shown) <= MAX_OPENING_CHARS
        opening = shown if is_short else f"{shown[: MAX_OPENING_CHARS - 1]}…"
        source = cite_saved_quotation(quotation)
        before, after = quotation_marks(quote)
        self._screen.scholar.copy(
            f"{before}{quote}{after}\n— {source} [{quotation.locator}]",
            f"{quotation.locator} {before}{opening}{after} with its source",
        )

    def save(self) -> None:
        """Save the passage in the collection that was chosen last, here or in Find."""
        self._collections.reload()
        self._save_in_collection()

    def choose_collection(self) -> None:
        """Let the user choose a collection, and save the passage in it."""
        if self._screen.reading is None:
            return
        self._collections.reload()
        self._collections.ask_user("Keep in the collection", self._save_in_collection)

    def edit_note(self) -> None:
        """Edit the note on the passage; both are saved in the collection chosen last, unless the
        passage is in another one."""
        if quotation := self._kept_quotation():
            self._saved.edit_note(quotation)

    def choose_colour(self) -> None:
        """Let the user choose a colour for the passage; both are saved as by edit_note."""
        if quotation := self._kept_quotation():
            self._saved.choose_colour(quotation)

    def _kept_quotation(self) -> SavedQuotation | None:
        """Return the passage as it is saved, or as it is to be saved."""
        self._collections.reload()
        quotation = self._quotation(self._collections.name)
        if quotation is None:
            return None
        kept = self._screen.annotations.at_locator(quotation.locator, quotation.collection)
        return kept or quotation

    def mark_paragraph(self, by: int) -> None:
        """Mark a paragraph in view, or the paragraph after or before the marked one."""
        reading = self._screen.reading
        if reading is None:
            return
        place, visible = self._screen.place, self._screen.page.visible_span
        mark = place.mark
        if mark is None or mark.end < visible.start or mark.start > visible.end:
            span = reading.paragraph(place.position)
        else:
            span = reading.adjacent_paragraph(mark.start, by) or mark
        place.set_mark(span)
        self._screen.page.select(None)
        if not place.is_in_view(span):
            self._screen.reading_position.is_visiting = False
            self._screen.page.go_to(span.start, middle=by > 0)

    def exports(self) -> list[ExportListing]:
        """Return the quotations of the chapter, the passage, what is kept from the book, and the
        book; the passage first if it is selected."""
        from scholar_tui import exporting

        reading, library = self._screen.reading, self._screen.library
        if reading is None:
            return []
        quotation = self._quotation(DEFAULT_COLLECTION)
        assert quotation
        listings = [exporting.export_passage(library, reading.book, quotation)]
        chapter = reading.chapter(self._screen.place.position)
        if quotes := self._screen.speakers.quotes_within(chapter.span):
            name = label(chapter, reading.book.title)
            at = 1 if self._screen.page.selected else 0
            quoted = exporting.export_chapter_quotations(reading.book, chapter, name, quotes)
            listings.insert(at, quoted)
        kept = exporting.export_saved(
            library, KEPT, one_line(reading.book.title, 400), self._screen.annotations.quotations
        )
        spoken = self._screen.speakers.quotes_within(Span(0, len(reading.text)))
        return [*listings, *kept[:1], *exporting.export_text(library, reading, spoken)]

    def _save_in_collection(self) -> None:
        quotation = self._quotation(self._collections.name)
        if quotation is None:
            return

        def tell(was_saved: bool) -> None:
            verb = "already kept" if was_saved else "kept"
            where = in_collection(quotation.collection)
            self._screen.show_message(f"{verb}{where}: {quotation.locator}")
            self._screen.annotations.reload()

        self._screen.change(Keep(quotation), tell)

    def _quotation(self, collection: str) -> SavedQuotation | None:
        passage = self._passage()
        reading = self._screen.reading
        if reading is None or passage is None:
            return None
        span, locator = passage
        book, chapter = reading.book, reading.chapter(span.start)
        return SavedQuotation(
            locator,
            span.of(reading.text),
            book.id,
            book.author,
            book.title,
            ", ".join((*chapter.part, label(chapter, reading.book.title))),
            collection=collection,
        )

    def _passage(self) -> tuple[Span, str] | None:
        """Return the span to copy, and its locator."""
        reading = self._screen.reading
        if reading is None:
            return None
        selected = self._screen.page.selected
        if selected and not selected.of(reading.text).strip():
            selected = None
        quote = self._screen.speakers.quote
        quoted = quote.quotation.span if quote else None
        span = selected or quoted or self._screen.place.mark
        span = span or reading.paragraph(self._screen.place.position)
        part, locator = reading.citable(span)
        if selected and part.end < span.start + len(span.of(reading.text).rstrip()):
            self._screen.show_message("a quotation ends with its chapter: the rest is left out")
        # A paragraph has two locators, with and without its characters; a kept one keeps its own.
        return part, self._screen.annotations.locator_of(part) or locator
