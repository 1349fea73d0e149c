"""The list of all papers, filtered by words, a collection and years."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scholar_indexes.errors import NotThere, ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress
from scholar_tui.controllers.paper_search import advise
from scholar_tui.widgets.paper_lists import PaperListPane, PaperListRow

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_tui.screens.papers import PapersScreen

PAGE_SIZE = 500
"""The number of papers loaded at a time; the next page follows when the last is reached."""

NOTHING_PASSES = "No paper matches. F8 clears all filters; f changes the years."
EMPTY_COLLECTION = "This collection is empty. a adds papers to it; S chooses another."
EMPTY = (
    "No papers yet. a adds them: from a file of your reference manager (BibTeX, RIS, "
    "CSL-JSON ...), from a PDF, or by an id such as arxiv:1810.04805."
)


class PaperCatalogController:
    """Loads the papers of the scope in a worker, a page at a time."""

    def __init__(self, screen: PapersScreen, set_collection: Callable[[str | None], None]) -> None:
        """set_collection is called with None if the chosen collection is gone."""
        self._screen = screen
        self._set_collection = set_collection
        self._papers: list[StoredPaper] = []
        self._count = 0
        self._limit = PAGE_SIZE
        self._filter = ""
        self._selected_number = 0
        """The number of the paper that the cursor was on."""

    def load(self) -> None:
        """Reload the list of papers."""
        words, limit = self._filter, self._limit
        collection, years = self._screen.scope.collection, self._screen.scope.years

        def work(progress: Progress) -> tuple[list[StoredPaper], int]:
            catalog = self._screen.papers.catalog
            papers = catalog.search(words, collection, years, limit, progress)
            return papers, catalog.count(collection, years)

        self._screen.run_in_worker(work, self._receive, on_error=self._fail, group="listing")

    def reload(self) -> None:
        """List the first page of another scope."""
        self._limit = PAGE_SIZE
        self.load()

    def set_filter(self, words: str) -> None:
        self._filter = words
        self.reload()

    def load_more(self, index: int) -> None:
        """Load the next page if the cursor reached the last paper of this one."""
        if index + 1 == self._limit <= len(self._papers):
            self._limit += PAGE_SIZE
            self.load()

    def select(self, paper: StoredPaper) -> None:
        """Remember which paper the cursor is on."""
        self._selected_number = paper.number

    def show(self) -> None:
        """Show the papers that were loaded, and the words of their filter."""
        self._screen.query_one(PaperListPane).set_filter(self._filter)
        self._list()

    def _list(self) -> None:
        """Show the papers that were loaded; the user may be typing in the box of the filter."""
        self._screen.set_lists_hits(False)
        pane = self._screen.query_one(PaperListPane)
        numbers = [stored.number for stored in self._papers]
        selected = self._selected_number
        cursor = numbers.index(selected) if selected in numbers else 0
        rows = [PaperListRow(stored) for stored in self._papers]
        self._screen.rows.show_rows(rows, cursor, self._placeholder())
        collection = self._screen.scope.collection
        name = one_line(collection, 30) if collection else "papers"
        listed = f"{len(self._papers):,} of " if len(self._papers) < self._count else ""
        pane.set_title(f"{name} {listed}{self._count:,}" if self._count else name)
        pane.border_subtitle = "S collection  a add"

    def _receive(self, answer: tuple[list[StoredPaper], int]) -> None:
        self._papers, self._count = answer
        if not self._screen.search:
            self._list()

    def _fail(self, refusal: ScholarError) -> None:
        if isinstance(refusal, NotThere) and self._screen.scope.collection:
            self._screen.show_message(str(refusal), severity="warning")
            self._set_collection(None)
            return
        self._papers, self._count = [], 0
        if not self._screen.search:
            self._screen.rows.show_rows([], instead=advise(refusal))
            self._screen.query_one(PaperListPane).set_title("papers")

    def _placeholder(self) -> str:
        """Return the text to show if no paper is listed."""
        scope = self._screen.scope
        is_empty = not self._count and scope.years == (None, None)
        if not is_empty and (self._filter or scope.years != (None, None)):
            return NOTHING_PASSES
        return EMPTY_COLLECTION if scope.collection else EMPTY
