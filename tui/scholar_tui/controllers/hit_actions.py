"""Actions on the highlighted hit or saved quotation: copying, saving, annotating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.passages import citation, cite_saved_quotation
from scholar_tui.controllers.collections import CollectionController
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.controllers.saved_quotations import (
    SavedQuotationController,
    quotation_from_hit,
)
from scholar_tui.widgets.emphasized import quotation_marks

if TYPE_CHECKING:
    from scholar_tui.screens.find import FindScreen


class HitActions:
    """Acts on the highlighted hit or saved quotation."""

    def __init__(
        self,
        screen: FindScreen,
        hits: HitListController,
        saved: SavedQuotationController,
        collections: CollectionController,
    ) -> None:
        self._screen = screen
        self._hits = hits
        self._saved = saved
        self._collections = collections

    def copy(self) -> None:
        """Copy the quotation in quotation marks, with its source."""
        if quotation := self._hits.quotation:
            quote, source = quotation.quote, cite_saved_quotation(quotation)
            locator = quotation.locator
        elif hit := self._hits.hit:
            quote, source = hit.passage.text, citation(hit.book, hit.chapter)
            locator = hit.locator
        else:
            return
        before, after = quotation_marks(quote)
        text = f"{before}{one_line(quote)}{after}\n— {one_line(source)} [{one_line(locator)}]"
        self._screen.scholar.copy(text, "the quotation and its source")

    def toggle_saved(self) -> None:
        """Save the hit in the collection, or remove it if it is there."""
        hit, results = self._hits.hit, self._screen.results
        if hit is None or results is None:
            return
        self._saved.toggle(hit, results.query.claim)

    def remove(self) -> None:
        """Remove the saved quotation from its collection."""
        if quotation := self._hits.quotation:
            self._saved.remove(quotation)

    def edit_note(self) -> None:
        """Edit the note on a quotation; a hit is saved with its note."""
        quotation = self._hits.quotation
        if (hit := self._hits.hit) and self._screen.results:
            collection = self._collections.name
            saved = self._saved.at_locators({hit.locator}).get(hit.locator, {})
            claim = self._screen.results.query.claim
            quotation = saved.get(collection) or quotation_from_hit(hit, claim, collection)
        if quotation is not None:
            self._saved.edit_note(quotation)

    def choose_colour(self) -> None:
        """Let the user choose the colour of the saved quotation."""
        if quotation := self._hits.quotation:
            self._saved.choose_colour(quotation)

    def reorder(self, by: int) -> None:
        """Move the saved quotation past the next listed one, or the previous one."""
        at, quotations = self._hits.index, self._hits.quotations
        if at is not None and self._hits.lists_saved and 0 <= at + by < len(quotations):
            self._saved.reorder(quotations[at], quotations[at + by], after=by > 0)
            self._hits.swap(at, at + by)

    def choose_collection(self) -> None:
        """Choose a collection; among the hits, save the highlighted one in it."""

        def apply() -> None:
            if self._hits.lists_saved:
                self._hits.show_saved()
                return
            hit, results = self._hits.hit, self._screen.results
            if hit and results:
                self._saved.save_and_tell(hit, results.query.claim)
            self._hits.refresh()

        is_saved = self._hits.lists_saved
        title = "Show the collection" if is_saved else "Keep in the collection"
        self._collections.ask_user(title, apply)

    def show_neighbour(self, by: int) -> None:
        """List the previous or the next collection."""
        if (name := self._collections.neighbour(by)) is not None:
            self._collections.select(name)
            self._hits.show_saved()
