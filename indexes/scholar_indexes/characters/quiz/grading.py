"""Grade answers that other programs give to printed questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.quiz.quiz_records import ReviewOutcome
from scholar_indexes.errors import NoMatch
from scholar_indexes.guarded import parse_json


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer to a question, the index of a choice or None, and its outcome."""

    question: QuizQuestion
    chosen: int | None
    outcome: ReviewOutcome


def grade_answers(
    history: History,
    questions: Sequence[QuizQuestion],
    answers: str,
    now: datetime,
    tell: Callable[[str], None],
) -> list[GradedAnswer]:
    """Store and grade answers: JSON lines of {"question_id", "answer"}, the answer counted from 0.

    A line that does not answer one of the questions is skipped, and tell is called with a line
    about it. Raises NoMatch if no line is an answer.
    """
    graded = [
        GradedAnswer(question, chosen, history.record_answer(question, chosen, now))
        for question, chosen in _parse_answers(answers, questions, tell)
    ]
    if not graded:
        raise NoMatch(
            'there was no answer to grade; give lines such as {"question_id": "…", "answer": 3}'
        )
    return graded


def _parse_answers(
    text: str, questions: Sequence[QuizQuestion], tell: Callable[[str], None]
) -> Iterator[tuple[QuizQuestion, int | None]]:
    by_id = {question.id: question for question in questions}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            answer = _parse_answer(line, by_id)
        except ValueError as error:
            tell(f"line {number} of the answers: {error}")
            continue
        yield answer


def _parse_answer(
    line: str, questions: Mapping[str, QuizQuestion]
) -> tuple[QuizQuestion, int | None]:
    """Return the question and the choice of a line; raises ValueError for any other line."""
    try:
        record = parse_json(line)
        question, choice = questions[record["question_id"]], record["answer"]
    except (ValueError, TypeError, KeyError):
        raise ValueError('it is not {"question_id", "answer"} for these questions') from None
    return question, None if choice is None else _check_choice(choice, question)


def _check_choice(choice: Any, question: QuizQuestion) -> int:
    if isinstance(choice, bool) or not isinstance(choice, int):
        raise ValueError("the answer is not a whole number")
    if not 0 <= choice < len(question.choices):
        raise ValueError(f"the answer is not one of 0 to {len(question.choices) - 1}")
    return choice
