"""The line above the page of a book: its chapter, the search in it, and the place in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.outline import label

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_indexes.types import Span


class StatusLine(Static):
    """A line about the book, which the mouse cannot select."""

    ALLOW_SELECT = False

    def __init__(self, id: str) -> None:
        super().__init__("", id=id, markup=False)

    def show(self, line: str) -> None:
        """Show a line, unless it is already shown: an update would cause a new layout."""
        if self.content != line:
            self.update(line)


class RunningHead(Horizontal):
    """The chapter, the matches of the search, and the locator with the share that is read."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._where = StatusLine("where")
        self._count = StatusLine("count")
        self._place = StatusLine("place")

    def compose(self) -> ComposeResult:
        yield from (self._where, self._count, self._place)

    def show_place(self, reading: BookNavigator, position: int, visible: Span) -> None:
        """Show the chapter and the locator of a position, and the share read with what is in
        view."""
        chapter = reading.chapter(position)
        names = (reading.book.title, *chapter.part, label(chapter, reading.book.title))
        self._where.show(" · ".join(one_line(name) for name in names if name))
        share = reading.percent_read(visible)
        self._place.show(f"{reading.locator(position)}  {share:>3} %")

    def show_count(self, line: str) -> None:
        """Show how many matches the search has, or nothing."""
        self._count.show(line)
