"""The collection and the years that papers are listed and searched in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from textual.widgets import Input, Select

from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.serialize import papers as serializer
from scholar_indexes.types import QUERY_FACETS, Facet
from scholar_tui.controllers.bookmark_access import BookmarkAccess

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.lookup import YearRange
    from scholar_tui.screens.papers import PapersScreen

COLLECTION_CHOICE, YEARS_CHOICE, FACET_CHOICE = (
    "papers.collection",
    "papers.years",
    "papers.facet",
)
"""The names under which the scope is remembered."""

ANY_FACET = "any"
"""The choice in the facet box for all facets."""


@dataclass(frozen=True, slots=True)
class PaperScope:
    """A collection (None for all papers), a range of years (None for an open end), and the facet
    in which claims are searched for (None for all facets)."""

    collection: str | None = None
    years: YearRange = (None, None)
    facet: Facet | None = None


class PaperScopeController:
    """Keeps and remembers the scope, and lets the user change it."""

    def __init__(
        self, screen: PapersScreen, access: BookmarkAccess, on_change: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._access = access
        self._on_change = on_change
        self.scope = PaperScope()

    def restore(self) -> None:
        """Restore the collection, the years and the facet of the last session."""
        try:
            collection = self._screen.bookmarks.choice(COLLECTION_CHOICE) or None
            years = self._screen.bookmarks.choice(YEARS_CHOICE) or ""
            facet = self._screen.bookmarks.choice(FACET_CHOICE) or ""
            asked = Facet(facet) if facet in QUERY_FACETS else None
            self.scope = PaperScope(collection, _parse_years(years), asked)
        except ScholarError as refusal:
            self._screen.show_message(str(refusal), severity="error")
            return
        with self._years_box.prevent(Input.Changed):
            self._years_box.value = years
        self._show_facet(asked)

    def set_collection(self, name: str | None) -> None:
        """List and search the papers of a collection, None for all."""
        self._access.set_choice(COLLECTION_CHOICE, name or "")
        self._set_scope(replace(self.scope, collection=name))

    def choose_collection(self) -> None:
        """Let the user choose a collection."""
        from scholar_tui.screens.papers_dialogs import ChooseCollectionScreen

        def select(name: str | None) -> None:
            if name is not None and (name or None) != self.scope.collection:
                self.set_collection(name or None)

        def choose(answer: tuple[list[Any], int]) -> None:
            collections, count = answer
            if not collections:
                self._screen.show_message("there are no collections yet; a adds papers to one")
            elif self._screen.scholar.screen is self._screen:
                dialog = ChooseCollectionScreen(collections, count, self.scope.collection)
                self._screen.app.push_screen(dialog, select)

        catalog = self._screen.papers.catalog
        self._screen.run_in_worker(
            lambda _: (catalog.collections(), catalog.count()),
            choose,
            group="collections",
            opens_box=True,
        )

    def change_years(self, text: str) -> None:
        """Apply the years that are being typed, once they are valid."""
        try:
            years = _parse_years(text)
        except UsageError:
            self._years_box.add_class("-invalid")
            return
        self._years_box.remove_class("-invalid")
        if years != self.scope.years:
            self._access.set_choice(YEARS_CHOICE, text)
            self._set_scope(replace(self.scope, years=years))

    def take_facet(self) -> None:
        """Search for claims in the chosen facet."""
        chosen = str(self._screen.query_one("#facet", Select).value)
        facet = None if chosen == ANY_FACET else Facet(chosen)
        if facet != self.scope.facet:
            self._access.set_choice(FACET_CHOICE, facet or "")
            self._set_scope(replace(self.scope, facet=facet))

    def clear(self) -> None:
        """List and search all papers, in all facets."""
        self._access.set_choice(FACET_CHOICE, "")
        self._show_facet(None)
        self._access.set_choice(COLLECTION_CHOICE, "")
        self._access.set_choice(YEARS_CHOICE, "")
        with self._years_box.prevent(Input.Changed):
            self._years_box.value = ""
        self._years_box.remove_class("-invalid")
        if self.scope != PaperScope():
            self._set_scope(PaperScope())

    def check_years(self, text: str) -> bool:
        """Return True if years are valid; otherwise show what is wrong."""
        try:
            _parse_years(text.strip())
        except UsageError as refusal:
            self._screen.show_message(str(refusal), severity="error")
            return False
        return True

    def _show_facet(self, facet: Facet | None) -> None:
        select = self._screen.query_one("#facet", Select)
        with select.prevent(Select.Changed):
            select.value = facet or ANY_FACET

    @property
    def _years_box(self) -> Input:
        return self._screen.query_one("#years", Input)

    def _set_scope(self, scope: PaperScope) -> None:
        self.scope = scope
        self._on_change()


def _parse_years(text: str) -> YearRange:
    return serializer.parse_years(text) if text else (None, None)
