"""The reading position in a book: saving it, jumping elsewhere and coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.timer import Timer

from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_indexes.types import Span
from scholar_tui.changes import RecordPlace
from scholar_tui.controllers.bookmark_access import BookmarkAccess

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_tui.screens.reader import ReaderScreen

REST_DELAY_S = 0.4
"""Seconds between the last scrolling and the saving of the position."""


class ReadingPositionController:
    """Saves where reading stopped. A place that was only visited, such as a search hit, does not
    count as read until the user scrolls on from it."""

    def __init__(self, screen: ReaderScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self._trail: list[int] = []
        """The positions that were left by jumps, the latest last."""
        self.is_visiting = False
        """True if a place was shown and nothing has been read since."""
        self._visited_top = 0
        self._top = 0
        self.saved: ReadingPosition | None = None
        self._timer: Timer | None = None

    def resume(self, reading: BookNavigator) -> int:
        """Go to where reading of an opened book stopped, and return that position."""
        self._trail = []
        book_id = reading.book.id
        saved = self._access.run(lambda bookmarks: bookmarks.position(book_id))
        start = self._top = reading.resume(saved)
        place = self.saved = ReadingPosition(book_id, reading.locator(start), start)
        self._record(place)
        self._screen.page.go_to(start)
        return start

    def visit(self, span: Span, *, middle: bool, origin: int | None = None) -> None:
        """Show a place that the user was sent to; `origin` is the position to return to."""
        self.save()
        self._screen.page.select(None)
        self.is_visiting = True
        self._save_after_rest()
        self._trail.append(self._screen.page.top if origin is None else origin)
        self._screen.page.go_to(span.start, middle=middle)
        self._screen.call_after_refresh(self._note_visited_top)

    def jump(self, position: int, *, middle: bool = False) -> None:
        """Go elsewhere, with a way back."""
        self.leave_from(self._screen.page.top)
        self._screen.page.go_to(position, middle=middle)

    def jump_into_view(self, span: Span) -> None:
        """Go to a span, unless it is in view."""
        if not self._screen.place.is_in_view(span):
            self.jump(span.start, middle=True)

    def leave_from(self, position: int) -> None:
        """Remember a position to come back to, and drop the selection there; from now on the user
        is reading."""
        self._screen.page.select(None)
        self.is_visiting = False
        self._trail.append(position)

    def back(self) -> None:
        """Go back to where the last jump began."""
        page = self._screen.page
        while self._trail and self._trail[-1] == page.top:
            self._trail.pop()
        if self._trail:
            self.is_visiting = False
            page.select(None)
            page.go_to(self._trail.pop())
        else:
            self._screen.show_message("this is where you began")

    def follow_page(self) -> None:
        """Note that another line is at the top of the page."""
        self._top = self._screen.page.top  # the message may be about the previous book
        self._save_after_rest()

    def save(self) -> None:
        """Save where reading stopped."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        reading = self._screen.reading
        if reading is None or self.is_visiting:
            return
        place = ReadingPosition(reading.book.id, reading.locator(self._top), self._top)
        if place != self.saved:
            self.saved = place
            self._record(place)

    def _record(self, place: ReadingPosition) -> None:
        self._access.record(RecordPlace(place))

    def _save_after_rest(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._screen.set_timer(REST_DELAY_S, self._rest)

    def _rest(self) -> None:
        has_just_arrived = self.is_visiting and self._screen.page.top == self._visited_top
        self.is_visiting = False  # from now on the user is reading
        if not has_just_arrived:
            self.save()

    def _note_visited_top(self) -> None:
        self._visited_top = self._screen.page.top
