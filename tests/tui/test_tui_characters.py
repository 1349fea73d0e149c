"""The characters screen: the characters of a book, their passages and descriptions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from textual.pilot import Pilot

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
    shown_items,
    type_text,
)
from scholar_indexes.sanitize import one_line
from scholar_tui.widgets.character_table import CharacterTable
from scholar_tui.widgets.component_styles import component_style
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.network_graph import NetworkGraph
from screens import LARGE, QUAY, SMALL, at, scholar, screen_text, settled


def cursor_id(pilot: Pilot[None]) -> str | None:
    return screen(pilot).query_one(CharacterTable).cursor_id


async def test_the_book_of_the_other_screens_is_looked_at(described_quay: Path) -> None:
    async with at("library") as pilot:
        await press(pilot, "f5")
        assert scholar(pilot).current_mode == "characters"
        assert "The Quay · Ann Example" in screen_text(pilot)


async def test_characters_are_listed_narrowed_plotted_and_described_by_sections(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY) as pilot:
        # Characters are listed with their numbers.
        library = other_library()
        for character in library.characters.profiles(QUAY):
            row = next(
                line
                for line in screen_text(pilot).splitlines()
                if line.strip().startswith(character.character.name) and "male" in line
            )
            assert str(character.character.gender) in row
            assert f" {character.quotations} " in row
            assert f" {character.mentions} " in row
            assert "█" in row
        assert "2 characters, by amount of speech" in screen_text(pilot)
        await press(pilot, "1", "escape", "escape", "home")

        # Typing narrows the list and Escape widens it.
        await press(pilot, "slash")
        await type_text(pilot, "HALE")
        assert names(pilot) == [HALE]
        assert "1 of 2 characters" in screen_text(pilot)
        await type_text(pilot, "q")
        assert "no name has all these words" in screen_text(pilot)
        assert shown_items(pilot) == []
        await press(pilot, "escape")
        assert names(pilot) == BOTH
        assert screen(pilot).query_one(CharacterTable).has_focus
        await press(pilot, "slash")
        await type_text(pilot, "eliz")
        await press(pilot, "enter")
        assert screen(pilot).query_one(CharacterTable).has_focus
        assert names(pilot) == [ELIZABETH]
        await press(pilot, "escape")
        assert names(pilot) == BOTH
        await press(pilot, "1", "escape", "escape", "home")

        # A shortened name finds its character.
        await press(pilot, "slash")
        await type_text(pilot, "Mr Hal")
        assert names(pilot) == [HALE]
        await press(pilot, "1", "escape", "escape", "home")

        # g goes to the conversation partner.
        before = cursor_id(pilot)
        await press(pilot, "g")
        assert cursor_id(pilot) == before
        await press(pilot, "slash")
        await type_text(pilot, "marsh")
        await press(pilot, "enter", "2", "g")
        assert cursor_id(pilot) != before
        assert names(pilot) == BOTH
        await press(pilot, "1", "escape", "escape", "home")

        # v plots quotations instead.
        assert "Named, by chapter" in screen_text(pilot)
        assert "named, at most" in screen_text(pilot)
        await press(pilot, "v")
        assert "Says, by chapter" in screen_text(pilot)
        assert "says, at most 2 in a chapter" in screen_text(pilot)
        await press(pilot, "1", "escape", "escape", "home")

        # Sections show partners, places and quotations.
        await press(pilot, "2")
        (partner,) = shown_items(pilot)
        assert partner.startswith(HALE)
        assert "6 turns in 2 ch., from 1.2" in partner
        await press(pilot, "3")
        assert [item.split()[0] for item in shown_items(pilot)] == ["1", "2"]
        await press(pilot, "4")
        assert len(shown_items(pilot)) == other_library().characters.profiles(QUAY)[0].quotations
        assert "“Let them listen!” 2.4" in shown_items(pilot)
        await press(pilot, "5")
        (pair,) = shown_items(pilot)
        assert pair.startswith(f"{ELIZABETH} – {HALE}")
        assert "6 turns in 2 ch., from 1.2" in pair
        await press(pilot, "right", "right")
        assert shown_items(pilot)[0].startswith("called")
        await press(pilot, "left", "left", "left")
        assert "“Let them listen!” 2.4" in shown_items(pilot)
        await press(pilot, "escape", "down")
        assert "“Why did you stay?” 1.2" in shown_items(pilot)
        await press(pilot, "1", "escape", "escape", "home")

        # A smaller window keeps the selected character.
        await press(pilot, "down")
        before = cursor_id(pilot)
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        assert cursor_id(pilot) == before
        assert max(map(len, screen_text(pilot).splitlines())) <= SMALL[0]


async def test_a_graph_shows_who_speaks_with_whom_and_who_is_together(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY) as pilot:
        # The graph has the names, the ties of the marked character, and their numbers.
        await press(pilot, "6")
        assert f"{HALE} 6" in screen_text(pilot)
        assert f"{ELIZABETH} speaks with {HALE} 6" in screen_text(pilot)

        # v draws who is together.
        (tie,) = other_library().characters.cast(QUAY).company
        await press(pilot, "v")
        assert f"{ELIZABETH} is with {HALE} {tie.weight}" in screen_text(pilot)

        # Enter goes to the marked character in the list, and Escape back to where the list was.
        await press(pilot, "escape")
        assert cursor_id(pilot) == screen(pilot).cast.profiles[0].character.id
        await press(pilot, "6", "down", "enter")
        assert screen(pilot).query_one(CharacterTable).has_focus
        assert screen(pilot).selected.character.name == HALE
        assert f"{HALE} is with {ELIZABETH}" in screen_text(pilot)

        # A small window has room for all of it; a narrow one cuts the name, not the number.
        await pilot.resize_terminal(*SMALL)
        await press(pilot, "6")
        assert f"{ELIZABETH} {tie.weight}" in screen_text(pilot)
        await pilot.resize_terminal(40, 24)
        await settled(pilot)
        assert f"Elizabeth… {tie.weight}" in screen_text(pilot)

        # Lines between other characters are fainter than the names.
        graph = screen(pilot).query_one(NetworkGraph)
        assert component_style(graph, "network--other").color != graph.rich_style.color


@pytest.mark.parametrize(
    ("sections", "told"),
    [('\nsections = "1"', "narrates in 1 of 2 chapters"), ("", "the narrator")],
)
async def test_the_chapters_of_a_narrator_are_shown(
    described_quay: Path, sections: str, told: str
) -> None:
    other_library().corrections.replace(QUAY, f'[[narrator]]\nname = "{ELIZABETH}"{sections}')
    async with open_characters(QUAY) as pilot:
        assert told in str(screen(pilot).query_one("#name").render())


async def test_corrected_characters_are_listed(described_quay: Path) -> None:
    other_library().corrections.replace(QUAY, f'[[rename]]\nname = "{HALE}"\nto = "Edward Hale"')
    async with open_characters(QUAY) as pilot:
        assert sorted(names(pilot)) == ["Edward Hale", ELIZABETH]
        other_library().corrections.undo(QUAY, 1)
    async with open_characters(QUAY) as pilot:
        assert sorted(names(pilot)) == sorted(BOTH)


async def test_o_orders_and_descriptions_come_with_their_passages(described_quay: Path) -> None:
    library = other_library()
    company, descriptions = library.characters.descriptions(library.characters.cast(MILL))
    async with open_characters(MILL) as pilot:
        # Names and descriptions come first, with their passages.
        for portrait in company.profiles:
            listed = shown_items(pilot)
            assert listed[0].startswith(f"called {portrait.character.name}")
            for description in descriptions.get(portrait.character.id, []):
                assert any(
                    item.startswith(description.text) and item.endswith("automatic")
                    for item in listed
                )
                assert any(one_line(description.passages[0].text) in item for item in listed)
            await press(pilot, "down")
        assert len(descriptions) >= 2
        await press(pilot, "home")

        # o sorts; the selected character stays selected.
        says = names(pilot)
        await press(pilot, "down")
        character_id = cursor_id(pilot)
        await press(pilot, "o")
        assert "by mentions" in screen_text(pilot)
        await press(pilot, "o")
        assert (names(pilot), cursor_id(pilot)) == (sorted(says), character_id)
        assert says != sorted(says)
        await press(pilot, "o")
        assert "by first appearance" in screen_text(pilot)
        await press(pilot, "o")
        assert (names(pilot), cursor_id(pilot)) == (says, character_id)


async def test_everything_that_matters_is_in_sight(described_quay: Path) -> None:
    matters = (HALE, ELIZABETH, "Says", "Named", "First", "by chapter", "2 With", "turns")
    async with open_characters(QUAY, SMALL) as pilot:
        footer = pilot.app.screen.query_one(KeyBar)
        for section in ("1", "2"):
            await press(pilot, section)
            for size in (SMALL, LARGE, (200, 60)):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                shown = screen_text(pilot)
                assert footer.labels[-1].cells.stop <= size[0]
                assert all(a.cells.stop <= b.cells.start for a, b in pairwise(footer.labels))
        for size in (SMALL, LARGE, (200, 60)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            shown = screen_text(pilot)
            for text in (*matters, "w Who", "Find", "█"):
                assert text in shown, (size, text)
