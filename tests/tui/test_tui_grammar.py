"""Consistent keys: meanings of letters, the palette and the footers."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import actions
from textual.binding import Binding
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.pilot import Pilot

import scholar_tui
from find_screen import search_for
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_tui import key_reference
from scholar_tui.commands import palette_commands
from scholar_tui.keys import GRAMMAR, GROUPS
from scholar_tui.navigation import SCREENS
from scholar_tui.widgets.book_table import BookTable
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.key_bar import KeyBar
from screens import (
    LARGE,
    SMALL,
    at,
    close_boxes,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)

EXCEPTIONS = {
    **dict.fromkeys("0123456789", "numbers: the section, the facet or the choice of that number"),
    "y": "in a question before something is deleted or merged, yes",
    "n": "in a question before something is deleted or merged, no",
    "o": "in the question before a paper is deleted, out of this collection only",
    "space": "marks in a list, as it does everywhere; turns the page in the reader",
}
"""Single-character keys bound outside the common scheme, with the reason."""

DIALOGS_WITH_QUESTIONS = {"ConfirmScreen", "RemovePaperScreen"}

WIDTHS = [80, 100, 120, 160, 200]


def classes_with_keys() -> Iterator[type[DOMNode]]:
    """Yield every class of the screen with its own bindings."""
    modules = [scholar_tui.__name__]
    modules += [
        module.name for module in pkgutil.walk_packages(scholar_tui.__path__, "scholar_tui.")
    ]
    for name in modules:
        for _, node in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            if node.__module__ == name and "BINDINGS" in node.__dict__:
                yield node


def single_keys() -> list[tuple[type[DOMNode], Binding]]:
    """Return the bindings of keys that type one character."""
    return [
        (node, binding)
        for node in classes_with_keys()
        for binding in Binding.make_bindings(node.__dict__["BINDINGS"])
        if (key_to_character(binding.key) or "\t").isprintable()
    ]


def test_every_letter_is_of_the_grammar_or_a_named_exception() -> None:
    keys = {meaning: entry.keys.split(",") for meaning, entry in GRAMMAR.items()}
    for node, binding in single_keys():
        if binding.id is not None and binding.key in keys[binding.id]:
            continue
        assert binding.key in EXCEPTIONS, (node, binding)
        if binding.key in ("y", "n", "o"):
            assert node.__name__ in DIALOGS_WITH_QUESTIONS


def test_no_letter_has_two_meanings() -> None:
    meanings: defaultdict[str, set[str]] = defaultdict(set)
    for entry in GRAMMAR.values():
        for key in entry.keys.split(","):
            meanings[key].add(entry.meaning)
    for _, binding in single_keys():
        if binding.id is not None and binding.key != "space":
            meanings[binding.key].add(GRAMMAR[binding.id].meaning)
    assert {key: names for key, names in meanings.items() if len(names) > 1} == {}


def test_every_key_of_the_grammar_is_bound_somewhere() -> None:
    bound = {
        binding.id
        for node in classes_with_keys()
        for binding in Binding.make_bindings(node.__dict__["BINDINGS"])
    }
    assert set(GRAMMAR) - bound == set()


def test_every_meaning_of_the_grammar_is_in_one_group_of_the_help() -> None:
    grouped = [meaning for meanings in GROUPS.values() for meaning in meanings]
    assert sorted(grouped) == sorted(GRAMMAR)


# -- the palette -----------------------------------------------------------------------------------


def assert_palette_has_the_keys(pilot: Pilot[None], name: str) -> None:
    """Fail unless the palette has every action of the screen, with its key."""
    offered = {command.purpose: command.keys for command in palette_commands(scholar(pilot))}
    for row in key_reference.describe_keys(key_reference.load_screen_class(name)):
        assert row.purpose in offered, row
        assert set(row.keys.split(" or ")) <= set(offered[row.purpose])


def assert_keys_have_actions(pilot: Pilot[None]) -> None:
    """Fail unless the screen has the action of every key that it binds."""
    screen = scholar(pilot).mode_screen
    for binding in Binding.make_bindings(type(screen).BINDINGS):
        _, name, _ = actions.parse(binding.action)
        assert callable(getattr(screen, f"action_{name}", None)), binding


def assert_footer_is_whole(pilot: Pilot[None]) -> None:
    """Fail unless the footer ends with the key for more keys and truncates no label."""
    line = screen_text(pilot).splitlines()[-1]
    bar = pilot.app.screen.query_one(KeyBar)
    assert line.rstrip().endswith("f1 More"), line
    assert len(bar.labels) >= 4, line
    for label in bar.labels:
        shown = line[label.cells.start : label.cells.stop]
        assert label.description in shown or len(shown.strip()) == 1, (line, label)


async def test_every_action_of_a_screen_is_in_the_palette_and_no_key_of_a_footer_is_cut(
    two_books: Path,
) -> None:
    async with at("papers", size=(WIDTHS[0], 24)) as pilot:
        for name in SCREENS:
            await scholar(pilot).navigate(name)
            await settled(pilot)
            assert_palette_has_the_keys(pilot, name)
            assert_keys_have_actions(pilot)
            assert_footer_is_whole(pilot)
        # One bar draws all footers, so one screen is enough for the other widths.
        for width in WIDTHS[1:]:
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            assert_footer_is_whole(pilot)


async def test_find_shows_only_actions_and_hints_that_work_now(two_books: Path) -> None:
    async with at("find") as pilot:
        # An unavailable action says so.
        await scholar(pilot).mode_screen.run_from_palette("keep")
        await settled(pilot)
        assert notifications(pilot) == ["that cannot be done here now"]

        # Hints name letters only while letters are keys.
        for hint in ("(f)", "(/)"):
            assert hint not in screen_text(pilot)
        await search_for(pilot)
        assert "filters (f)" in screen_text(pilot)
        assert "Claim (/)" in screen_text(pilot)
        assert "l lists more" in screen_text(pilot)
        await pilot.press("slash")
        await settled(pilot)
        for hint in ("(f)", "(/)", "l lists more"):
            assert hint not in screen_text(pilot)

        # The palette runs the action of a letter even if a box has the focus.
        assert isinstance(pilot.app.focused, ClaimBox)
        await pilot.press("ctrl+p")
        await settled(pilot)
        await pilot.press(*"show the filters".replace(" ", ""))
        await until(pilot, lambda: "Show the filters" in screen_text(pilot))
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen.has_class("-filters"))


# -- the footer ------------------------------------------------------------------------------------


async def test_hints_of_an_empty_find_name_keys_that_work_once_the_box_is_left(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        assert "then f narrows the search, and E shows" in " ".join(screen_text(pilot).split())
        await pilot.press("escape", "f")
        await settled(pilot)
        assert pilot.app.screen.has_class("-filters")
        await pilot.press("escape", "E")
        await settled(pilot)
        assert pilot.app.screen.has_class("-kept")


# -- filters, reading positions, and messages ------------------------------------------------------


@pytest.mark.slow
async def test_filters_of_last_time_are_announced_and_cleared_from_the_box(
    two_books: Path,
) -> None:
    async with at("find", {"claim": "the widow", "author": "Ann Example"}) as pilot:
        await settled(pilot)
    async with at("find") as pilot:
        assert "author Ann Example" in screen_text(pilot)
        assert "F8 clears them" in screen_text(pilot)
        assert isinstance(pilot.app.focused, ClaimBox)
        await pilot.press("f8")
        await settled(pilot)
        assert "Ann Example" not in screen_text(pilot).splitlines()[4]
        assert pilot.app.screen.query_one(ClaimBox).value == "the widow"


async def test_the_palette_speaks_plainly_and_one_key_shows_all_books_again(
    two_books: Path,
) -> None:
    async with at() as pilot:
        # One key shows all books again, from the box and from the list.
        for ways in ((), ("down",)):
            await pilot.press("slash", *"clock", *ways)
            await settled(pilot)
            assert pilot.app.screen.query_one(BookTable).row_count == 1
            await pilot.press("f8")
            await settled(pilot)
            assert pilot.app.screen.query_one(BookTable).row_count == 2
        await close_boxes(pilot)

        # The palette describes it in plain words.
        await pilot.press("ctrl+p")
        await settled(pilot)
        assert isinstance(pilot.app.screen, CommandPalette)
        shown = screen_text(pilot)
        for stock in ("Maximize", "Minimize", "help panel", "Screenshot"):
            assert stock not in shown

        # It lists short names with their keys, those of the screen first, the most used on top.
        lines = [line.split() for line in shown.splitlines()]
        listed = [line[line.index("Library") :] for line in lines[2:] if "Library" in line]
        assert listed[0][:4] == ["Library", "Read", "Enter", "Continue"]
        assert ["Library", "Add", "a"] in [line[:3] for line in listed]


async def test_the_shelf_offers_to_go_on_where_reading_stopped(two_books: Path) -> None:
    async with at() as pilot:
        assert "where you left off" not in screen_text(pilot)
        scholar(pilot).library.bookmarks.record_position(
            ReadingPosition("own-the-lamplighter", "own-the-lamplighter:2.1", 4_500)
        )
    async with at() as pilot:
        lines = screen_text(pilot).splitlines()
        assert re.search(r"r continues where you left off: The Lamplighter, \d+ %", lines[1])
        await pilot.press("r")
        await settled(pilot)
        assert scholar(pilot).current_mode == "reader"
        assert scholar(pilot).current_book == "own-the-lamplighter"


async def test_a_message_covers_nothing(two_books: Path) -> None:
    async with at("reader", "own-the-lamplighter", size=SMALL) as pilot:
        scholar(pilot).show_message("a line to be read", severity="error")
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            toast = next(iter(pilot.app.screen.query("Toast")))
            assert "a line to be read" in screen_text(pilot).splitlines()[toast.region.y]
            for selector in ("#page", "#legend", "KeyBar"):
                assert not toast.region.overlaps(pilot.app.screen.query_one(selector).region)
