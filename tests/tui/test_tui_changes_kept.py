"""Corrections, notes and marks are saved in order, whatever else is running."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from textual.pilot import Pilot
from textual.widgets import TextArea

from characters_screen import ELIZABETH, HALE, MILL, other_library, press
from command_line import Scholar, finish, make_book_text, start, succeeded
from pseudo_terminal import Terminal
from reader_screen import line_text, open_reader, screen
from scholar_indexes.attribution.corrections.kinds import NewCharacter, Rename
from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.bookmarks import Bookmarks, ReadingPosition, SavedQuotation
from scholar_tui.changes import (
    Annotate,
    BringBack,
    Change,
    Correct,
    Drop,
    Highlight,
    Keep,
    RecordPlace,
    Reorder,
    TakeBack,
    Toggle,
)
from scholar_tui.screens.dialogs import NoteScreen
from scholar_tui.waiting_changes import Dropped, WaitingChanges
from screens import (
    QUAY,
    busy_desk,
    busy_notes,
    notifications,
    scholar,
    settled,
    until,
    user_paths,
)

EACH = 50
"""The number of corrections, and of notes, made in each of the two ways."""


def corrections(book_id: str = QUAY) -> list[str]:
    """Return the active corrections, as another program lists them."""
    return [status.text for status in other_library().corrections.list(book_id)]


def notes() -> list[str]:
    return [quotation.note for quotation in other_library().bookmarks.quotations()]


def correct_and_note(pilot: Pilot[None], number: int) -> None:
    """Save a correction and a note with this number, as the keys c and e do."""
    reader = screen(pilot)
    place = f"{QUAY}:1.1:{number}-{number + 1}"
    marked = SavedQuotation(place, "A", QUAY, "Ann", "The Quay", "1", note=f"note {number}")
    reader._corrections._corrections.add(QUAY, NewCharacter(f"Visitor {number}"))
    reader.change(Keep(marked), lambda _: None)


async def write_note(pilot: Pilot[None], note: str) -> None:
    """Mark the next paragraph and save a note on it."""
    await pilot.press("m", "e")
    await until(pilot, lambda: isinstance(pilot.app.screen, NoteScreen))
    pilot.app.screen.query_one(TextArea).text = note
    await pilot.press("ctrl+s")


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
        with FileLock(user_paths().write_lock):  # as if another program wrote a large book
            await press(pilot, "greater_than_sign", "c", *"hale", "enter")
            await write_note(pilot, "a note by hand")
            for number in range(EACH // 2):
                correct_and_note(pilot, number)
                command(number)
            await pilot.press("f2", "f4")  # changes of a screen that was left are saved too
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


async def test_changes_blocked_by_another_program_wait_in_order_and_say_so(
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
            await pilot.press("f2", "ctrl+g")  # leaves the screen, and stops other work
            await until(pilot, lambda: "nothing is running" in notifications(pilot))
            assert [label for label in scholar(pilot).changes.pending if "place" not in label] == [
                f"the correction “{QUAY}:1.1:1-90 is said by {HALE}”",
                f"the mark on {QUAY}:1.1:1-90",
                f"the note on {QUAY}:1.1:1-90",
            ]
            assert notes() == corrections() == []
        await settled(pilot)
        said = notifications(pilot)
        assert [line.partition(":")[0] for line in said[-2:]] == ["corrected", "kept"]
    assert [line.endswith(f"is said by {HALE}") for line in corrections()] == [True]
    assert notes() == ["my note"]


async def test_a_note_is_reported_as_waiting_and_kept_afterwards(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        with busy_notes():
            await pilot.press("m", "s")
            await until(pilot, lambda: any("is not saved yet" in it for it in notifications(pilot)))
        await settled(pilot)
        assert notifications(pilot)[-1].startswith("kept: ")
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
        await until(pilot, lambda: "the note is not saved" in " ".join(notifications(pilot)))
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
        other_library().corrections.undo(QUAY, 1)  # Ben's number now belongs to another correction
        other_library().corrections.add(QUAY, [NewCharacter("Cal")])
        await press(pilot, "enter")
        assert notifications(pilot)[-1] == "taken back: Ben is a character"
    assert corrections() == ["Cal is a character"]


@contextmanager
def reader_at_a_terminal(home: Path) -> Iterator[Terminal]:
    terminal = Terminal(home, "tui", QUAY, TERM="xterm-256color")
    try:
        terminal.until("raining")
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait(30)


def make_a_mark_that_waits(terminal: Terminal) -> None:
    """Mark the paragraph in view, while another program locks the file of notes."""
    terminal.type("m")
    terminal.type("s")
    terminal.until("is not saved yet")


def waiting_files(home: Path) -> list[str]:
    return [path.name for path in (home / "data").glob("*changes-*")]


def test_quitting_waits_for_what_is_not_kept_yet(attributed_quay: Path) -> None:
    with reader_at_a_terminal(attributed_quay) as terminal:
        with busy_desk():
            make_a_mark_that_waits(terminal)
            terminal.type("\x11")
            # The reading position may be waiting ahead of the mark.
            terminal.until("waiting for another scholar, to save ")
        assert terminal.close() == 0
    assert notes() == [""]
    assert waiting_files(attributed_quay) == []


def end_with_ctrl_c(terminal: Terminal) -> None:
    terminal.type("\x11")
    terminal.until("waiting for another scholar, to save ")
    terminal.type("\x03")
    terminal.until("at the next start of the screen: the mark on")
    assert terminal.close() == 3


def close_the_window(terminal: Terminal) -> None:
    assert terminal.close_window() == 128 + signal.SIGHUP


def kill(terminal: Terminal) -> None:
    terminal.process.kill()
    terminal.close()


@pytest.mark.parametrize("end", [end_with_ctrl_c, close_the_window, kill])
async def test_changes_that_wait_when_the_screen_ends_are_saved_at_the_next_start(
    attributed_quay: Path, end: Callable[[Terminal], None]
) -> None:
    with reader_at_a_terminal(attributed_quay) as terminal, busy_desk():
        make_a_mark_that_waits(terminal)
        end(terminal)
    assert notes() == []
    async with open_reader(QUAY) as pilot:
        await until(pilot, lambda: any("saved now" in line for line in notifications(pilot)))
        assert "the mark on own-the-quay:1.1:0-91" in " ".join(notifications(pilot))
    assert notes() == [""]
    assert waiting_files(attributed_quay) == []


async def left_by_a_screen(changes: Sequence[Change], dropped: Dropped | None = None) -> None:
    """Write the changes of a killed screen, and start the next one, which saves all of them."""
    WaitingChanges(user_paths()).write(changes, dropped or {})
    async with open_reader(QUAY) as pilot:
        await until(pilot, lambda: not waiting_changes_left())
        await settled(pilot)


def waiting_changes_left() -> list[Path]:
    return WaitingChanges(user_paths()).left()


def mark(number: int, note: str = "") -> SavedQuotation:
    place = f"{QUAY}:1.1:{number}-{number + 1}"
    return SavedQuotation(place, "A", QUAY, "Ann", "The Quay", "1", note=note)


async def test_changes_of_every_kind_are_kept_in_order_at_the_next_start(
    attributed_quay: Path,
) -> None:
    desk = other_library().bookmarks
    wrong, removed = desk.save(mark(1)), desk.save(mark(2))
    other_library().corrections.add(QUAY, [NewCharacter("Ann")])
    gone = mark(9, "dropped before")
    await left_by_a_screen(
        [
            RecordPlace(ReadingPosition(QUAY, f"{QUAY}:2", 900)),
            Keep(mark(3)),
            Drop(wrong, "reader"),
            Toggle(removed, "reader"),
            BringBack("reader"),
            BringBack("reader"),
            BringBack("reader"),
            Annotate(mark(4), "a note with “marks”\nand a second line"),
            Highlight(mark(4), "blue"),
            Reorder(removed.number, wrong.number, after=False),
            TakeBack(QUAY, 1, "Ann is a character"),
            Correct(QUAY, (NewCharacter("Ben", aliases=("Benjamin",), note="a reason"),)),
        ],
        {"reader": [gone]},
    )
    kept = {quotation.locator: quotation.note for quotation in desk.quotations()}
    assert kept == {
        mark(1).locator: "",
        mark(2).locator: "",
        mark(3).locator: "",
        mark(4).locator: "a note with “marks”\nand a second line",
        gone.locator: "dropped before",
    }
    first, second, *_, last = desk.quotations("kept")
    assert [first.locator, second.locator] == [mark(2).locator, mark(1).locator]
    assert (last.locator, last.colour) == (mark(4).locator, "blue")
    assert corrections() == ["Ben is a character"]
    assert [status.note for status in other_library().corrections.list(QUAY)] == ["a reason"]


async def test_changes_refused_at_the_next_start_stay_in_a_named_file(
    attributed_quay: Path,
) -> None:
    await left_by_a_screen([Correct(QUAY, (Rename("Nobody", "Somebody"),)), Keep(mark(1))])
    [refused] = waiting_files(attributed_quay)
    assert "Somebody" in (attributed_quay / "data" / refused).read_text()
    assert notes() == [""], "later changes are saved"


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"changes": [{"kind": "keep", "quotation": {"locator": 3}}]}',
        b'{"changes": [{"kind": "keep"}]}',
        b'{"changes": [{"kind": "burn"}], "dropped": {"reader": [0]}}',
    ],
)
async def test_a_file_of_changes_that_is_damaged_is_moved_aside(
    attributed_quay: Path, content: bytes
) -> None:
    path = user_paths().waiting_changes("1-a")
    path.write_bytes(content)
    async with open_reader(QUAY) as pilot:
        await until(pilot, lambda: any("cannot be read" in it for it in notifications(pilot)))
    assert waiting_files(attributed_quay) == [f"refused-{path.name}"]
    assert path.with_name(f"refused-{path.name}").read_bytes() == content


async def test_a_running_screen_keeps_its_changes_itself(attributed_quay: Path) -> None:
    with reader_at_a_terminal(attributed_quay) as terminal:
        async with open_reader(QUAY) as pilot:
            with busy_desk():
                make_a_mark_that_waits(terminal)
                scholar(pilot).changes.adopt()
                await settled(pilot)
                assert scholar(pilot).changes.pending == []
                assert len(waiting_changes_left()) == 1
                kill(terminal)
                await until(pilot, lambda: bool(scholar(pilot).changes.pending))
            await until(pilot, lambda: any("saved now" in it for it in notifications(pilot)))
    assert notes() == [""]
