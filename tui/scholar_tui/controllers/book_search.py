"""Searching for words in the open book."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widgets import Input

from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress, Span
from scholar_tui.widgets.book_text import TextStyle
from scholar_tui.widgets.concordance import BookHits, SearchHits

if TYPE_CHECKING:
    from scholar_tui.screens.reader import ReaderScreen

TYPING_DELAY_S = 0.15
"""Seconds between the last key and the search."""

MAX_SHOWN_CHARS = 18

GROUP = "seeking"


class BookSearchController:
    """Finds words in the text of the open book and steps through the matches."""

    def __init__(self, screen: ReaderScreen) -> None:
        self._screen = screen
        self._words = ""
        self._hits: BookHits | None = None
        self._number = -1
        """The index of the match that is marked, -1 for none."""
        self._searched = ""
        """The words of the matches, since a search may be cancelled or fail."""
        self._origin = 0
        """The top of the page when the search began."""
        self._timer: Timer | None = None

    @property
    def has_words(self) -> bool:
        """Return True while words are searched for."""
        return bool(self._words)

    def open(self) -> None:
        """Show the box and focus it."""
        if self._screen.reading is None:
            return
        self._origin = self._screen.page.top
        self._screen.query_one("#seek").display = True
        box = self._box
        box.focus()
        box.action_select_all()
        self._show_hits()

    def close(self) -> None:
        """Hide the box and the list of hits."""
        self._screen.query_one("#seek").display = False
        self._list.reset()

    @property
    def has_focus(self) -> bool:
        """Return True while the box or the list of hits has the focus."""
        return self._box.has_focus or self._list.has_focus_within

    def to_list(self) -> None:
        """Go from the box to the list of hits."""
        if self._list.display:
            self._list.list.focus()

    def mark(self, number: int) -> None:
        """Show a hit on the page, whose line is under the cursor."""
        if number != self._number and number < len(self._matches):
            self._go_to_match(number)

    def search_soon(self, words: str) -> None:
        self._stop_timer()
        self._timer = self._screen.set_timer(TYPING_DELAY_S, lambda: self._search(words))

    def read_on(self) -> None:
        """Return to the page at the hit under the cursor."""
        self.submit(self._words)

    def submit(self, words: str) -> None:
        """Search at once, and return to the page."""
        self._stop_timer()
        if words.strip() != self._words:
            self._search(words)
        self.close()
        self._screen.reading_position.leave_from(self._origin)
        self._screen.page.focus()

    def clear(self) -> None:
        """Forget the words and unmark their matches."""
        self._stop_timer()
        self._screen.cancel_work(GROUP)
        self._hits, self._number = None, -1
        self._words, self._searched = "", ""
        self._screen.refresh_bindings()
        with self._screen.prevent(Input.Changed):
            self._box.value = ""
        self._screen.page.style_spans("found", ())
        self._screen.page.style_spans("match", ())
        self.close()
        self.show_count()

    def give_up(self) -> None:
        """Forget the words and go back to where the search began."""
        self.clear()
        self._screen.page.go_to(self._origin)

    def step(self, by: int) -> None:
        """Go to the next match, or the previous one."""
        if self._words != self._searched:  # the search runs, or was cancelled with the screen
            if not self._screen.is_working(GROUP):
                self._search(self._words)
            return
        if not self._matches:
            nothing = f"“{one_line(self._words, 40)}” is not in this book; / searches again"
            self._screen.show_message(nothing if self._words else "no search yet; / searches")
            return
        current = self._matches[self._number] if self._number >= 0 else None
        if self._screen.place.is_partly_in_view(current):
            self._go_to_match((self._number + by) % len(self._matches))
        else:
            self._go_to_match(self._nearest(self._screen.page.visible_span.start, by))

    def show_count(self) -> None:
        """Show the words, the number of the marked match and the total."""
        words = one_line(self._words)
        if not words:
            self._screen.head.show_count("")
            return
        is_short = len(words) <= MAX_SHOWN_CHARS
        shown = words if is_short else f"{words[: MAX_SHOWN_CHARS - 1]}…"
        total = len(self._matches)
        number = f"{self._number + 1:,} of {total:,}" if self._number >= 0 else "none"
        self._screen.head.show_count(f"“{shown}” {number}")

    @property
    def _matches(self) -> Sequence[Span]:
        return self._hits.spans if self._hits else ()

    @property
    def _box(self) -> Input:
        return self._screen.query_one("#sought", Input)

    @property
    def _list(self) -> SearchHits:
        return self._screen.query_one(SearchHits)

    @property
    def _is_open(self) -> bool:
        return bool(self._screen.query_one("#seek").display)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    def _search(self, words: str) -> None:
        from scholar_indexes.books.reading.book_navigator import find_text

        reading, self._words = self._screen.reading, words.strip()
        self._screen.refresh_bindings()
        if reading is None:
            return

        def search(progress: Progress) -> tuple[BookHits, list[TextStyle]]:
            spans = find_text(reading, words, lambda: progress("", 0, 0))
            hits = BookHits.count(reading, spans)
            return hits, [TextStyle(span, "found") for span in spans]

        self._screen.run_in_worker(
            search, lambda answer: self._receive(words, *answer), group=GROUP
        )

    def _receive(self, words: str, hits: BookHits, styles: list[TextStyle]) -> None:
        if words.strip() != self._words:
            return
        self._hits, self._number, self._searched = hits, -1, self._words
        self._screen.page.style_spans("found", styles)
        self._go_to_match(self._nearest(self._origin, 1) if self._matches else -1)
        if not self._matches and self._words:
            self._screen.page.go_to(self._origin)
        if self._is_open:
            self._show_hits()

    def _show_hits(self) -> None:
        """List the hits below the page, if there are any."""
        if self._hits is not None and self._matches:
            self._list.show(self._hits, max(self._number, 0))
        else:
            self._list.reset()

    def _nearest(self, position: int, by: int) -> int:
        """Return the index of the match at or after a position, or of the last one before it,
        wrapping around at the ends of the book."""
        index = bisect_left(self._matches, Span(position, 0))
        return (index if by > 0 else index - 1) % len(self._matches)

    def _go_to_match(self, number: int) -> None:
        self._number = number
        self.show_count()
        if number >= 0:
            self._list.go_to(number)
        page = self._screen.page
        if number < 0:
            page.style_spans("match", [])
            return
        span = self._matches[number]
        page.style_spans("match", [TextStyle(span, "current")])
        if not self._screen.place.is_in_view(span):
            self._screen.reading_position.is_visiting = False
            page.select(None)
            page.go_to(span.start, middle=True)
