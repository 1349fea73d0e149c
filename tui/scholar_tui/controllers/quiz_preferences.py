"""The preferences for questions, which are remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scholar_indexes.books.citation import locators
from scholar_indexes.characters.quiz.preferences import QuizPreferences
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.widgets.quiz_start import QuizStart

if TYPE_CHECKING:
    from scholar_tui.screens.quiz import QuizScreen

PREFERENCES_CHOICE = "quiz-wishes"
"""The name under which the preferences are remembered."""

LAST_CHAPTER_CHOICE = "quiz-upto-chapter-{}"
"""The name under which the last chapter to ask about is remembered for a book."""


EVERYTHING = QuizPreferences()
"""The preferences that exclude no question."""


class QuizPreferencesController:
    """Shows the remembered preferences, and remembers the preferences of each started round."""

    def __init__(self, screen: QuizScreen, bookmark_access: BookmarkAccess) -> None:
        self._screen = screen
        self._bookmark_access = bookmark_access

    @property
    def _start(self) -> QuizStart:
        return self._screen.query_one(QuizStart)

    def restore(self) -> None:
        """Show the preferences of the last session."""
        stored = self._bookmark_access.choice(PREFERENCES_CHOICE)
        self._start.show_preferences(QuizPreferences.from_json(stored))

    def restore_last_chapter(self) -> None:
        """Show the last chapter to ask about that was remembered for the chosen book."""
        book_id = self._start.books.single_book_id
        name = LAST_CHAPTER_CHOICE.format(book_id)
        chapter = self._bookmark_access.choice(name) if book_id else None
        self._start.show_last_chapter(chapter, is_single_book=book_id is not None)

    def clear_limits(self) -> None:
        """Ask about everything from now on: all chapters and levels, and both kinds."""
        stored = QuizPreferences.from_json(self._bookmark_access.choice(PREFERENCES_CHOICE))
        everything = replace(stored, kind=EVERYTHING.kind, levels=EVERYTHING.levels)
        self._start.clear_limits()
        self.remember(everything, None, self._start.books.single_book_id)

    def limit_to_reading_position(self) -> None:
        """Use the chapter where the user stopped reading as the last one to ask about."""
        book_id = self._start.books.single_book_id
        try:
            place = self._screen.bookmarks.position(book_id) if book_id else None
            chapter = self._chapter_read(place.locator) if place else None
        except ScholarError as refusal:
            self._screen.show_message(str(refusal), severity="error")
            return
        if book_id is None:
            self._screen.show_message("choose one book; each book has its own chapters")
        elif not chapter:
            self._screen.show_message(
                "you have not read this book yet; type the chapter, or start reading (F4)"
            )
        else:
            self._start.show_last_chapter(chapter, is_single_book=True)

    def _chapter_read(self, locator: str) -> str | None:
        """Return the chapter of a locator as users type it: its number, or its section if it has
        no number or the book is gone; None for the front matter."""
        section = locators.parse(locator).chapter
        library = self._screen.library
        try:
            chapters = library.books.get_open(locator).chapters
        except NotThere:
            chapters = ()
        printed = next((chapter.printed for chapter in chapters if chapter.number == section), "")
        return printed or (f"section {section}" if section else None)

    def take(self) -> tuple[QuizPreferences, str | None] | None:
        """Return the preferences and the last chapter to ask about; if one is invalid, show why
        and return None."""
        try:
            return self._start.preferences, self._start.last_chapter
        except UsageError as refusal:
            self._screen.show_message(str(refusal), severity="error")
            return None

    def remember(
        self, preferences: QuizPreferences, last_chapter: str | None, book_id: str | None
    ) -> None:
        """Remember preferences, and the last chapter for a book."""
        self._bookmark_access.set_choice(PREFERENCES_CHOICE, preferences.to_json())
        if book_id is not None:
            self._bookmark_access.set_choice(
                LAST_CHAPTER_CHOICE.format(book_id), last_chapter or ""
            )
