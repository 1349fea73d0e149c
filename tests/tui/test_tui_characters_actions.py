"""From a character to passages, quotations, other screens and files."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from characters_screen import (
    BOTH,
    ELIZABETH,
    HALE,
    MILL,
    names,
    open_characters,
    other_library,
    part_text,
    press,
    screen,
    shown_items,
    type_text,
)
from scholar_indexes.library import Library
from scholar_tui.screens.description_search import DescriptionSearchScreen
from scholar_tui.widgets.character_table import CharacterTable
from screens import CLOCK, LAMP, QUAY, ended, exported, notifications, scholar, screen_text, until


async def test_a_character_leads_to_its_places_its_quotations_and_find(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY) as pilot:
        # Enter opens the first passage of a character, or the highlighted item.
        for keys, marked in (
            (("enter",), ELIZABETH),
            (("4", "down", "enter"), "Because nobody"),
            (("2", "enter"), "Why did you stay?"),
            (("3", "down", "enter"), "Then we are"),
        ):
            await press(pilot, *keys)
            assert scholar(pilot).current_mode == "reader", keys
            assert marked_in_reader(pilot).startswith(marked), keys
            await press(pilot, "f5")
            assert names(pilot) == BOTH

        # A quotation is copied with its source.
        await press(pilot, "escape", "home", "down", "4", "y")
        assert pilot.app.clipboard == (
            f"“Why did you stay?”\n— {HALE}, in Ann Example, The Quay, Chapter 1 [{QUAY}:1.2:1-18]"
        )
        assert notifications(pilot)[-1] == "copied the quotation with its source"

        # Find opens with the speaker filled in.
        await press(pilot, "escape", "home", "p")
        assert scholar(pilot).current_mode == "find"
        assert pilot.app.screen.query_one("#speaker", Input).value == ELIZABETH


def marked_in_reader(pilot: Pilot[None]) -> str:
    """Return the marked text in the reader."""
    from scholar_tui.widgets.book_text import BookText

    page = pilot.app.screen.query_one(BookText)
    return " ".join(style.span.of(page.text) for style in page.styles_of("hit"))


async def test_y_copies_a_description_with_its_passage(described_quay: Path) -> None:
    library = other_library()
    cast, descriptions = library.characters.descriptions(library.characters.cast(MILL))
    character_id, (description, *_) = next(iter(descriptions.items()))
    async with open_characters(MILL) as pilot:
        screen(pilot).query_one(CharacterTable).go_to(character_id)
        await press(pilot, "1", "y")
        copied = pilot.app.clipboard
        assert description.text in copied
        assert "automatic" in copied
        assert f"[{description.passages[0].locator}]" in copied
        assert cast.stored.book.title in copied


async def test_f_finds_in_the_quotations_of_a_character_and_q_opens_the_quiz(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_characters(QUAY) as pilot:
        gone: list[tuple[str, object]] = []

        async def navigate(name: str, request: object = None) -> None:
            gone.append((name, request))

        monkeypatch.setattr(scholar(pilot), "navigate", navigate)
        await press(pilot, "p", "q")
        assert gone == [("find", {"claim": "", "book": QUAY, "speaker": ELIZABETH}), ("quiz", QUAY)]


async def test_b_chooses_another_book(two_books: Path) -> None:
    async with open_characters(LAMP) as pilot:
        assert "The Lamplighter" in screen_text(pilot)
        await press(pilot, "b")
        assert "(this one)" in screen_text(pilot)
        await type_text(pilot, "clock")
        await press(pilot, "enter")
        assert "The Clockmaker" in screen_text(pilot)
        assert scholar(pilot).current_book == CLOCK


async def test_w_searches_characters_by_a_description(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "w", "enter")
        assert "describes nobody" in part_text(pilot, "message")
        await type_text(pilot, "who stood on the quay all night")
        await press(pilot, "enter")
        await until(pilot, lambda: bool(shown_items(pilot)))
        ranked = [item for item in shown_items(pilot) if item.rstrip().endswith("%")]
        assert ranked[0].startswith("1. ")
        await press(pilot, "down")
        assert "“" in shown_items(pilot)[1]
        await press(pilot, "up", "enter")
        assert not isinstance(pilot.app.screen, DescriptionSearchScreen)
        best = ranked[0].removeprefix("1. ").split("  ")[0]
        assert names(pilot)[screen(pilot).query_one(CharacterTable).cursor_row] == best
        await press(pilot, "w")
        await type_text(pilot, "who stood on the quay all night")
        await press(pilot, "enter")
        await until(pilot, lambda: bool(shown_items(pilot)))
        await press(pilot, "down", "enter")
        assert scholar(pilot).current_mode == "reader"
        assert marked_in_reader(pilot)


async def test_a_question_that_is_left_is_ended(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(*_: object, progress: Callable[..., None], **__: object) -> object:
        assert gate.wait(300)
        progress("who", 0, 0)
        return []

    monkeypatch.setattr(Library, "who", slow)
    async with open_characters(QUAY) as pilot:
        await pilot.press("w", *"tall", "enter")
        await until(pilot, lambda: "searching the book" in screen_text(pilot))
        await pilot.press("x", "escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DescriptionSearchScreen))
        assert all(worker.is_cancelled for worker in pilot.app.workers if worker.group == "who")
        gate.set()
        await ended(pilot)
        assert names(pilot) == BOTH


async def test_the_list_of_characters_can_be_exported(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "slash")
        await type_text(pilot, "marsh")
        await press(pilot, "enter")
        (record,) = json.loads(exported(pilot, "json"))
        assert record["name"] == ELIZABETH
        assert record["speaks_with"][0]["name"] == HALE
        assert [chapter["number"] for chapter in record["chapters"]] == [1, 2]
        assert record["descriptions"] is not None
        assert f"| {ELIZABETH} | female |" in exported(pilot, "md")
        assert "The Quay" in exported(pilot, "bibtex")
        await press(pilot, "ctrl+e")
        assert f"{QUAY}-characters" in screen_text(pilot)
