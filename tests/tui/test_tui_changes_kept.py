"""Corrections, notes and marks are kept in order, whatever else is going on."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from textual.pilot import Pilot
from textual.widgets import TextArea

from characters_screen import ELIZABETH, HALE, MILL, other_library, press
from command_line import Scholar, finish, make_book_text, start, succeeded
from pseudo_terminal import Terminal
from reader_screen import line_text, open_reader, screen
from scholar_indexes.attribution.corrections.kinds import NewCharacter
from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
from scholar_tui.screens.dialogs import NoteScreen
from screens import (
    QUAY,
    holding_up_changes,
    notifications,
    scholar,
    settled,
    until,
    user_paths,
)

EACH = 50
"""Corrections, and as many notes, made in either way."""


def corrections(book_id: str = QUAY) -> list[str]:
    """Return the corrections in force as another program lists them."""
    return [status.text for status in other_library().corrections.list(book_id)]


def notes() -> list[str]:
    return [quotation.note for quotation in other_library().bookmarks.quotations()]


def correct_and_note(pilot: Pilot[None], number: int) -> None:
    """Do what the keys c and e end with, with a name and a note of a number."""
    reader = screen(pilot)
    place = f"{QUAY}:1.1:{number}-{number + 1}"
    marked = SavedQuotation(place, "A", QUAY, "Ann", "The Quay", "1", note=f"note {number}")
    reader._corrections._corrections.add(QUAY, NewCharacter(f"Visitor {number}"))
    reader._passages._access.change("a note", lambda desk: desk.save(marked), lambda _: None)


async def write_note(pilot: Pilot[None], note: str) -> None:
    """Mark the next paragraph and keep a note on it."""
    await pilot.press("m", "e")
    await until(pilot, lambda: isinstance(pilot.app.screen, NoteScreen))
    pilot.app.screen.query_one(TextArea).text = note
    await pilot.press("ctrl+s")


@contextmanager
def busy_notes() -> Iterator[None]:
    """Hold the file of notes, as another program that writes there."""
    with (
        holding_up_changes(),
        closing(sqlite3.connect(user_paths().bookmarks, isolation_level=None)) as desk,
    ):
        desk.execute("BEGIN IMMEDIATE")
        yield
        desk.execute("ROLLBACK")


@contextmanager
def busy_desk() -> Iterator[None]:
    """Hold the file of notes and that of corrections."""
    with FileLock(user_paths().corrections_lock), busy_notes():
        yield


async def test_two_hundred_corrections_and_notes_during_an_import_are_all_kept_in_order(
    described_quay: Path, scholar: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "5")
    importing = start(described_quay, "add", "-", "--title", "ferryman", stdin=subprocess.PIPE)

    def command(number: int) -> None:
        named = "".join(f'[[character]]\nname = "Guest {n}"\n' for n in range(number + 1))
        succeeded(scholar("characters", "mill", "--import", "-", stdin=named))
        place = f"{MILL}:1.1:0-{number + 5}"
        succeeded(scholar("collection", "add", "essay", place, "--note", f"remark {number}"))

    async with open_reader(QUAY) as pilot:
        with FileLock(user_paths().write_lock):  # as a program that writes a large book
            await press(pilot, "greater_than_sign", "c", *"hale", "enter")
            await write_note(pilot, "a note by hand")
            for number in range(EACH // 2):
                correct_and_note(pilot, number)
                command(number)
            await pilot.press("f2", "f4")  # changes of a screen that is left are kept too
        assert importing.stdin is not None
        importing.stdin.write(make_book_text("ferryman").encode())
        importing.stdin.close()
        for number in range(EACH // 2, EACH):
            correct_and_note(pilot, number)
            command(number)
        importing.stdin = None
        assert "own-ferryman" in succeeded(finish(importing)).stdout
        await settled(pilot)
        assert line_text(pilot, "message").startswith(HALE)
    named = [f"Visitor {number} is a character" for number in range(EACH)]
    assert corrections()[0].endswith(f"is said by {HALE}")
    assert corrections()[1:] == named
    assert corrections(MILL) == [f"Guest {number} is a character" for number in range(EACH)]
    by_hand = [note for note in notes() if not note.startswith("remark")]
    assert by_hand == ["a note by hand", *(f"note {number}" for number in range(EACH))]
    remarks = [note for note in notes() if note.startswith("remark")]
    assert remarks == [f"remark {number}" for number in range(EACH)]


async def test_what_another_program_holds_up_waits_in_order_and_says_so(
    attributed_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scholar_tui.screens.dialogs.KEPT_WITHIN_S", 0.1)
    async with open_reader(QUAY) as pilot:
        with busy_desk():
            await pilot.press("greater_than_sign", "c")
            await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
            await pilot.press(*"hale", "enter", "s")
            await write_note(pilot, "my note")
            await until(pilot, lambda: not isinstance(pilot.app.screen, NoteScreen))
            await until(pilot, lambda: "waiting for it" in " ".join(notifications(pilot)))
            await pilot.press("f2", "ctrl+g")  # what leaves the screen, and stops other work
            await until(pilot, lambda: "nothing is being worked at" in notifications(pilot))
            assert [label for label in scholar(pilot).changes.pending if "place" not in label] == [
                f"the correction “{QUAY}:1.1:1-90 is said by {HALE}”",
                f"the mark on {QUAY}:1.1:1-90",
                f"the note on {QUAY}:1.1:1-90",
            ]
            assert notes() == corrections() == []
        await settled(pilot)
        said = notifications(pilot)
        assert [line.partition(":")[0] for line in said[-2:]] == ["corrected", "kept in “kept”"]
    assert [line.endswith(f"is said by {HALE}") for line in corrections()] == [True]
    assert notes() == ["my note"]


async def test_a_note_is_said_to_wait_for_the_desk_and_kept_after_it(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        with busy_notes():
            await pilot.press("m", "s")
            await until(pilot, lambda: any("is not kept yet" in it for it in notifications(pilot)))
        await settled(pilot)
        assert notifications(pilot)[-1].startswith("kept in “kept”")
    assert notes() == [""]


def refuse(*_: object) -> None:
    raise ScholarError("the disk is full; free some space")


async def test_a_note_that_is_refused_after_its_box_was_closed_comes_back_in_it(
    attributed_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scholar_tui.screens.dialogs.KEPT_WITHIN_S", 0.1)
    monkeypatch.setattr(Bookmarks, "annotate", refuse)
    async with open_reader(QUAY) as pilot:
        with busy_notes():
            await write_note(pilot, "my note")
            await until(pilot, lambda: not isinstance(pilot.app.screen, NoteScreen))
        await until(pilot, lambda: "the note is not kept" in " ".join(notifications(pilot)))
        await until(pilot, lambda: isinstance(pilot.app.screen, NoteScreen))
        assert pilot.app.screen.query_one(TextArea).text == "my note"
        await pilot.press("escape", "escape")


async def test_a_correction_that_is_refused_does_not_hold_up_the_next(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        corrects = screen(pilot)._corrections._corrections
        corrects.add(QUAY, NewCharacter(ELIZABETH))
        corrects.add(QUAY, NewCharacter("Visitor"))
        await settled(pilot)
        assert "nothing was changed" in notifications(pilot)[-2]
        assert notifications(pilot)[-1].startswith("corrected: Visitor is a character")
    assert corrections() == ["Visitor is a character"]


async def test_a_correction_taken_back_is_the_one_that_was_chosen(attributed_quay: Path) -> None:
    other_library().corrections.add(QUAY, [NewCharacter("Ann"), NewCharacter("Ben")])
    async with open_reader(QUAY) as pilot:
        await press(pilot, "u")
        other_library().corrections.undo(QUAY, 1)  # Ben's number is another's by now
        other_library().corrections.add(QUAY, [NewCharacter("Cal")])
        await press(pilot, "enter")
        assert notifications(pilot)[-1] == "taken back: Ben is a character"
    assert corrections() == ["Cal is a character"]


@pytest.mark.parametrize("gives_up", [False, True], ids=["it-is-kept", "Ctrl-C"])
def test_quitting_waits_for_what_is_not_kept_yet(attributed_quay: Path, gives_up: bool) -> None:
    terminal = Terminal(attributed_quay, "tui", QUAY, TERM="xterm-256color")
    terminal.until("raining")
    with busy_desk():
        terminal.type("m")
        terminal.type("s")
        terminal.until("is not kept yet")
        terminal.type("\x11")
        # The place where reading stopped may be waiting before the mark.
        terminal.until("waiting for another scholar, to keep ")
        if gives_up:
            terminal.type("\x03")
            terminal.until("not kept: the mark on")
            assert terminal.close() == 3
    if not gives_up:
        assert terminal.close() == 0
    assert notes() == [""] * (not gives_up)
