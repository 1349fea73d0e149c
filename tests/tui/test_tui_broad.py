"""Screens of 160 columns and more: the side panel, and changes of size."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

import characters_screen
import find_screen
import reader_screen
from find_screen import WIDOW, search_for
from reader_screen import open_reader
from scholar_tui.controllers.side_panel import SecondPlace
from scholar_tui.widgets.character_table import CharacterTable
from scholar_tui.widgets.description_list import DescriptionList
from screens import LAMP, LARGE, QUAY, at, notifications, screen_text, settled

BROAD, HUGE, NEARLY = (160, 40), (200, 60), (159, 40)


async def resize(pilot: Pilot[None], size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    await settled(pilot)


def second(pilot: Pilot[None]) -> SecondPlace:
    return reader_screen.screen(pilot).query_one(SecondPlace)


def panel_text(pilot: Pilot[None]) -> str:
    return str(reader_screen.screen(pilot).query_one("#noted", Static).content)


async def write_note(pilot: Pilot[None], note: str) -> None:
    await pilot.press("J", "e", *("space" if sign == " " else sign for sign in note), "ctrl+s")
    await settled(pilot)


async def test_a_reader_that_is_narrower_has_no_panel(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:1", NEARLY) as pilot:
        side = reader_screen.screen(pilot).query_one("#side")
        assert not side.display
        await resize(pilot, LARGE)
        assert not side.display
        await pilot.press("V")
        await settled(pilot)
        assert notifications(pilot)[-1] == "pinned; it is shown in windows of 160 columns or more"
        await resize(pilot, BROAD)
        assert second(pilot).size.height > 10
        assert "pinned own-the-quay:1" in screen_text(pilot)


async def test_a_broad_reader_says_who_speaks_and_shows_a_note_in_one_place_only(
    attributed_quay: Path,
) -> None:
    async with open_reader(f"{QUAY}:1", BROAD) as pilot:
        assert "Mr. Hale" in panel_text(pilot)
        assert "here" in panel_text(pilot)
        assert "V pins this place" in panel_text(pilot)

        # A note is in the panel or in the margin, not in both.
        await write_note(pilot, "once")
        assert screen_text(pilot).count("once") == 1
        await resize(pilot, NEARLY)
        assert screen_text(pilot).count("once") == 1
        assert not reader_screen.screen(pilot).query_one("#side").display


async def test_a_broad_reader_shows_the_notes_next_to_the_page(two_books: Path) -> None:
    async with open_reader(f"{LAMP}:1", BROAD) as pilot:
        await write_note(pilot, "an order not a wish")
        assert "an order not a wish" in panel_text(pilot)
        assert "kept" in panel_text(pilot)
        await pilot.press("end")
        await settled(pilot)
        assert "an order" not in panel_text(pilot)


async def test_a_pinned_place_is_scrolled_by_itself_until_it_or_the_book_is_changed(
    two_books: Path,
) -> None:
    async with open_reader(f"{LAMP}:2.1", BROAD) as pilot:
        # A pinned place scrolls by itself and can be unpinned there.
        await pilot.press("V", "end")
        await settled(pilot)
        page, pinned = reader_screen.page(pilot), second(pilot)
        top, pinned_top = page.top, pinned.top
        assert top > pinned_top
        pinned.focus()
        await pilot.press("j", "down")
        await settled(pilot)
        assert (page.top, pinned.top > pinned_top) == (top, True)
        await pilot.press("V")
        await settled(pilot)
        assert not pinned.display
        assert pilot.app.focused is page

        # Another book unpins the place.
        await pilot.press("V")
        await settled(pilot)
        reader_screen.screen(pilot).loader.open("own-the-clockmaker")
        await settled(pilot)
        assert not second(pilot).display


@pytest.mark.slow
async def test_the_places_stay_when_the_terminal_is_made_narrow_and_broad_again(
    two_books: Path,
) -> None:
    async with open_reader(f"{LAMP}:2.1", BROAD) as pilot:
        await pilot.press("V", "space", "space")
        await settled(pilot)
        places = reader_screen.page(pilot).top, second(pilot).top
        second(pilot).focus()
        for size in (LARGE, (80, 24), (200, 40), BROAD):
            await resize(pilot, size)
        assert (reader_screen.page(pilot).top, second(pilot).top) == places
        assert pilot.app.focused is reader_screen.page(pilot)


@pytest.mark.slow
@pytest.mark.usefixtures("one_encoder")
async def test_the_reasons_are_next_to_the_page_of_a_passage(two_books: Path) -> None:
    async with at("find", size=BROAD) as pilot:
        await search_for(pilot, WIDOW)
        why, page = find_screen.screen(pilot).query_one("#why"), find_screen.page(pilot)
        assert why.display
        assert why.region.x >= page.region.right
        assert "by meaning" in find_screen.explanation(pilot)
        await pilot.press("e", *"mine", "ctrl+s")
        await settled(pilot)
        assert "mine" in find_screen.explanation(pilot)


@pytest.mark.slow
@pytest.mark.usefixtures("one_encoder")
async def test_the_passage_stays_the_same_in_another_width(two_books: Path) -> None:
    async with at("find", size=LARGE) as pilot:
        await search_for(pilot, WIDOW)
        await pilot.press("down", "down")
        await settled(pilot)
        index, passage = find_screen.hits(pilot).highlighted, find_screen.marked_passage(pilot)
        for size in (BROAD, HUGE, LARGE):
            await resize(pilot, size)
            assert find_screen.hits(pilot).highlighted == index
            assert find_screen.marked_passage(pilot) == passage
            assert find_screen.screen(pilot).query_one("#why").display == (size != LARGE)
        assert "by meaning" not in screen_text(pilot)


async def test_the_card_of_a_character_is_next_to_the_list(attributed_quay: Path) -> None:
    async with characters_screen.open_characters(QUAY, BROAD) as pilot:
        shown = characters_screen.screen(pilot)
        table, about = shown.query_one(CharacterTable), shown.query_one("#about")
        assert about.region.x >= table.region.right
        await characters_screen.press(pilot, "down", "4")
        cursor = table.cursor_id, shown.query_one(DescriptionList).highlighted
        await resize(pilot, LARGE)
        assert about.region.y >= table.region.bottom
        assert about.region.x < table.region.right
        await resize(pilot, HUGE)
        assert (table.cursor_id, shown.query_one(DescriptionList).highlighted) == cursor
        assert shown.query_one(DescriptionList).has_focus
