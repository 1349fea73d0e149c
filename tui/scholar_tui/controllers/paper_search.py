"""Searching papers by a claim, or by similarity to a paper; each list leads to the next."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Input, Static

from scholar_indexes.errors import NotIndexed, ScholarError
from scholar_indexes.folding import fold_text
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Facet, Progress
from scholar_tui.controllers.paper_scope import PaperScope
from scholar_tui.widgets.line_breaking import truncate_to_width
from scholar_tui.widgets.paper_lists import PaperListPane, PaperListRow, align_sentences

if TYPE_CHECKING:
    from scholar_indexes.papers.paper_results import PaperQuery, SimilarPaper
    from scholar_indexes.types import Hit, Paper
    from scholar_tui.screens.papers import PapersScreen

MAX_HITS = 50

GROUP = "query"

TRAIL_TITLE_WIDTHS = (60, 40, 28, 20)
"""The widths of a title in the trail, in cells, tried in this order until the trail fits."""

NO_HIT_HAS_WORDS = "No hit has these words. Escape clears the filter."
NO_OTHER_PAPER = (
    "No other paper matches. f changes the years, S the collection, F8 clears both; a adds papers."
)

_ADVICE = {
    "add some: scholar papers add FILE": "press a to add some",
    "run: scholar papers rebuild": "press I to rebuild it here (scholar papers rebuild)",
    "ask by its words: scholar papers find TITLE": "press p to search by its words",
}
"""The advice for the command line, and its counterpart on the screen."""


@dataclass(slots=True, eq=False)
class PaperSearch:
    """A search on the trail: its query (a claim, or a paper in some respect), its hits, and the
    position of the user in them."""

    claim: str = ""
    reference: str = ""
    title: str = ""
    facet: Facet | None = None
    sentences: tuple[int, ...] = ()
    query: PaperQuery | None = None
    hits: list[Hit[SimilarPaper]] = field(default_factory=list)
    scope: PaperScope | None = None
    """The collection and the years of the hits."""
    cursor: int = 0
    filter: str = ""

    @property
    def respect(self) -> str:
        """A short description of the way in which the hits are similar."""
        if self.claim:
            return f"found in {self.facet}" if self.facet else "found"
        if self.sentences:
            many = "sentences" if len(self.sentences) > 1 else "sentence"
            return f"similar in {many} {', '.join(map(str, self.sentences))}"
        return f"similar in {self.facet}" if self.facet else "similar overall"

    @property
    def filtered_hits(self) -> list[Hit[SimilarPaper]]:
        """The hits that contain all words of the filter."""
        words = fold_text(self.filter).split()
        return [hit for hit in self.hits if has_words(hit.item.stored.paper, words)]


class PaperSearchController:
    """Runs searches and keeps the trail of searches that led to the current list."""

    def __init__(
        self,
        screen: PapersScreen,
        on_leave_list: Callable[[], None],
        show_all_papers: Callable[[], None],
    ) -> None:
        """on_leave_list is called before another list is shown, show_all_papers when no search is
        left on the trail."""
        self._screen = screen
        self._on_leave_list = on_leave_list
        self._show_all_papers = show_all_papers
        self.trail: list[PaperSearch] = []
        self._pending: PaperSearch | None = None
        self.hits: list[Hit[SimilarPaper]] = []
        """The hits that are listed."""

    @property
    def current(self) -> PaperSearch | None:
        """The search whose hits are listed; None for the list of all papers."""
        return self.trail[-1] if self.trail else None

    def start(self, search: PaperSearch) -> None:
        """Run a search; it is added to the trail once its hits arrive."""
        scope = self._screen.scope
        if search.claim:
            search.facet = scope.facet

        def work(progress: Progress) -> tuple[PaperQuery | None, list[Hit[SimilarPaper]]]:
            papers = self._screen.papers
            collection, years = scope.collection, scope.years
            if search.claim and search.facet:
                return papers.find_in_facet(
                    search.claim, search.facet, n=MAX_HITS, collection=collection, years=years
                )
            if search.claim:
                hits = papers.find(search.claim, n=MAX_HITS, collection=collection, years=years)
                return None, hits
            return papers.similar(
                search.reference,
                facet=search.facet,
                sentences=search.sentences,
                n=MAX_HITS,
                collection=collection,
                years=years,
                progress=progress,
            )

        def receive(answer: tuple[PaperQuery | None, list[Hit[SimilarPaper]]]) -> None:
            search.query, search.hits = answer
            search.scope = scope
            self._show_found(search)

        self._pending = search
        self._set_subtitle("searching…")
        self._screen.run_in_worker(
            work, receive, on_error=lambda refusal: self._fail(search, refusal), group=GROUP
        )

    def restart(self) -> None:
        """Run the search that was cancelled when the screen was left, if there is one."""
        if self._pending and not self._is_working():
            self.start(self._pending)

    def repeat(self) -> None:
        """Repeat the current search in another scope."""
        if self.current:
            self.current.cursor = 0
            self.start(self.current)

    def cancel(self) -> bool:
        """Cancel the running search and return True if there was one."""
        if not (self._pending and self._screen.cancel_work(GROUP)):
            return False
        self._pending = None
        self._set_subtitle(None)
        return True

    def back(self) -> None:
        """Go back along the trail."""
        if not self.trail:
            return
        self.trail.pop()
        self._pending = None
        self._screen.cancel_work(GROUP)
        self._set_subtitle(None)
        if self.current is None:
            self._show_all_papers()
        elif self.current.scope != self._screen.scope:
            self.start(self.current)
        else:
            self.show_hits()

    def remove_paper(self, number: int) -> None:
        """Remove a paper from all hits."""
        for search in self.trail:
            search.hits = [hit for hit in search.hits if hit.item.stored.number != number]

    def show_hits(self, placeholder: str = "") -> None:
        """List the hits of the current search, or a placeholder if there are none."""
        search = self.current
        assert search
        self._screen.set_lists_hits(True)
        self._set_subtitle(None)
        pane = self._screen.query_one(PaperListPane)
        pane.set_filter(search.filter)
        self.hits = search.filtered_hits
        has_filter = bool(fold_text(search.filter).split())
        rows = [PaperListRow(hit.item.stored, hit.score) for hit in self.hits]
        self._screen.rows.show_rows(
            rows,
            search.cursor,
            placeholder or (NO_HIT_HAS_WORDS if has_filter else NO_OTHER_PAPER),
        )
        pane.set_title(f"{search.respect} {len(rows)}")
        self._screen.query_one("#trail", Static).update(Content(self._trail_line()))

    def show_hit(self, index: int) -> None:
        """Show the abstract of a hit, and the sentences that matched side by side."""
        search = self.current
        assert search
        hit = self.hits[index]
        paper, matched = hit.item.stored.paper, hit.item.matched
        self._screen.abstract.show_paper(hit.item.stored, matched)
        query_paper = search.query.paper if search.query else None
        pane = self._screen.pairs
        pane.show_pairs(align_sentences(query_paper, search.claim, paper, matched))
        pane.border_title = Content(f"matches in {one_line(paper.title)}")
        parts = ", ".join(f"{name} {value:.2f}" for name, value in hit.item.parts.items())
        pane.border_subtitle = Content(f"score {hit.score:.3f}: {parts}")

    def _is_working(self) -> bool:
        return any(
            worker.group == GROUP and worker.node is self._screen and not worker.is_finished
            for worker in self._screen.app.workers
        )

    def _show_found(self, search: PaperSearch) -> None:
        if search.query and search.reference:
            search.title = search.query.paper.title or search.reference
        self._pending = None
        if search not in self.trail:
            self._on_leave_list()
            self.trail.append(search)
            if not isinstance(self._screen.focused, Input):
                self._screen.rows.focus()
        if search is self.current:
            self.show_hits()

    def _fail(self, search: PaperSearch, refusal: ScholarError) -> None:
        from scholar_indexes.papers.paper_results import NoFacet

        self._pending = None
        self._set_subtitle(None)
        if search in self.trail:  # its hits are from other years or another collection
            search.hits, search.scope = [], self._screen.scope
            self.show_hits(advise(refusal))
        if isinstance(refusal, NoFacet):
            self._point_to_sentence(search, refusal.nearest)
        else:
            self._screen.show_message(advise(refusal), severity="error")

    def _point_to_sentence(self, search: PaperSearch, nearest: int) -> None:
        """Show which sentence is nearest to a facet that no sentence has, and go there."""
        paper = self._screen.shown
        title = one_line(search.title, 60)
        if paper and paper.paper.id == search.reference:
            self._screen.abstract.focus()
            self._screen.abstract.move_to(nearest)
            advice = f"sentence {nearest} is nearest: enter searches with it"
        else:
            advice = f"its sentence {nearest} is nearest; backspace leads to it"
        self._screen.show_message(
            f"no sentence of “{title}” is labelled {search.facet}; {advice}", severity="warning"
        )

    def _set_subtitle(self, line: str | None) -> None:
        self._screen.query_one(PaperListPane).border_subtitle = line

    def _trail_line(self) -> str:
        """Return the trail in one line: titles are shortened, then the first steps dropped."""
        width = max(self._screen.size.width - 2, 20)
        for title_width in TRAIL_TITLE_WIDTHS:
            steps = ["Papers", *(self._trail_step(search, title_width) for search in self.trail)]
            if cell_len(" › ".join(steps)) <= width:
                break
        while len(steps) > 2 and cell_len(" › ".join(steps)) > width:
            steps[:2] = ["…"]
        return " › ".join(steps)

    def _trail_step(self, search: PaperSearch, width: int) -> str:
        title = f"“{search.claim}”" if search.claim else search.title
        return f"{truncate_to_width(title, width)} ({search.respect.removeprefix('similar ')})"


def advise(refusal: ScholarError) -> str:
    """Return the message of a refusal, with its advice adapted to the screen."""
    line = str(refusal)
    for command, key in _ADVICE.items():
        line = re.sub(f"{re.escape(command)}( -c .*)?", key, line)
    if isinstance(refusal, NotIndexed) and line == str(refusal):
        line += " (press I)"
    return line


def has_words(paper: Paper, words: list[str]) -> bool:
    """Return True if the title, authors, year and venue of a paper contain all words."""
    fields = [paper.title, *paper.authors, str(paper.year or ""), paper.venue]
    text = fold_text(" ".join(fields))
    return all(word in text for word in words)
