"""The summary of a round: its score, the missed questions, and when all are due again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.question_view import RIGHT, WRONG
from scholar_tui.widgets.quiz_lists import RoundResults
from scholar_tui.widgets.quiz_statistics import share_bar

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.rounds import Round


class RoundSummary(Vertical):
    """The score of a round, and its questions with the missed ones first."""

    DEFAULT_CSS = """
    RoundSummary {
        & > #score { height: auto; padding: 0 2; margin-top: 1; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static("", id="score", markup=False)
        yield RoundResults(id="results", classes="pane", markup=False)

    def show(
        self,
        quiz_round: Round,
        due_times: Sequence[datetime | None],
        due_count: int,
        now: datetime,
    ) -> None:
        """Show a round that is over, with the times when its questions are due again and the
        number of all due cards."""
        lines = Content("\n").join(list(_score_lines(quiz_round, due_count)))
        self.query_one("#score", Static).update(lines)
        answers = quiz_round.answers
        order = sorted(range(len(answers)), key=lambda position: answers[position].right)
        results = self.query_one(RoundResults)
        results.set_options(
            Option(
                _result_content(quiz_round, position, due_times[position], now),
                f"question-{position}",
            )
            for position in order
        )
        results.highlighted = 0 if order else None
        results.focus()

    @property
    def position(self) -> int | None:
        """The position of the highlighted question in the round."""
        option = self.query_one(RoundResults).highlighted_option
        return int(option.id.removeprefix("question-")) if option and option.id else None

    def highlight(self, position: int) -> None:
        """Highlight the question at a position of the round."""
        results = self.query_one(RoundResults)
        results.highlighted = results.get_option_index(f"question-{position}")


def _score_lines(quiz_round: Round, due_count: int) -> Iterator[Content]:
    from scholar_indexes.serialize.quiz_text import count_phrase

    right, total = quiz_round.right_count, len(quiz_round.answers)
    yield Content.assemble(
        (one_line(quiz_round.name), "bold"),
        ": ",
        share_bar(right, total),
        (f" {right} of {total} right", "bold"),
    )
    if missed := len(quiz_round.missed_questions):
        key = ("  A", "bold $primary")
        yield Content.assemble(f"{missed} missed", key, " repeats them")
    else:
        yield Content("Nothing was missed.")
    if due_count:
        key = ("  q", "bold $primary")
        yield Content.assemble(count_phrase(due_count, "card"), " due in all", key, " starts")
    if quiz_round.seed is not None:
        yield Content.styled(f"drawn with seed {quiz_round.seed}", "$foreground-muted")


def _result_content(
    quiz_round: Round, position: int, due: datetime | None, now: datetime
) -> Content:
    from scholar_indexes.serialize.quiz_text import due_phrase, question_sentence

    question, answer = quiz_round.questions[position], quiz_round.answers[position]
    mark = (f"{RIGHT} ", "bold $success") if answer.right else (f"{WRONG} ", "bold $error")
    lines = [one_line(question.choices[question.answer])]
    if not answer.right:
        chosen = "nothing" if answer.chosen is None else one_line(question.choices[answer.chosen])
        lines.append(f"you said: {chosen}")
    if due is not None:
        lines.append(f"due again {due_phrase(due, now)}")
    return Content.assemble(
        mark, (question_sentence(question), "bold"), *(("\n" + line, "dim") for line in lines)
    )
