"""The query-only baseline: accuracy of a classifier that sees questions and not the book."""

from __future__ import annotations

import random

import pytest

from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.quiz.wording import chance, query_only

CHOICES = 10


def leaking_questions(right: str, wrong: str) -> list[QuizQuestion]:
    """Return questions whose right choice begins with other words than the wrong ones."""
    questions = []
    for number in range(200):
        drawn = random.Random(number)
        answer = drawn.randrange(CHOICES)
        choices = [f"{wrong} {drawn.randrange(10**6):06}" for _ in range(CHOICES)]
        choices[answer] = f"{right} {drawn.randrange(10**6):06}"
        question = QuizQuestion(
            f"q{number}", "own-harbour", "name2desc", 1, "Mrs. Finch", tuple(choices), answer
        )
        questions.append(question)
    return questions


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param("the woman", "the man", id="gender"),
        pytest.param("the friend of Finch", "the friend of Nobody", id="a name"),
        pytest.param("the person who at length comes", "the person", id="length"),
        pytest.param("the wife of a lady", "the daughter of a lady", id="marriage"),
    ],
)
def test_baseline_learns_what_gives_answers_away(right: str, wrong: str) -> None:
    assert query_only(leaking_questions(right, wrong)) > 0.8


def test_baseline_is_at_chance_without_a_leak() -> None:
    questions = leaking_questions("the person", "the person")
    assert chance(questions) == pytest.approx(0.1)
    assert query_only(questions, ["names", "gender"]) == pytest.approx(0.1)


def test_baseline_needs_questions() -> None:
    with pytest.raises(ValueError, match="no questions"):
        query_only([])
