"""Going to chapters and to places that the user types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Chapter
from scholar_tui.widgets.emphasized import emphasized
from scholar_tui.widgets.outline import label

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_tui.screens.reader import ReaderScreen

MAX_OPENING_CHARS = 200
"""The number of characters shown of the paragraph at a place."""

_SPAN_SUFFIX = re.compile(r":\d+-\d+$", re.ASCII)
"""The character range at the end of a locator."""


class ContentsController:
    """Goes to the chapters of the open book and to places in it."""

    def __init__(self, screen: ReaderScreen) -> None:
        self._screen = screen

    def show(self, reading: BookNavigator) -> None:
        """List the chapters that have a number or a text."""
        chapters = [
            chapter
            for chapter in reading.chapters
            if chapter.number or chapter.span.of(reading.text).strip()
        ]
        self._screen.outline.show(tuple(chapters), reading.book.title)

    def toggle(self) -> None:
        """Show the outline and focus it, or hide it."""
        outline = self._screen.outline
        outline.display = not outline.display
        if outline.display and self._screen.reading:
            outline.focus()
        else:
            self._screen.page.focus()

    def go_to_chapter(self, chapter: Chapter) -> None:
        self._screen.reading_position.jump(chapter.span.start)
        self.hide_if_narrow()
        self._screen.page.focus()

    def hide_if_narrow(self) -> None:
        if self._screen.has_class("-narrow"):
            self._screen.outline.display = False

    def step_chapter(self, by: int) -> None:
        """Go to the next chapter, or to the start of this one, then to the previous one."""
        reading = self._screen.reading
        if reading is None:
            return
        position = self._screen.page.reading_position
        starts = [
            chapter.span.start
            for chapter in reading.chapters
            if chapter.span.of(reading.text).strip()
        ]
        if by > 0:
            target = next((start for start in starts if start > position), None)
        else:
            target = next((start for start in reversed(starts) if start < position), None)
        if target is None:
            self._screen.show_message(
                "this is the last chapter" if by > 0 else "this is the beginning"
            )
        else:
            self._screen.reading_position.jump(target)

    def describe(self, written: str) -> str | Content:
        """Return a description of a typed place; raises ScholarError if there is none."""
        reading = self._screen.reading
        if reading is None:
            return ""
        if place := self._in_other_book(written):
            book = self._screen.library.books.get(place.book_id).book
            return f"{one_line(book.title)}, {place}"
        span = reading.resolve(written)
        chapter = reading.chapter(span.start)
        paragraph = reading.paragraph(max(span.start, chapter.body.start))
        opening = emphasized(paragraph.of(reading.text), limit=MAX_OPENING_CHARS)
        return Content.assemble(
            f"{label(chapter, reading.book.title)}, {reading.locator(span.start)}: ", opening
        )

    def go_to(self, written: str | None) -> None:
        """Go to a typed place, in this book or another."""
        reading = self._screen.reading
        if written is None or reading is None:
            return
        if place := self._in_other_book(written):
            self._screen.loader.open_request(str(place))
            return
        span = reading.resolve(written)
        has_span = bool(_SPAN_SUFFIX.search(written.strip()))
        self._screen.place.set_mark(span if has_span else None)
        self._screen.reading_position.jump(span.start, middle=has_span)

    def _in_other_book(self, written: str) -> Locator | None:
        """Return the typed locator if it is in another book."""
        reading = self._screen.reading
        if reading is None or ":" not in written.strip().strip(":"):
            return None
        try:
            place = locators.parse(written)
        except UsageError:
            return None
        book_id = place.book_id
        is_here = book_id.isdigit() or book_id.casefold() == reading.book.id.casefold()
        return None if is_here else place
