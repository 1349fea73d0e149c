"""Asking the questions of a round and saving their answers.

A round is remembered when it starts, and its answers are saved in the history as they are given,
so that a killed terminal continues at the same question.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz.overview import due_times
from scholar_indexes.characters.quiz.rounds import Round
from scholar_indexes.errors import ScholarError
from scholar_indexes.serialize import quiz_text
from scholar_indexes.types import Progress
from scholar_tui.controllers.quiz_overview import QuizOverviewController
from scholar_tui.widgets.question_view import QuestionView
from scholar_tui.widgets.quiz_summary import RoundSummary

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.questions import QuizQuestion
    from scholar_indexes.characters.quiz.quiz_records import BadQuestion, ReviewOutcome
    from scholar_tui.screens.quiz import QuizScreen


class Phase(Enum):
    """The state of the question that is shown."""

    ASKED = auto()
    SAVING = auto()
    NOT_SAVED = auto()
    ANSWERED = auto()


class QuizAnswerController:
    """Asks the questions of the current round, saves the answers and shows the summary."""

    def __init__(self, screen: QuizScreen, overview: QuizOverviewController) -> None:
        self._screen = screen
        self._overview = overview
        self.current_round: Round | None = None
        self.is_reviewing = False
        """True while a question of a round that is over is shown."""
        self._phase = Phase.ANSWERED
        self._position = 0
        self._chosen: int | None = None

    @property
    def question(self) -> QuizQuestion:
        """The question that is shown."""
        assert self.current_round is not None
        return self.current_round.questions[self._position]

    @property
    def is_saving(self) -> bool:
        return self._phase is Phase.SAVING

    @property
    def can_continue(self) -> bool:
        """Return True if there is a next question, a summary, or an answer to save again."""
        return self._phase in (Phase.ANSWERED, Phase.NOT_SAVED)

    def accepts(self, choice: object) -> bool:
        """Return True if the question can be answered with that choice now."""
        return (
            self._phase in (Phase.ASKED, Phase.NOT_SAVED)
            and isinstance(choice, int)
            and choice < len(self.question.choices)
        )

    def take_round(self, new_round: Round) -> None:
        """Ask the next question of a round, or show its summary if it is over."""
        self.current_round = new_round
        if new_round.is_over:
            self.show_summary()
        else:
            self._ask_next()

    def _ask_next(self) -> None:
        assert self.current_round is not None
        self._position, self._phase = self.current_round.position, Phase.ASKED
        self.is_reviewing = False
        self._screen.show_view("asking")
        title = self._overview.title(self.question.book_id)
        self._view.show_question(self.current_round, self._position, title)
        self._screen.refresh_bindings()

    def answer(self, chosen: int | None) -> None:
        """Save an answer, None for a pass; whether it was right is shown only afterwards."""
        if self.current_round is None or self._phase not in (Phase.ASKED, Phase.NOT_SAVED):
            return
        question, library = self.question, self._screen.library
        self._phase, self._chosen = Phase.SAVING, chosen
        self._view.show_pending(chosen)
        self._screen.refresh_bindings()

        def work(progress: Progress) -> ReviewOutcome:
            return library.quiz.history.record_answer(question, chosen, datetime.now(UTC))

        started, position = self.current_round.started, self._position
        self._screen.run_in_worker(
            work,
            partial(self._receive_outcome, started, position, chosen),
            on_error=partial(self._receive_failure, started, position),
            group="saving an answer",
            lasting=True,
        )

    def _receive_outcome(
        self, started: datetime, position: int, chosen: int | None, outcome: ReviewOutcome
    ) -> None:
        current = self.current_round
        if current is None or (started, position) != (current.started, current.position):
            return  # another round was started meanwhile; the answer is in the history
        self.current_round, self._phase = current.with_answer(chosen), Phase.ANSWERED
        if self._screen.view == "asking" and not self.is_reviewing:
            self._show_answer(quiz_text.due_phrase(outcome.due, _now()))
        else:
            self._screen.reload_start()

    def _receive_failure(self, started: datetime, position: int, refusal: ScholarError) -> None:
        line = str(refusal).replace("run the same command again", "answer again")
        current = self.current_round
        is_shown = current is not None and (started, position) == (current.started, self._position)
        if is_shown:
            self._phase = Phase.NOT_SAVED
            self._view.show_save_failure(line)
            self._screen.refresh_bindings()
        if not is_shown or self._screen.view != "asking":
            self._screen.show_message(f"the last answer was not saved: {line}", severity="error")

    def _show_answer(self, due: str) -> None:
        assert self.current_round is not None
        next_step = "next question"
        if self.is_reviewing:
            next_step = "back to the summary"
        elif self.current_round.is_over:
            next_step = "see the summary"
        self._view.show_answer(
            self.current_round,
            self._position,
            self._overview.title(self.question.book_id),
            due,
            next_step,
            is_review=self.is_reviewing,
        )
        self._screen.refresh_bindings()

    def go_on(self) -> None:
        """Save the answer again, ask the next question, or show the summary."""
        if self._phase is Phase.NOT_SAVED:
            self.answer(self._chosen)
        elif self.current_round is not None and self._phase is Phase.ANSWERED:
            if self.is_reviewing or self.current_round.is_over:
                self.show_summary()
            else:
                self._ask_next()

    @property
    def can_mark_bad(self) -> bool:
        """Return True if a question is shown or highlighted, and no answer is being saved."""
        return self._phase is not Phase.SAVING and self._marked_position is not None

    def mark_bad(self) -> None:
        """Store that the question is bad, and remove it and its answer from the round."""
        position = self._marked_position
        if self.current_round is None or position is None or self.is_saving:
            return
        question, library = self.current_round.questions[position], self._screen.library
        started, phase, self._phase = self.current_round.started, self._phase, Phase.SAVING
        self._screen.refresh_bindings()

        def work(progress: Progress) -> BadQuestion:
            return library.quiz.history.mark_bad(question, datetime.now(UTC))

        def restore(refusal: ScholarError) -> None:
            self._phase = phase
            self._screen.refresh_bindings()
            self._screen.show_message(str(refusal), severity="error")

        self._screen.run_in_worker(
            work,
            partial(self._remove_question, started, question),
            on_error=restore,
            group="saving an answer",
            lasting=True,
        )

    def _remove_question(self, started: datetime, question: QuizQuestion, bad: BadQuestion) -> None:
        """Remove a question that was stored as bad from the round, and continue."""
        undo = f"scholar quiz bad --undo {bad.id}"
        self._screen.show_message(f"this will not be asked again; to undo: {undo}")
        current = self.current_round
        if current is None or current.started != started or question not in current.questions:
            return
        self.current_round = current.without(current.questions.index(question))
        self._phase = Phase.ANSWERED
        if self._screen.view not in ("asking", "summary"):
            self._screen.reload_start()
        elif not self.current_round.questions:
            self.current_round = None
            self._screen.action_back()
        elif self.current_round.is_over:
            self.is_reviewing = False
            self.show_summary()
        else:
            self._ask_next()

    @property
    def _marked_position(self) -> int | None:
        """The position in the round of the question that is shown or highlighted."""
        if self.current_round is None:
            return None
        if self._screen.view == "summary":
            return self._screen.query_one(RoundSummary).position
        return self._position

    def review(self) -> None:
        """Show the highlighted question of the summary with its answer."""
        summary = self._screen.query_one(RoundSummary)
        overview = self._overview.overview
        if self.current_round is None or summary.position is None or overview is None:
            return
        self._position, self._phase, self.is_reviewing = summary.position, Phase.ANSWERED, True
        due = due_times(self.current_round, overview.cards)[self._position]
        self._screen.show_view("asking")
        self._show_answer(quiz_text.due_phrase(due, _now()) if due else "")

    def show_summary(self) -> None:
        """Show the results of the round, and when its questions are due again."""
        reviewed = self._position if self.is_reviewing else None
        self.is_reviewing = False
        self._overview.load(lambda _: self._show_loaded_summary(reviewed))

    def _show_loaded_summary(self, reviewed: int | None) -> None:
        current, overview = self.current_round, self._overview.overview
        if current is None or overview is None or not current.is_over:
            return
        now, summary = _now(), self._screen.query_one(RoundSummary)
        self._screen.show_view("summary")
        due = due_times(current, overview.cards)
        summary.show(current, due, overview.count_due(now), now)
        if reviewed is not None:
            summary.highlight(reviewed)

    @property
    def locator(self) -> str | None:
        """The locator of the passage that is shown, or of the first one of the highlighted
        question."""
        if self._screen.view == "asking":
            return self._view.locator
        position = self._screen.query_one(RoundSummary).position
        if self.current_round is None or position is None:
            return None
        evidence = self.current_round.questions[position].evidence
        return evidence[0].locator if evidence else None

    @property
    def _view(self) -> QuestionView:
        return self._screen.query_one(QuestionView)


def _now() -> datetime:
    return datetime.now().astimezone()
