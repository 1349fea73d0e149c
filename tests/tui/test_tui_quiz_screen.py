"""The quiz screen outside rounds: passages, options, statistics, export."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from quiz_screen import (
    THINGS,
    answer,
    begin,
    describe,
    fill_in,
    flowed_text,
    press,
    question,
    screen,
)
from scholar_indexes.serialize.quiz_text import question_sentence
from scholar_indexes.serialize.result_formats import Format
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_tui.widgets.question_view import KEYS
from screens import (
    LAMP,
    LARGE,
    QUAY,
    SMALL,
    at,
    exported,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)


async def test_the_passage_is_opened_in_the_reader_and_the_question_is_still_there(
    quay: Path,
) -> None:
    describe(quay, QUAY)
    async with at("quiz", QUAY) as pilot:
        app = scholar(pilot)
        text = screen_text(pilot)
        places = [
            text.index(heading) for heading in ("On the shelf", "The Quay", "Not on the shelf")
        ]
        assert places == sorted(places)
        await begin(pilot)
        await press(pilot, "g")
        assert app.current_mode == "quiz"  # not before it is answered
        answered = await answer(pilot, right=True)
        await press(pilot, "g")
        await until(pilot, lambda: app.current_mode == "reader")
        await until(pilot, lambda: "It was raining when the ship left" in screen_text(pilot))
        assert any("F7 leads back" in line for line in notifications(pilot))
        await press(pilot, "f7")
        assert question_sentence(answered) in screen_text(pilot)
        assert "✓ Right." in screen_text(pilot)
        assert app.current_book == QUAY


@pytest.mark.slow
async def test_the_options_of_the_last_round_are_remembered(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        screen(pilot).query_one("#kind", Select).value = "desc2name"
        await begin(pilot, n=2, levels="2", upto="section 7")
        assert {quiz_question.kind for quiz_question in screen(pilot).current_round.questions} == {  # type: ignore[union-attr]
            "desc2name"
        }
        assert question(pilot).level == 2
    async with at("quiz", LAMP) as pilot:
        values = {
            field: screen(pilot).query_one(f"#{field}", Input).value
            for field in ("n", "levels", "upto", "seed")
        }
        assert values == {"n": "2", "levels": "2", "upto": "section 7", "seed": "5"}
        assert screen(pilot).query_one("#kind", Select).value == "desc2name"


async def test_the_start_of_a_quiz_is_left_ticked_and_filled_by_keys(home: Path) -> None:
    describe(home)
    describe(home)
    async with at("quiz", LAMP) as pilot:
        # Escape moves from a field to the list.
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Input)
        await pilot.press("1", "2", "escape")
        assert pilot.app.focused is screen(pilot).query_one("#books")
        assert screen(pilot).query_one("#n", Input).value.endswith("12")

        # The tick for made-up names is visible without colour.
        assert "▐ ▌ made up" in screen_text(pilot)
        await pilot.click("#anonymize")
        await settled(pilot)
        assert "▐X▌ made up" in screen_text(pilot)
        await pilot.press("escape")

        # A key fills in the chapter where reading stopped.
        await press(pilot, "f")
        assert any("not read this book yet" in line for line in notifications(pilot))
        scholar(pilot).library.bookmarks.record_position(ReadingPosition(LAMP, f"{LAMP}:2.5", 900))
        await press(pilot, "f")
        assert screen(pilot).query_one("#upto", Input).value == "section 2"


@pytest.mark.slow
async def test_statistics_are_bars_of_text(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=2)
        await answer(pilot, right=True)
        await press(pilot, "enter")
        missed = await answer(pilot, right=False)
        await press(pilot, "escape", "h")
        text = screen_text(pilot)
        assert "██████████░░░░░░░░░░  50 %  1 of 2" in text
        assert "Due in the coming days" in text
        assert "today" in text
        assert f"{missed.character}  1 of 1" in text
        await press(pilot, "escape")
        assert "own-the-lamplighter  1 due · 50 % of 2" in screen_text(pilot)


async def test_a_round_can_be_exported_and_a_book_that_is_not_there_says_how_to_add_it(
    home: Path,
) -> None:
    async with at("quiz", "pg158") as pilot:
        # A round can be exported.
        assert screen(pilot).exports() == []
        await begin(pilot, n=2)
        missed = await answer(pilot, right=False)
        records = json.loads(exported(pilot, "json"))
        assert [record.get("right") for record in records] == [False, None]
        assert records[0]["evidence"][0]["quote"] == missed.evidence[0].quote
        assert f"(`{missed.evidence[0].locator}`)" in exported(pilot, "md")
        assert "← answered" in exported(pilot, "md")
        assert "title = {{Emma}}" in exported(pilot, "bibtex")

        # A class gets the questions alone.
        sheets = {
            listing.name: listing.write(Format.MD) for listing in screen(pilot).exports()[1:3]
        }
        assert [*sheets] == ["worksheet", "worksheet-answers"]
        assert missed.evidence[0].locator in sheets["worksheet-answers"]
        assert missed.evidence[0].locator not in sheets["worksheet"]
        await press(pilot, "escape")

        # For a passage of a missing book, a message says how to add the book.
        await begin(pilot)
        await answer(pilot, right=True)
        await press(pilot, "g")
        assert any(
            "Emma is not on the shelf" in line and "158" in line for line in notifications(pilot)
        )


async def test_markup_in_a_name_is_shown_as_it_is(home: Path) -> None:
    odd = "[bold]Zoe[/bold] [@click=quit]"
    describe(home, people=3, first=odd)
    async with at("quiz", LAMP) as pilot:
        screen(pilot).query_one("#kind", Select).value = "desc2name"
        await begin(pilot, n=1, levels="1")
        assert odd in screen_text(pilot)
        await answer(pilot, right=False)
        assert odd in screen_text(pilot)
        await press(pilot, "enter")
        assert odd in screen_text(pilot) or odd not in {
            question(pilot).choices[question(pilot).answer],
            question(pilot).choices[0],
        }


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(SMALL, id="80x24"),
        pytest.param(LARGE, id="120x40", marks=pytest.mark.slow),
    ],
)
async def test_a_question_its_answer_and_its_passage_fit_the_screen(
    home: Path, size: tuple[int, int]
) -> None:
    async with at("quiz", "pg1342", size) as pilot:
        await begin(pilot, n=2, levels="4")
        for _ in range(2):
            current = question(pilot)
            await answer(pilot, right=False)
            text = " ".join(screen_text(pilot).replace("│", " ").split())
            assert "Wrong" in text
            assert "the right one" in text
            assert current.evidence[0].locator in text
            assert "^p Actions" in text
            await press(pilot, "enter")
        assert "0 of 2 right" in screen_text(pilot)


LONG = (
    "who, after the long winter in which nothing came up the river, {} and told nobody of it at all"
)


@pytest.mark.parametrize("kind", [pytest.param("name2desc", marks=pytest.mark.slow), "desc2name"])
async def test_the_tenth_choice_is_in_sight_on_a_small_screen_however_long_all_is(
    home: Path, kind: str
) -> None:
    describe(home)
    bank = home / "data" / "descriptions" / f"{LAMP}.jsonl"
    rows = [json.loads(line) for line in bank.read_text("utf-8").splitlines()]
    for row, thing in zip(rows, THINGS, strict=True):
        times = 1 if kind == "name2desc" else 4
        text = ", ".join([LONG.format(f"kept the {thing}")] * times)
        row["descriptions"] = [{**row["descriptions"][0], "text": text}]
    bank.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    async with at("quiz", LAMP, size=SMALL) as pilot:
        screen(pilot).query_one("#kind", Select).value = kind
        await begin(pilot, n=2, levels="1")
        await settled(pilot)
        assert len(question(pilot).choices) == 10
        in_sight = [key for key in KEYS if re.search(rf"^ +{key} +\S", screen_text(pilot), re.M)]
        assert in_sight == list(KEYS)
        await pilot.press("end")
        await settled(pilot)
        last = " ".join(question(pilot).choices[9].split())
        assert last in " ".join(screen_text(pilot).split())


async def test_limits_of_a_quiz_are_announced_and_one_key_clears_them(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        assert "F8" not in screen_text(pilot)
        fill_in(pilot, levels="2", upto="section 7")
        screen(pilot).query_one("#kind", Select).value = "desc2name"
        await settled(pilot)
        assert "only for the name · levels 2 · up to chapter section 7" in flowed_text(pilot)
        await begin(pilot, n=2)
    async with at("quiz", LAMP) as pilot:
        assert "levels 2 · up to chapter section 7 F8 clears this" in flowed_text(pilot)
        await press(pilot, "f8")
        assert "F8" not in screen_text(pilot)
    async with at("quiz", LAMP) as pilot:
        assert "F8" not in screen_text(pilot)
        values = [screen(pilot).query_one(f"#{name}", Input).value for name in ("n", "levels")]
        assert values == ["2", "1-4"]
        assert screen(pilot).query_one("#upto", Input).value == ""
