"""Keys pressed faster than boxes open and results arrive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

import reader_screen
from find_screen import bookmarks, hits, search_for
from library_screen import paste
from reader_screen import first_words
from scholar_indexes.types import Progress
from scholar_tui.screens.add import AddScreen
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen, GoToScreen, NoteScreen
from scholar_tui.widgets.claim_box import ClaimBox
from screens import (
    CLOCK,
    LAMP,
    QUAY,
    at,
    close_boxes,
    ended,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)


def press_at_once(pilot: Pilot[None], *keys: str) -> None:
    """Send keys to the app one after another without a pause."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch, target: object, method: str) -> Iterator[None]:
    """Block calls of a method until the `with` block ends."""
    go_on = threading.Event()
    whole = getattr(target, method)

    def slow(*arguments: Any, **options: Any) -> Any:
        go_on.wait(60)  # longer than `until` waits
        return whole(*arguments, **options)

    monkeypatch.setattr(target, method, slow)
    try:
        yield
    finally:
        go_on.set()


async def test_text_typed_after_the_key_of_a_box_goes_into_the_box(two_books: Path) -> None:
    async with at() as pilot:
        # Text typed after the add key goes into the box.
        press_at_once(pilot, *"abed")
        await settled(pilot)
        assert isinstance(pilot.app.screen, AddScreen)
        assert pilot.app.screen.query_one(Input).value == "bed"
        assert len(scholar(pilot).library.books.all()) == 2
        await close_boxes(pilot)

        # Text typed after the filter key goes into the box.
        press_at_once(pilot, "slash", *"dad")
        await settled(pilot)
        assert pilot.app.screen.query_one("#filter", Input).value == "dad"
        await pilot.press("escape")

        # Text pasted after the key of a box goes into the box.
        press_at_once(pilot, "slash")
        pilot.app.post_message(events.Paste("lamp"))
        await settled(pilot)
        assert pilot.app.screen.query_one("#filter", Input).value == "lamp"
        await pilot.press("escape")

        # An immediate mark applies to the narrowed list.
        assert await choose_at_once(pilot, *"bell", "tab") == ["bell"]
        assert await choose_at_once(pilot, *"bell", "down", "tab") == ["bells"]

        # Text typed after the key of a screen goes into its box.
        press_at_once(pilot, "f3", *"sad")
        await settled(pilot)
        assert pilot.app.screen.query_one(ClaimBox).value == "sad"


@pytest.mark.usefixtures("one_encoder")
async def test_keys_pressed_after_a_claim_wait_for_its_passages(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("find") as pilot:
        # They are keys of the list, not letters of the claim.
        box = pilot.app.screen.query_one(ClaimBox)
        with held_up(monkeypatch, scholar(pilot).library, "find"):
            press_at_once(pilot, *"coins", "enter", "n", "s")
            await until(pilot, lambda: bool(scholar(pilot).type_ahead._expected_boxes))
        await settled(pilot)
        assert box.value == "coins"
        assert [kept.quote for kept in bookmarks().quotations()] == [hits(pilot).rows[1].quote]

        # Those pressed before Escape are forgotten, and the passages come anyway.
        await pilot.press("slash", "end")
        with held_up(monkeypatch, scholar(pilot).library, "find"):
            press_at_once(pilot, *" lost", "enter", "s")
            await until(pilot, lambda: bool(scholar(pilot).type_ahead._expected_boxes))
            press_at_once(pilot, "escape")
        await settled(pilot)
        assert box.value == "coins lost"
        assert pilot.app.focused is hits(pilot)
        assert len(bookmarks().quotations()) == 1

        # Those pressed for passages that are not found are forgotten too.
        await pilot.press("slash", "home")
        press_at_once(pilot, *"?!", "ctrl+k", "enter", "s")
        await settled(pilot)
        assert box.value == "?!"
        assert pilot.app.focused is box


async def test_text_typed_while_a_thread_prepares_a_box_goes_into_it(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("characters", "own-the-quay") as pilot:
        await pilot.press("c", *"not", "enter")
        await settled(pilot)
        with held_up(monkeypatch, scholar(pilot).library.corrections, "list"):
            press_at_once(pilot, "u", *"not")
            await pilot.pause()
        await settled(pilot)
        assert isinstance(pilot.app.screen, ChooseScreen)
        assert pilot.app.screen.query_one(Input).value == "not"


async def test_escape_gives_up_a_box_that_does_not_come(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("characters", "own-the-quay") as pilot:
        for is_waited_for in (False, True):
            with held_up(monkeypatch, scholar(pilot).library.corrections, "list"):
                press_at_once(pilot, "u", *"not")
                if is_waited_for:
                    await until(pilot, lambda: bool(scholar(pilot).type_ahead._expected_boxes))
                press_at_once(pilot, "escape", "slash", *"bell")
                box = pilot.app.screen.query_one("#filter", Input)
                await until(pilot, lambda box=box: box.value == "bell")  # type: ignore[misc]
            await settled(pilot)
            assert not notifications(pilot)
            assert pilot.app.focused is box
            await pilot.press("escape")


async def test_keys_that_are_held_down_are_all_answered_and_a_note_begun_at_once_is_whole(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        # Every repeat of a held key takes effect.
        await search_for(pilot)
        press_at_once(pilot, *["down"] * 12)
        await settled(pilot)
        assert hits(pilot).highlighted == 12

        # A note typed immediately is complete.
        press_at_once(pilot, "e", *"seed")
        await settled(pilot)
        assert isinstance(pilot.app.screen, NoteScreen)
        assert pilot.app.screen.query_one("TextArea").text == "seed"  # type: ignore[attr-defined]


# -- keys that leave a box -------------------------------------------------------------------------


async def test_a_book_is_added_though_another_screen_is_asked_for_at_once(
    home: Path, source: Path
) -> None:
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, str(source))
        press_at_once(pilot, "enter", "f4")
        await until(pilot, lambda: len(scholar(pilot).library.books.all()) == 1)
        assert scholar(pilot).current_mode == "reader"


@pytest.mark.slow
async def test_a_book_is_opened_though_another_screen_is_asked_for_at_once(two_books: Path) -> None:
    async with at("reader", LAMP) as pilot:
        await pilot.press("b", *"clock")
        press_at_once(pilot, "enter", "f2")
        await settled(pilot)
        assert scholar(pilot).current_mode == "library"
        await pilot.press("f4")
        await settled(pilot)
        assert reader_screen.screen(pilot).reading.book.id == CLOCK


@pytest.mark.slow
async def test_a_place_is_gone_to_though_another_screen_is_asked_for_at_once(
    two_books: Path,
) -> None:
    async with at("reader", LAMP) as pilot:
        start = first_words(pilot)
        await pilot.press("g", *"60%")
        press_at_once(pilot, "enter", "f3", "f4")
        await settled(pilot)
        assert scholar(pilot).current_mode == "reader"
        assert first_words(pilot) != start


async def test_a_box_that_is_answered_after_it_was_left_does_nothing(two_books: Path) -> None:
    async with at("reader", LAMP) as pilot:
        await pilot.press("g")
        box = pilot.app.screen
        assert isinstance(box, GoToScreen)
        await scholar(pilot).navigate("find")
        box.dismiss("60%")
        await settled(pilot)
        assert scholar(pilot).current_mode == "find"


# -- keys after text -------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_note_that_is_kept_at_once_is_kept_whole(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        press_at_once(pilot, "e", *"seed", "ctrl+s")
        await settled(pilot)
        assert [kept.note for kept in bookmarks().quotations()] == ["seed"]
        press_at_once(pilot, "e", *"bed")
        await settled(pilot)
        press_at_once(pilot, *"ding", "ctrl+s")
        await settled(pilot)
        assert [kept.note for kept in bookmarks().quotations()] == ["seedbedding"]


@pytest.mark.slow
async def test_a_note_that_is_left_at_once_is_not_thrown_away(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        press_at_once(pilot, "e", *"seed", "escape")
        await settled(pilot)
        assert isinstance(pilot.app.screen, NoteScreen)
        assert "this is not saved yet" in screen_text(pilot)


@pytest.mark.parametrize("key", ["f2", pytest.param("ctrl+q", marks=pytest.mark.slow)])
async def test_a_note_is_whole_though_its_box_is_closed_at_once(two_books: Path, key: str) -> None:
    async with at("reader", LAMP) as pilot:
        await pilot.press("m", "e")
        await settled(pilot)
        press_at_once(pilot, *"seed", key)
        await settled(pilot)
    assert [kept.note for kept in bookmarks().quotations()] == ["seed"]


async def choose_at_once(pilot: Pilot[None], *keys: str) -> list[str] | None:
    """Press keys in a box of choices as soon as it opens, then Enter; return the choice."""
    chosen: list[list[str] | None] = []
    choices = [ChoiceItem(name, name) for name in ("amber", "bell", "bells")]
    pilot.app.push_screen(ChooseScreen("Marks", choices, marked=()), chosen.append)
    await settled(pilot)
    press_at_once(pilot, *keys, "enter")
    await settled(pilot)
    return chosen[0]


# -- boxes prepared by threads --------------------------------------------------------------------


async def test_text_typed_while_a_box_is_prepared_goes_into_it_and_ctrl_g_stops_it(
    attributed_quay: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with at("reader", QUAY) as pilot:
        # Text typed while the characters of a book load goes into their box.
        await pilot.press("full_stop")
        with held_up(monkeypatch, scholar(pilot).library.corrections, "cast"):
            press_at_once(pilot, "c", *"eli")
            await pilot.pause()
        await settled(pilot)
        assert isinstance(pilot.app.screen, ChooseScreen)
        assert pilot.app.screen.query_one(Input).value == "eli"
        await close_boxes(pilot)

        # Waiting for a box can be stopped.
        begun, go_on = threading.Event(), threading.Event()

        def slow(_: str, progress: Progress) -> None:
            progress("finding characters", 1, 2)
            begun.set()
            go_on.wait(300)
            progress("finding characters", 2, 2)

        monkeypatch.setattr(scholar(pilot).library.corrections, "cast", slow)
        await pilot.press("full_stop")
        press_at_once(pilot, "c")
        await until(pilot, begun.is_set)
        press_at_once(pilot, *"eli", "ctrl+g")
        await until(pilot, lambda: any("stopped" in line for line in notifications(pilot)))
        go_on.set()
        await ended(pilot)
        assert not isinstance(pilot.app.screen, ChooseScreen | NoteScreen)
