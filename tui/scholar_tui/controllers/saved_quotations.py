"""The quotations that the user saved: saving, removing, bringing back and noting on them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from scholar_indexes.books.chapter_names import full_name
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import MAX_NOTE_CHARS, Bookmarks, SavedQuotation
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.collections import CollectionController
from scholar_tui.screens.dialogs import NoteScreen
from scholar_tui.screens.mode_screen import ModeScreen

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence

MAX_CLAIM_CHARS = 2_000


class SavedQuotationController:
    """Changes the saved quotations and tells the user what was done."""

    def __init__(
        self,
        screen: ModeScreen,
        access: BookmarkAccess,
        collections: CollectionController,
        on_change: Callable[[], None],
    ) -> None:
        """on_change is called after every change."""
        self._screen = screen
        self._access = access
        self._collections = collections
        self._on_change = on_change
        self._removed: list[SavedQuotation] = []

    def in_collection(self) -> list[SavedQuotation]:
        """Return the quotations of the chosen collection, their chapters as named now."""
        name = self._collections.name
        saved = self._access.run(lambda bookmarks: bookmarks.quotations(name)) or []
        return self._screen.library.collections.name_chapters(saved)

    def at_locators(self, locators: Collection[str]) -> dict[str, dict[str, SavedQuotation]]:
        """Return the quotations saved from some places, by locator and collection."""
        saved: dict[str, dict[str, SavedQuotation]] = {}
        if locators:
            for quotation in self._access.run(lambda bookmarks: bookmarks.quotations()) or []:
                if quotation.locator in locators:
                    by_collection = saved.setdefault(quotation.locator, {})
                    by_collection[quotation.collection] = quotation
        return saved

    def save(self, passage: Evidence, claim: str) -> SavedQuotation | None:
        """Save a passage in the chosen collection, where it is not saved already."""
        new = quotation_from_hit(passage, claim, self._collections.name)
        return self._access.run(lambda bookmarks: bookmarks.save(new))

    def save_and_tell(self, passage: Evidence, claim: str) -> None:
        if self.save(passage, claim):
            self._screen.show_message(f"kept in “{self._collections.name}”")
            self._on_change()

    def remove(self, quotation: SavedQuotation) -> None:
        deleted = self._access.run(lambda bookmarks: bookmarks.delete(quotation.number))
        if deleted is None:
            return
        self._removed.append(quotation)
        note = " and its note" if quotation.note else ""
        self._screen.show_message(f"dropped from “{quotation.collection}”{note}; u brings it back")
        self._on_change()

    def undo_removal(self) -> None:
        """Save again what was removed last, with its note."""
        if not self._removed:
            self._screen.show_message("nothing was dropped")
            return
        quotation = self._removed[-1]
        if self._access.run(lambda bookmarks: bookmarks.restore(quotation)):
            self._removed.pop()
            self._screen.show_message(f"kept in “{quotation.collection}” again")
        self._on_change()

    def edit_note(self, quotation: SavedQuotation) -> None:
        """Open a dialog for the note on a quotation; one that is not saved is saved with it."""

        def annotate(bookmarks: Bookmarks, note: str) -> None:
            # It is saved even if it was before: another program may have deleted it meanwhile.
            bookmarks.annotate(bookmarks.save(quotation).number, note)

        def keep(note: str) -> str:
            if len(note) > MAX_NOTE_CHARS:
                return f"a note has {MAX_NOTE_CHARS:,} characters at most, and this {len(note):,}"
            refusal = self._access.refusal(lambda bookmarks: annotate(bookmarks, note))
            if not refusal and self._screen.is_complete:
                self._on_change()
            return refusal

        self._screen.app.push_screen(NoteScreen(quotation.quote, quotation.note, keep))


def quotation_from_hit(passage: Evidence, claim: str, collection: str) -> SavedQuotation:
    """Return a hit as a quotation to be saved."""
    chapter = passage.chapter
    heading = full_name(chapter, passage.book.title)
    return SavedQuotation(
        passage.locator,
        passage.passage.text,
        passage.book.id,
        passage.book.author,
        passage.book.title,
        heading,
        one_line(claim, MAX_CLAIM_CHARS),
        collection=collection,
    )
