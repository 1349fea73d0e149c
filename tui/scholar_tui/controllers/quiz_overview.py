"""The overview of the quiz: the possible questions, the due cards and the last round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz.overview import QuizOverview, load_overview
from scholar_indexes.types import Progress
from scholar_tui.controllers.bookmark_access import BookmarkAccess

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.rounds import Round
    from scholar_tui.screens.quiz import QuizScreen

ROUND_CHOICE = "quiz-round"
"""The name under which the last round is remembered."""


class QuizOverviewController:
    """Loads the overview in a worker thread and keeps it."""

    def __init__(self, screen: QuizScreen, bookmark_access: BookmarkAccess) -> None:
        self._screen = screen
        self._bookmark_access = bookmark_access
        self.overview: QuizOverview | None = None

    def load(self, on_loaded: Callable[[QuizOverview], None]) -> None:
        """Load the overview again and pass it on."""
        library = self._screen.library
        stored_round = self._bookmark_access.choice(ROUND_CHOICE)

        def work(progress: Progress) -> QuizOverview:
            titles = {
                stored.book.id: (stored.book.title, stored.book.author)
                for stored in library.books.all()
            }
            return load_overview(library.quiz, titles, stored_round, datetime.now(UTC))

        def receive(overview: QuizOverview) -> None:
            self.overview = _with_current_round(overview, self._screen.current_round)
            on_loaded(self.overview)
            self._screen.refresh_bindings()

        self._screen.run_in_worker(work, receive, group="overview")

    def title(self, book_id: str) -> str:
        """Return the title of a book; its id if the title is unknown."""
        return self.overview.title_and_author(book_id)[0] if self.overview else book_id


def _with_current_round(overview: QuizOverview, current: Round | None) -> QuizOverview:
    """Return the overview with the current round, if no round, another one or an earlier state of
    it was stored."""
    stored = overview.last_round
    if current is not None and (
        stored is None or stored.started != current.started or stored.position < current.position
    ):
        return replace(overview, last_round=current)
    return overview
