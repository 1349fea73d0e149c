"""Following a paper to similar ones, and copying its citation or sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize import papers as serializer
from scholar_indexes.types import Facet
from scholar_tui.controllers.paper_search import PaperSearch, PaperSearchController
from scholar_tui.widgets.paper_lists import AbstractView

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import StoredPaper

NO_PAPER_TO_COPY = "there is no paper to copy here"


class PaperFollowController:
    """Acts on the paper that is shown, and on the sentences of its abstract if it has the focus."""

    def __init__(
        self,
        shown: Callable[[], StoredPaper | None],
        abstract: AbstractView,
        searches: PaperSearchController,
        copy: Callable[[str, str], None],
        show_message: Callable[[str], None],
    ) -> None:
        """`shown` returns the paper that is shown; `copy` takes a text and its name."""
        self._shown = shown
        self._abstract = abstract
        self._searches = searches
        self._copy = copy
        self._show_message = show_message

    def search_alike(self, facet_name: str) -> None:
        """Search papers similar in a facet: to the paper of the current search, or, in the
        abstract and in the list of all papers, to the one that is shown."""
        search, shown = self._searches.current, self._shown()
        facet = Facet(facet_name) if facet_name else None
        is_alike = search is not None and search.query is not None and bool(search.reference)
        if search and is_alike and not self._is_in_abstract:
            reference, title = search.reference, search.title
        elif shown:
            reference, title = shown.paper.id, shown.paper.title
        else:
            return
        self._searches.start(PaperSearch(reference=reference, title=title, facet=facet))

    def follow(self) -> None:
        """Search papers similar to the one shown, or to the chosen sentences of its abstract."""
        shown, search = self._shown(), self._searches.current
        if not shown:
            return
        sentences: tuple[int, ...] = ()
        facet = None
        if self._is_in_abstract:
            if self._abstract.sentence is None:
                self._show_message("it has no abstract; p finds others by words")
                return
            chosen = self._abstract.chosen or {self._abstract.sentence}
            sentences = tuple(index + 1 for index in sorted(chosen))
        elif search:
            facet = search.facet
        paper = shown.paper
        self._searches.start(
            PaperSearch(reference=paper.id, title=paper.title, facet=facet, sentences=sentences)
        )

    def choose_sentence(self) -> None:
        """Choose the sentence under the cursor and go to the next; or go to the abstract."""
        if self._is_in_abstract:
            self._abstract.toggle()
            self._abstract.action_move(1)
        elif self._shown():
            self._abstract.focus()

    def copy_citation(self) -> None:
        """Copy the citation; in the abstract, with the chosen sentences before it."""
        shown = self._shown()
        if shown is None:
            self._show_message(NO_PAPER_TO_COPY)
            return
        paper = shown.paper
        citation = serializer.format_citation(paper)
        if self._is_in_abstract and self._abstract.sentence is not None:
            chosen = sorted(self._abstract.chosen) or [self._abstract.sentence]
            quote = " […] ".join(one_line(paper.sentences[index]) for index in chosen)
            self._copy(f"“{quote}” — {citation}", "the sentence with its citation")
        else:
            self._copy(citation, "the citation")

    def copy_bibtex(self) -> None:
        """Copy the BibTeX entry."""
        if (shown := self._shown()) is not None:
            self._copy(serializer.format_bibliography([shown]), "the BibTeX entry")
        else:
            self._show_message(NO_PAPER_TO_COPY)

    @property
    def _is_in_abstract(self) -> bool:
        """Return True if the abstract has the focus."""
        return self._abstract.screen.focused is self._abstract
