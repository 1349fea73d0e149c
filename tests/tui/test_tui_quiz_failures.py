"""The quiz with damaged files, few descriptions and wrong options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from quiz_screen import (
    answer,
    begin,
    describe,
    fill_in,
    flowed_text,
    history,
    press,
    question,
    screen,
)
from scholar_indexes.characters.descriptions.bank import packaged_titles
from scholar_indexes.characters.quiz.history import History
from scholar_tui.widgets.question_view import KEYS
from screens import LAMP, SMALL, at, notifications, scholar, screen_text, settled, until


async def test_a_damaged_history_is_set_aside_with_a_message_and_the_quiz_goes_on(
    home: Path,
) -> None:
    describe(home)
    (home / "data" / "quiz.sqlite").write_bytes(b"not a history" * 99)
    async with at("quiz", LAMP) as pilot:
        assert any("quiz history was damaged" in line for line in notifications(pilot))
        await begin(pilot)
        await answer(pilot, right=True)
        assert "✓ Right." in screen_text(pilot)
    assert len(history(home).answers()) == 1
    assert (home / "data" / "quiz.sqlite.damaged-1").exists()


async def test_an_answer_that_cannot_be_stored_is_reported_and_enter_stores_it(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP, SMALL) as pilot:
        await begin(pilot)
        first = question(pilot)
        (home / "data" / "quiz.sqlite").mkdir()
        await press(pilot, KEYS[first.answer])
        await until(pilot, lambda: "not saved yet" in screen_text(pilot))
        assert "SCHOLAR_HOME" in screen_text(pilot)  # the advice
        assert "Right." not in screen_text(pilot)
        assert question(pilot) is first
        (home / "data" / "quiz.sqlite").rmdir()
        await press(pilot, "enter")
        assert "✓ Right." in screen_text(pilot)
    assert [answer.right for answer in history(home).answers()] == [True]


async def test_an_answer_that_could_not_be_stored_can_be_changed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home)
    real, full = History.record_answer, [True]

    def answered(self: History, *given: Any) -> Any:
        if full:
            raise OSError(28, "No space left on device", "quiz.sqlite")
        return real(self, *given)

    monkeypatch.setattr(History, "record_answer", answered)
    async with at("quiz", LAMP, SMALL) as pilot:
        await begin(pilot)
        await answer(pilot, right=False)
        assert "no space is left" in flowed_text(pilot)
        full.clear()
        await answer(pilot, right=True)
        assert "✓ Right." in screen_text(pilot)
    assert [answer.right for answer in history(home).answers()] == [True]


async def test_few_characters_make_few_choices_with_a_message(home: Path) -> None:
    describe(home, "own-diary", people=5)
    async with at("quiz", "own-diary") as pilot:
        await begin(pilot)
        assert "only 5 choices" in screen_text(pilot)
        assert any("5 choices instead of 10" in line for line in notifications(pilot))
        first = question(pilot)
        await press(pilot, "8")
        assert question(pilot) is first
        assert "Wrong" not in screen_text(pilot)
    assert history(home).answers() == []


async def test_a_quiz_without_answers_or_descriptions_says_what_to_do(home: Path) -> None:
    async with at("quiz") as pilot:
        # A quiz without answers says what to do.
        assert "No questions yet: choose a book and press Enter" in screen_text(pilot)
        await press(pilot, "q")
        assert any("nothing is due" in line for line in notifications(pilot))
        await press(pilot, "h")
        assert "No questions yet. Esc goes back" in screen_text(pilot)
        await press(pilot, "escape")
        await scholar(pilot).navigate("quiz", "pg99999")
        await settled(pilot)

        # A book without descriptions says how to get some.
        assert any("scholar quiz import FILE pg99999" in line for line in notifications(pilot))
        titles = [title for title, _ in packaged_titles().values()]
        assert any(title in screen_text(pilot) for title in titles)


async def test_options_that_make_no_sense_or_leave_nobody_are_refused(home: Path) -> None:
    describe(home, chapter=3)
    senseless = (
        ("n", "0", "write 1 to 200"),
        ("n", "", "write 1 to 200"),
        ("levels", "4-2", "is not a level"),
        ("upto", "soon", "not a chapter"),
        ("upto", "section 2", "up to section 2 has 0 described characters"),
    )
    async with at("quiz", LAMP) as pilot:
        for field, value, message in senseless:
            before = screen(pilot).query_one(f"#{field}", Input).value
            fill_in(pilot, **{field: value})
            await press(pilot, "enter")
            assert message in notifications(pilot)[-1]
            fill_in(pilot, **{field: before})
        assert screen(pilot).current_round is None
        assert "1/" not in screen_text(pilot)
        await begin(pilot, upto="section 3")
        assert question(pilot).evidence


async def test_damaged_descriptions_are_reported_with_their_line_and_others_are_used(
    home: Path,
) -> None:
    describe(home)
    (home / "data" / "descriptions" / "own-diary.jsonl").write_text("no json", "utf-8")
    async with at("quiz", LAMP, size=SMALL) as pilot:
        assert any("own-diary.jsonl, line 1" in line for line in notifications(pilot))
        await begin(pilot)
        assert screen(pilot).current_round is not None


@pytest.mark.slow
async def test_a_round_goes_on_with_damaged_bookmarks(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        (home / "data" / "desk.sqlite").write_bytes(b"not a desk" * 99)
        await begin(pilot)
        assert any("desk" in line and "damaged" in line for line in notifications(pilot))
        await answer(pilot, right=True)
        await press(pilot, "escape", "r")
        assert "2/3" in screen_text(pilot)


async def test_a_round_that_cannot_be_read_is_reported_and_another_begun(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        scholar(pilot).library.bookmarks.set_choice("quiz-round", '{"begun": "never"}')
    async with at("quiz", LAMP) as pilot:
        assert "the unfinished round cannot be read" in screen_text(pilot)
        await begin(pilot)


@pytest.mark.slow
async def test_other_names_need_the_text_of_the_book(home: Path) -> None:
    async with at("quiz", "pg158") as pilot:
        await pilot.click("#anonymize")
        await pilot.press("escape")
        await press(pilot, "enter")
        assert any("scholar add 158" in line for line in notifications(pilot))
