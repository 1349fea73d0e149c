"""The note box: its text is lost only by a second Escape."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.messages import ExitApp
from textual.pilot import Pilot
from textual.widgets import TextArea

from find_screen import bookmarks, type_text
from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.bookmarks import MAX_NOTE_CHARS, Bookmarks
from scholar_tui.screens.dialogs import NoteScreen
from screens import LAMP, at, notifications, scholar, screen_text, settled


def refuse(*_: object) -> None:
    raise ScholarError("the disk is full; free some space")


@asynccontextmanager
async def note_box(words: str) -> AsyncIterator[Pilot[None]]:
    """Open a book and write a note on a paragraph of it."""
    async with at("reader", LAMP) as pilot:
        await pilot.press("m", "e")
        await settled(pilot)
        await type_text(pilot, words)
        yield pilot


def written_text(pilot: Pilot[None]) -> str:
    """Return the text in the note box, which must be the active screen."""
    assert isinstance(pilot.app.screen, NoteScreen)
    return pilot.app.screen.query_one(TextArea).text


def notes() -> list[str]:
    return [quotation.note for quotation in bookmarks().quotations()]


async def test_a_note_that_cannot_be_kept_stays_in_its_box(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with note_box("seed") as pilot:
        with monkeypatch.context() as patch:
            patch.setattr(Bookmarks, "annotate", refuse)
            for key in ("ctrl+s", "f2", "ctrl+q"):
                await pilot.press(key)
                await settled(pilot)
                assert written_text(pilot) == "seed", key
                assert "this is not saved: the disk is full" in screen_text(pilot), key
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert notes() == ["seed"]

        # It also stays under the help, until Escape discards it.
        await pilot.press("e")
        await settled(pilot)
        await type_text(pilot, "ling")
        monkeypatch.setattr(Bookmarks, "annotate", refuse)
        await pilot.press("f1", "f2")
        await settled(pilot)
        assert written_text(pilot) == "seedling"
        await pilot.press("escape", "f2")
        await settled(pilot)
        assert scholar(pilot).current_mode == "library"
        assert notes() == ["seed"]


async def test_a_note_is_not_cut_and_is_left_only_by_a_second_escape(two_books: Path) -> None:
    async with note_box("") as pilot:
        # A note that is too long is refused, not truncated.
        pilot.app.screen.query_one(TextArea).text = "x" * (MAX_NOTE_CHARS + 1)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "10,001" in screen_text(pilot)
        assert len(written_text(pilot)) == MAX_NOTE_CHARS + 1
        assert notes() == []

        # Text written after the first Escape needs two again.
        pilot.app.screen.query_one(TextArea).text = ""
        await type_text(pilot, "seed")
        await pilot.press("escape")
        await type_text(pilot, "ling")
        await pilot.press("escape")
        await settled(pilot)
        assert sorted(written_text(pilot)) == sorted("seedling")
        await pilot.press("escape")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, NoteScreen)
        assert notes() == []

        # Without text, the key of another screen saves nothing.
        await pilot.press("e")
        await settled(pilot)
        assert written_text(pilot) == ""
        await pilot.press("f2")
        await settled(pilot)
        assert scholar(pilot).current_mode == "library"
        assert notes() == []
        assert "the note is saved" not in notifications(pilot)


async def test_a_note_is_kept_by_its_key_and_by_the_key_of_a_screen(two_books: Path) -> None:
    async with note_box("seed") as pilot:
        await pilot.press("ctrl+s", "e")
        await settled(pilot)

        # A note on a quotation dropped by another program keeps it again.
        (quotation,) = bookmarks().quotations()
        bookmarks().delete(quotation.number)
        await type_text(pilot, "ling")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert notes() == ["seedling"]

        for key, mode in (("f4", "reader"), ("f2", "library")):
            await pilot.press("e")
            await settled(pilot)
            await type_text(pilot, "s")
            await pilot.press(key)
            await settled(pilot)
            assert notes()[0].startswith("seedlings"), key
            assert notifications(pilot)[-1] == "the note is saved"
            assert (scholar(pilot).current_mode, len(pilot.app.screen_stack)) == (mode, 1)
        assert notes() == ["seedlingss"]


@pytest.mark.slow
async def test_an_emptied_note_is_reported(two_books: Path) -> None:
    async with note_box("seed") as pilot:
        await pilot.press("ctrl+s", "e", "ctrl+u", "f2")
        await settled(pilot)
        assert notes() == [""]
        assert notifications(pilot)[-1] == "the note was emptied"


async def test_quitting_keeps_the_note(two_books: Path) -> None:
    async with note_box("seed") as pilot:
        await pilot.press("ctrl+q")
    assert notes() == ["seed"]


async def test_closing_the_tab_of_a_browser_keeps_the_note(two_books: Path) -> None:
    async with note_box("seed") as pilot:
        pilot.app.post_message(ExitApp())
    assert notes() == ["seed"]


@pytest.mark.slow
async def test_an_action_of_the_palette_keeps_the_note_before_it_is_done(two_books: Path) -> None:
    async with note_box("seed") as pilot:
        await pilot.press("ctrl+p")
        await settled(pilot)
        await type_text(pilot, "write a note")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert written_text(pilot) == "seed"
        assert len(pilot.app.screen_stack) == 2
        assert notes() == ["seed"]
