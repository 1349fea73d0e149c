"""The collection that quotations are saved in, chosen in Find or in the reader."""

from __future__ import annotations

from collections.abc import Callable

from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import DEFAULT_COLLECTION
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.screens.mode_screen import ModeScreen

CHOICE = "find.collection"
"""The name under which the chosen collection is remembered."""

MAX_NAME_CHARS = 80


def in_collection(name: str, preposition: str = "in") -> str:
    """Return the words that name a collection after a verb; none for the default collection."""
    return "" if name == DEFAULT_COLLECTION else f" {preposition} “{one_line(name, 40)}”"


class CollectionController:
    """Holds the name of the chosen collection and lets the user choose another."""

    def __init__(self, screen: ModeScreen, access: BookmarkAccess) -> None:
        self._screen = screen
        self._access = access
        self.name = DEFAULT_COLLECTION

    def reload(self) -> None:
        """Read the remembered choice."""
        self.name = self._access.choice(CHOICE) or DEFAULT_COLLECTION

    def select(self, name: str) -> None:
        """Make a collection the chosen one and remember it."""
        self.name = one_line(name, MAX_NAME_CHARS) or DEFAULT_COLLECTION
        self._access.set_choice(CHOICE, self.name)

    def counts(self) -> list[tuple[str, int]]:
        """Return each collection with the number of its quotations."""
        return self._access.run(lambda bookmarks: bookmarks.collections()) or []

    def neighbour(self, step: int) -> str | None:
        """Return the collection `step` positions ahead, wrapping around; None if there are none."""
        names = [name for name, _ in self.counts()]
        if not names:
            return None
        position = names.index(self.name) + step if self.name in names else 0
        return names[position % len(names)]

    def ask_user(self, title: str, on_selected: Callable[[], None]) -> None:
        """Open a dialog for a collection; once one is chosen or created, call on_selected."""

        def select(chosen: list[str] | None) -> None:
            if chosen:
                self.select(chosen[0])
                on_selected()

        counts = self.counts()
        details = {name: f"{count} kept" for name, count in counts}
        details.setdefault(self.name, "nothing kept yet")
        choices = [
            ChoiceItem(name, name, detail, matches_detail=False) for name, detail in details.items()
        ]
        choices.sort(key=lambda choice: choice.value != self.name)
        self._screen.app.push_screen(
            ChooseScreen(
                title, choices, new="a new collection", hint="Type a name to make a new one"
            ),
            select,
        )
