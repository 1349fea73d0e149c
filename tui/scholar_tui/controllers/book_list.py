"""The books of the library: their table, and the details of the one under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.content import Content
from textual.widgets import Input, Static

from scholar_indexes.books import listing
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.empty_library import WayOut, describe_empty
from scholar_tui.widgets.book_details import BookDetails, summary_line
from scholar_tui.widgets.book_table import BookRow, BookTable

if TYPE_CHECKING:
    from scholar_indexes.storage.bookmarks import ReadingPosition
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Chapter
    from scholar_tui.screens.library import LibraryScreen

_ORDER_NAMES = {
    "size": "longest first",
    "added": "newest first",
    "read": "last read first",
}


class BookListController:
    """Reads the books and shows the ones that pass the filter."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self.books: list[StoredBook] = []
        self.failure = ""
        """The reason why the books cannot be read."""
        self._places: list[ReadingPosition] = []
        self._indexed: set[int] | None = None
        """The indexed editions, which searches find; None while unknown."""
        self._order = "author"

    @property
    def shown(self) -> list[StoredBook]:
        """The books that pass the filter, in order."""
        passing = listing.filter_books(self.books, self._filter.value)
        return listing.sort_books(passing, self._order, self._places)

    @property
    def selected(self) -> StoredBook | None:
        """The book under the cursor."""
        return self.stored(self._table.cursor_id)

    def stored(self, book_id: str | None) -> StoredBook | None:
        """Return the book with that id."""
        return next((stored for stored in self.books if stored.book.id == book_id), None)

    def load(self) -> None:
        """Read the books, and then, in a worker, which of them are indexed."""
        try:
            self.books, self.failure = self._screen.library.books.all(), ""
        except ScholarError as refusal:
            self.books, self.failure = [], str(refusal)
        try:
            self._places = self._screen.bookmarks.positions()
        except ScholarError as refusal:
            self._places = []
            self._screen.show_message(str(refusal), severity="error")
        if self.stored(self._screen.scholar.current_book) is None:
            read = (place.book_id for place in self._places if self.stored(place.book_id))
            self._screen.scholar.current_book = next(read, None)
        self._show_last_read()
        self.show()
        self._screen.run_in_worker(
            lambda progress: self._screen.library.passages.editions(),
            self._receive_indexed,
            on_error=self._fail_indexed,
            group="indexed",
        )

    @property
    def last_read(self) -> StoredBook | None:
        """The book that was read last, if it is here and was begun."""
        last = next(iter(self._places), None)
        return self.stored(last.book_id) if last is not None and last.start else None

    def _show_last_read(self) -> None:
        """Offer to continue the book that was read last."""
        stored = self.last_read
        line = Content("")
        if stored is not None:
            share = listing.percent_read(stored, self._place(stored.book.id))
            line = Content.assemble(
                ("r", "bold $primary"),
                " continues where you left off: ",
                (one_line(stored.book.title, 60), "bold"),
                f", {share} %",
            )
        offer = self._screen.query_one("#resume", Static)
        offer.update(line)
        offer.set_class(stored is not None, "-some")

    def show(self) -> None:
        """Show the books that pass the filter."""
        self._screen.set_class(not self.books, "-empty")
        empty = describe_empty(WayOut.HERE, self._screen.scholar.jobs)
        self._screen.query_one("#empty", Static).update(self.failure or empty)
        shown = self.shown
        rows = map(self._row, shown)
        self._table.show(rows, self._screen.scholar.current_book, self._order)
        counts = f"{len(shown)} of {len(self.books)}"
        self._filter.border_subtitle = counts if self._filter.value else ""
        if self.selected is None and self.books:
            self._show_line("no book has all these words; Escape shows all")
            self._details.show(None, None, "")
        else:
            self.show_details(self.selected)
        self._screen.refresh_bindings()

    def show_details(self, stored: StoredBook | None) -> None:
        """Make a book the current one of all screens, and show its details."""
        if stored is None:
            self._details.show(None, None, "")
            return
        self._screen.scholar.current_book = stored.book.id
        place = self._place(stored.book.id)
        self._show_line(summary_line(stored, place))
        if not self._details.show(stored, place, self._describe_index(stored)):
            return

        def show(chapters: Sequence[Chapter]) -> None:
            if self._screen.scholar.current_book == stored.book.id:
                self._details.show_chapters(chapters)

        self._screen.run_in_worker(
            lambda progress: self._screen.library.books.open(stored).chapters,
            show,
            on_error=lambda refusal: self._details.show_refusal(str(refusal)),
            group="chapters",
        )

    def sort_by(self, order: str) -> None:
        """Sort by an order of listing.ORDERS."""
        if order not in listing.ORDERS:
            return
        self._order = order
        self.show()
        self._screen.show_message(f"ordered: {_ORDER_NAMES.get(order, f'by {order}')}")

    def sort_by_next(self) -> None:
        position = listing.ORDERS.index(self._order) + 1
        self.sort_by(listing.ORDERS[position % len(listing.ORDERS)])

    def open_filter(self) -> None:
        self._filter.set_class(True, "-some")
        self._filter.focus()

    def focus(self) -> None:
        """Focus the table, and hide the filter if it is empty."""
        self._filter.set_class(bool(self._filter.value), "-some")
        self._table.focus()

    @property
    def _table(self) -> BookTable:
        return self._screen.query_one(BookTable)

    @property
    def _details(self) -> BookDetails:
        return self._screen.query_one(BookDetails)

    @property
    def _filter(self) -> Input:
        return self._screen.query_one("#filter", Input)

    def _place(self, book_id: str) -> ReadingPosition | None:
        return next((place for place in self._places if place.book_id == book_id), None)

    def _row(self, stored: StoredBook) -> BookRow:
        return BookRow(
            stored.book.id,
            stored.book.title,
            stored.book.author,
            listing.count_pages(stored.characters),
            stored.chapters,
            None if self._indexed is None else stored.edition in self._indexed,
            listing.percent_read(stored, self._place(stored.book.id)),
            stored.added,
        )

    def _describe_index(self, stored: StoredBook) -> str:
        if self._indexed is None:
            return "not known yet"
        answer = "yes" if stored.edition in self._indexed else "no"
        return f"{answer}, for {self._screen.library.settings.model}"

    def _receive_indexed(self, indexed: set[int]) -> None:
        has_changed, self._indexed = indexed != self._indexed, indexed
        missing = [stored.book.title for stored in self.books if stored.edition not in indexed]
        self._show_notice(self._index_notice(missing) if missing else "")
        if has_changed:
            self.show()

    def _fail_indexed(self, refusal: ScholarError) -> None:
        self._indexed = None
        self._show_notice(str(refusal))

    def _index_notice(self, missing: Sequence[str]) -> str:
        first, others = one_line(missing[0], 40), len(missing) - 1
        subject = f"{first} and {others} more are" if others else f"{first} is"
        return (
            f"{subject} not indexed for the model {self._screen.library.settings.model}, "
            "so searches skip it: press I to index now"
        )

    def _show_notice(self, line: str) -> None:
        notice = self._screen.query_one("#notice", Static)
        notice.update(one_line(line, 400))
        notice.set_class(bool(line), "-some")

    def _show_line(self, line: str | Text) -> None:
        self._screen.query_one("#line", Static).update(line)
