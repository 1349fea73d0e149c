"""The panel next to a wide page: the notes in view, and a second place of the book or its speakers.

It is shown on screens with at least BROAD columns; a pinned place stays pinned on narrower ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from scholar_indexes.sanitize import safe
from scholar_indexes.types import Span
from scholar_tui.controllers.book_page import BookPageController
from scholar_tui.controllers.collections import in_collection
from scholar_tui.screens.mode_screen import BROAD
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.emphasized import emphasized

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_tui.controllers.annotations import Annotation
    from scholar_tui.screens.reader import ReaderScreen

MAX_QUOTE_CHARS = 120

HINT = "V pins this place here, to read it next to another; Tab goes there, V there unpins it"


class SecondPlace(BookText):
    """The pinned place, which scrolls separately."""


class SidePanelController:
    """Fills the panel as the page moves."""

    def __init__(self, screen: ReaderScreen) -> None:
        self._screen = screen
        self._pinned: Span | None = None

    @property
    def second(self) -> SecondPlace:
        return self._screen.query_one(SecondPlace)

    @property
    def is_shown(self) -> bool:
        return self._screen.has_class("-broad")

    def reset(self) -> None:
        """Forget the place that was pinned in the previous book."""
        self._pinned = None
        self.second.show("")
        self._screen.set_class(False, "-pinned")

    def pin(self) -> None:
        """Pin the current place, or unpin the pinned one if it has the focus."""
        reading = self._screen.reading
        if reading is None:
            return
        if self.second.has_focus:
            self.reset()
            self.show()
            self._screen.page.focus()
            return
        mark = self._screen.place.mark
        is_marked = mark is not None and self._screen.place.is_partly_in_view(mark)
        position = self._screen.place.position
        self._pinned = mark if mark and is_marked else Span(position, position)
        self._open(reading, self._pinned)
        if not self.is_shown:
            self._screen.show_message(f"pinned; it is shown in windows of {BROAD} columns or more")
        self.show()

    def show(self) -> None:
        """Show the notes and speakers of the lines in view."""
        reading = self._screen.reading
        if reading is None or not self.is_shown:
            return
        visible = self._screen.page.visible_span
        annotations = self._screen.annotations.within(visible)
        parts = [_describe(annotation) for annotation in annotations]
        if self._pinned is None:
            if not annotations:
                parts += self._screen.speakers.cards(visible)
            parts.append(Content.styled(HINT, "$foreground-muted"))
        content = Content("\n\n").join(parts)
        self._screen.query_one("#notes").display = bool(parts)
        noted = self._screen.query_one("#noted", Static)
        if noted.content != content:
            noted.update(content)

    def fit(self, width: int) -> None:
        """Adapt to the width of the screen: without a panel, notes are next to the text."""
        self._screen.page.show_notes_beside(width < BROAD)
        if width < BROAD and self.second.has_focus:
            self._screen.page.focus()
        self._screen.call_after_refresh(self.show)

    def _open(self, reading: BookNavigator, span: Span) -> None:
        place = BookPageController(self.second)
        if self.second.text != reading.text:
            place.show_text(reading.text, reading.chapters)
        place.set_mark(span if span.start < span.end else None)
        place.go_to(span.start)
        self._screen.set_class(True, "-pinned")
        self._screen.query_one("#pinned", Static).update(
            Content.assemble(("pinned ", "$foreground-muted"), reading.locator(span.start))
        )


def _describe(annotation: Annotation) -> Content:
    """Return a kept passage, with its note and its collection."""
    quotation = annotation.quotation
    note = f"\n{safe(quotation.note)}" if quotation.note else ""
    colour = quotation.colour
    kept = f"kept in {colour}" if colour else "kept"
    shade = f"$mark-{colour}" if colour else "$success"
    return Content.assemble(
        ("▎", shade),
        emphasized(quotation.quote, limit=MAX_QUOTE_CHARS).stylize(shade),
        note,
        (f"\n{kept}{in_collection(quotation.collection)}", "$foreground-muted"),
    )
