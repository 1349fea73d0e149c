"""Characters of books that are missing, damaged, or still being read."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from characters_screen import (
    BOTH,
    HALE,
    names,
    open_characters,
    other_library,
    part_text,
    press,
    screen,
    shown_items,
    type_text,
)
from scholar_indexes.characters.character_service import CharacterService
from scholar_indexes.errors import Damaged
from scholar_indexes.paths import user_paths
from scholar_indexes.storage import sealed_json
from scholar_indexes.types import Progress
from scholar_tui.screens.characters import CharacterFilter
from scholar_tui.screens.dialogs import ChooseScreen
from scholar_tui.screens.help import HelpScreen
from screens import LARGE, QUAY, exported, notifications, scholar, screen_text, settled, until


@pytest.fixture
def cast_gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Block the recognition of characters until this is set."""
    gate, read = threading.Event(), CharacterService.cast

    def cast(
        service: CharacterService, reference: str, progress: Progress, **options: bool
    ) -> object:
        progress("finding characters", 1, 4)
        assert gate.wait(300)
        progress("finding characters", 2, 4)
        return read(service, reference, progress, **options)

    monkeypatch.setattr(CharacterService, "cast", cast)
    yield gate
    gate.set()


async def test_an_empty_library_says_how_to_add_books() -> None:
    async with open_characters() as pilot:
        assert "The library is empty" in screen_text(pilot)
        assert "F2" in screen_text(pilot)
        await press(pilot, "w", "p", "y", "q", "enter", "1", "slash", "o", "escape")
        assert scholar(pilot).current_mode == "characters"
        await press(pilot, "ctrl+e")
        assert notifications(pilot)[-1] == "there is nothing to export here yet"

        # Keys after a closed dialog never reach the hidden filter.
        await press(pilot, "question_mark", "escape", *"xyz")
        assert screen(pilot).query_one(CharacterFilter).value == ""
        await press(pilot, "b")
        assert "The library is empty" in screen_text(pilot)


async def test_a_book_in_which_nobody_speaks_says_so(home: Path, tmp_path: Path) -> None:
    (tmp_path / "silence.txt").write_text(
        "Chapter 1\n\n" + "It rained. Ann Bell slept on. " * 30, "utf-8"
    )
    other_library().add(str(tmp_path / "silence.txt"), title="Silence")
    async with open_characters("own-silence") as pilot:
        assert "Nobody speaks in this book" in part_text(pilot, "empty")
        assert "Press b" in part_text(pilot, "empty")


async def test_a_book_that_is_not_there_or_goes_while_it_is_looked_at_is_named(
    described_quay: Path,
) -> None:
    async with open_characters("pg99999") as pilot:
        # The message names a missing book.
        assert "Pg99999 is not in the library; run: scholar add 99999" in part_text(pilot, "empty")
        await press(pilot, "b")
        await type_text(pilot, "quay")
        await press(pilot, "enter")
        assert names(pilot) == BOTH

        # A book removed while it is open is noticed on return.
        other_library().books.remove(QUAY)
        pilot.app.app_focus = False
        pilot.app.app_focus = True
        await settled(pilot)
        assert "“The Quay” was taken off the shelf." in part_text(pilot, "empty")
        await press(pilot, "w", "enter")
        assert scholar(pilot).current_mode == "characters"


async def test_a_book_that_another_program_removed_is_missed(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        other_library().books.remove(QUAY)
        await press(pilot, "f2", "f5")
        assert "The Mill · Ben Other" in screen_text(pilot)
        assert "Tom Reed" in names(pilot)


async def test_a_damaged_list_of_books_is_reported_and_read_again(described_quay: Path) -> None:
    catalog = user_paths().catalog
    content = catalog.read_bytes()
    catalog.write_bytes(b"not a database at all" * 100)
    async with open_characters(QUAY) as pilot:
        assert "R to try again" in part_text(pilot, "empty")
        catalog.write_bytes(content)
        await press(pilot, "R")
        assert names(pilot) == BOTH


async def test_descriptions_that_fail_leave_everything_else(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> object:
        raise Damaged("the notes are damaged; do this")

    monkeypatch.setattr(CharacterService, "descriptions", refuse)
    async with open_characters(QUAY) as pilot:
        assert shown_items(pilot)[-1] == "the notes are damaged; do this"
        await press(pilot, "2")
        assert shown_items(pilot)[0].startswith(HALE)
        assert json.loads(exported(pilot, "json"))[0]["descriptions"] is None


async def test_markup_in_a_title_and_a_name_is_text(described_quay: Path) -> None:
    db = sqlite3.connect(user_paths().catalog)
    with db:
        db.execute("UPDATE editions SET title = '[bold]Q[/] \x1b[31muay', author = '[red]A[/red]'")
    db.close()
    (stored,) = (described_quay / "data" / "books").glob(f"{QUAY}.*/dialogue-*.json")
    record = sealed_json.load(stored.read_bytes(), required=False)
    del record["sha256"]  # a new hash is written
    renamed = json.dumps(record).replace('"Mr. Hale"', '"[b]Hale[/b]\\u001b[7m"')
    stored.write_bytes(sealed_json.dump(json.loads(renamed)))
    async with open_characters(QUAY) as pilot:
        shown = screen_text(pilot)
        assert "[bold]Q[/] [31muay · [red]A[/red]" in shown
        assert "[b]Hale[/b][7m" in shown
        assert "\x1b" not in shown
        await press(pilot, "2")
        assert shown_items(pilot)[0].startswith("[b]Hale[/b][7m")


async def test_the_screen_is_live_while_a_book_is_read(
    described_quay: Path, cast_gate: threading.Event
) -> None:
    async with scholar_app(QUAY) as pilot:
        await until(pilot, lambda: "Finding the characters of “The Quay”" in screen_text(pilot))
        await until(pilot, lambda: scholar(pilot).progress[0] == "finding characters")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChooseScreen))
        await pilot.press("escape", "f1")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
        await pilot.press("escape")
        cast_gate.set()
        await until(pilot, lambda: names(pilot) == BOTH)


async def test_leaving_ends_the_reading_and_coming_back_begins_it(
    described_quay: Path, cast_gate: threading.Event
) -> None:
    async with scholar_app(QUAY) as pilot:
        await until(pilot, lambda: scholar(pilot).progress[0] == "finding characters")
        await pilot.press("f2")
        await until(pilot, lambda: scholar(pilot).current_mode == "library")
        cast_gate.set()
        await until(pilot, lambda: scholar(pilot).progress == ("", 0, 0))
        await press(pilot, "f5")
        assert names(pilot) == BOTH


def scholar_app(request: str) -> AbstractAsyncContextManager[Pilot[None]]:
    """Return the app while it is still loading."""
    from screens import app

    return app("characters", request).run_test(size=LARGE, notifications=True)
