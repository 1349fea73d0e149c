"""A round of quiz questions: started, interrupted, resumed, reviewed.

    start_round -> round_to_json (stored) ... round_from_json -> resume_round -> Round

Answers are stored in the history only, so a round resumes after the last stored answer even if
the program was killed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from scholar_indexes.characters.quiz import question_lines
from scholar_indexes.characters.quiz.bad_questions import bad_question_id
from scholar_indexes.characters.quiz.questions import QuizQuestion, shuffle_choices
from scholar_indexes.errors import Damaged
from scholar_indexes.guarded import parse_json
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.quiz_records import QuizAnswer

_MAX_JSON_CHARS = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class RoundAnswer:
    """An answer: the index of a choice or None, and True if it was right."""

    chosen: int | None
    right: bool


@dataclass(frozen=True, slots=True)
class Round:
    """Questions to ask one after the other, and the answers to the first of them.

    started (UTC) identifies the round; seed is the seed that its questions were drawn with, None
    if they were not drawn.
    """

    name: str
    started: datetime
    questions: tuple[QuizQuestion, ...]
    answers: tuple[RoundAnswer, ...] = ()
    seed: int | None = None

    @property
    def position(self) -> int:
        """The index of the next question."""
        return len(self.answers)

    @property
    def is_over(self) -> bool:
        """True if every question has an answer."""
        return self.position >= len(self.questions)

    @property
    def right_count(self) -> int:
        """The number of right answers."""
        return sum(answer.right for answer in self.answers)

    @property
    def missed_questions(self) -> tuple[QuizQuestion, ...]:
        """The questions that were not answered right."""
        pairs = zip(self.questions, self.answers, strict=False)
        return tuple(question for question, answer in pairs if not answer.right)

    @property
    def book_ids(self) -> tuple[str, ...]:
        """The books of the questions, each once."""
        return tuple(dict.fromkeys(question.book_id for question in self.questions))

    def without(self, position: int) -> Round:
        """Return this round without the question at a position and its answer."""
        return replace(
            self,
            questions=self.questions[:position] + self.questions[position + 1 :],
            answers=self.answers[:position] + self.answers[position + 1 :],
        )

    def without_bad(self, bad: Collection[str]) -> Round:
        """Return this round without the bad questions with these ids and their answers."""
        remaining = self
        for position in reversed(range(len(self.questions))):
            question = self.questions[position]
            if bad_question_id(question.book_id, question.character, question.description) in bad:
                remaining = remaining.without(position)
        return remaining

    def with_answer(self, chosen: int | None) -> Round:
        """Return this round with an answer to the next question."""
        right = chosen == self.questions[self.position].answer
        return replace(self, answers=(*self.answers, RoundAnswer(chosen, right)))


def start_round(
    name: str, questions: Iterable[QuizQuestion], now: datetime, seed: int | None = None
) -> Round:
    """Return a new round with each question once."""
    by_id = {question.id: question for question in questions}
    return Round(one_line(name, 200), now, tuple(by_id.values()), seed=seed)


def repeat_round(name: str, questions: Iterable[QuizQuestion], now: datetime) -> Round:
    """Return a new round of old questions, with their choices in another order, so that the
    position of the answer does not help."""
    seed = int(now.timestamp())
    return start_round(name, (shuffle_choices(question, seed) for question in questions), now)


def round_to_json(quiz_round: Round) -> str:
    """Return a round without its answers, which are in the history, as JSON."""
    return json.dumps(
        {
            "name": quiz_round.name,
            "begun": quiz_round.started.isoformat(),
            "seed": quiz_round.seed,
            "questions": question_lines.to_jsonl(quiz_round.questions, full=True),
        },
        ensure_ascii=False,
    )


def round_from_json(text: str) -> Round:
    """Return the round that round_to_json wrote, without answers; raises Damaged for any other
    text."""
    try:
        return _parse_round(text)
    except (Damaged, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Damaged(
            f"the unfinished round cannot be read ({one_line(str(error), 100)}); "
            "its answers are kept, so start another"
        ) from error


def _parse_round(text: str) -> Round:
    if len(text) > _MAX_JSON_CHARS:
        raise ValueError("it is too long")
    record = parse_json(text)
    started = datetime.fromisoformat(record["begun"])
    if started.tzinfo is None:
        raise ValueError("its time has no time zone")
    seed = record["seed"]
    questions = question_lines.from_jsonl(record["questions"], "the questions of the round")
    if not questions or not (seed is None or type(seed) is int):
        raise ValueError("it has no questions, or an invalid seed")
    return start_round(str(record["name"]), questions, started, seed)


def resume_round(quiz_round: Round, answers: Iterable[QuizAnswer]) -> Round:
    """Return a round with the answers of the history since it started."""
    by_question: dict[str, QuizAnswer] = {}
    for answer in answers:
        if answer.at >= quiz_round.started:
            by_question.setdefault(answer.question_id, answer)
    round_answers = []
    for question in quiz_round.questions:
        stored = by_question.get(one_line(question.id))
        if stored is None:
            break
        round_answers.append(RoundAnswer(_choice_index(question, stored.chosen), stored.right))
    return replace(quiz_round, answers=tuple(round_answers))


def _choice_index(question: QuizQuestion, chosen: str | None) -> int | None:
    """Return the index of the choice that the history stores as a character's name."""
    names = [
        one_line(question.name(index) or choice) for index, choice in enumerate(question.choices)
    ]
    return names.index(chosen) if chosen in names else None
