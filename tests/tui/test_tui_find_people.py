"""Find on the screen: claims about people of a book that are not known yet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from background_gate import WAIT_S, Gate
from command_line import DIALOGUE_BOOK
from find_screen import hits, screen, search_for, type_text
from libraries import add_book
from scholar_indexes.background import people_queue
from scholar_tui.widgets.claim_box import ClaimBox
from screens import QUAY, Pilot, at, notifications, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")

CLAIM = "Elizabeth is angry"
AS_WORDS = "names as words"


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate(tmp_path / "gate")
    monkeypatch.setattr(people_queue, "COMMAND", made.command)
    return made


def count_line(pilot: Pilot[None]) -> str:
    """Return the line below the claim."""
    return str(screen(pilot).query_one(ClaimBox).border_subtitle)


def knows_people(pilot: Pilot[None]) -> bool:
    results = screen(pilot).results
    return results is not None and results.hits[0].item.characters is not None


def said(pilot: Pilot[None], text: str) -> int:
    return sum(text in line for line in notifications(pilot))


async def test_an_answer_stays_if_people_are_not_found_and_one_message_says_so(
    quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_queue, "COMMAND", (sys.executable, "-c", "raise SystemExit(7)"))
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        await until(pilot, lambda: bool(said(pilot, "could not find")), WAIT_S)
        [line] = notifications(pilot)
        assert "of The Quay: the process ended with exit code 7" in line
        assert "scholar index people -b own-the-quay" in line
        assert hits(pilot).rows
        assert AS_WORDS in count_line(pilot)
        assert scholar(pilot).background == ("", 0, 0, "")

        # Another claim about the same book does not retry.
        await search_for(pilot, "Elizabeth laughs")
        await settled(pilot)
        assert not scholar(pilot).people.is_working
        assert len(notifications(pilot)) == 1


async def test_a_key_stops_what_is_done_in_the_background_and_quitting_ends_it(
    quay: Path, tmp_path: Path, gate: Gate
) -> None:
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        assert hits(pilot).rows
        gate.wait_for(QUAY)
        await until(pilot, lambda: "25 % finding mentions" in screen_text(pilot), WAIT_S)
        assert "^g stops" in screen_text(pilot)
        await pilot.press("ctrl+g")
        await until(pilot, lambda: scholar(pilot).background[0] == "", WAIT_S)
        gate.wait_for_end()
        assert notifications(pilot) == ["stopped; to find people later: scholar index people"]
        assert AS_WORDS in count_line(pilot)
    async with at("find") as pilot:  # searches the last claim again and restarts the book
        await until(pilot, lambda: scholar(pilot).background[0] != "", WAIT_S)
    gate.wait_for_end()


async def test_the_claim_is_asked_again_with_people_for_a_reader_who_has_not_moved(
    quay: Path, gate: Gate
) -> None:
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        await until(pilot, lambda: scholar(pilot).background[0] != "", WAIT_S)
        assert AS_WORDS in count_line(pilot)
        assert not knows_people(pilot)
        gate.open()
        await until(pilot, lambda: knows_people(pilot), WAIT_S)
        await settled(pilot)
        assert AS_WORDS not in count_line(pilot)
        assert screen(pilot).focused is hits(pilot)
        assert notifications(pilot) == [
            "the people of The Quay are known now; the search was repeated"
        ]
        assert "finding mentions" not in screen_text(pilot)


async def test_a_reader_who_has_moved_is_offered_the_answer_with_people(
    quay: Path, gate: Gate
) -> None:
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        await until(pilot, lambda: scholar(pilot).background[0] != "", WAIT_S)
        await pilot.press("j")
        gate.open()
        await until(pilot, lambda: "R searches again, with people" in count_line(pilot), WAIT_S)
        assert said(pilot, "are known now; R in the list of Find searches again, with people") == 1
        assert hits(pilot).highlighted == 1
        assert not knows_people(pilot)

        # Enter in the claim box does the same; there R is a letter.
        await pilot.press("slash")
        await settled(pilot)
        assert "Enter searches again, with people" in count_line(pilot)
        await pilot.press("escape", "R")
        await settled(pilot)
        assert knows_people(pilot)
        assert "with people" not in count_line(pilot)


async def test_people_that_were_found_while_another_screen_was_shown_are_asked_with_on_return(
    quay: Path, gate: Gate
) -> None:
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        await until(pilot, lambda: scholar(pilot).background[0] != "", WAIT_S)
        await pilot.press("f2")
        await settled(pilot)
        assert "25 % finding mentions" in screen_text(pilot)
        gate.open()
        await until(pilot, lambda: bool(said(pilot, "are known now")), WAIT_S)
        await pilot.press("f3")
        await until(pilot, lambda: knows_people(pilot), WAIT_S)


async def test_people_of_several_books_are_not_found_in_the_background(
    quay: Path, gate: Gate, tmp_path: Path
) -> None:
    for name in ("pier", "mole", "dock", "wharf", "jetty"):
        text = DIALOGUE_BOOK.replace("quay", name)
        add_book(quay, tmp_path / f"{name}.txt", text, f"The {name.title()}")
    async with at("find") as pilot:
        await search_for(pilot, CLAIM)
        assert AS_WORDS in count_line(pilot)
        assert said(pilot, "to match people, run: scholar index people") == 1
        await type_text(pilot, "/")
        assert gate.begun == []
