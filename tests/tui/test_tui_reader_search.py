"""Search in a book."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from reader_screen import first_words, line_text, open_reader, page, screen, styled_texts
from scholar_indexes.books.reading import book_navigator
from scholar_tui.widgets.concordance import SearchHits
from screens import LAMP, SMALL, notifications, scholar, screen_text, settled, until


async def test_matches_are_found_as_one_types_and_words_that_are_not_there_are_none(
    two_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        # Words that do not occur have no matches.
        await pilot.press("n")
        assert notifications(pilot)[-1] == "no search yet; / searches"
        await pilot.press("slash", *"[whale", "enter")
        await settled(pilot)
        assert line_text(pilot, "count") == "“[whale” none"
        await pilot.press("n")
        assert notifications(pilot)[-1] == "“[whale” is not in this book; / searches again"
        await pilot.press("escape", "home")
        await settled(pilot)

        # Typing finds matches; Escape goes back.
        await pilot.press("slash", *"month 3")
        await until(pilot, lambda: "1 of 10" in line_text(pilot, "count"))
        await settled(pilot)
        assert page(pilot).top > 0
        await pilot.press("escape")
        await settled(pilot)
        assert page(pilot).top == 0
        assert page(pilot).has_focus
        await pilot.press("escape", "home")
        await settled(pilot)

        # n continues from the current reading position.
        await pilot.press("slash", *"day 0", "enter")
        await settled(pilot)
        await pilot.press("right_square_bracket", "right_square_bracket", "n")
        await settled(pilot)
        assert "3 of 3" in line_text(pilot, "count")


async def test_a_search_marks_every_match_counts_them_and_one_key_forgets_it(
    two_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        # One key clears the words, from the box and from the page.
        assert screen(pilot).check_action("clear_filters", ()) is False
        for ways in ((), ("enter",)):
            await pilot.press("slash", *"the widow", *ways)
            await until(pilot, lambda: "of 30" in line_text(pilot, "count"))
            await settled(pilot)
            assert screen(pilot).check_action("clear_filters", ())
            await pilot.press("f8")
            await settled(pilot)
            assert (styled_texts(pilot, "found"), line_text(pilot, "count")) == ([], "")
            assert page(pilot).has_focus
        await pilot.press("home")

        # A search marks every match of the whole book and counts them.
        await pilot.press("slash", *"the widow", "enter")
        await settled(pilot)
        assert styled_texts(pilot, "found") == ["the widow"] * 30
        assert "“the widow” 1 of 30" in line_text(pilot, "count")
        assert len(styled_texts(pilot, "match")) == 1
        await pilot.press("n", "n")
        await settled(pilot)
        assert "3 of 30" in line_text(pilot, "count")
        await pilot.press("N", "N", "N")
        await settled(pilot)
        assert "30 of 30" in line_text(pilot, "count")
        assert "the widow" in first_words(pilot)
        await pilot.press("escape")
        assert (styled_texts(pilot, "found"), line_text(pilot, "count")) == ([], "")


async def test_hits_are_listed_with_the_words_around_them_and_counted_by_chapter(
    two_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        # Words that do not occur have no list.
        await pilot.press("slash", *"whale", "down")
        await settled(pilot)
        assert not screen(pilot).query_one(SearchHits).display
        await pilot.press("escape", "home")

        # Every hit has a line with its place, and every chapter a bar.
        await pilot.press("slash", *"the widow")
        await until(pilot, lambda: screen(pilot).query_one(SearchHits).display)
        await settled(pilot)
        assert "30 hits in 3 of 3 chapters" in screen_text(pilot)
        lines = [line for line in screen_text(pilot).splitlines() if line.startswith("1.")]
        assert all(line.index("the widow") == lines[0].index("the widow") for line in lines)

        # The page follows the cursor in the list.
        await pilot.press("down", "down")
        await settled(pilot)
        assert "2 of 30" in line_text(pilot, "count")
        await pilot.press("right_square_bracket")
        await settled(pilot)
        assert line_text(pilot, "place").startswith(f"{LAMP}:2.")

        # A key shows the numbers by chapter, and Enter reads on from a hit.
        await pilot.press("i")
        await settled(pilot)
        assert "in 10,000 words" in screen_text(pilot)
        await pilot.press("down", "enter")
        await settled(pilot)
        assert page(pilot).has_focus
        assert not screen(pilot).query_one(SearchHits).display
        assert line_text(pilot, "place").startswith(f"{LAMP}:3.")

        # The list opens again at the hit on the page, and Escape goes back to where one was.
        top = page(pilot).top
        await pilot.press("slash", "down", "i", "home", "escape")
        await settled(pilot)
        assert page(pilot).top == top
        assert line_text(pilot, "count") == ""


async def test_n_repeats_a_search_that_another_screen_cut_short(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, find = threading.Event(), book_navigator.find_text

    def find_slowly(*args: Any) -> Any:
        gate.wait()
        return find(*args)

    monkeypatch.setattr(book_navigator, "find_text", find_slowly)
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("slash", *"the widow", "enter")
        await until(pilot, lambda: screen(pilot).is_working("seeking"))
        await pilot.press("f2")
        await until(pilot, lambda: scholar(pilot).current_mode == "library")
        gate.set()
        await settled(pilot)
        await pilot.press("f4", "n")
        await settled(pilot)
        assert "“the widow” 1 of 30" in line_text(pilot, "count")


async def test_a_search_with_more_hits_replaces_the_list_of_chapters(two_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("slash", *"day 0")
        await until(pilot, lambda: "of 3" in line_text(pilot, "count"))
        await settled(pilot)
        await pilot.press("down", "i", "end", "slash")
        await settled(pilot)
        screen(pilot).query_one("#sought", Input).value = "the widow"
        await until(pilot, lambda: "of 30" in line_text(pilot, "count"))
        await settled(pilot)
        assert "30 hits in 3 of 3 chapters" in screen_text(pilot)
