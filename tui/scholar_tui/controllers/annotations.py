"""The annotations of the open book: on its page, one by one, and as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes.books.citation import locators
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import DEFAULT_COLLECTION, SavedQuotation
from scholar_indexes.types import Span
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.collections import in_collection
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.widgets.book_text import TextStyle
from scholar_tui.widgets.margin_notes import HAS_NOTE, MarginNote

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_tui.screens.reader import ReaderScreen


@dataclass(frozen=True, slots=True)
class Annotation:
    """A saved quotation, with its span in the text of its book."""

    span: Span
    quotation: SavedQuotation


class AnnotationController:
    """Shows the annotations of the open book, and moves from one to another."""

    def __init__(self, screen: ReaderScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self._annotations: list[Annotation] = []

    def reload(self) -> None:
        """Load the annotations of the open book, and show them on the page."""
        reading = self._screen.reading
        if reading is None:
            return
        book_id = reading.book.id
        saved = self._access.run(lambda bookmarks: bookmarks.quotations(book_id=book_id)) or []
        placed = (_place(reading, quotation) for quotation in saved)
        self._annotations = sorted(
            filter(None, placed), key=lambda kept: (kept.span.start, kept.span.end)
        )
        page = self._screen.page
        page.style_spans("kept", _tints(self._annotations))
        page.show_margin_notes(
            [
                MarginNote(kept.span, one_line(kept.quotation.note), kept.quotation.colour)
                for kept in self._annotations
            ]
        )
        self._screen.speakers.show_legend()

    def reset(self) -> None:
        """Forget the annotations of the previous book."""
        self._annotations = []

    @property
    def quotations(self) -> list[SavedQuotation]:
        """The quotations saved from the open book, in text order."""
        return [kept.quotation for kept in self._annotations]

    def within(self, span: Span) -> list[Annotation]:
        """Return the annotations that overlap a span, in text order."""
        return [
            kept
            for kept in self._annotations
            if kept.span.start < span.end and kept.span.end > span.start
        ]

    def notes_below(self, visible: Span) -> Content:
        """Return the notes in view on one line, if the page has no other room for them."""
        if self._screen.page.shows_notes_beside or self._screen.side.is_shown:
            return Content()
        kept = (annotation.quotation for annotation in self.within(visible))
        notes = (
            " ".join(filter(None, (quotation.colour, HAS_NOTE, one_line(quotation.note))))
            for quotation in kept
            if quotation.note
        )
        return Content.styled("   ".join(notes), "italic")

    def at_locator(self, locator: str, collection: str) -> SavedQuotation | None:
        """Return the quotation saved at a locator, preferably the one in the given collection."""
        kept = [
            annotation.quotation
            for annotation in self._annotations
            if annotation.quotation.locator == locator
        ]
        of_collection = (quotation for quotation in kept if quotation.collection == collection)
        return next(of_collection, kept[0] if kept else None)

    def locator_of(self, span: Span) -> str | None:
        """Return the locator at which a span is saved; None if it is not."""
        kept = (annotation for annotation in self._annotations if annotation.span == span)
        return next((annotation.quotation.locator for annotation in kept), None)

    def step(self, by: int) -> None:
        """Go to the next annotation, or to the previous one."""
        if self._screen.reading is None:
            return
        if not self._annotations:
            self._screen.show_message(
                "nothing is kept from this book; s keeps a passage, e adds a note"
            )
            return
        mark, visible = self._screen.place.mark, self._screen.page.visible_span
        if mark is not None and self._screen.place.is_partly_in_view(mark):
            start = mark.start
        else:  # no mark yet, or the user has scrolled away from it
            start = visible.start - 1 if by > 0 else visible.end
        ordered = self._annotations if by > 0 else self._annotations[::-1]
        beyond = (kept for kept in ordered if (kept.span.start - start) * by > 0)
        if annotation := next(beyond, None):
            self._show(annotation)
        else:
            side = "after" if by > 0 else "before"
            self._screen.show_message(f"nothing is kept {side} this point")

    def choose(self) -> None:
        """List the annotations of the book, and go to the one that the user chooses."""
        if not self._annotations:
            self.step(1)
            return
        choices = [
            ChoiceItem(
                str(number),
                kept.quotation.quote,
                _where_kept(kept.quotation),
                is_quotation=True,
                note=kept.quotation.note,
            )
            for number, kept in enumerate(self._annotations)
        ]

        def show(chosen: list[str] | None) -> None:
            if chosen:
                self._show(self._annotations[int(chosen[0])])

        title = f"Kept from {one_line(self._annotations[0].quotation.title, 60)}"
        self._screen.app.push_screen(ChooseScreen(title, choices), show)

    def _show(self, annotation: Annotation) -> None:
        """Bring an annotation into view, marked, with its note below the page."""
        self._screen.visit(locators.parse(annotation.quotation.locator))
        self._screen.place.set_mark(annotation.span)
        quotation = annotation.quotation
        note = one_line(quotation.note) or "no note; e writes one"
        colour = f" in {quotation.colour}" if quotation.colour else ""
        self._screen.show_below(f"kept{colour}{in_collection(quotation.collection)}: {note}")


def _place(reading: BookNavigator, quotation: SavedQuotation) -> Annotation | None:
    """Return a quotation with its span; None if its locator is not in the book (any more)."""
    try:
        return Annotation(reading.span(locators.parse(quotation.locator)), quotation)
    except ScholarError:
        return None


def _where_kept(quotation: SavedQuotation) -> str:
    """Return the colour and the collection of a quotation, except the default collection."""
    collection = quotation.collection if quotation.collection != DEFAULT_COLLECTION else ""
    return " ".join(filter(None, (quotation.colour, collection)))


def _tints(annotations: Sequence[Annotation]) -> list[TextStyle]:
    """Return the spans of ordered annotations in their colours. Overlapping ones of one colour are
    merged; one of another colour begins where the one before it ends."""
    tints: list[TextStyle] = []
    for kept in annotations:
        colour = kept.quotation.colour
        tint = TextStyle(kept.span, f"kept-{colour}" if colour else "kept")
        last = tints[-1] if tints else None
        if last and kept.span.start < last.span.end:
            end = max(last.span.end, kept.span.end)
            if last.style == tint.style:
                tints[-1] = replace(last, span=Span(last.span.start, end))
                continue
            tint = replace(tint, span=Span(last.span.end, end))
        if tint.span.start < tint.span.end:
            tints.append(tint)
    return tints
