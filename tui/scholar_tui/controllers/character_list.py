"""The table of the characters of a book: filtered, sorted and plotted over the chapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Input, Static

from scholar_indexes.characters import book_cast
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Gender
from scholar_tui.widgets.character_items import short_locator
from scholar_tui.widgets.character_table import CharacterRow, CharacterTable

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import CharacterProfile
    from scholar_tui.screens.characters import CharactersScreen

_ORDER_NAMES = {
    "says": "by amount of speech",
    "named": "by mentions",
    "name": "by name",
    "first": "by first appearance",
}


class CharacterListController:
    """Fills the table with the characters that pass the filter."""

    def __init__(self, screen: CharactersScreen) -> None:
        self._screen = screen
        self._order = book_cast.SORT_ORDERS[0]
        self.plots_speech = False
        """True if the plots count how often characters speak, not how often they are named."""

    @property
    def profiles(self) -> list[CharacterProfile]:
        """The characters that pass the filter, in order."""
        cast = self._screen.cast
        if cast is None:
            return []
        passing = book_cast.filter_profiles(cast.profiles, self._filter.value)
        return book_cast.sort_profiles(passing, self._order)

    @property
    def selected(self) -> CharacterProfile | None:
        """The character under the cursor."""
        cast, character_id = self._screen.cast, self._table.cursor_id
        return cast.profile(character_id) if cast and character_id else None

    def show(self, selected_id: str | None) -> None:
        """Show the characters that pass the filter, with the cursor on one of them."""
        cast = self._screen.cast
        if cast is None:
            return
        profiles = self.profiles
        count, book = len(cast.profiles), cast.stored.book
        plotted = "Says, by chapter" if self.plots_speech else "Named, by chapter"
        rows = (self._row(cast, profile) for profile in profiles)
        self._table.show(rows, selected_id, self._order, plotted)
        title = " · ".join(filter(None, (one_line(book.title), one_line(book.author))))
        self._screen.query_one("#where", Static).update(Content(title))
        listed = f"{len(profiles):,} of " if self._filter.value.strip() else ""
        total = f"{count:,} character{'s' * (count != 1)}"
        self._screen.query_one("#count", Static).update(
            f"{listed}{total}, {_ORDER_NAMES[self._order]}"
        )
        self._screen.set_class(not profiles, "-none")
        self._screen.show_details(refresh=True)
        self._screen.refresh_bindings()

    def refresh(self) -> None:
        """Redraw the table without moving the cursor."""
        self.show(self._table.cursor_id)

    def update(self, name: str) -> None:
        """Show a corrected cast, with the cursor on the named character, or else on the same
        character, or else on the same row; the scroll position stays."""
        row, top, selected_id = self._table.cursor_row, self._table.scroll_y, self._table.cursor_id
        ids = [profile.character.id for profile in self.profiles]
        named = (
            profile.character.id for profile in self.profiles if profile.character.name == name
        )
        selected_id = next(named, selected_id)
        if selected_id not in ids:
            selected_id = ids[min(row, len(ids) - 1)] if ids else None
        self.show(selected_id)
        self._table.scroll_to(y=top, animate=False)

    def sort_by(self, order: str) -> None:
        if order in book_cast.SORT_ORDERS:
            self._order = order
            self.refresh()

    def sort_by_next(self) -> None:
        orders = book_cast.SORT_ORDERS
        self.sort_by(orders[(orders.index(self._order) + 1) % len(orders)])

    def toggle_plots(self) -> None:
        self.plots_speech = not self.plots_speech
        self.refresh()

    def open_filter(self) -> None:
        self._filter.set_class(True, "-some")
        self._filter.focus()

    def clear_filter(self) -> None:
        """Empty the filter, but leave the table as it is."""
        with self._screen.prevent(Input.Changed):
            self._filter.value = ""

    def focus(self) -> None:
        """Focus the table, and hide the filter if it is empty."""
        self._filter.set_class(bool(self._filter.value), "-some")
        self._table.focus()

    def go_to(self, character_id: str) -> None:
        """Move the cursor to a character, even one that does not pass the filter."""
        if not self._table.go_to(character_id):
            self.clear_filter()
            self.show(character_id)
            self.focus()

    @property
    def _table(self) -> CharacterTable:
        return self._screen.query_one(CharacterTable)

    @property
    def _filter(self) -> Input:
        return self._screen.query_one("#filter", Input)

    def _row(self, cast: BookCast, profile: CharacterProfile) -> CharacterRow:
        character = profile.character
        return CharacterRow(
            character.id,
            character.name,
            "–" if character.gender is Gender.UNKNOWN else str(character.gender),
            profile.quotations,
            profile.mentions,
            short_locator(profile.first),
            cast.counts_by_chapter(profile, spoken=self.plots_speech),
        )
