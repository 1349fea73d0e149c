"""The filters of a search: their boxes, their summary line and their dialogs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Static

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.claim_query import RANKING_MODES, TEXT_FILTERS, ClaimQuery
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.claim_box import ClaimBox

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.storage.catalog import StoredBook

EXPANDED_CLASS = "-filters"
"""The class of the screen while the boxes of the filters are shown."""


class FilterController:
    """Reads and writes the boxes of a query."""

    def __init__(self, screen: ModeScreen, on_change: Callable[[], None]) -> None:
        """on_change is called when the user chose something in a dialog."""
        self._screen = screen
        self._on_change = on_change
        self._base = ClaimQuery()
        """The query whose fields without a box are kept. The id of a box is the filter's name."""
        self._titles: dict[str, str] = {}

    @property
    def query(self) -> ClaimQuery:
        """The query in the boxes; passages are marked for one claim only."""
        claim = self._screen.query_one(ClaimBox).value
        base = self._base if claim == self._base.claim else self._base.for_another_claim()
        return base.with_texts(claim, {name: self._box(name).value for name in TEXT_FILTERS})

    def set_query(self, query: ClaimQuery) -> None:
        """Write a query into the boxes."""
        self._base = query
        with self._screen.prevent(Input.Changed):
            self._screen.query_one(ClaimBox).value = " ".join(query.claim.split())
            for name in TEXT_FILTERS:
                self._box(name).value = query.text(name)

    def change(self, **fields: Any) -> None:
        """Change fields of the query that have no box."""
        self._base = replace(self.query, **fields)

    def load_books(self, library: Library) -> tuple[list[StoredBook] | None, ScholarError | None]:
        """Offer the titles and the authors of the books of a library; return these books, or the
        error that prevents it."""
        try:
            books = library.books.all()
        except ScholarError as failure:
            return None, failure
        self._set_books(books)
        return books, None

    def _set_books(self, books: list[StoredBook]) -> None:
        self._titles = {stored.book.id: one_line(stored.book.title, 60) for stored in books}
        authors = sorted({one_line(stored.book.author) for stored in books} - {""})
        self._box("author").suggester = SuggestFromList(authors, case_sensitive=False)

    def show_summary(self) -> None:
        """Show which filters are set, in the line above them and in their boxes."""
        query = self.query
        muted = "$foreground-muted"
        parts: list[str | tuple[str, str]] = [
            ("▾ " if self.are_expanded else "▸ ", muted),
            ("filters  " if self._is_writing else "filters (f)  ", muted),
        ]
        filters = list(query.active_filters())
        for name, value in filters:
            if name in ("book", "books"):
                value = self._book_titles(query)
            parts += [
                (f"{name} ", muted),
                (one_line(value, 60), "$accent bold"),
                ("  ·  ", muted),
            ]
        parts.append(("F8 clears them" if filters else "none", muted))
        self._screen.query_one("#summary", Static).update(Content.assemble(*parts))
        for name in TEXT_FILTERS:
            self._box(name).set_class(bool(query.text(name)), "-set")
        self._label("#books", self._book_titles(query), is_set=bool(query.books))
        self._screen.refresh_bindings()
        self._label("#mode", one_line(query.mode, 20), is_set=query.mode != "hybrid")

    @property
    def are_expanded(self) -> bool:
        """Return True while the boxes of the filters are shown."""
        return self._screen.has_class(EXPANDED_CLASS)

    @property
    def _is_writing(self) -> bool:
        """Return True while typing goes into a box."""
        return isinstance(self._screen.focused, Input)

    def toggle(self) -> None:
        """Show the boxes of the filters, or hide them."""
        self._screen.toggle_class(EXPANDED_CLASS)
        self.show_summary()

    def choose_books(self) -> None:
        """Let the user choose the books to search in."""

        def select(chosen: list[str] | None) -> None:
            if chosen is not None:
                is_all = set(chosen) >= set(self._titles)
                self.change(books=() if is_all else tuple(chosen))
                self._on_change()

        library = self._screen.library
        books: list[StoredBook] = []
        with suppress(ScholarError):
            books = library.books.all()
        marked = []
        for reference in self.query.books:
            with suppress(ScholarError):
                marked.append(library.books.get(reference).book.id)
        choices = [
            ChoiceItem(stored.book.id, stored.book.title, stored.book.author) for stored in books
        ]
        self._screen.app.push_screen(
            ChooseScreen(
                "Search in", choices, marked=marked, hint="Tab marks, Enter accepts, Esc goes back"
            ),
            select,
        )

    def choose_mode(self) -> None:
        """Let the user choose how passages are ranked."""

        def select(chosen: list[str] | None) -> None:
            if chosen:
                self.change(mode=chosen[0], like=(), unlike=())
                self._on_change()

        choices = [ChoiceItem(mode, mode, purpose) for mode, purpose in RANKING_MODES.items()]
        self._screen.app.push_screen(ChooseScreen("Rank passages", choices), select)

    def _box(self, name: str) -> Input:
        return self._screen.query_one(f"#{name}", Input)

    def _label(self, selector: str, value: str, *, is_set: bool) -> None:
        button = self._screen.query_one(selector, Button)
        button.label = Content(f"{value} ▾")
        button.set_class(is_set, "-set")

    def _book_titles(self, query: ClaimQuery) -> str:
        if not query.books:
            return "all"
        first = self._titles.get(query.books[0], query.books[0])
        others = len(query.books) - 1
        return f"{first} and {others} more" if others else first
