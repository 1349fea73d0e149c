"""Helpers for the characters screen: its table, its sections, and a small book of dialogue."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from textual.pilot import Pilot
from textual.widgets import Static

from scholar_indexes import settings
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_tui.screens.characters import CharactersScreen
from scholar_tui.widgets.character_table import CharacterTable
from scholar_tui.widgets.description_list import DescriptionList
from screens import LARGE, at, settled

MILL = "own-the-mill"
ELIZABETH, HALE = "Elizabeth Marsh", "Mr. Hale"
BOTH = [ELIZABETH, HALE]


TALE = """
Chapter 1

“It is late,” said Anna Bell. Anna Bell was a tall and timid woman, and the sister of Tom Reed.

“It is not,” said Tom Reed. Tom was a miller by trade. The miller stopped the wheel.

“It is dark,” said Anna. Old Martha Pine, the aunt of Anna Bell, slept. Martha Pine was very deaf.

“Then light the lamp,” said Tom. Anna lit the lamp and wept.
"""


def open_characters(
    request: Any = None, size: tuple[int, int] = LARGE
) -> AbstractAsyncContextManager[Pilot[None]]:
    return at("characters", request, size)


def screen(pilot: Pilot[None]) -> CharactersScreen:
    return cast(CharactersScreen, pilot.app.screen_stack[0])


def names(pilot: Pilot[None]) -> list[str]:
    return list(screen(pilot).query_one(CharacterTable).names)


def shown_items(pilot: Pilot[None]) -> list[str]:
    """Return the items listed for the chosen character in the current section."""
    return [item.content.plain for item in pilot.app.screen.query_one(DescriptionList).items]


def part_text(pilot: Pilot[None], part: str) -> str:
    return str(pilot.app.screen.query_one(f"#{part}", Static).content)


def other_library() -> Library:
    """Return the library as another program opens it."""
    return Library(user_paths(), settings.load(user_paths().config)[0])


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each after the screen has reacted to the previous one."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def type_text(pilot: Pilot[None], words: str) -> None:
    await pilot.press(*("space" if word == " " else word for word in words))
    await settled(pilot)
