"""The schedule of the quiz and its statistics: missed questions come back."""

from __future__ import annotations

import tempfile
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz_answers import DAY, NOON, question, right, wrong
from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.quiz.statistics import AnswerCount


def test_missed_cards_are_due_at_once_and_known_ones_after_days(history: History) -> None:
    assert wrong(history, NOON, text="missed") == NOON
    assert right(history, NOON, text="known") >= NOON + DAY
    assert [card.description for card in history.due_cards(NOON)] == ["missed"]
    assert [card.description for card in history.due_cards(NOON + 30 * DAY)] == ["missed", "known"]
    assert [card.description for card in history.due_cards(NOON + 30 * DAY, limit=1)] == ["missed"]
    assert history.due_cards(NOON - DAY) == []


def test_no_answer_is_not_a_right_one(history: History) -> None:
    outcome = history.record_answer(question(), None, NOON)
    assert (outcome.right, outcome.due) == (False, NOON)
    (answer,) = history.answers()
    assert (answer.chosen, answer.right) == (None, False)


def test_known_cards_rest_longer_each_time_until_they_are_missed(history: History) -> None:
    at, rests = NOON, []
    for _ in range(5):
        due = right(history, at)
        rests.append(due - at)
        at = due
    assert rests == sorted(set(rests))
    assert wrong(history, at) == at
    assert right(history, at) - at < rests[-1]


def test_one_card_for_a_description_whichever_way_round(history: History) -> None:
    wrong(history, NOON, kind="desc2name")
    right(history, NOON, kind="name2desc")
    right(history, NOON, book="pg1342")
    right(history, NOON, character="Bess Carr")
    first = history.cards(["own-harbour"])
    assert sorted(
        (card.character, card.answers, card.right, card.last_right) for card in first
    ) == [
        ("Ada Finch", 2, 1, True),
        ("Bess Carr", 1, 1, True),
    ]
    assert len(history.cards()) == 3
    assert history.due_cards(NOON + 99 * DAY, ["pg1342"])[0].book_id == "pg1342"
    assert history.due_cards(NOON + 99 * DAY, []) == []


def test_a_history_says_what_was_asked_and_answered_and_when(history: History) -> None:
    wrong(history, NOON.astimezone(timezone(timedelta(hours=5))), kind="name2desc")
    (answer,) = history.answers()
    assert answer.at == NOON
    assert answer.at.utcoffset() == timedelta(0)
    assert (answer.book_id, answer.character, answer.chosen) == (
        "own-harbour",
        "Ada Finch",
        "Bess Carr",
    )
    assert answer.description == "the one who keeps the lamp"
    assert answer.question_id == "own-harbour-name2desc-the one who keeps the lamp"


@pytest.mark.parametrize(
    "text",
    ["'; DROP TABLE cards; --", "a\x00b", "\ud800x", "x" * 50_000, "🌧"],
    ids=["SQL", "a null character", "half a character", "long", "an emoji"],
)
def test_a_text_is_only_text(history: History, text: str) -> None:
    wrong(history, NOON, text=text)
    wrong(history, NOON, text=text)
    (card,) = history.cards()
    assert (card.answers, card.description.isprintable()) == (2, True)


def test_a_question_of_others_has_its_names_in_its_choices(history: History) -> None:
    quiz_question = QuizQuestion("q", "b", "name2desc", 2, "Ada", ("the cook", "the maid"), 0)
    history.record_answer(quiz_question, 1, NOON)
    (answer,) = history.answers()
    assert (answer.character, answer.description, answer.chosen) == ("Ada", "the cook", "the maid")


_EVENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(-50, 400 * 24)), max_size=12
)


@settings(max_examples=12)
@given(_EVENTS)
def test_whatever_is_answered_and_whatever_the_clock_a_card_comes_back(
    events: list[tuple[str, bool, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, messages = Path(folder) / "quiz.sqlite", list[str]()
        history = History(path, messages.append)
        for text, knew, hours in events:
            at = NOON + timedelta(hours=hours)
            due = (right if knew else wrong)(history, at, text=text)
            assert due >= at
            assert (due == at) is not knew
        again = History(path, messages.append)
        assert len(again.answers()) == len(events)
        assert len(again.due_cards(NOON + 5_000 * DAY)) == len({text for text, _, _ in events})
        figures = again.stats(NOON + 5_000 * DAY)
        assert figures.overall == AnswerCount(len(events), sum(knew for _, knew, _ in events))
        assert figures.streak <= figures.longest_streak <= figures.overall.right
        assert messages == []


def test_figures_by_book_character_and_level(history: History) -> None:
    right(history, NOON)
    wrong(history, NOON, text="other")
    history.record_answer(question(book="pg84", level=3, kind="name2desc"), 0, NOON)
    history.record_answer(question(character="Bess Carr", level=3), 1, NOON)
    figures = history.stats(NOON)
    assert figures.overall == AnswerCount(4, 3)
    assert figures.overall.share == 0.75
    assert figures.by_book == {"own-harbour": AnswerCount(3, 2), "pg84": AnswerCount(1, 1)}
    assert figures.by_level == {1: AnswerCount(2, 1), 3: AnswerCount(2, 2)}
    assert figures.by_kind == {"desc2name": AnswerCount(3, 2), "name2desc": AnswerCount(1, 1)}
    assert figures.by_character == {
        ("own-harbour", "Ada Finch"): AnswerCount(2, 1),
        ("own-harbour", "Bess Carr"): AnswerCount(1, 1),
        ("pg84", "Ada Finch"): AnswerCount(1, 1),
    }
    assert (figures.cards, figures.due) == (4, 1)
    assert history.stats(NOON, ["pg84"]).overall == AnswerCount(1, 1)


@pytest.mark.parametrize(
    ("answers", "streak", "longest"),
    [("", 0, 0), ("r", 1, 1), ("w", 0, 0), ("rrw", 0, 2), ("rrrwrr", 2, 3), ("wrrrr", 4, 4)],
)
def test_a_streak_is_of_right_answers(
    history: History, answers: str, streak: int, longest: int
) -> None:
    for at, answer in enumerate(answers):
        (right if answer == "r" else wrong)(history, NOON, text=str(at))
    figures = history.stats(NOON)
    assert (figures.streak, figures.longest_streak) == (streak, longest)


@pytest.mark.parametrize(
    ("days", "today", "expected"),
    [
        pytest.param([], 0, 0, id="never"),
        pytest.param([0], 0, 1, id="today"),
        pytest.param([0, 1, 2], 2, 3, id="three days"),
        pytest.param([0, 1, 2], 3, 3, id="not yet today"),
        pytest.param([0, 1, 2], 4, 0, id="a day left out"),
        pytest.param([0, 2, 3], 3, 2, id="a gap, over the end of February"),
    ],
)
def test_days_in_a_row(history: History, days: list[int], today: int, expected: int) -> None:
    for day in days:
        wrong(history, NOON + day * DAY)
    assert history.stats(NOON + today * DAY).days_in_a_row == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([("r", 0)], None, id="nothing repeated"),
        pytest.param([("w", 0), ("r", 0), ("r", 0)], None, id="repeated on one day"),
        pytest.param([("w", 0), ("w", 3)], None, id="never known"),
        pytest.param([("r", 0), ("r", 3)], 1.0, id="kept"),
        pytest.param([("r", 0), ("w", 3), ("r", 3)], 0.0, id="lost, whatever follows that day"),
        pytest.param([("r", 0), ("r", 3), ("w", 9), ("r", 10)], 2 / 3, id="lost once of three"),
    ],
)
def test_retention_is_of_what_was_known_on_an_earlier_day(
    history: History, events: list[tuple[str, int]], expected: float | None
) -> None:
    for outcome, day in events:
        (right if outcome == "r" else wrong)(history, NOON + day * DAY)
    assert history.stats(NOON + 10 * DAY).retention == expected


def test_recall_falls_with_time(history: History) -> None:
    due = right(history, NOON)
    now, then, late = (history.stats(at).recall for at in (NOON, due, due + 300 * DAY))
    assert now == 1.0
    assert then == pytest.approx(0.9, abs=0.02), "a card is due when nine in ten would know it"
    assert late is not None
    assert late < 0.7
