"""Starting, repeating and resuming rounds of the quiz."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz import rounds
from scholar_indexes.characters.quiz.rounds import Round
from scholar_indexes.errors import NoMatch
from scholar_indexes.serialize import quiz_text
from scholar_indexes.types import Progress
from scholar_tui.controllers.bookmark_access import BookmarkAccess
from scholar_tui.controllers.quiz_answers import QuizAnswerController
from scholar_tui.controllers.quiz_overview import ROUND_CHOICE, QuizOverviewController
from scholar_tui.controllers.quiz_preferences import QuizPreferencesController
from scholar_tui.widgets.quiz_lists import QuizBookList

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.questions import QuizQuestion
    from scholar_indexes.library import Library
    from scholar_tui.screens.quiz import QuizScreen


class QuizRoundController:
    """Makes the rounds whose questions the answer controller asks."""

    def __init__(
        self,
        screen: QuizScreen,
        bookmark_access: BookmarkAccess,
        overview: QuizOverviewController,
        preferences: QuizPreferencesController,
        answers: QuizAnswerController,
    ) -> None:
        self._screen = screen
        self._bookmark_access = bookmark_access
        self._overview = overview
        self._preferences = preferences
        self._answers = answers

    def start_chosen(self) -> None:
        """Start a round about the chosen books."""
        books = self._screen.query_one(QuizBookList)
        overview = self._overview.overview
        if overview is None or not books.option_count:
            return
        if books.single_book_id in overview.library_titles:
            self._screen.scholar.current_book = books.single_book_id
        titles = [overview.title_and_author(book_id)[0] for book_id in books.chosen_ids]
        self.start(quiz_text.title_list(titles) or "All books", books.chosen_ids)

    def start_due(self) -> None:
        """Start a round about the due cards."""
        self.start("Due cards", (), only_due=True)

    def start(self, name: str, book_ids: Sequence[str], *, only_due: bool = False) -> None:
        """Generate questions in a worker thread, and ask the first one."""
        taken = self._preferences.take()
        if taken is None:
            return
        preferences, last_chapter = taken
        single_id = book_ids[0] if len(book_ids) == 1 else None
        self._preferences.remember(preferences, last_chapter, single_id)
        library, now = self._screen.library, datetime.now(UTC)
        if last_chapter is not None and not only_due:
            name += f", up to chapter {last_chapter}"
        seed = int(now.timestamp()) if preferences.seed is None else preferences.seed

        def work(progress: Progress) -> Round:
            progress("making questions", 0, 0)
            questions = library.quiz.questions(
                book_ids,
                n=preferences.n,
                seed=seed,
                kind=preferences.kind,
                levels=preferences.levels,
                upto=None if only_due else last_chapter,
                anonymize=preferences.anonymize and not only_due,
                due=now if only_due else None,
            )
            if not questions:
                raise NoMatch(_no_due_questions(library, now))
            return rounds.start_round(name, questions, now, None if only_due else seed)

        self._screen.run_in_worker(work, self._begin, group="questions")

    def repeat_missed(self) -> None:
        """Start a round with the questions of the current one that were missed."""
        if (current := self._answers.current_round) is not None:
            name = f"Missed: {current.name.removeprefix('Missed: ')}"
            self._repeat(name, current.missed_questions)

    def repeat(self) -> None:
        """Start a round with the questions of the current one."""
        if (current := self._answers.current_round) is not None:
            self._repeat(current.name, current.questions)

    def resume(self) -> None:
        """Continue the last round, or show its summary if it is over."""
        overview = self._overview.overview
        if overview is None or overview.last_round is None:
            return
        if self._answers.is_saving:
            self._screen.show_message("your last answer is still being saved; continue in a moment")
        else:
            self._answers.take_round(overview.last_round)

    def _repeat(self, name: str, questions: Sequence[QuizQuestion]) -> None:
        self._begin(rounds.repeat_round(name, questions, datetime.now(UTC)))

    def _begin(self, new_round: Round) -> None:
        self._bookmark_access.set_choice(ROUND_CHOICE, rounds.round_to_json(new_round))
        self._answers.take_round(new_round)


def _no_due_questions(library: Library, now: datetime) -> str:
    """Return the reason why no questions were generated from the due cards."""
    if count := len(library.quiz.history.due_cards(now)):
        cards = quiz_text.count_phrase(count, "card")
        return f"{cards} due, but the descriptions are gone; add their books again (F2)"
    return "nothing is due; choose a book and press Enter to get new questions"
