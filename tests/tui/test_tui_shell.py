"""Parts shared by all screens: navigation, help, export, themes and errors."""

from __future__ import annotations

import os
import threading
from itertools import pairwise
from pathlib import Path

import pytest

import screens
from scholar_tui import key_reference, themes
from scholar_tui.navigation import SCREENS
from scholar_tui.screens.export import ExportScreen
from scholar_tui.screens.help import HelpScreen
from scholar_tui.widgets.key_bar import KeyBar
from screens import at, close_boxes, ended, notifications, scholar, screen_text, settled, until


async def test_damaged_bookmarks_are_reported_and_the_screen_opens(two_books: Path) -> None:
    (two_books / "data" / "desk.sqlite").write_bytes(b"no database at all" * 99)
    app = screens.ScholarApp(screens.user_paths(), screens.settings.load(two_books / "no.toml")[0])
    async with app.run_test(size=screens.LARGE, notifications=True) as pilot:
        await settled(pilot)
        assert any("damaged" in line for line in notifications(pilot))
        assert "The Lamplighter" in screen_text(pilot)


async def test_every_screen_is_a_key_away_and_has_help(two_books: Path) -> None:
    async with at("quiz", size=screens.SMALL) as pilot:
        for name, entry in SCREENS.items():
            await pilot.press(entry.key)
            await settled(pilot)
            assert scholar(pilot).current_mode == name
            await pilot.press("f1")
            await settled(pilot)
            assert isinstance(pilot.app.screen, HelpScreen)
            assert entry.label in screen_text(pilot)
            await pilot.press("escape")
            await settled(pilot)
            assert scholar(pilot).current_mode == name
            assert not isinstance(pilot.app.screen, HelpScreen)


async def test_the_keys_at_the_foot_follow_the_focus_and_none_is_cut(
    two_books: Path,
) -> None:
    async with at("find", size=(40, 24)) as pilot:
        bar = pilot.app.screen.query_one(KeyBar)
        while_writing = [label.description for label in bar.labels]
        assert screen_text(pilot).splitlines()[-1].endswith("▏^p Actions f1 More")
        assert all(left.cells.stop <= right.cells.start for left, right in pairwise(bar.labels))
        await pilot.press("escape")
        await settled(pilot)
        assert [label.description for label in bar.labels] != while_writing


async def test_messages_clicks_and_the_palette_do_what_they_say(two_books: Path) -> None:
    def broken(progress: object) -> None:
        raise RuntimeError("a [wrench] in the works")

    async with at() as pilot:
        # Copied text goes to the terminal's clipboard.
        scholar(pilot).copy("“Go,” he said.", "the quotation")
        await settled(pilot)
        assert pilot.app.clipboard == "“Go,” he said."
        assert notifications(pilot) == ["copied the quotation"]

        # Markup and escape sequences in notifications are shown as text.
        scholar(pilot).show_message("[bold]no[/bold] \x1b[31mred [/oops]")
        await settled(pilot)
        assert "[bold]no[/bold] [31mred [/oops]" in screen_text(pilot)

        # An unexpected failure is one line, and the screen keeps running.
        scholar(pilot).mode_screen.run_in_worker(broken, lambda answer: None)
        await settled(pilot)
        assert "this should not happen" in notifications(pilot)[-1]
        assert "a [wrench] in the works" in notifications(pilot)[-1]
        await close_boxes(pilot)

        # In the box of a dialog, Ctrl+E goes to the end of the line.
        await pilot.press("a", *"box", "home", "ctrl+e", "y")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, ExportScreen)
        assert pilot.app.screen.query_one("#typed", screens.Input).value == "boxy"
        await close_boxes(pilot)

        # A click on a key in the footer presses it.
        bar = pilot.app.screen.query_one(KeyBar)
        [help_label] = [label for label in bar.labels if label.description == "More"]
        middle = help_label.cells[len(help_label.cells) // 2]
        await pilot.hover(KeyBar, offset=(middle, 0))
        assert bar.tooltip == "Help, with all keys"
        await pilot.click(KeyBar, offset=(middle, 0))
        await settled(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)
        await close_boxes(pilot)

        # The palette lists the screens.
        await pilot.press("ctrl+p")
        await settled(pilot)
        await pilot.press(*"quiz")
        await until(pilot, lambda: "A quiz on the characters" in screen_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: scholar(pilot).current_mode == "quiz")
        await pilot.press("f2")

        # A click on a tab in the header opens its screen.
        await pilot.click("#tab-quiz")
        await settled(pilot)
        assert scholar(pilot).current_mode == "quiz"

        # The theme is remembered, and a screen that was opened before it gets it too.
        dark = pilot.app.screen.query_one(KeyBar).rich_style
        pilot.app.theme = themes.CONTRAST
        await settled(pilot)
        contrast = pilot.app.screen.query_one(KeyBar).rich_style
        assert scholar(pilot).library.bookmarks.choice("theme") == themes.CONTRAST
        await pilot.press("f2")
        await settled(pilot)
        assert pilot.app.screen.query_one(KeyBar).rich_style == contrast != dark


async def test_work_that_was_left_is_not_answered_and_work_that_lasts_is(two_books: Path) -> None:
    go_on, answers = threading.Event(), []
    async with at("papers") as pilot:
        # Work of a screen that was left delivers no result.
        scholar(pilot).mode_screen.run_in_worker(lambda progress: go_on.wait(300), answers.append)
        await pilot.press("f2")
        go_on.set()
        await ended(pilot)
        assert answers == []
        await scholar(pilot).navigate("papers")
        await settled(pilot)

        # Lasting work delivers its result on another screen.
        go_on, answers = threading.Event(), []
        scholar(pilot).mode_screen.run_in_worker(
            lambda p: go_on.wait(300), answers.append, lasting=True
        )
        await pilot.press("f2")
        go_on.set()
        await ended(pilot)
        assert answers == [True]


def test_the_keyboard_reference_is_that_of_the_bindings() -> None:
    written = Path(__file__).parents[2] / "docs" / "keys.md"
    assert written.read_text("utf-8") == key_reference.reference(), (
        "run: .venv/bin/python docs/keys.py"
    )


@pytest.mark.parametrize("name", SCREENS)
def test_no_screen_takes_the_keys_of_the_app(name: str) -> None:
    taken = {"f1", "ctrl+e", "ctrl+q", "ctrl+p", *(entry.key for entry in SCREENS.values())}
    screen = key_reference.load_screen_class(name)
    for node in (screen, *screen.KEY_HELP.values()):
        for binding in key_reference.own_bindings(node):
            if not binding.action.startswith("app."):
                assert not taken & set(binding.key.split(",")), node


@pytest.mark.parametrize("name", SCREENS)
def test_every_key_that_is_shown_says_what_it_does(name: str) -> None:
    screen = key_reference.load_screen_class(name)
    for node in (screen, *screen.KEY_HELP.values()):
        for binding in key_reference.own_bindings(node):
            assert binding.description or not binding.show, (node, binding)


def test_starting_loads_no_models_and_no_index(two_books: Path) -> None:
    """Runs in a new process, because other tests have loaded everything."""
    import subprocess
    import sys

    code = (
        "import sys, asyncio; sys.path.insert(0, sys.argv[1]); import screens\n"
        "async def main():\n"
        "    async with screens.at() as pilot:\n"
        "        assert 'The Lamplighter' in screens.screen_text(pilot)\n"
        "asyncio.run(main())\n"
        "heavy = {'torch', 'lancedb', 'numpy', 'onnxruntime', 'spacy', 'pyarrow'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SCHOLAR_HOME": str(two_books)},
        timeout=120,
    )
    assert done.stdout.strip() == "[]", done
