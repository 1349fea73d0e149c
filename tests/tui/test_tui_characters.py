"""The People screen: who is in a book, where, with whom they speak, what is told of them."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from libraries import add_book, build_once
from scholar_indexes import settings
from scholar_indexes.errors import Damaged
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress
from scholar_tui.screens.characters import CharactersScreen
from scholar_tui.screens.description_search import DescriptionSearchScreen
from scholar_tui.screens.dialogs import ChooseScreen
from scholar_tui.screens.help import HelpScreen
from scholar_tui.widgets.character_table import CharacterTable
from scholar_tui.widgets.description_list import DescriptionList
from scholar_tui.widgets.key_bar import KeyBar
from screens import (
    CLOCK,
    LAMP,
    LARGE,
    QUAY,
    SMALL,
    at,
    notifications,
    scholar,
    screen_text,
    settled,
    until,
)

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


def cursor_id(pilot: Pilot[None]) -> str | None:
    return screen(pilot).query_one(CharacterTable).cursor_id


def shown_items(pilot: Pilot[None]) -> list[str]:
    """Return what is listed of the chosen character, in the section that is shown."""
    return [item.content.plain for item in pilot.app.screen.query_one(DescriptionList).items]


def part_text(pilot: Pilot[None], part: str) -> str:
    return str(pilot.app.screen.query_one(f"#{part}", Static).content)


def other_library() -> Library:
    """Return the library as another program opens it."""
    return Library(user_paths(), settings.load(user_paths().config)[0])


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


async def type_text(pilot: Pilot[None], words: str) -> None:
    await press(pilot, *("space" if word == " " else word for word in words))


@pytest.fixture(scope="session")
def described_home(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a small book of dialogue and another that describes its characters."""

    def build(folder: Path) -> None:
        home = folder / "home"
        shutil.copytree(spoken, home)
        add_book(home, folder / "mill.txt", TALE, "The Mill", "Ben Other")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SCHOLAR_HOME", str(home))
            library = other_library()
            for book_id in (QUAY, MILL):
                library.descriptions(library.cast(book_id))

    return build_once(tmp_path_factory, "described", build) / "home"


@pytest.fixture
def described_quay(described_home: Path, home: Path) -> Path:
    """Return this test's home with those books."""
    shutil.copytree(described_home, home)
    return home


@pytest.fixture
def cast_gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Hold up the recognition of characters until this is set."""
    gate, read = threading.Event(), Library.cast

    def cast(library: Library, reference: str, progress: Progress) -> object:
        progress("finding characters", 1, 4)
        assert gate.wait(30)
        progress("finding characters", 2, 4)
        return read(library, reference, progress)

    monkeypatch.setattr(Library, "cast", cast)
    yield gate
    gate.set()


async def test_an_empty_shelf_says_how_to_fill_it() -> None:
    async with open_characters() as pilot:
        assert "The shelf is empty" in screen_text(pilot)
        assert "F2" in screen_text(pilot)
        await press(pilot, "w", "f", "y", "q", "enter", "1", "slash", "o", "escape")
        assert scholar(pilot).current_mode == "characters"
        await press(pilot, "ctrl+e")
        assert notifications(pilot)[-1] == "there is nothing to export here yet"
        await press(pilot, "b")
        assert "The shelf is empty" in screen_text(pilot)


async def test_a_book_in_which_nobody_speaks_says_so(home: Path, tmp_path: Path) -> None:
    (tmp_path / "silence.txt").write_text(
        "Chapter 1\n\n" + "It rained. Ann Bell slept on. " * 30, "utf-8"
    )
    other_library().add(str(tmp_path / "silence.txt"), title="Silence")
    async with open_characters("own-silence") as pilot:
        assert "Nobody speaks in this book" in part_text(pilot, "empty")
        assert "Press b" in part_text(pilot, "empty")


async def test_a_book_that_is_not_there_is_named(described_quay: Path) -> None:
    async with open_characters("pg99999") as pilot:
        assert "Pg99999 is not in the library; run: scholar add 99999" in part_text(pilot, "empty")
        await press(pilot, "b")
        await type_text(pilot, "quay")
        await press(pilot, "enter")
        assert names(pilot) == BOTH


async def test_a_book_that_another_program_removed_is_missed(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        other_library().remove(QUAY)
        await press(pilot, "f2", "f5")
        assert "The Mill · Ben Other" in screen_text(pilot)
        assert "Tom Reed" in names(pilot)


async def test_a_book_that_goes_while_it_is_looked_at_is_missed_on_return(
    described_quay: Path,
) -> None:
    async with open_characters(QUAY) as pilot:
        other_library().remove(QUAY)
        pilot.app.app_focus = False
        pilot.app.app_focus = True
        await settled(pilot)
        assert "“The Quay” was taken off the shelf." in part_text(pilot, "empty")
        await press(pilot, "w", "enter")
        assert scholar(pilot).current_mode == "characters"


async def test_a_damaged_list_of_books_is_told_and_tried_again(described_quay: Path) -> None:
    catalog = user_paths().catalog
    content = catalog.read_bytes()
    catalog.write_bytes(b"not a database at all" * 100)
    async with open_characters(QUAY) as pilot:
        assert "r to try again" in part_text(pilot, "empty")
        catalog.write_bytes(content)
        await press(pilot, "r")
        assert names(pilot) == BOTH


async def test_descriptions_that_fail_leave_everything_else(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> object:
        raise Damaged("the notes are damaged; do this")

    monkeypatch.setattr(Library, "descriptions", refuse)
    async with open_characters(QUAY) as pilot:
        assert shown_items(pilot)[-1] == "the notes are damaged; do this"
        await press(pilot, "2")
        assert shown_items(pilot)[0].startswith(HALE)
        listing = screen(pilot).export_listing()
        assert listing is not None
        assert json.loads(listing.formats["json"])[0]["descriptions"] is None


async def test_markup_in_a_title_and_a_name_is_text(described_quay: Path) -> None:
    db = sqlite3.connect(user_paths().catalog)
    with db:
        db.execute("UPDATE editions SET title = '[bold]Q[/] \x1b[31muay', author = '[red]A[/red]'")
    db.close()
    (stored,) = (described_quay / "data" / "books").glob(f"{QUAY}.*/dialogue-*.json")
    stored.write_text(
        stored.read_text("utf-8").replace('"Mr. Hale"', '"[b]Hale[/b]\\u001b[7m"'), "utf-8"
    )
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
        await until(pilot, lambda: "Reading who is in “The Quay”" in screen_text(pilot))
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
        await settled(pilot)
        assert scholar(pilot).progress == ("", 0, 0)
        await press(pilot, "f5")
        assert names(pilot) == BOTH


def scholar_app(request: str) -> AbstractAsyncContextManager[Pilot[None]]:
    """Return the app while it still loads."""
    from screens import app

    return app("characters", request).run_test(size=LARGE, notifications=True)


async def test_the_book_of_the_other_screens_is_looked_at(described_quay: Path) -> None:
    async with at("library") as pilot:
        await press(pilot, "p")
        assert scholar(pilot).current_mode == "characters"
        assert "The Quay · Ann Example" in screen_text(pilot)


async def test_characters_are_listed_with_their_numbers(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        library = other_library()
        for character in library.characters(QUAY):
            row = next(
                line
                for line in screen_text(pilot).splitlines()
                if line.strip().startswith(character.character.name) and "male" in line
            )
            assert str(character.character.gender) in row
            assert f" {character.quotations} " in row
            assert f" {character.mentions} " in row
            assert "█" in row
        assert "2 characters, by how much they say" in screen_text(pilot)


async def test_o_orders_and_the_one_looked_at_stays(described_quay: Path) -> None:
    async with open_characters(MILL) as pilot:
        says = names(pilot)
        await press(pilot, "down")
        character_id = cursor_id(pilot)
        await press(pilot, "o")
        assert "by how often they are named" in screen_text(pilot)
        await press(pilot, "o")
        assert (names(pilot), cursor_id(pilot)) == (sorted(says), character_id)
        assert says != sorted(says)
        await press(pilot, "o")
        assert "as they come in" in screen_text(pilot)
        await press(pilot, "o")
        assert (names(pilot), cursor_id(pilot)) == (says, character_id)


async def test_m_plots_what_they_say_instead(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        assert "Named, by chapter" in screen_text(pilot)
        assert "named, at most" in screen_text(pilot)
        await press(pilot, "m")
        assert "Says, by chapter" in screen_text(pilot)
        assert "says, at most 2 in a chapter" in screen_text(pilot)


async def test_typing_narrows_the_list_and_escape_widens_it(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "slash")
        await type_text(pilot, "HALE")
        assert names(pilot) == [HALE]
        assert "1 of 2 characters" in screen_text(pilot)
        await type_text(pilot, "q")
        assert "nobody has all these words in a name" in screen_text(pilot)
        assert shown_items(pilot) == []
        await press(pilot, "escape")
        assert names(pilot) == BOTH
        assert screen(pilot).query_one(CharacterTable).has_focus
        await press(pilot, "slash")
        await type_text(pilot, "eliz")
        await press(pilot, "enter")
        assert screen(pilot).query_one(CharacterTable).has_focus
        assert names(pilot) == [ELIZABETH]
        await press(pilot, "escape")
        assert names(pilot) == BOTH


async def test_names_and_what_is_told_come_first_with_their_passages(described_quay: Path) -> None:
    library = other_library()
    company, descriptions = library.descriptions(library.cast(MILL))
    async with open_characters(MILL) as pilot:
        for portrait in company.profiles:
            listed = shown_items(pilot)
            assert listed[0].startswith(f"called {portrait.character.name}")
            for description in descriptions.get(portrait.character.id, []):
                assert any(
                    item.startswith(description.text) and item.endswith("automatic")
                    for item in listed
                )
                assert any(one_line(description.passages[0].text) in item for item in listed)
            await press(pilot, "down")
        assert len(descriptions) >= 2


async def test_sections_show_with_whom_where_and_what(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "2")
        (partner,) = shown_items(pilot)
        assert partner.startswith(HALE)
        assert "6 turns in 2 ch., from 1.2" in partner
        await press(pilot, "3")
        assert [item.split()[0] for item in shown_items(pilot)] == ["1", "2"]
        await press(pilot, "4")
        assert len(shown_items(pilot)) == other_library().characters(QUAY)[0].quotations
        assert "“Let them listen!” 2.4" in shown_items(pilot)
        await press(pilot, "right")
        assert shown_items(pilot)[0].startswith("called")
        await press(pilot, "left")
        assert "“Let them listen!” 2.4" in shown_items(pilot)
        await press(pilot, "escape", "down")
        assert "“Why did you stay?” 1.2" in shown_items(pilot)


async def test_t_goes_to_the_one_spoken_with(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        before = cursor_id(pilot)
        await press(pilot, "t")
        assert cursor_id(pilot) == before
        await press(pilot, "slash")
        await type_text(pilot, "marsh")
        await press(pilot, "enter", "2", "t")
        assert cursor_id(pilot) != before
        assert names(pilot) == BOTH


async def test_enter_opens_where_somebody_comes_in(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "enter")
        assert scholar(pilot).current_mode == "reader"
        assert marked_in_reader(pilot) == ELIZABETH
        await press(pilot, "f5")
        assert names(pilot) == BOTH


@pytest.mark.parametrize(
    ("keys", "marked"),
    [
        pytest.param(("4", "down", "enter"), "Because nobody", id="a quotation"),
        pytest.param(("2", "enter"), "Why did you stay?", id="the first answer"),
        pytest.param(("3", "down", "enter"), "Then we are", id="a chapter"),
    ],
)
async def test_enter_opens_what_is_marked_at_its_place(
    described_quay: Path, keys: tuple[str, ...], marked: str
) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, *keys)
        assert scholar(pilot).current_mode == "reader"
        assert marked_in_reader(pilot).startswith(marked)


def marked_in_reader(pilot: Pilot[None]) -> str:
    """Return the text that is marked in the reader."""
    from scholar_tui.widgets.book_text import BookText

    page = pilot.app.screen.query_one(BookText)
    return " ".join(style.span.of(page.text) for style in page.styles_of("hit"))


async def test_y_copies_a_quotation_with_its_source(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "down", "4", "y")
        assert pilot.app.clipboard == (
            f"“Why did you stay?”\n— {HALE}, in Ann Example, The Quay, Chapter 1 [{QUAY}:1.2:1-18]"
        )
        assert notifications(pilot)[-1] == "copied the quotation with its source"


async def test_y_copies_a_description_with_its_passage(described_quay: Path) -> None:
    library = other_library()
    cast, descriptions = library.descriptions(library.cast(MILL))
    character_id, (description, *_) = next(iter(descriptions.items()))
    async with open_characters(MILL) as pilot:
        screen(pilot).select_character(character_id)
        await press(pilot, "1", "y")
        copied = pilot.app.clipboard
        assert description.text in copied
        assert "automatic" in copied
        assert f"[{description.passages[0].locator}]" in copied
        assert cast.stored.book.title in copied


async def test_f_finds_in_what_they_say_and_q_asks_about_the_book(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_characters(QUAY) as pilot:
        gone: list[tuple[str, object]] = []

        async def navigate(name: str, request: object = None) -> None:
            gone.append((name, request))

        monkeypatch.setattr(scholar(pilot), "navigate", navigate)
        await press(pilot, "f", "q")
        assert gone == [("find", {"claim": "", "book": QUAY, "speaker": ELIZABETH}), ("quiz", QUAY)]


async def test_find_takes_up_the_speaker(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "f")
        assert scholar(pilot).current_mode == "find"
        assert pilot.app.screen.query_one("#speaker", Input).value == ELIZABETH


async def test_b_chooses_another_book(two_books: Path) -> None:
    async with open_characters(LAMP) as pilot:
        assert "The Lamplighter" in screen_text(pilot)
        await press(pilot, "b")
        assert "(this one)" in screen_text(pilot)
        await type_text(pilot, "clock")
        await press(pilot, "enter")
        assert "The Clockmaker" in screen_text(pilot)
        assert scholar(pilot).current_book == CLOCK


async def test_w_asks_who_a_description_means(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "w", "enter")
        assert "describes nobody" in part_text(pilot, "message")
        await type_text(pilot, "who stood on the quay all night")
        await press(pilot, "enter")
        await until(pilot, lambda: bool(shown_items(pilot)))
        ranked = [item for item in shown_items(pilot) if item.rstrip().endswith("%")]
        assert ranked[0].startswith("1. ")
        await press(pilot, "down")
        assert "“" in shown_items(pilot)[1]
        await press(pilot, "up", "enter")
        assert not isinstance(pilot.app.screen, DescriptionSearchScreen)
        best = ranked[0].removeprefix("1. ").split("  ")[0]
        assert names(pilot)[screen(pilot).query_one(CharacterTable).cursor_row] == best
        await press(pilot, "w")
        await type_text(pilot, "who stood on the quay all night")
        await press(pilot, "enter")
        await until(pilot, lambda: bool(shown_items(pilot)))
        await press(pilot, "down", "enter")
        assert scholar(pilot).current_mode == "reader"
        assert marked_in_reader(pilot)


async def test_a_question_that_is_left_is_ended(
    described_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(*_: object, progress: Callable[..., None], **__: object) -> object:
        assert gate.wait(30)
        progress("who", 0, 0)
        return []

    monkeypatch.setattr(Library, "who", slow)
    async with open_characters(QUAY) as pilot:
        await pilot.press("w", *"tall", "enter")
        await until(pilot, lambda: "looking through the book" in screen_text(pilot))
        await pilot.press("x", "escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DescriptionSearchScreen))
        assert all(worker.is_cancelled for worker in pilot.app.workers if worker.group == "who")
        gate.set()
        await settled(pilot)
        assert names(pilot) == BOTH


async def test_what_is_listed_can_be_taken_along(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "slash")
        await type_text(pilot, "marsh")
        await press(pilot, "enter")
        listing = screen(pilot).export_listing()
        assert listing is not None
        (record,) = json.loads(listing.formats["json"])
        assert record["name"] == ELIZABETH
        assert record["speaks_with"][0]["name"] == HALE
        assert [chapter["number"] for chapter in record["chapters"]] == [1, 2]
        assert record["descriptions"] is not None
        assert f"| {ELIZABETH} | female |" in listing.formats["md"]
        assert "The Quay" in listing.formats["bib"]
        await press(pilot, "ctrl+e")
        assert f"{QUAY}-characters" in screen_text(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE, (200, 60)], ids=str)
async def test_everything_that_matters_is_in_sight(
    described_quay: Path, size: tuple[int, int]
) -> None:
    async with open_characters(QUAY, size) as pilot:
        footer = pilot.app.screen.query_one(KeyBar)
        assert footer.labels[-1].cells.stop <= size[0]
        assert all(a.cells.stop <= b.cells.start for a, b in pairwise(footer.labels))
        await press(pilot, "2")
        shown = screen_text(pilot)
        for text in (
            HALE,
            ELIZABETH,
            "Says",
            "Named",
            "First",
            "by chapter",
            "Speaks with",
            "turns",
            "Who?",
            "Find",
            "█",
        ):
            assert text in shown, text
        assert footer.labels[-1].cells.stop <= size[0]
        assert all(a.cells.stop <= b.cells.start for a, b in pairwise(footer.labels))


async def test_a_smaller_window_keeps_the_one_looked_at(described_quay: Path) -> None:
    async with open_characters(QUAY) as pilot:
        await press(pilot, "down")
        before = cursor_id(pilot)
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        assert cursor_id(pilot) == before
        assert max(map(len, screen_text(pilot).splitlines())) <= SMALL[0]
