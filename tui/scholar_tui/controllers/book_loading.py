"""Opening books in the reader: by navigation request, or the book that was read last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.sanitize import one_line
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.empty_library import WayOut, describe_empty
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_indexes.storage.bookmarks import ReadingPosition
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_tui.screens.reader import ReaderScreen


class BookLoader:
    """Loads books in a worker and hands them to the reader."""

    def __init__(self, screen: ReaderScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self._loading: tuple[str, Locator | None] | None = None
        self._interrupted: tuple[str, Locator | None] | None = None
        """The book that was being loaded when the screen was left."""

    def open_request(self, request: str) -> None:
        """Go to a locator, or to a book where reading stopped."""
        try:
            place = locators.parse(request)
        except UsageError:
            place = None  # a title, perhaps
        reading = self._screen.reading
        is_open = reading and place and place.book_id == reading.book.id
        if place and reading and is_open and self._is_current(reading):
            if place.chapter is None:
                self.resume()
            else:
                self._screen.visit(place)
        elif place and place.chapter is not None:
            self.open(place.book_id, place)
        else:
            self.open(request)

    def resume(self) -> None:
        """Open the current book, the one read last, or any."""
        if self._loading:
            return
        if self._interrupted:
            self.open(*self._interrupted)
            return
        try:
            stored_books = {stored.book.id: stored for stored in self._screen.library.books.all()}
        except ScholarError as refusal:
            self._screen.show_empty(str(refusal))
            return
        reading = self._screen.reading
        wanted = self._screen.scholar.current_book or (reading.book.id if reading else None)
        if reading and wanted == reading.book.id:
            self._check_open_book(reading, stored_books.get(wanted))
            return
        last = self._access.run(lambda bookmarks: bookmarks.last_position())
        for book_id in (wanted, last.book_id if last else None, *stored_books):
            if book_id in stored_books:
                self.open(book_id)
                return
        self._screen.show_empty(describe_empty(WayOut.ELSEWHERE, self._screen.scholar.jobs))

    def open(self, reference: str, place: Locator | None = None) -> None:
        """Open a book at a place, or where reading stopped."""
        self._screen.reading_position.save()
        self._screen.cancel_work("speakers")
        self._loading, self._interrupted = (reference, place), None
        if self._screen.reading is None:
            self._screen.show_empty("Opening the book …")
        self._screen.run_in_worker(
            lambda progress: self._screen.library.books.navigate(reference),
            lambda reading: self._receive(reading, place),
            on_error=self._fail,
            group="opening",
        )

    def reload(self, reading: BookNavigator) -> None:
        """Reopen a book whose text was replaced."""
        self._screen.reading_position.save()
        title = one_line(reading.book.title, 80)
        self._screen.show_message(f"the text of {title} was replaced; reloading it")
        self.open(reading.book.id)

    def interrupt(self) -> None:
        """Remember what is being loaded: leaving the screen cancels it."""
        self._interrupted, self._loading = self._loading, None

    def choose_book(self) -> None:
        """Let the user choose another book."""
        try:
            stored_books = self._screen.library.books.all()
        except ScholarError as refusal:
            self._screen.show_message(str(refusal), severity="error")
            return
        if not stored_books:
            self._screen.show_empty(describe_empty(WayOut.ELSEWHERE, self._screen.scholar.jobs))
            return
        reading = self._screen.reading
        open_id = reading.book.id if reading else ""
        places = self._access.run(lambda bookmarks: bookmarks.positions()) or []
        place_of = {place.book_id: place for place in places}
        choices = [
            _book_choice(stored, place_of.get(stored.book.id), is_open=stored.book.id == open_id)
            for stored in stored_books
        ]
        choices.sort(key=lambda choice: choice.value != open_id)
        self._screen.app.push_screen(ChooseScreen("Read", choices), self._open_chosen)

    def _open_chosen(self, chosen: list[str] | None) -> None:
        reading = self._screen.reading
        if chosen and not (reading and reading.book.id == chosen[0]):
            self.open(chosen[0])

    def _check_open_book(self, reading: BookNavigator, stored: StoredBook | None) -> None:
        if stored is None:
            self._screen.reading = None
            self._screen.show_empty(
                f"“{one_line(reading.book.title, 80)}” was taken off the shelf.\n\n"
                "Press b to read another book, or F2 to add this one again."
            )
        elif stored.book.sha256 != reading.book.sha256:
            self.reload(reading)
        else:
            self._screen.speakers.retry()

    def _is_current(self, reading: BookNavigator) -> bool:
        """Return True if the book is still in the library with the shown text."""
        try:
            stored = self._screen.library.catalog.with_id(reading.book.id)
        except ScholarError:
            return True
        return stored is not None and stored.book.sha256 == reading.book.sha256

    def _receive(self, reading: BookNavigator, place: Locator | None) -> None:
        self._loading = None
        self._screen.show_book(reading, place)

    def _fail(self, refusal: ScholarError) -> None:
        self._loading = None
        if self._screen.reading is None:
            line = str(refusal)
            self._screen.show_empty(
                f"{line[:1].upper()}{line[1:]}.\n\n"
                "Press b to read another book, or F2 for the shelf."
            )
        else:
            self._screen.show_message(str(refusal), severity="error")


def _book_choice(stored: StoredBook, place: ReadingPosition | None, *, is_open: bool) -> ChoiceItem:
    share = f"  {100 * place.start // max(stored.characters, 1)} %" if place else ""
    mark = "  (this one)" if is_open else ""
    return ChoiceItem(stored.book.id, stored.book.title, f"{stored.book.author}{share}{mark}")
