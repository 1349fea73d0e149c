"""The focus is never in what is not shown, and keys of the line work in every box."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, TextArea

from find_screen import search_for
from scholar_tui import key_reference
from scholar_tui.navigation import SCREENS
from screens import CLOCK, LAMP, LARGE, SMALL, at, close_boxes, scholar, settled

LEAVING = {"f8", "escape", "enter", "backspace", "ctrl+g"}
"""Keys that are pressed elsewhere, or for which another key returns."""


def is_shown(widget: Widget) -> bool:
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))


def assert_focus_is_shown(pilot: Pilot[None], *after: object) -> None:
    focused = pilot.app.focused
    assert focused is None or is_shown(focused), (focused, after)


def keys_of(name: str) -> list[str]:
    """Return one key for each action of a screen."""
    keys: dict[str, str] = {}
    for binding in Binding.make_bindings(key_reference.load_screen_class(name).BINDINGS):
        if binding.key not in LEAVING:
            keys.setdefault(binding.action, binding.key)
    return list(keys.values())


@pytest.mark.usefixtures("one_encoder")
async def test_no_key_and_no_size_leaves_the_focus_in_what_is_hidden(two_books: Path) -> None:
    async with at(size=SMALL) as pilot:
        for name in SCREENS:
            await scholar(pilot).navigate(name, CLOCK if name in ("reader", "characters") else None)
            await settled(pilot)
            if name == "find":
                await search_for(pilot)
            for key in keys_of(name):
                await pilot.press(key)
                await settled(pilot)
                assert_focus_is_shown(pilot, name, key)
                await close_boxes(pilot)
                if scholar(pilot).current_mode != name:
                    await scholar(pilot).navigate(name)
                await settled(pilot)
                assert_focus_is_shown(pilot, name, key)
                if isinstance(pilot.app.focused, Input):
                    await pilot.press("escape")
                    await settled(pilot)
                assert_focus_is_shown(pilot, name, key, "escape")

            # Everything that can have the focus is focused on a large terminal, then hidden.
            await pilot.resize_terminal(200, 60)
            await settled(pilot)
            for widget in pilot.app.screen.focus_chain:
                widget.focus()
                for size in (SMALL, LARGE):
                    await pilot.resize_terminal(*size)
                    await settled(pilot)
                    assert_focus_is_shown(pilot, name, widget, size)
            await pilot.resize_terminal(*SMALL)


async def test_the_keys_of_a_line_edit_every_box(two_books: Path) -> None:
    boxes = {
        "library": ["slash", "a"],
        "find": [""],
        "reader": ["slash", "g", "b", "e"],
        "characters": ["slash", "w"],
        "papers": ["slash", "p", "f", "a"],
    }
    async with at(size=SMALL) as pilot:
        for name, openers in boxes.items():
            await scholar(pilot).navigate(name, LAMP if name in ("reader", "characters") else None)
            await settled(pilot)
            for opener in openers:
                if opener:
                    await pilot.press(opener)
                    await settled(pilot)
                box = pilot.app.focused
                assert isinstance(box, Input | TextArea), (name, opener)
                opened = len(pilot.app.screen_stack)
                for keys, written in (
                    (["ctrl+u", *"ab", "space", *"cd"], "ab cd"),
                    (["ctrl+w"], "ab "),
                    (["ctrl+a", "x"], "xab "),
                    (["ctrl+e", "y"], "xab y"),
                    (["home", "right", "ctrl+k"], "x"),
                    (["ctrl+u"], ""),
                ):
                    await pilot.press(*keys)
                    await settled(pilot)
                    text = box.text if isinstance(box, TextArea) else box.value
                    assert text == written, (name, opener, keys)
                assert pilot.app.focused is box
                assert len(pilot.app.screen_stack) == opened
                await pilot.press("escape")
                await close_boxes(pilot)
