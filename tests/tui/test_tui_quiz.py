"""Rounds of the quiz: questions, answers, the summary, and cards due again."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from quiz_screen import answer, begin, describe, flowed_text, history, press, question, screen
from scholar_indexes.characters.quiz.history import History
from scholar_indexes.serialize.quiz_text import question_sentence
from scholar_tui.widgets.question_view import KEYS, ChoiceRow
from screens import LAMP, SMALL, at, ended, notifications, screen_text, settled, until


async def test_a_round_ends_in_a_summary_and_what_was_missed_is_asked_again(home: Path) -> None:
    describe(home)
    describe(home)
    async with at("quiz", LAMP) as pilot:
        # A round ends in a summary that can be opened again.
        await begin(pilot)
        await answer(pilot, right=True)
        await press(pilot, "enter")
        await answer(pilot, right=False)
        await press(pilot, "enter")
        await press(pilot, "x")
        await press(pilot, "enter")
        summary = screen_text(pilot)
        for text in ("1 of 3 right", "2 missed", "drawn with seed 5"):
            assert text in summary, text
        assert summary.count("due again now") == 2
        assert summary.count("due again in") == 1
        await press(pilot, "escape")
        assert "The last round, own-the-lamplighter: 1 of 3 right" in screen_text(pilot)
        await press(pilot, "r")
        assert "2 missed" in screen_text(pilot)
        await press(pilot, "Q")
        assert "1/3" in screen_text(pilot)
        await press(pilot, "escape")

        # A missed question is asked again with reordered choices.
        await begin(pilot, n=2)
        missed = await answer(pilot, right=False)
        await press(pilot, "enter")
        await answer(pilot, right=True)
        await press(pilot, "enter", "A")
        again = question(pilot)
        assert "1/1" in screen_text(pilot)
        assert (again.text, set(again.choices)) == (missed.text, set(missed.choices))
        assert again.choices != missed.choices
        assert again.choices[again.answer] == missed.choices[missed.answer]
        assert again.character == missed.character
        await answer(pilot, right=True)
        await press(pilot, "enter")
        assert "Nothing was missed." in screen_text(pilot)


async def test_an_answer_is_graded_on_the_screen_only_once_it_is_stored(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home)
    real, gate = History.record_answer, threading.Event()

    def answered(self: History, *given: Any) -> Any:
        gate.wait(300)
        return real(self, *given)

    monkeypatch.setattr(History, "record_answer", answered)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        first = question(pilot)
        try:
            await pilot.press(KEYS[first.answer], "enter", "3", "x")
            assert "Right." not in screen_text(pilot)
            assert question(pilot) is first
            assert history(home).answers() == []
        finally:
            gate.set()
        await until(pilot, lambda: "✓ Right." in screen_text(pilot))
    assert len(history(home).answers()) == 1


async def test_a_round_goes_on_at_the_same_question_after_a_kill(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=4)
        await answer(pilot, right=True)
        await press(pilot, "enter")
        await answer(pilot, right=False)
        await press(pilot, "enter")
        left = question(pilot)
    async with at("quiz") as pilot:
        assert f"You left {LAMP} at question 3 of 4" in screen_text(pilot)
        await press(pilot, "r")
        assert "3/4" in screen_text(pilot)
        assert question(pilot) == left
        assert "1 of 2 right" in screen_text(pilot)
        for _ in range(2):
            await answer(pilot, right=True)
            await press(pilot, "enter")
        assert "3 of 4 right" in screen_text(pilot)
    assert len(history(home).answers()) == 4


@pytest.mark.slow
async def test_a_bad_question_leaves_the_round_and_its_answer_counts_for_nothing(
    home: Path,
) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        unanswered = question(pilot)
        await press(pilot, "c")
        await until(pilot, lambda: "1/2" in screen_text(pilot))
        assert any("scholar quiz bad --undo" in line for line in notifications(pilot))
        answered = await answer(pilot, right=False)
        await press(pilot, "c")
        await until(pilot, lambda: "1/1" in screen_text(pilot))
        await press(pilot, "escape")
        assert "at question 1 of 1" in screen_text(pilot)
        await press(pilot, "r")
        await answer(pilot, right=True)
        await press(pilot, "enter")
        assert "1 of 1 right" in screen_text(pilot)
        await press(pilot, "c")  # the last question, highlighted in the summary
        await until(pilot, lambda: screen(pilot).view == "start")
        assert screen(pilot).current_round is None
    bad = [stored.description for stored in history(home).bad_questions()]
    assert bad[:2] == [unanswered.description, answered.description]
    assert len(bad) == 3
    async with at("quiz", LAMP) as pilot:
        assert "question 1 of" not in screen_text(pilot)


@pytest.mark.slow
async def test_a_round_that_was_left_goes_on_without_what_was_called_bad_elsewhere(
    home: Path,
) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        history(home).mark_bad(question(pilot), datetime.now(UTC))
    async with at("quiz", LAMP) as pilot:
        assert "at question 1 of 2" in screen_text(pilot)


async def test_an_answer_is_graded_with_its_passage_and_the_day_it_is_due_again(home: Path) -> None:
    describe(home)
    describe(home)
    async with at("quiz", LAMP) as pilot:
        # Escape leaves a round without an answer.
        await begin(pilot)
        first = question(pilot)
        await press(pilot, "escape")
        assert "at question 1 of 3" in screen_text(pilot)
        assert history(home).answers() == []
        await press(pilot, "r")
        assert question(pilot) == first
        await press(pilot, "escape")

        # A graded answer shows its passage and next due day.
        await begin(pilot)
        answered = await answer(pilot, right=True)
        evidence = answered.evidence[0]
        for text in ("✓ Right.", "Due again in", evidence.quote, evidence.locator, "1 of 1 right"):
            assert text in screen_text(pilot), text
        await press(pilot, "enter")
        assert "2/3" in screen_text(pilot)
        await answer(pilot, right=False)
        assert "✗ Wrong" in screen_text(pilot)
        assert "— the right one" in flowed_text(pilot)
        assert "— your answer" in flowed_text(pilot)
        await press(pilot, "enter")
        await press(pilot, "x")
        assert "✗ Not answered" in screen_text(pilot)
    assert [answer.right for answer in history(home).answers()] == [True, False, False]


@pytest.mark.slow
async def test_an_answer_that_is_stored_after_escape_counts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home)
    real, gate = History.record_answer, threading.Event()

    def answered(self: History, *given: Any) -> Any:
        gate.wait(300)
        return real(self, *given)

    monkeypatch.setattr(History, "record_answer", answered)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        await pilot.press(KEYS[question(pilot).answer], "escape")
        gate.set()
        await ended(pilot)
        await until(pilot, lambda: "at question 2 of 3" in screen_text(pilot))
        await press(pilot, "r")
        assert "2/3" in screen_text(pilot)


@pytest.mark.slow
async def test_the_arrows_and_the_mouse_answer_too(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP, SMALL) as pilot:
        await begin(pilot, n=2)
        await press(pilot, *["down"] * question(pilot).answer, "enter")
        assert "✓ Right." in screen_text(pilot)
        await press(pilot, "enter")
        row = list(screen(pilot).query(ChoiceRow))[question(pilot).answer]
        await pilot.click(row)
        await settled(pilot)
        assert "2 of 2 right" in screen_text(pilot)


@pytest.mark.slow
async def test_a_question_of_the_summary_can_be_looked_at_again(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=2)
        await answer(pilot, right=True)
        await press(pilot, "enter")
        missed = await answer(pilot, right=False)
        await press(pilot, "enter", "enter")
        assert question_sentence(missed) in screen_text(pilot)
        assert "— the right one" in flowed_text(pilot)
        assert missed.evidence[0].locator in screen_text(pilot)
        await press(pilot, KEYS[missed.answer], "escape")
        assert "1 of 2 right" in screen_text(pilot)
    assert len(history(home).answers()) == 2


async def test_cards_that_are_due_are_asked(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=1)
        missed = await answer(pilot, right=False)
        await press(pilot, "escape")
        assert "1 card due again" in screen_text(pilot)
        await press(pilot, "q")
        assert "1/1" in screen_text(pilot)
        assert question(pilot).description == missed.description
        await answer(pilot, right=True)
        await press(pilot, "enter", "escape")
        assert "Nothing is due; the next card is due" in screen_text(pilot)


async def test_several_books_are_asked_about_when_they_are_marked(home: Path) -> None:
    describe(home, "own-a")
    describe(home, "own-b")
    async with at("quiz", "own-a") as pilot:
        await pilot.press("m")
        assert "● own-a" in screen_text(pilot)
        screen(pilot).query_one("#books").show(  # type: ignore[attr-defined]
            screen(pilot).overview, datetime.now(UTC), "own-b"
        )
        await pilot.press("m")
        assert screen(pilot).query_one("#upto", Input).disabled
        await begin(pilot, n=6)
        current = screen(pilot).current_round
        assert current is not None
        assert set(current.book_ids) == {"own-a", "own-b"}
