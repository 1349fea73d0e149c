"""Showing a passage of a book on a page, in Find and in the reader."""

from __future__ import annotations

from collections.abc import Iterable

from scholar_indexes.types import Chapter, Span
from scholar_tui.widgets.book_text import BookText, TextStyle


class BookPageController:
    """Shows a text with its headings on a page, marks a span of it and brings it into view."""

    def __init__(self, page: BookText) -> None:
        self._page = page
        self.mark: Span | None = None
        """The span that is marked."""

    def show_text(
        self,
        text: str,
        chapters: Iterable[Chapter],
        within: Span | None = None,
        layers: Iterable[str] = (),
    ) -> None:
        """Show a text, or a span of it, with its chapter headings styled; `layers` are the style
        layers from the lowest up, if their order matters."""
        self.mark = None
        self._page.show(text, within)
        for layer in layers:
            self._page.style_spans(layer, ())
        headings = [
            TextStyle(Span(chapter.span.start, chapter.body.start), "heading")
            for chapter in chapters
            if chapter.span.start < chapter.body.start
        ]
        self._page.style_spans("heading", headings)

    @property
    def position(self) -> int:
        """The position of the reader: the start of the words, not of the white space before
        them."""
        start = self._page.reading_position
        words = Span(start, self._page.visible_span.end).of(self._page.text)
        return start + len(words) - len(words.lstrip()) if words.strip() else start

    def set_mark(self, span: Span | None) -> None:
        """Mark a span, or nothing."""
        self.mark = span
        self._page.style_spans("hit", [TextStyle(span, "hit")] if span else [])

    def dim_around(self, body: Span, focus: Span) -> None:
        """Dim a body before and after a span of it."""
        before, after = Span(body.start, focus.start), Span(focus.end, body.end)
        self._page.style_spans("dim", [TextStyle(before, "dim"), TextStyle(after, "dim")])

    def is_in_view(self, span: Span) -> bool:
        """Return True if the whole span is on the screen."""
        visible = self._page.visible_span
        return visible.start <= span.start and span.end <= visible.end

    def is_partly_in_view(self, span: Span | None) -> bool:
        """Return True if some of the span is on the screen."""
        visible = self._page.visible_span
        return span is not None and span.start < visible.end and span.end > visible.start

    def fits_above(self, context: Span, span: Span) -> bool:
        """Return True if the context before the span takes at most about a quarter of the page."""
        size = self._page.size
        return span.start - context.start < size.width * size.height // 4

    def go_to(self, position: int, *, middle: bool = False) -> None:
        """Scroll to a position of the text."""
        self._page.go_to(position, middle=middle)
