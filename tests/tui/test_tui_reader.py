"""The reader: opening a book where reading stopped, and going to any place in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from command_line import environment
from reader_screen import first_words, line_text, open_reader, page, screen, styled_texts
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks, ReadingPosition
from scholar_tui.screens.dialogs import GoToScreen
from scholar_tui.widgets.outline import Outline
from screens import (
    CLOCK,
    LAMP,
    LARGE,
    QUAY,
    SMALL,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that asks for a place."""
    return str(pilot.app.screen.query_one("#means", Static).content)


def position_of(book_id: str) -> ReadingPosition | None:
    return Bookmarks(user_paths().bookmarks).position(book_id)


async def test_reading_goes_on_where_it_stopped_in_the_book_read_last(
    two_books: Path,
) -> None:
    async with open_reader(CLOCK, SMALL) as pilot:
        await pilot.press("space", "space", "j")
        top = page(pilot).top
        assert top > 0
    async with open_reader(size=SMALL) as pilot:
        assert scholar(pilot).current_book == CLOCK
        assert page(pilot).top == top


async def test_a_place_is_written_once_scrolling_rests_and_a_hit_does_not_change_it(
    two_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        # The position is saved soon after scrolling stops.
        await pilot.press("space", "space")
        top = page(pilot).top
        await until(pilot, lambda: (position_of(LAMP) or ReadingPosition("", "", 0)).start == top)

        # Following a hit does not lose where reading stopped.
        await pilot.press("space", "space")
        stopped = page(pilot).top
        await scholar(pilot).navigate("reader", f"{LAMP}:3.2:4-9")
        await settled(pilot)
        await until(pilot, lambda: not screen(pilot).reading_position.is_visiting)
        assert (position_of(LAMP) or ReadingPosition("", "", 0)).start == stopped
        await pilot.press("backspace")
        await settled(pilot)
        assert page(pilot).top == stopped
        await scholar(pilot).navigate("reader", f"{LAMP}:3.2:4-9")
        await settled(pilot)
        await until(pilot, lambda: not screen(pilot).reading_position.is_visiting)
        await pilot.press("j")
        top = page(pilot).top
        await until(pilot, lambda: (position_of(LAMP) or ReadingPosition("", "", 0)).start == top)


async def test_another_book_is_read_when_another_screen_or_the_list_of_books_says_so(
    two_books: Path,
) -> None:
    async with open_reader(LAMP) as pilot:
        # Other screens choose the book to read.
        scholar(pilot).current_book = CLOCK
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "The Clockmaker" in line_text(pilot, "where")
        await scholar(pilot).navigate("reader", LAMP)
        await settled(pilot)

        # Another book is chosen from the list of books.
        await pilot.press("b", *"clock", "enter")
        await settled(pilot)
        assert scholar(pilot).current_book == CLOCK
        assert "The Clockmaker" in line_text(pilot, "where")


async def test_a_hit_is_marked_and_brought_to_the_middle(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.3:1-5", (80, 12)) as pilot:
        assert styled_texts(pilot, "hit") == ["Hush"]
        span = page(pilot).styles_of("hit")[0].span
        assert page(pilot).visible_span.start < span.start < page(pilot).visible_span.end
        await pilot.press("escape")
        assert styled_texts(pilot, "hit") == []


async def test_chapters_are_stepped_through(two_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("right_square_bracket")
        await settled(pilot)
        assert first_words(pilot).startswith("CHAPTER 2")
        assert line_text(pilot, "place").split()[0] == f"{LAMP}:2.1"
        await pilot.press("j", "j", "j", "left_square_bracket")
        await settled(pilot)
        assert first_words(pilot).startswith("CHAPTER 2")
        await pilot.press("left_square_bracket")
        await settled(pilot)
        assert first_words(pilot).startswith("CHAPTER 1")
        await pilot.press("end")
        await settled(pilot)
        assert line_text(pilot, "place").split()[-2:] == ["100", "%"]
        await pilot.press("right_square_bracket")
        await settled(pilot)
        assert notifications(pilot)[-1] == "this is the last chapter"
        await pilot.press("backspace")
        await settled(pilot)
        assert first_words(pilot).startswith("CHAPTER 1")


async def go_to(pilot: Pilot[None], written: str) -> None:
    await pilot.press("g")
    pilot.app.screen.query_one(Input).value = written
    await pilot.press("enter")
    await settled(pilot)


async def test_places_are_gone_to_and_one_that_is_not_there_is_refused_inline(
    two_books: Path,
) -> None:
    async with open_reader(size=SMALL) as pilot:
        # The first book opens at its beginning.
        assert scholar(pilot).current_book == LAMP
        assert line_text(pilot, "where").startswith("The Lamplighter · ")
        assert line_text(pilot, "place").split() == [f"{LAMP}:1.1", "0", "%"]
        assert "The lamplighter walked" in screen_text(pilot)

        # A nonexistent place is refused, and nothing moves.
        await pilot.press("g", *"3.99", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, GoToScreen)
        assert "no paragraph 99; its last is 10" in box_message(pilot)
        await pilot.press("backspace", "backspace", "2")
        await settled(pilot)
        assert box_message(pilot).startswith(
            "Chapter 3, own-the-lamplighter:3.2: The lamplighter walked"
        )
        await pilot.press("escape")
        assert pilot.app.screen is screen(pilot)
        assert page(pilot).top == 0

        for written, begins in (
            ("2", "CHAPTER 2"),
            ("3.4", "The lamplighter walked"),
            (f"{LAMP}:2.1", "The lamplighter walked"),
            ("chapter 3", "CHAPTER 3"),
        ):
            await go_to(pilot, written)
            assert pilot.app.screen is screen(pilot), written
            assert first_words(pilot).startswith(begins), written
            assert page(pilot).top > 0, written

        # A place in another book opens that book.
        await go_to(pilot, "own-nowhere:1")
        assert "no book is called" in screen_text(pilot)
        pilot.app.screen.query_one(Input).value = f"{CLOCK}:2.1:4-14"
        await pilot.press("enter")
        await settled(pilot)
        assert scholar(pilot).current_book == CLOCK
        assert styled_texts(pilot, "hit") == ["clockmaker"]


async def test_the_outline_has_parts_follows_the_reading_and_unfolds(two_parts: str) -> None:
    async with open_reader(two_parts) as pilot:
        # The outline has parts and follows the reading.
        outline = screen(pilot).query_one(Outline)
        assert outline.display
        parts = [node.label for node in outline.root.children if node.children]
        assert [str(part) for part in parts] == ["Book the First", "Book the Second"]
        await pilot.press("right_square_bracket")
        await settled(pilot)
        node = outline.cursor_node
        assert node
        assert str(node.label) == "Chapter 2"
        assert "Book the First · Chapter 2" in line_text(pilot, "where")

        # A folded part unfolds when reading reaches it.
        outline = screen(pilot).query_one(Outline)
        for node in outline.root.children:
            node.collapse()
        await pilot.press("g", "colon", "3", "enter")
        await settled(pilot)
        folded = {str(node.label): not node.is_expanded for node in outline.root.children}
        assert folded["Book the First"]
        assert not folded["Book the Second"]


async def test_markup_is_text_and_the_outline_is_hidden_on_a_small_terminal_until_t(
    two_parts: str,
) -> None:
    async with open_reader(two_parts, SMALL) as pilot:
        # Markup and control characters of a book are shown as text.
        shown = screen_text(pilot)
        assert "A [red]Tale[/]" in line_text(pilot, "where")
        assert "A [red]Tale[/]" in shown
        assert "[bold]Nobody[/bold]" in shown
        assert "answered [31mher." in " ".join(shown.split())
        assert "\x1b" not in shown

        # The outline is hidden on a small terminal until t.
        outline = screen(pilot).query_one(Outline)
        assert not outline.display
        await pilot.press("t")
        await settled(pilot)
        assert outline.display
        assert outline.has_focus
        nodes = outline.root.children
        last = next(node for node in reversed(nodes) if node.children)
        outline.move_cursor(last)
        await pilot.press("space")
        await settled(pilot)
        assert not last.is_expanded
        await pilot.press("space", "down", "enter")
        await settled(pilot)
        assert not outline.display
        assert "Book the Second · Chapter 1" in line_text(pilot, "where")
        assert page(pilot).has_focus
        await pilot.press("t", "escape")
        assert not outline.display


async def test_everything_of_the_footer_and_the_running_head_fits(attributed_quay: Path) -> None:
    keys = ("Search", "Go to", "Contents", "Keep", "Actions", "More")
    async with open_reader(QUAY, SMALL) as pilot:
        await pilot.press("full_stop")
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            shown = screen_text(pilot).splitlines()
            assert all(key in shown[-1] for key in keys), size
            assert "The Quay · Chapter 1" in shown[1], size
            assert shown[1].rstrip().endswith("%"), size


KILLED = """
import asyncio, os, sys
from screens import app, settled
async def main():
    made = app("reader", sys.argv[1])
    async with made.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("space", "space")
        await settled(pilot)
        screen = made.screen
        while screen.reading_position.saved.start != screen.page.top or made.changes.pending:
            await pilot.pause(0.05)
        print(screen.page.top, file=sys.__stdout__, flush=True)  # print alone is the app's
        await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.slow
async def test_the_place_survives_a_killed_terminal(two_books: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, LAMP],
        stdout=subprocess.PIPE,
        env=environment(two_books, PYTHONPATH=str(Path(__file__).parents[1])),
    )
    try:
        assert process.stdout
        top = int(process.stdout.readline())
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert top > 0
    async with open_reader(size=SMALL) as pilot:
        assert page(pilot).top == top
