"""Loading the cast of a book, and then the descriptions of its characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.empty_library import WayOut, describe_empty
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import CharacterProfile, DescriptionResult
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Progress
    from scholar_tui.screens.characters import CharactersScreen

CAST_GROUP, DESCRIPTIONS_GROUP = "company", "descriptions"
"""The groups of the workers."""


class CastLoader:
    """Chooses the book whose characters are shown, and reads them in workers."""

    def __init__(self, screen: CharactersScreen) -> None:
        self._screen = screen
        self.cast: BookCast | None = None
        self.descriptions: dict[str, list[DescriptionResult]] | None = None
        """Descriptions by character id; None until they are read."""
        self.failure = ""
        """The reason why there are no descriptions; empty while they may still come."""
        self.correctable: Sequence[CharacterProfile] = ()
        """The characters that were found in the text, which can be corrected."""
        self._corrections: str | None = None
        """The fingerprint of the corrections in the cast; None until all quotations are
        attributed again."""
        self._loading: str | None = None
        """The book that is being read."""
        self._title = ""

    @property
    def book_id(self) -> str | None:
        """The book that is shown or being read."""
        return self.cast.stored.book.id if self.cast else self._loading

    def open_request(self, reference: str) -> None:
        """Open the book of a reference or locator; or else the current one, the one shown, the
        one read last, or any."""
        wanted = reference.partition(":")[0]
        books = self.stored_books()
        if books is None:
            return
        if wanted and wanted not in books:
            self.open(reference)  # a number or a title, perhaps
            return
        shown = self.cast.stored.book.id if self.cast else None
        current = self._screen.scholar.current_book
        if self.cast and not wanted and current in (None, shown) and shown not in books:
            self._show_removed(self.cast.stored)
            return
        for book_id in (wanted, current, shown, self._last_read(), *books):
            if book_id is not None and book_id in books:
                self._open_or_stay(books[book_id])
                return
        self._screen.show_empty(describe_empty(WayOut.ELSEWHERE, self._screen.scholar.jobs))

    def open(self, reference: str) -> None:
        """Read the characters of a book."""
        self._screen.cancel_work(DESCRIPTIONS_GROUP)
        self.cast, self.descriptions, self.failure = None, None, ""
        title = self._loading = reference
        library = self._screen.library
        try:
            book = library.books.get(reference).book
        except ScholarError:
            pass  # the work below shows why
        else:
            self._screen.scholar.current_book = self._loading = book.id
            title = book.title
        self._title = one_line(title, 80)
        self._screen.show_empty(self._loading_text(""))
        self._screen.run_in_worker(
            lambda progress: self._read(reference, progress),
            lambda answer: self._receive_cast(*answer),
            on_error=self.show_refusal,
            group=CAST_GROUP,
        )

    def show_progress(self, line: str) -> None:
        """Show the progress of finding the characters, if nothing else is shown yet."""
        if self._loading is not None and self.cast is None:
            self._screen.show_empty(self._loading_text(line))

    def _loading_text(self, progress: str) -> str:
        return (
            f"Finding the characters of “{self._title}” …\n{progress}\n\n"
            "They are saved with the book, so this takes long only once. Ctrl+G or leaving this "
            "screen stops it; b chooses another book."
        )

    def reload(self) -> None:
        """Read the characters of the book again."""
        book_id = self.cast.stored.book.id if self.cast else self._screen.scholar.current_book
        books = self.stored_books()
        if books is None:
            return
        if book_id is not None and book_id in books:
            self.open(book_id)
        else:
            self.open_request("")

    def update(self, book_id: str, select: str = "") -> None:
        """Reload the characters of the shown book after corrections to them, with the cursor on
        the one named `select`, or else unmoved."""
        if self.cast is None or self.cast.stored.book.id != book_id:
            return
        self._screen.cancel_work(DESCRIPTIONS_GROUP)
        self.descriptions = None
        self._update(book_id, select, attribute_again=False)

    def _update(self, book_id: str, select: str, *, attribute_again: bool) -> None:
        """Show the corrected characters with the quotations that they had, which takes no time, or
        with all quotations attributed again and with descriptions."""

        def receive(answer: tuple[BookCast, str]) -> None:
            cast, corrections = answer
            self._take(cast, corrections if attribute_again else None)
            if not cast.profiles:
                self._show_nobody(cast)
                return
            self._screen.update_cast(select)
            if attribute_again:
                self._describe(cast)
            else:
                self._update(book_id, "", attribute_again=True)

        self._screen.run_in_worker(
            lambda progress: self._read(book_id, progress, attribute_again=attribute_again),
            receive,
            on_error=self.show_refusal,
            group=CAST_GROUP,
        )

    def interrupt(self) -> None:
        """Note that leaving the screen has cancelled the work."""
        self._loading = None

    def stored_books(self) -> dict[str, StoredBook] | None:
        """Return the books by id; if they cannot be read, show why and return None."""
        try:
            return {stored.book.id: stored for stored in self._screen.library.books.all()}
        except ScholarError as refusal:
            self.show_refusal(refusal)
            return None

    def choose_book(self) -> None:
        """Let the user choose another book."""
        books = self.stored_books()
        if books is None:
            return
        if not books:
            self._screen.show_empty(describe_empty(WayOut.ELSEWHERE, self._screen.scholar.jobs))
            return
        open_id = self.book_id
        choices = []
        for book_id, stored in books.items():
            mark = "  (this one)" if book_id == open_id else ""
            choices.append(ChoiceItem(book_id, stored.book.title, f"{stored.book.author}{mark}"))
        choices.sort(key=lambda choice: choice.value != open_id)
        self._screen.app.push_screen(ChooseScreen("Characters of", choices), self._open_chosen)

    def _open_chosen(self, chosen: list[str] | None) -> None:
        if chosen and not (self.cast and self.cast.stored.book.id == chosen[0]):
            self.open(chosen[0])

    def show_refusal(self, refusal: ScholarError) -> None:
        self._loading = self.cast = None
        line = str(refusal)
        self._screen.show_empty(
            f"{line[:1].upper()}{line[1:]}.\n\n"
            "Press b to see the characters of another book, F2 for the shelf, R to try again."
        )

    def _last_read(self) -> str | None:
        try:
            place = self._screen.bookmarks.last_position()
        except ScholarError:
            return None  # the reader shows the failure
        return place.book_id if place else None

    def _open_or_stay(self, stored: StoredBook) -> None:
        book, cast = stored.book, self.cast
        if self._loading == book.id:
            return
        if cast is None or cast.stored.edition != stored.edition:
            if cast and cast.stored.book.id == book.id:
                title = one_line(book.title, 80)
                self._screen.show_message(f"the text of {title} was replaced; reloading it")
            self.open(book.id)
        elif self._corrections != self._screen.library.corrections.fingerprint(book.id):
            self.update(book.id)
        else:
            self._screen.scholar.current_book = book.id
            if self.descriptions is None:
                self._describe(cast)

    def _show_removed(self, stored: StoredBook) -> None:
        self.cast = None
        self._screen.show_empty(
            f"“{one_line(stored.book.title, 80)}” was taken off the shelf.\n\n"
            "Press b to see the characters of another book, or F2 to add this one again."
        )

    def _read(
        self, reference: str, progress: Progress, *, attribute_again: bool = True
    ) -> tuple[BookCast, str]:
        """Return the cast of a book, and the fingerprint of its corrections."""
        library = self._screen.library
        corrections = library.corrections.fingerprint(reference)
        cast = library.characters.cast(reference, progress, attribute_again=attribute_again)
        return cast, corrections

    def _receive_cast(self, cast: BookCast, corrections: str) -> None:
        self._take(cast, corrections)
        if cast.profiles:
            self._screen.show_cast()
            self._describe(cast)
        else:
            self._show_nobody(cast)

    def _take(self, cast: BookCast, corrections: str | None) -> None:
        self._loading, self.cast, self._corrections = None, cast, corrections
        self.correctable = cast.profiles
        self._screen.scholar.current_book = cast.stored.book.id

    def _show_nobody(self, cast: BookCast) -> None:
        self._screen.show_empty(
            f"No characters were found in “{one_line(cast.stored.book.title, 80)}”, though "
            "someone speaks.\n\nPress b for another book, or F4 to read this one: the speakers "
            "are shown there."
        )

    def _describe(self, cast: BookCast) -> None:
        """Read the descriptions of all characters."""
        self.failure = ""
        self._screen.run_in_worker(
            lambda progress: self._screen.library.characters.descriptions(cast, progress),
            lambda answer: self._receive_descriptions(cast, *answer),
            on_error=lambda refusal: self._fail_descriptions(cast, refusal),
            group=DESCRIPTIONS_GROUP,
        )

    def _receive_descriptions(
        self,
        cast: BookCast,
        joined: BookCast,
        descriptions: dict[str, list[DescriptionResult]],
    ) -> None:
        """Store the descriptions, and the cast with the characters that only they name."""
        if cast is not self.cast:
            return
        self.cast, self.descriptions = joined, descriptions
        has_more = len(joined.profiles) != len(cast.profiles)
        self._screen.show_descriptions(has_more_characters=has_more)

    def _fail_descriptions(self, cast: BookCast, refusal: ScholarError) -> None:
        if cast is self.cast:
            self.failure = str(refusal)
            self._screen.show_descriptions(has_more_characters=False)
