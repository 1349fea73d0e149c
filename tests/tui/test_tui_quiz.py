"""The quiz screen: questions, answers, the summary, and the cards that are due again."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select

from scholar_indexes.characters.quiz import rounds
from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.overview import due_counts
from scholar_indexes.characters.quiz.preferences import QuizPreferences, format_levels, parse_levels
from scholar_indexes.characters.quiz.questions import QuizQuestion, shuffle_choices
from scholar_indexes.characters.quiz.records import Card, QuizAnswer
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.serialize.quiz_text import due_phrase, question_sentence
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_tui.screens.quiz import QuizScreen
from scholar_tui.widgets.question_view import KEYS, ChoiceRow, question_heading
from screens import (
    LAMP,
    LARGE,
    QUAY,
    SMALL,
    at,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)

NAMES = (
    "Ann Ashe",
    "Bess Birch",
    "Cora Cole",
    "Dora Dell",
    "Ella Elm",
    "Flora Frost",
    "Grace Gay",
    "Hester Hill",
    "Ida Inch",
    "Jane Jay",
    "Kate Kerr",
    "Lucy Lake",
)
THINGS = (
    "bees",
    "goats",
    "silence",
    "accounts",
    "watch",
    "geese",
    "secrets",
    "roses",
    "bread",
    "maps",
    "owls",
    "debts",
)


def describe(
    home: Path, book_id: str = LAMP, people: int = 12, chapter: int = 1, first: str = NAMES[0]
) -> None:
    """Write descriptions of characters, with the first paragraph of a chapter as evidence."""
    names = [first, *NAMES[1:people]]
    rows = []
    for at_, (name, thing) in enumerate(zip(names, THINGS, strict=False)):
        proof = {"locator": f"{book_id}:{chapter}.1:0-30", "quote": f"so {thing} were kept"}
        other = names[at_ - 1]
        rows.append(
            {
                "name": name,
                "gender": "female",
                "descriptions": [
                    {"level": 1, "text": f"the one who keeps {thing}", "evidence": [proof]},
                    {
                        "level": 2,
                        "text": f"the one who lends {thing} to {{{other}}}",
                        "evidence": [proof],
                    },
                ],
            }
        )
    folder = home / "data" / "descriptions"
    folder.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(json.dumps(row) for row in rows)
    (folder / f"{book_id}.jsonl").write_text(lines, "utf-8")


def screen(pilot: Pilot[None]) -> QuizScreen:
    current = scholar(pilot).mode_screen
    assert isinstance(current, QuizScreen)
    return current


def flowed_text(pilot: Pilot[None]) -> str:
    """Return the text on the screen without its line breaks."""
    return " ".join(screen_text(pilot).split())


def question(pilot: Pilot[None]) -> QuizQuestion:
    return screen(pilot).question


def history(home: Path) -> History:
    return History(home / "data" / "quiz.sqlite", print)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


async def answer(pilot: Pilot[None], *, right: bool) -> QuizQuestion:
    """Answer the current question and return it."""
    current = question(pilot)
    choice = current.answer if right else (current.answer + 1) % len(current.choices)
    await press(pilot, KEYS[choice])
    return current


def fill_in(pilot: Pilot[None], **fields: str) -> None:
    for name, value in fields.items():
        screen(pilot).query_one(f"#{name}", Input).value = value


async def begin(pilot: Pilot[None], n: int = 3, **fields: str) -> None:
    """Begin a round about the chosen book."""
    fill_in(pilot, n=str(n), seed="5", **fields)
    await press(pilot, "enter")
    await until(pilot, lambda: "1/" in screen_text(pilot))


async def test_a_damaged_history_is_set_aside_and_said_and_the_quiz_goes_on(home: Path) -> None:
    describe(home)
    (home / "data" / "quiz.sqlite").write_bytes(b"not a history" * 99)
    async with at("quiz", LAMP) as pilot:
        assert any("quiz history was damaged" in line for line in notifications(pilot))
        await begin(pilot)
        await answer(pilot, right=True)
        assert "✓ Right." in screen_text(pilot)
    assert len(history(home).answers()) == 1
    assert (home / "data" / "quiz.sqlite.damaged-1").exists()


async def test_an_answer_that_cannot_be_kept_is_said_and_enter_keeps_it(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP, SMALL) as pilot:
        await begin(pilot)
        first = question(pilot)
        (home / "data" / "quiz.sqlite").mkdir()
        await press(pilot, KEYS[first.answer])
        await until(pilot, lambda: "not kept yet" in screen_text(pilot))
        assert "SCHOLAR_HOME" in screen_text(pilot)  # what to do
        assert "Right." not in screen_text(pilot)
        assert question(pilot) is first
        (home / "data" / "quiz.sqlite").rmdir()
        await press(pilot, "enter")
        assert "✓ Right." in screen_text(pilot)
    assert [answer.right for answer in history(home).answers()] == [True]


async def test_an_answer_that_could_not_be_kept_can_be_another_one(
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


async def test_few_characters_make_few_choices_and_this_is_said(home: Path) -> None:
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


async def test_a_book_without_descriptions_says_how_to_get_some(home: Path) -> None:
    async with at("quiz", "pg99999") as pilot:
        assert any("scholar quiz import FILE -b pg99999" in line for line in notifications(pilot))
        assert "Pride and Prejudice" in screen_text(pilot)


async def test_where_nothing_was_asked_yet_it_says_what_to_do(home: Path) -> None:
    async with at("quiz") as pilot:
        assert "Nothing was asked yet: choose a book and press Enter" in screen_text(pilot)
        await press(pilot, "d")
        assert any("nothing is due" in line for line in notifications(pilot))
        await press(pilot, "s")
        assert "Nothing was asked yet. Esc leads back" in screen_text(pilot)


async def test_nothing_is_asked_of_chapters_that_were_not_read(home: Path) -> None:
    describe(home, chapter=3)
    async with at("quiz", LAMP) as pilot:
        fill_in(pilot, upto="2")
        await press(pilot, "enter")
        assert any(
            "up to chapter 2 has 0 described characters" in line for line in notifications(pilot)
        )
        assert "1/" not in screen_text(pilot)
        await begin(pilot, upto="3")
        assert question(pilot).evidence


async def test_what_makes_no_sense_is_said(home: Path) -> None:
    describe(home)
    senseless = (
        ("n", "0", "write 1 to 200"),
        ("n", "", "write 1 to 200"),
        ("levels", "4-2", "is no level"),
        ("upto", "0", "is no chapter"),
    )
    async with at("quiz", LAMP) as pilot:
        for field, value, message in senseless:
            before = screen(pilot).query_one(f"#{field}", Input).value
            fill_in(pilot, **{field: value})
            await press(pilot, "enter")
            assert message in notifications(pilot)[-1]
            fill_in(pilot, **{field: before})
        assert screen(pilot).current_round is None


async def test_damaged_descriptions_say_which_line_to_mend_and_others_are_asked(
    home: Path,
) -> None:
    describe(home)
    (home / "data" / "descriptions" / "own-diary.jsonl").write_text("no json", "utf-8")
    async with at("quiz", LAMP, size=SMALL) as pilot:
        assert any("own-diary.jsonl, line 1" in line for line in notifications(pilot))
        await begin(pilot)
        assert screen(pilot).current_round is not None


async def test_a_damaged_desk_keeps_nobody_from_being_asked(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        (home / "data" / "desk.sqlite").write_bytes(b"not a desk" * 99)
        await begin(pilot)
        assert any("desk" in line and "damaged" in line for line in notifications(pilot))
        await answer(pilot, right=True)
        await press(pilot, "escape", "r")
        assert "2/3" in screen_text(pilot)


async def test_a_round_that_cannot_be_read_is_said_and_another_begun(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        scholar(pilot).library.bookmarks.set_choice("quiz-round", '{"begun": "never"}')
    async with at("quiz", LAMP) as pilot:
        assert "the round that was left cannot be read" in screen_text(pilot)
        await begin(pilot)


async def test_other_names_need_the_text_of_the_book(home: Path) -> None:
    async with at("quiz", "pg158") as pilot:
        await pilot.click("#anonymize")
        await pilot.press("escape")
        await press(pilot, "enter")
        assert any("scholar add 158" in line for line in notifications(pilot))


async def test_a_round_is_asked_told_and_summed_up(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        answered = await answer(pilot, right=True)
        assert "✓ Right." in screen_text(pilot)
        assert "Due again in" in screen_text(pilot)
        assert answered.evidence[0].quote in screen_text(pilot)
        assert answered.evidence[0].locator in screen_text(pilot)
        assert "1 of 1 right" in screen_text(pilot)
        await press(pilot, "enter")
        assert "2/3" in screen_text(pilot)
        answered = await answer(pilot, right=False)
        assert "✗ Wrong" in screen_text(pilot)
        assert "— the right one" in flowed_text(pilot)
        assert "— your answer" in flowed_text(pilot)
        await press(pilot, "space")
        await press(pilot, "p")
        assert "✗ Not answered" in screen_text(pilot)
        await press(pilot, "enter")
        assert "1 of 3 right" in screen_text(pilot)
        assert "2 missed" in screen_text(pilot)
        assert screen_text(pilot).count("due again now") == 2
        assert screen_text(pilot).count("due again in") == 1
        assert "drawn with seed 5" in screen_text(pilot)
        await press(pilot, "escape")
        assert "The last round, own-the-lamplighter: 1 of 3 right" in screen_text(pilot)
        await press(pilot, "r")
        assert "2 missed" in screen_text(pilot)
        await press(pilot, "w")
        assert "1/3" in screen_text(pilot)
    assert [answer.right for answer in history(home).answers()] == [True, False, False]


async def test_an_answer_is_told_only_once_it_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home)
    real, gate = History.record_answer, threading.Event()

    def answered(self: History, *given: Any) -> Any:
        gate.wait(20)
        return real(self, *given)

    monkeypatch.setattr(History, "record_answer", answered)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        first = question(pilot)
        try:
            await pilot.press(KEYS[first.answer], "enter", "3", "p")
            assert "Right." not in screen_text(pilot)
            assert question(pilot) is first
            assert history(home).answers() == []
        finally:
            gate.set()
        await until(pilot, lambda: "✓ Right." in screen_text(pilot))
    assert len(history(home).answers()) == 1


async def test_a_killed_terminal_goes_on_at_the_very_question(home: Path) -> None:
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


async def test_escape_leaves_a_round_without_an_answer(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        first = question(pilot)
        await press(pilot, "escape")
        assert "at question 1 of 3" in screen_text(pilot)
        assert history(home).answers() == []
        await press(pilot, "r")
        assert question(pilot) == first


async def test_an_answer_that_is_kept_while_one_leaves_counts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(home)
    real, gate = History.record_answer, threading.Event()

    def answered(self: History, *given: Any) -> Any:
        gate.wait(20)
        return real(self, *given)

    monkeypatch.setattr(History, "record_answer", answered)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot)
        await pilot.press(KEYS[question(pilot).answer], "escape")
        gate.set()
        await settled(pilot)
        await until(pilot, lambda: "at question 2 of 3" in screen_text(pilot))
        await press(pilot, "r")
        assert "2/3" in screen_text(pilot)


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


async def test_what_was_missed_is_asked_again_with_its_choices_elsewhere(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=2)
        missed = await answer(pilot, right=False)
        await press(pilot, "enter")
        await answer(pilot, right=True)
        await press(pilot, "enter", "a")
        again = question(pilot)
        assert "1/1" in screen_text(pilot)
        assert (again.text, set(again.choices)) == (missed.text, set(missed.choices))
        assert again.choices != missed.choices
        assert again.choices[again.answer] == missed.choices[missed.answer]
        assert again.character == missed.character
        await answer(pilot, right=True)
        await press(pilot, "enter")
        assert "Nothing was missed." in screen_text(pilot)


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
        await press(pilot, "d")
        assert "1/1" in screen_text(pilot)
        assert question(pilot).description == missed.description
        await answer(pilot, right=True)
        await press(pilot, "enter", "escape")
        assert "Nothing is due; the next card comes" in screen_text(pilot)


async def test_several_books_are_asked_about_when_they_are_marked(home: Path) -> None:
    describe(home, "own-a")
    describe(home, "own-b")
    async with at("quiz", "own-a") as pilot:
        await pilot.press("space")
        assert "● own-a" in screen_text(pilot)
        screen(pilot).query_one("#books").show(  # type: ignore[attr-defined]
            screen(pilot).overview, datetime.now(UTC), "own-b"
        )
        await pilot.press("space")
        assert screen(pilot).query_one("#upto", Input).disabled
        await begin(pilot, n=6)
        current = screen(pilot).current_round
        assert current is not None
        assert set(current.book_ids) == {"own-a", "own-b"}


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
        await press(pilot, "o")
        assert app.current_mode == "quiz"  # not before it is answered
        answered = await answer(pilot, right=True)
        await press(pilot, "o")
        await until(pilot, lambda: app.current_mode == "reader")
        await until(pilot, lambda: "It was raining when the ship left" in screen_text(pilot))
        assert any("F7 leads back" in line for line in notifications(pilot))
        await press(pilot, "f7")
        assert question_sentence(answered) in screen_text(pilot)
        assert "✓ Right." in screen_text(pilot)
        assert app.current_book == QUAY


async def test_a_passage_of_a_book_that_is_not_there_says_how_to_add_it(home: Path) -> None:
    async with at("quiz", "pg158") as pilot:
        await begin(pilot)
        await answer(pilot, right=True)
        await press(pilot, "o")
        assert any(
            "Emma is not on the shelf" in line and "158" in line for line in notifications(pilot)
        )


async def test_what_one_likes_to_be_asked_is_remembered(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        screen(pilot).query_one("#kind", Select).value = "desc2name"
        await begin(pilot, n=2, levels="2", upto="7")
        assert {quiz_question.kind for quiz_question in screen(pilot).current_round.questions} == {  # type: ignore[union-attr]
            "desc2name"
        }
        assert question(pilot).level == 2
    async with at("quiz", LAMP) as pilot:
        values = {
            field: screen(pilot).query_one(f"#{field}", Input).value
            for field in ("n", "levels", "upto", "seed")
        }
        assert values == {"n": "2", "levels": "2", "upto": "7", "seed": "5"}
        assert screen(pilot).query_one("#kind", Select).value == "desc2name"


async def test_the_chapter_where_reading_stopped_is_a_key_away(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await press(pilot, "u")
        assert any("not read in this book yet" in line for line in notifications(pilot))
        scholar(pilot).library.bookmarks.record_position(ReadingPosition(LAMP, f"{LAMP}:2.5", 900))
        await press(pilot, "u")
        assert screen(pilot).query_one("#upto", Input).value == "2"


async def test_escape_leads_from_a_field_to_the_list(home: Path) -> None:
    async with at("quiz") as pilot:
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Input)
        await pilot.press("1", "2", "escape")
        assert pilot.app.focused is screen(pilot).query_one("#books")
        assert screen(pilot).query_one("#n", Input).value.endswith("12")


async def test_statistics_are_bars_of_text(home: Path) -> None:
    describe(home)
    async with at("quiz", LAMP) as pilot:
        await begin(pilot, n=2)
        await answer(pilot, right=True)
        await press(pilot, "enter")
        missed = await answer(pilot, right=False)
        await press(pilot, "escape", "s")
        text = screen_text(pilot)
        assert "██████████░░░░░░░░░░  50 %  1 of 2" in text
        assert "Due in the coming days" in text
        assert "today" in text
        assert f"{missed.character}  1 of 1" in text
        await press(pilot, "escape")
        assert "On the shelf" in screen_text(pilot) or "Not on the shelf" in screen_text(pilot)


async def test_a_round_can_be_exported(home: Path) -> None:
    async with at("quiz", "pg158") as pilot:
        assert screen(pilot).export_listing() is None
        await begin(pilot, n=2)
        missed = await answer(pilot, right=False)
        listing = screen(pilot).export_listing()
        assert listing is not None
        records = json.loads(listing.formats["json"])
        assert [record.get("right") for record in records] == [False, None]
        assert records[0]["evidence"][0]["quote"] == missed.evidence[0].quote
        assert f"(`{missed.evidence[0].locator}`)" in listing.formats["md"]
        assert "← answered" in listing.formats["md"]
        assert "title = {{Emma}}" in listing.formats["bib"]


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


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
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
            assert "^p palette" in text
            await press(pilot, "enter")
        assert "0 of 2 right" in screen_text(pilot)


def test_an_automatic_description_and_few_choices_are_said_before_the_answer() -> None:
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


def test_a_round_stands_where_its_history_ends() -> None:
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
def test_what_is_no_round_is_damaged(text: str) -> None:
    with pytest.raises(Damaged, match="begin another"):
        rounds.round_from_json(text)


def test_what_is_asked_twice_is_asked_once() -> None:
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
def test_what_is_no_level_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no level"):
        parse_levels(text)


@pytest.mark.parametrize(
    "text", [None, "", "no", "[]", '{"n": "ten"}', '{"levels": [9]}', '{"kind": "all"}', "null"]
)
def test_wishes_that_cannot_be_read_are_as_if_nothing_was_wished(text: str | None) -> None:
    assert QuizPreferences.from_json(text) == QuizPreferences()


def test_wishes_are_remembered_as_they_were() -> None:
    wishes = QuizPreferences(7, "name2desc", (2, 3), True, 5)
    assert QuizPreferences.from_json(wishes.to_json()) == wishes
