"""The quotations that the user saved: saving, removing, restoring and annotating them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import COLOURS, MAX_NOTE_CHARS, SavedQuotation
from scholar_tui.changes import Annotate, BringBack, Drop, Highlight, Keep, Reorder, Toggle
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.collections import CollectionController, in_collection
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen, NoteScreen
from scholar_tui.screens.mode_screen import ModeScreen

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence
    from scholar_tui.change_queue import QueuedChange

MAX_CLAIM_CHARS = 2_000


class SavedQuotationController:
    """Changes the saved quotations and reports each change to the user."""

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

    def in_collection(self) -> list[SavedQuotation]:
        """Return the quotations of the chosen collection, with their current chapter names."""
        name = self._collections.name
        saved = self._access.run(lambda bookmarks: bookmarks.quotations(name)) or []
        return self._screen.library.collections.name_chapters(saved)

    def at_locators(self, locators: Collection[str]) -> dict[str, dict[str, SavedQuotation]]:
        """Return the quotations saved from the given places, by locator and collection."""
        saved: dict[str, dict[str, SavedQuotation]] = {}
        if locators:
            for quotation in self._access.run(lambda bookmarks: bookmarks.quotations()) or []:
                if quotation.locator in locators:
                    by_collection = saved.setdefault(quotation.locator, {})
                    by_collection[quotation.collection] = quotation
        return saved

    def save_and_tell(self, passage: Evidence, claim: str) -> None:
        """Save a passage in the chosen collection, unless it is already saved there."""
        new = quotation_from_hit(passage, claim, self._collections.name)
        self._screen.change(Keep(new), lambda _: self._tell_saved(new))

    def toggle(self, passage: Evidence, claim: str) -> None:
        """Save a passage in the chosen collection, or remove it if it is there."""
        new = quotation_from_hit(passage, claim, self._collections.name)

        def tell(removed: SavedQuotation | None) -> None:
            if removed is None:
                self._tell_saved(new)
            else:
                self._tell_removed(removed)

        self._screen.change(Toggle(new, self._screen.NAME), tell)

    def remove(self, quotation: SavedQuotation) -> None:
        change = Drop(quotation, self._screen.NAME)
        self._screen.change(change, lambda _: self._tell_removed(quotation))

    def undo_removal(self) -> None:
        """Restore the quotation that was removed last, with its note."""

        def tell(restored: SavedQuotation | None) -> None:
            if restored is None:
                self._screen.show_message("nothing was dropped")
            else:
                self._screen.show_message(f"kept{in_collection(restored.collection)} again")
                self._on_change()

        def refuse(refusal: ScholarError) -> None:
            self._screen.show_message(str(refusal), severity="error")
            self._on_change()

        self._screen.change(BringBack(self._screen.NAME), tell, refuse)

    def reorder(self, quotation: SavedQuotation, neighbour: SavedQuotation, *, after: bool) -> None:
        """Put a quotation directly before or after another one of its collection; on_change is
        called only if that fails."""

        def refuse(refusal: ScholarError) -> None:
            self._screen.show_message(str(refusal), severity="error")
            self._on_change()

        change = Reorder(quotation.number, neighbour.number, after)
        self._screen.change(change, lambda _: None, refuse)

    def choose_colour(self, quotation: SavedQuotation) -> None:
        """Let the user choose a colour for a quotation, which is saved too."""
        choices = [ChoiceItem(colour, colour) for colour in COLOURS if colour != quotation.colour]
        if quotation.colour:
            choices.append(ChoiceItem("", "no colour"))

        def set_colour(chosen: list[str] | None) -> None:
            if chosen is not None:
                change = Highlight(quotation, chosen[0])
                self._screen.change(change, lambda _: self._on_change())

        now = f", now {quotation.colour}" if quotation.colour else ""
        self._screen.app.push_screen(ChooseScreen(f"Colour{now}", choices), set_colour)

    def edit_note(self, quotation: SavedQuotation) -> None:
        """Open a dialog for the note on a quotation, which saves the quotation too."""
        self._screen.app.push_screen(self._note_screen(quotation))

    def _note_screen(self, quotation: SavedQuotation, written: str | None = None) -> NoteScreen:
        """Return the dialog for a note, with the text that was `written` and is not saved."""

        def keep(note: str) -> QueuedChange:
            if len(note) > MAX_NOTE_CHARS:
                raise UsageError(
                    f"a note has at most {MAX_NOTE_CHARS:,} characters, and this has {len(note):,}"
                )

            def refuse(refusal: ScholarError) -> None:
                if not change.is_awaited:  # else the dialog shows it
                    self._screen.show_message(f"the note is not saved: {refusal}", severity="error")
                    self._screen.app.push_screen(self._note_screen(quotation, note))

            annotate = Annotate(quotation, note)
            change = self._screen.change(annotate, lambda _: self._on_change(), refuse)
            return change

        return NoteScreen(quotation.quote, quotation.note, keep, written)

    def _tell_saved(self, quotation: SavedQuotation) -> None:
        self._screen.show_message(f"kept{in_collection(quotation.collection)}")
        self._on_change()

    def _tell_removed(self, quotation: SavedQuotation) -> None:
        note = " with its note" if quotation.note else ""
        where = in_collection(quotation.collection, "from")
        self._screen.show_message(f"dropped{where}{note}; u brings it back")
        self._on_change()


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
