"""Rounds, due cards and options of the quiz, without a screen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scholar_indexes.characters.quiz import rounds
from scholar_indexes.characters.quiz.overview import due_counts
from scholar_indexes.characters.quiz.preferences import QuizPreferences, format_levels, parse_levels
from scholar_indexes.characters.quiz.questions import QuizQuestion, shuffle_choices
from scholar_indexes.characters.quiz.quiz_records import Card, QuizAnswer
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.serialize.quiz_text import due_phrase
from scholar_tui.widgets.question_view import question_heading


def test_the_heading_of_a_question_says_automatic_and_few_choices() -> None:
    heading = question_heading(replace(make_question(), automatic=True), "X")
    assert heading == "X · level 1 · automatic description, may be wrong · only 3 choices"


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def make_question(at_: int = 1) -> QuizQuestion:
    return QuizQuestion(
        f"q{at_}",
        "own-x",
        "desc2name",
        1,
        f"the one of {at_}",
        ("A", "B", "C"),
        1,
        (),
        ("A", "B", "C"),
    )


def make_answer(question: QuizQuestion, chosen: str | None, when: datetime) -> QuizAnswer:
    return QuizAnswer(
        when,
        question.book_id,
        "B",
        question.text,
        1,
        question.kind,
        question.id,
        chosen,
        chosen == "B",
    )


def test_a_round_resumes_where_its_history_ends() -> None:
    questions = [make_question(number) for number in range(3)]
    new = rounds.round_from_json(rounds.round_to_json(rounds.start_round("X", questions, NOON, 7)))
    assert (new.questions, new.seed, new.position) == (tuple(questions), 7, 0)
    later = [NOON + timedelta(minutes=number) for number in range(3)]
    answers = [
        make_answer(questions[1], "B", NOON - timedelta(days=1)),
        make_answer(questions[0], "C", later[0]),
        make_answer(questions[0], "B", later[1]),
        make_answer(questions[1], None, later[2]),
    ]
    stands = rounds.resume_round(new, answers)
    assert stands.answers == (rounds.RoundAnswer(2, False), rounds.RoundAnswer(None, False))
    assert stands.missed_questions == tuple(questions[:2])
    assert not stands.is_over


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"begun": "2026-03-02"}', "[" * 9_999, "null"])
def test_an_invalid_round_is_damaged(text: str) -> None:
    with pytest.raises(Damaged, match="start another"):
        rounds.round_from_json(text)


def test_a_repeated_question_is_asked_once() -> None:
    assert len(rounds.start_round("X", [make_question(), make_question()], NOON).questions) == 1


def test_another_order_of_choices_is_the_same_question_under_another_id() -> None:
    orders = {shuffle_choices(make_question(), seed).choices for seed in range(30)}
    assert len(orders) == 6
    for seed in range(9):
        other = shuffle_choices(make_question(), seed)
        assert (other.choices[other.answer], other.names[other.answer]) == ("B", "B")
        assert other.id != make_question().id
        assert other.character == make_question().character


def test_cards_are_counted_by_the_day_they_come_back() -> None:
    def card(due: datetime) -> Card:
        return Card("own-x", "B", str(due), 1, due, 1, 1, True)

    hours = (-99, 3, 15, 40, 24 * 13, 24 * 40)
    cards = [card(NOON + timedelta(hours=hour)) for hour in hours]
    assert due_counts(cards, NOON, 14) == [2, 1, 1, *[0] * 10, 1]
    phrases = [due_phrase(due_card.due, NOON) for due_card in cards]
    assert phrases == ["now", "today", "tomorrow", "in 2 days", "in 13 days", "in 40 days"]
    assert due_phrase(NOON + timedelta(days=400), NOON) == "in 13 months"


@pytest.mark.parametrize(
    ("text", "levels"), [("1-4", (1, 2, 3, 4)), ("3", (3,)), (" 1 , 3-4", (1, 3, 4))]
)
def test_levels_are_read_and_written(text: str, levels: tuple[int, ...]) -> None:
    assert parse_levels(text) == levels
    assert parse_levels(format_levels(levels)) == levels


@pytest.mark.parametrize("text", ["", "5", "0-2", "3-1", "a", "1-", "٢"])
def test_an_invalid_level_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a level"):
        parse_levels(text)


@pytest.mark.parametrize(
    "text", [None, "", "no", "[]", '{"n": "ten"}', '{"levels": [9]}', '{"kind": "all"}', "null"]
)
def test_stored_options_that_cannot_be_read_are_ignored(text: str | None) -> None:
    assert QuizPreferences.from_json(text) == QuizPreferences()


def test_options_are_restored_as_they_were_stored() -> None:
    wishes = QuizPreferences(7, "name2desc", (2, 3), True, 5)
    assert QuizPreferences.from_json(wishes.to_json()) == wishes
