"""The page next to the list of hits: the chapter of the highlighted passage, which is marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Book, Chapter, Span
from scholar_tui.controllers.book_page import BookPageController
from scholar_tui.controllers.claim_search import SearchResults, TextCache
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.book_text import BookText

GROUP = "page"


@dataclass(frozen=True, slots=True)
class HitPosition:
    """The position of a passage: its book, its chapter and the marked span."""

    book: Book
    chapter: Chapter
    span: Span


class HitPageController:
    """Shows passages by locator; passages not in memory are fetched in a worker."""

    def __init__(
        self,
        screen: ModeScreen,
        texts: TextCache,
        page: BookText,
        pane: Widget,
        on_error: Callable[[ScholarError], None],
    ) -> None:
        self._screen = screen
        self._texts = texts
        self._page = page
        self._place = BookPageController(page)
        self._pane = pane
        self._on_error = on_error
        self._positions: dict[str, HitPosition] = {}
        self._wanted: str | None = None
        self._shown: tuple[str, int] | None = None
        """The hash of the text and the number of the chapter on the page."""

    def add_hits(self, results: SearchResults) -> None:
        """Remember the positions of hits, so that they can be shown without a library query."""
        for hit in results.hits:
            passage = hit.item
            position = HitPosition(passage.book, passage.chapter, passage.passage.span)
            self._positions[passage.locator] = position

    def show(self, locator: str | None) -> None:
        """Show a passage, or an empty page."""
        self._wanted = locator
        if locator is None:
            self._screen.cancel_work(GROUP)
            self._clear()
            return
        position = self._positions.get(locator)
        text = self._texts.get(position.book.sha256) if position else None
        if position is not None and text is not None:
            self._screen.cancel_work(GROUP)
            self._draw(locator, position, text)
            return
        self._screen.run_in_worker(
            lambda _: self._screen.library.show(locator),
            lambda extract: self._receive(
                locator,
                HitPosition(extract.book, extract.chapter, extract.marked),
                extract.text,
            ),
            on_error=lambda refusal: self._fail(locator, refusal),
            group=GROUP,
        )

    def _receive(self, locator: str, position: HitPosition, text: str) -> None:
        self._texts.add(position.book.sha256, text)
        self._positions[locator] = position
        if locator == self._wanted:
            self._draw(locator, position, text)

    def _fail(self, locator: str, refusal: ScholarError) -> None:
        if locator == self._wanted:
            self._clear()
            self._on_error(refusal)

    def _clear(self) -> None:
        self._shown = None
        self._page.show("")
        self._pane.border_title = self._pane.border_subtitle = None

    def _draw(self, locator: str, position: HitPosition, text: str) -> None:
        chapter, span = position.chapter, position.span
        shown = position.book.sha256, chapter.number
        if self._shown != shown:
            self._shown = shown
            self._place.show_text(text, [chapter], chapter.span)
        context = paragraphs_around(text, chapter.body, span)
        self._place.dim_around(chapter.body, context)
        self._place.set_mark(span)
        fits = self._place.fits_above(context, span)
        self._place.go_to(context.start if fits else span.start, middle=True)
        title = position.book.title
        heading = full_name(chapter, title)
        self._pane.border_title = Content(f"{one_line(title, 60)}, {heading}")
        self._pane.border_subtitle = Content(locator)


def paragraphs_around(text: str, body: Span, hit: Span) -> Span:
    """Return the span of the whole paragraphs that contain a hit."""
    from scholar_indexes.books.segmentation.sentences import paragraph_spans

    start, end = hit.start, hit.end
    for paragraph in paragraph_spans(text, body):
        if paragraph.start >= hit.end:
            break
        if paragraph.end > hit.start:
            start, end = min(start, paragraph.start), max(end, paragraph.end)
    return Span(start, end)
