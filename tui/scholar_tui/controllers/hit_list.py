"""The list on the left of Find: the hits of a search or the quotations of a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Button, Input, Static

from scholar_indexes.books.collections.note_tags import tags_of
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize.evidence import are_weak
from scholar_indexes.serialize.quiz_text import count_phrase
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_tui.controllers import hit_rows
from scholar_tui.controllers.claim_search import SearchController, SearchResults
from scholar_tui.controllers.collections import CollectionController, in_collection
from scholar_tui.controllers.saved_quotations import SavedQuotationController
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen
from scholar_tui.screens.mode_screen import ModeScreen
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.hit_list import HitList, HitRow

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence

SAVED_CLASS = "-kept"
"""The class of the screen while saved quotations are listed, not hits."""


class HitListController:
    """Fills the list, or shows a text in its place, and returns the highlighted row."""

    def __init__(
        self,
        screen: ModeScreen,
        search: SearchController,
        saved: SavedQuotationController,
        collections: CollectionController,
        on_highlight: Callable[[str | None], None],
    ) -> None:
        """on_highlight is called with the locator of the highlighted row, or None."""
        self._screen = screen
        self._search = search
        self._saved = saved
        self._collections = collections
        self._on_highlight = on_highlight
        self.quotations: list[SavedQuotation] = []
        """The saved quotations that are listed."""
        self._marked = ("", "")
        """A collection, and the mark that its listed quotations have; empty for all."""

    @property
    def lists_saved(self) -> bool:
        """Return True while saved quotations are listed, not hits."""
        return self._screen.has_class(SAVED_CLASS)

    @property
    def index(self) -> int | None:
        """The index of the highlighted row; None if nothing is listed."""
        hits = self._screen.query_one(HitList)
        return hits.highlighted if hits.display and hits.rows else None

    @property
    def hit(self) -> Evidence | None:
        """The highlighted hit."""
        results, index = self._search.results, self.index
        if index is None or results is None or self.lists_saved:
            return None
        return results.hits[index].item

    @property
    def quotation(self) -> SavedQuotation | None:
        """The highlighted saved quotation."""
        index = self.index
        return self.quotations[index] if index is not None and self.lists_saved else None

    @property
    def locator(self) -> str | None:
        """The locator of the highlighted row."""
        source = self.quotation if self.lists_saved else self.hit
        return source.locator if source else None

    def show_hits(self) -> None:
        """List the hits of the search."""
        self._screen.remove_class(SAVED_CLASS)
        self._fill(0)
        left = self._screen.query_one("#left")
        left.border_title = Content("Passages")
        left.border_subtitle = None
        self.show_count()
        self._screen.refresh_bindings()

    def show_count(self) -> None:
        """Show the number of hits, a note if names were matched as words, and the key that lists
        more if it works."""
        results = self._search.results
        is_key = not isinstance(self._screen.focused, Input)
        more = "  ·  l lists more" if results and results.is_cut_off and is_key else ""
        weak = "nothing supports it clearly  ·  " if results and are_weak(results.hits) else ""
        names = self._note_on_names("R" if is_key else "Enter")
        hits = len(results.hits) if results else 0
        count = f"{weak}{count_phrase(hits, 'hit')}" if hits else ""
        reread = f"  ·  {_describe_reading(results)}" if results and results.before else ""
        self.show_status(f"{count}{reread}{names}{more}" if count else "")

    def _note_on_names(self, key: str) -> str:
        """Return the note that names were matched as words, or that a key searches with people or
        books that are new."""
        results = self._search.results
        if self._search.news:
            return f"  ·  {key} searches again, with {self._search.news}"
        return "  ·  names as words" if results and results.people_unknown else ""

    @property
    def mark(self) -> str:
        """The colour, or the tag with its #, that all listed quotations have; empty for all."""
        collection, mark = self._marked
        return mark if collection == self._collections.name else ""

    def show_marked(self, mark: str) -> None:
        """List the quotations of the chosen collection that have a colour or a tag; all if it is
        empty."""
        self._marked = (self._collections.name, mark)
        self.show_saved()

    def choose_mark(self) -> None:
        """Let the user choose a colour or a tag of the chosen collection."""
        counts = Counter(mark for saved in self._saved.in_collection() for mark in _marks(saved))
        if not counts:
            self._screen.show_message(
                "no passage here has a colour or a tag; H chooses a colour, e writes a note with "
                "a tag, such as #irony"
            )
            return
        choices = [
            ChoiceItem(mark, mark, count_phrase(count, "passage"), matches_detail=False)
            for mark, count in counts.most_common()
        ]
        self._screen.app.push_screen(
            ChooseScreen("Passages with the colour or the tag", choices),
            lambda chosen: self.show_marked(chosen[0]) if chosen else None,
        )

    def show_saved(self, highlighted: int | None = 0) -> None:
        """List the quotations of the chosen collection, with the chosen colour or tag."""
        self._screen.add_class(SAVED_CLASS)
        mark, saved = self.mark, self._saved.in_collection()
        self.quotations = [kept for kept in saved if not mark or mark in _marks(kept)]
        self._fill(highlighted)
        name = self._collections.name
        left = self._screen.query_one("#left")
        marked = f", {one_line(mark, 30)} (F8: all)" if mark else ""
        left.border_title = Content(f"Kept{in_collection(name)}{marked}")
        count = len(self._collections.counts())
        left.border_subtitle = Content(f"{count} collections: [ ]" if count > 1 else "S: another")
        if not self.quotations and mark:
            self.show_text(f"Nothing here is marked {mark} any more: F8 lists all.")
        elif not self.quotations:
            self.show_text(
                f"Nothing is kept{in_collection(name)} yet: s keeps a found passage.\n"
                "S chooses another collection, Esc goes back to the search."
            )
        self._screen.set_focus(self._screen.query_one(HitList) if self.quotations else None)
        self._screen.refresh_bindings()

    def swap(self, at: int, to: int) -> None:
        """Exchange two listed quotations, with the highlight on the second position."""
        quotations, hits = self.quotations, self._screen.query_one(HitList)
        quotations[at], quotations[to] = quotations[to], quotations[at]
        for index in (at, to):
            hits.mark(index, hit_rows.row_of_saved(index + 1, quotations[index]))
        hits.move_to(to)

    def refresh(self) -> None:
        """Update the marks of saved hits after a change."""
        hits = self._screen.query_one(HitList)
        if self.lists_saved:
            self.show_saved(hits.highlighted)
            return
        for index, row in enumerate(self._rows()):
            hits.mark(index, row)
        self.show_explanation()

    def show_text(self, text: str, *, is_error: bool = False, offers_sample: bool = False) -> None:
        """Show a text in place of the list."""
        placeholder = self._screen.query_one("#nothing")
        placeholder.set_class(is_error, "-refused")
        placeholder.set_class(offers_sample, "-empty")
        self._screen.query_one("#message", Static).update(safe(text))
        self._set_listed(False)
        if not self.lists_saved:
            self.show_status("")
        self.highlight(None)
        if offers_sample and not isinstance(self._screen.focused, Input):
            self._screen.query_one("#sample", Button).focus()

    def show_status(self, line: str) -> None:
        """Show the number of hits, or that a search runs, below the claim."""
        self._screen.query_one(ClaimBox).border_subtitle = Content(line) if line else None

    def highlight(self, index: int | None) -> None:
        """Show the explanation and the page of a row, or of none."""
        self._screen.query_one("#why").remove_class("-trouble")
        self.show_explanation()
        self._on_highlight(self.locator if index is not None else None)

    def show_explanation(self) -> None:
        """Show why the hit is ranked here, or when the quotation was saved."""
        is_panel = self._screen.has_class("-broad")
        if not is_panel and not self._screen.has_class("-why"):
            return  # a change to a hidden line would still cause a new layout
        index, why = self.index, self._screen.query_one("#why", Static)
        results = self._search.results
        if index is None:
            why.update("")
        elif self.lists_saved:
            why.update(hit_rows.describe_saved(self.quotations[index], stacked=is_panel))
        elif results:
            hit, words = results.hits[index], results.shared_words[index]
            note = self._screen.query_one(HitList).rows[index].note if is_panel else ""
            why.update(hit_rows.explain_ranking(hit, words, note, stacked=is_panel))

    def show_page_error(self, refusal: ScholarError) -> None:
        """Show why the page of the highlighted row cannot be shown."""
        why = self._screen.query_one("#why", Static)
        why.update(one_line(str(refusal), 400))
        why.add_class("-trouble")

    def focus(self) -> None:
        """Focus the list."""
        self._screen.query_one(HitList).focus()

    def move(self, step: int) -> None:
        """Move the highlight by `step` rows."""
        hits, index = self._screen.query_one(HitList), self.index
        if index is not None:
            hits.move_to(index + step)

    def _fill(self, highlighted: int | None) -> None:
        rows = self._rows()
        hits = self._screen.query_one(HitList)
        self._set_listed(bool(rows))
        hits.show(rows, highlighted)
        self.highlight(hits.highlighted)

    def _rows(self) -> list[HitRow]:
        if self.lists_saved:
            return hit_rows.rows_of_saved(self.quotations)
        results = self._search.results
        if results is None:
            return []
        saved = self._saved.at_locators({hit.item.locator for hit in results.hits})
        approved = results.query.like
        return hit_rows.rows_of_hits(results.hits, saved, self._collections.name, approved)

    def _set_listed(self, is_listed: bool) -> None:
        """Show the list and its page, or the text in their place."""
        self._screen.query_one(HitList).display = is_listed
        self._screen.query_one("#nothing").display = not is_listed
        self._screen.set_class(not is_listed, "-nothing")


def _describe_reading(results: SearchResults) -> str:
    """Return a note with the number of hits that the large model has ranked, if not all."""
    from scholar_indexes.retrieval.rerankers.cross_encoders import THOROUGH_MODEL

    read = sum(hit.item.read_by == THOROUGH_MODEL for hit in results.hits)
    count = "" if read == len(results.hits) else f"{read:,} "
    return f"{count}ranked by the large model"


def _marks(quotation: SavedQuotation) -> list[str]:
    """Return the colour of a saved quotation, and the tags of its note with a #."""
    tags = [f"#{tag}" for tag in tags_of(quotation.note)]
    return [quotation.colour, *tags] if quotation.colour else tags
