"""The walk through the screens that an empty library offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from find_screen import search_for
from scholar_tui.walk import OVER
from screens import SMALL, Pilot, at, notifications, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


def step(pilot: Pilot[None]) -> str:
    """Return the line of the walk on the screen; empty without a walk."""
    lines = [line for line in screen_text(pilot).splitlines() if "F9 leaves" in line]
    return lines[0].strip() if lines else ""


async def test_an_empty_library_offers_a_walk_that_can_be_left_and_begun_again(home: Path) -> None:
    async with at(size=SMALL) as pilot:
        assert step(pilot).startswith("1 of 5: F2, then Enter adds three novels")
        await pilot.press("f3")
        await settled(pilot)
        assert step(pilot).startswith("1 of 5")
        await pilot.press("f9")
        await settled(pilot)
        assert step(pilot) == ""
        assert scholar(pilot).library.bookmarks.choice("walk") == OVER
    async with at(size=SMALL) as pilot:
        assert step(pilot) == ""
        await pilot.press("f9")
        await settled(pilot)
        assert step(pilot).startswith("1 of 5")


async def test_each_step_of_the_walk_is_done_by_the_keys_that_it_names(two_books: Path) -> None:
    async with at(size=SMALL) as pilot:
        assert step(pilot) == ""
        await pilot.press("f9")
        await settled(pilot)
        assert step(pilot).startswith("2 of 5: F3")
        await pilot.press("f3")
        await search_for(pilot)
        assert step(pilot).startswith("3 of 5: Enter goes to the passages; s keeps")
        await pilot.press("s")
        await until(pilot, lambda: step(pilot).startswith("4 of 5: Enter reads"))
        await pilot.press("enter")
        await settled(pilot)
        assert step(pilot).startswith("5 of 5: F5")
        await pilot.press("f5")
        await settled(pilot)
        assert step(pilot) == ""
        assert any("that was the walk" in line for line in notifications(pilot))
