"""Corrections made and undone on the characters screen and in the reader."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from characters_screen import (
    BOTH,
    ELIZABETH,
    HALE,
    MILL,
    names,
    open_characters,
    other_library,
    press,
    screen,
    type_text,
)
from reader_screen import line_text, open_reader, styled_texts
from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_tui.screens.dialogs import ChooseScreen
from scholar_tui.widgets.character_table import CharacterTable
from screens import QUAY, SMALL, close_boxes, ended, notifications, screen_text, settled, until

ANN = "It was raining when the ship left,"


def corrections(book_id: str = QUAY) -> list[str]:
    """Return the active corrections, as another program lists them."""
    return [status.text for status in other_library().corrections.list(book_id)]


def marked(pilot: Pilot[None]) -> str:
    """Return the name of the character under the cursor."""
    table = screen(pilot).query_one(CharacterTable)
    return table.names[table.cursor_row]


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_correction_that_contradicts_an_earlier_one_is_reported_and_not_applied(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY) as pilot:
        name = marked(pilot)
        await press(pilot, "c", *"woman", "enter", *"fem", "enter")
        await press(pilot, "c", *"woman", "enter", *"unk", "enter")
        assert f"{name} is given two genders" in notifications(pilot)[-1]
        assert "nothing was changed" in notifications(pilot)[-1]
        assert corrections() == [f"the gender of {name} is female"]
        await press(pilot, "c", *"not", "enter")
        assert "also marked as not a person" in notifications(pilot)[-1]
        assert sorted(names(pilot)) == sorted(BOTH)


async def test_an_invalid_correction_is_reported_and_not_applied(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        for keys, message in (
            (("c", *"called", "enter", "question_mark", "enter"), "'?' has no letters"),
            (("c", *"narr", "enter", *"9-3", "enter"), "run backwards"),
            (("c", *"narr", "enter", *"77", "enter"), "has no chapter 77; it has 1-2"),
        ):
            await press(pilot, *keys)
            assert message in notifications(pilot)[-1]
            assert corrections() == []
            await close_boxes(pilot)


async def test_a_character_known_only_from_a_bank_cannot_be_corrected(described_quay: Path) -> None:
    bank = described_quay / "data" / "descriptions" / f"{QUAY}.jsonl"
    bank.parent.mkdir(exist_ok=True)
    described = {"level": 1, "text": "the one who never came"}
    bank.write_text(json.dumps({"name": "Zoe Quill", "descriptions": [described]}), "utf-8")
    async with open_characters(QUAY) as pilot:
        await press(pilot, "end")
        assert marked(pilot) == "Zoe Quill"
        await press(pilot, "c")
        assert "known only from written descriptions" in notifications(pilot)[-1]
        await press(pilot, "home", "c", *"same", "enter")
        assert "Zoe Quill" not in choices(pilot)


def choices(pilot: Pilot[None]) -> str:
    """Return the options shown in a list of choices."""
    assert isinstance(pilot.app.screen, ChooseScreen)
    options = pilot.app.screen.query_one(OptionList).options
    return "\n".join(str(option.prompt) for option in options)


async def test_a_quotation_is_chosen_first_and_c_says_whose_it_is(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        # A quotation must be chosen first.
        await press(pilot, "c")
        assert "step to a quotation" in notifications(pilot)[-1]
        assert not isinstance(pilot.app.screen, ChooseScreen)

        # If nothing was corrected, u says so.
        await press(pilot, "u")
        assert "nothing was corrected" in notifications(pilot)[-1]

        # Speakers of nearby quotations are offered first.
        await press(pilot, "greater_than_sign", "c")
        assert choices(pilot).index(HALE) < choices(pilot).index(ELIZABETH)
        await close_boxes(pilot)
        await press(pilot, "escape", "home")

        # c sets the speaker of a quotation; its colour follows.
        await press(pilot, "greater_than_sign")
        assert line_text(pilot, "message").startswith(f"{ELIZABETH} · ")
        await press(pilot, "c", *"hale", "enter")
        assert line_text(pilot, "message").startswith(f"{HALE} · 100 % sure")
        assert styled_texts(pilot, "quotation")[0] == ANN
        assert notifications(pilot)[-1].endswith(f"is said by {HALE}; u takes it back")
        await press(pilot, "u", "enter")
        assert line_text(pilot, "message").startswith(f"{ELIZABETH} · ")
        assert corrections() == []


# -- people --------------------------------------------------------------------------------------


async def test_two_characters_are_made_one_and_the_cursor_goes_to_that_one(
    described_quay: Path,
) -> None:
    async with open_characters(MILL) as pilot:
        before = names(pilot)
        assert len(before) == 3
        await press(pilot, "down")
        target, gone = before[0], before[1]
        for answer in ("n", "y"):  # it asks first, and says how to undo it
            assert names(pilot) == before
            await press(pilot, "c", *"same", "enter")
            await type_text(pilot, target)
            await press(pilot, "enter")
            asked = " ".join(screen_text(pilot).replace("│", " ").split())
            assert f"Is {gone} the same as {target}?" in asked
            assert "u takes it back" in asked
            await press(pilot, answer)
        assert notifications(pilot)[-1] == (
            f"corrected: {target} and {gone} are one; u takes it back"
        )
        assert gone not in names(pilot)
        assert marked(pilot) == target
        await press(pilot, "u", "enter")
        assert notifications(pilot)[-1] == f"taken back: {target} and {gone} are one"
        assert names(pilot) == before
        assert marked(pilot) == target


@pytest.mark.slow
async def test_n_gives_a_name_and_the_cursor_goes_with_it(described_quay: Path) -> None:
    async with open_characters(MILL) as pilot:
        await press(pilot, "o", "o")
        await press(pilot, "c", *"called", "enter")
        await type_text(pilot, "Zacharias")
        await press(pilot, "enter")
        assert marked(pilot) == "Zacharias"
        assert names(pilot) == sorted(names(pilot))
        assert "by name" in screen_text(pilot)


@pytest.mark.slow
async def test_x_takes_a_character_out_until_u_takes_that_back(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "c", *"not", "enter")
        assert names(pilot) == [HALE]
        assert notifications(pilot)[-1].startswith(f"corrected: {ELIZABETH} is not a person")
        await press(pilot, "c", *"not", "enter")
        assert "No characters were found" in screen_text(pilot)
        await press(pilot, "u", "enter")
        assert names(pilot) == [HALE]
        await press(pilot, "u", "enter")
        assert names(pilot) == BOTH
        assert corrections() == []


@pytest.mark.slow
async def test_s_and_i_give_a_gender_and_a_narrator(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "c", *"woman", "enter", *"unk", "enter")
        profile = screen(pilot).selected
        assert profile is not None
        assert profile.character.gender == "unknown"
        await press(
            pilot, "c", *"narr", "enter", "enter", "down", "c", *"narr", "enter", *"1-2", "enter"
        )
        assert corrections() == [
            f"the gender of {ELIZABETH} is unknown",
            f"{ELIZABETH} narrates the whole book",
            f"{HALE} narrates sections 1-2",
        ]


@pytest.mark.slow
async def test_c_offers_every_kind_and_escape_leaves_everything(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY, SMALL) as pilot:
        await press(pilot, "c")
        for kind in ("is the same as …", "is called …", "is not a person", "the narrator"):
            assert kind in choices(pilot)
        await press(pilot, "escape")
        await press(pilot, "c", *"not", "enter")
        assert names(pilot) == [HALE]
        await press(pilot, "c", *"same", "enter", "escape")
        assert corrections() == [f"{ELIZABETH} is not a person"]


async def test_the_list_is_corrected_at_once_and_the_quotations_are_attributed_again_later(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    attribute = pipeline.attribute_to_cast

    def wait_and_attribute(*arguments: Any) -> Dialogue:
        assert gate.wait(300)
        return attribute(*arguments)

    monkeypatch.setattr(pipeline, "attribute_to_cast", wait_and_attribute)
    async with open_characters(QUAY) as pilot:
        profile = screen(pilot).selected
        assert profile is not None
        await pilot.press("c", *"not", "enter")
        await until(pilot, lambda: names(pilot) == [HALE])
        moved = screen(pilot).selected
        gate.set()
        await ended(pilot)
        attributed = screen(pilot).selected
        assert moved is not None
        assert attributed is not None
        assert moved.quotations < attributed.quotations
        quotes = other_library().speakers(QUAY, attribute_again=False)
        assert sum(quote.attribution.speaker is not None for quote in quotes) == (
            attributed.quotations
        )


@pytest.mark.slow
async def test_a_filter_stays_while_its_characters_are_corrected(described_quay: Path) -> None:
    async with open_characters(MILL) as pilot:
        await press(pilot, "slash", *"bell", "enter", "c", *"called", "enter", *"Belle", "enter")
        assert names(pilot) == ["Belle"]
        assert "1 of 3 characters" in screen_text(pilot)


# -- reading -------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_character_who_was_not_detected_can_be_added(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        await press(pilot, "greater_than_sign", "c")
        await type_text(pilot, "the harbour master")
        await press(pilot, "enter")
        assert line_text(pilot, "message").startswith("the harbour master · 100 % sure")
        assert "■ the harbour master" in line_text(pilot, "legend")
        assert corrections()[0] == "the harbour master is a character"


@pytest.mark.slow
async def test_both_screens_have_what_was_corrected_on_the_other(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "f4", "f5", "c", *"called", "enter")
        await type_text(pilot, "Eliza")
        await press(pilot, "enter", "f4")
        await until(pilot, lambda: "■ Eliza" in screen_text(pilot))
        assert ELIZABETH not in line_text(pilot, "legend")
        await press(pilot, "u", "enter", "f5")
        await settled(pilot)
        assert sorted(names(pilot)) == sorted(BOTH)
