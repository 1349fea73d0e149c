"""The reader: from the shelf into a book and to every place in it, with who speaks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Static

from command_line import environment, invoke_in_home, make_book_text, run_process, succeeded
from libraries import add_book, build_once
from scholar_indexes.errors import NoMatch, ScholarError
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks, ReadingPosition
from scholar_indexes.types import Progress, Span
from scholar_tui.screens.dialogs import ChooseScreen, GoToScreen
from scholar_tui.screens.reader import ReaderScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.outline import Outline
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

TALE = """
BOOK THE FIRST

Chapter 1

“It is late,” said Anna Bell. [bold]Nobody[/bold] answered \x1b[31m_her_.

{long}

Chapter 2

“It is early,” said Tom Reed. “And cold.”

{long}

BOOK THE SECOND

Chapter 1

“So it is,” said Anna Bell, “so it is.”

{long}
"""


def open_reader(
    request: Any = None, size: tuple[int, int] = LARGE
) -> AbstractAsyncContextManager[Pilot[None]]:
    return at("reader", request, size)


def screen(pilot: Pilot[None]) -> ReaderScreen:
    return cast(ReaderScreen, pilot.app.screen_stack[0])


def page(pilot: Pilot[None]) -> BookText:
    return screen(pilot).query_one(BookText)


def line_text(pilot: Pilot[None], part: str) -> str:
    """Return the text of a line about the book."""
    content = screen(pilot).query_one(f"#{part}", Static).content
    return content.plain if isinstance(content, Content) else str(content)


def styled_texts(pilot: Pilot[None], coat: str) -> list[str]:
    """Return the texts that a layer of styles covers."""
    text = page(pilot).text
    return [style.span.of(text) for style in page(pilot).styles_of(coat)]


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that asks for a place."""
    return str(pilot.app.screen.query_one("#means", Static).content)


def first_words(pilot: Pilot[None]) -> str:
    it = page(pilot)
    return it.visible_span.of(it.text).strip()


def position_of(book_id: str) -> ReadingPosition | None:
    return Bookmarks(user_paths().bookmarks).position(book_id)


@pytest.fixture(scope="session")
def attributed_homes(
    small_library: Path, spoken: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Build homes with the small books, whose speakers have been found."""

    def build(folder: Path) -> None:
        homes = {"two_books": (small_library, (LAMP, CLOCK)), "quay": (spoken, (QUAY,))}
        for name, (home, books) in homes.items():
            shutil.copytree(home, folder / name)
            for book in books:
                succeeded(invoke_in_home(folder / name, "speakers", book))

    folder = build_once(tmp_path_factory, "attributed", build)
    return {name: folder / name for name in ("two_books", "quay")}


@pytest.fixture
def attributed_books(attributed_homes: dict[str, Path], home: Path) -> Path:
    shutil.copytree(attributed_homes["two_books"], home)
    return home


@pytest.fixture
def attributed_quay(attributed_homes: dict[str, Path], home: Path) -> Path:
    shutil.copytree(attributed_homes["quay"], home)
    return home


@pytest.fixture(scope="session")
def two_part_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a book in two parts, to be copied."""
    long = "\n\n".join(
        f"Paragraph {n} of it. " + "The wind went on and on. " * 9 for n in range(12)
    )

    def build(folder: Path) -> None:
        text = TALE.format(long=long)
        add_book(folder / "home", folder / "tale.txt", text, "A [red]Tale[/]")

    return build_once(tmp_path_factory, "tale", build) / "home"


@pytest.fixture
def two_parts(two_part_home: Path, home: Path) -> str:
    shutil.copytree(two_part_home, home)
    return next(path.name.rpartition(".")[0] for path in (home / "data" / "books").iterdir())


async def test_an_empty_shelf_says_where_books_come_from() -> None:
    async with open_reader(size=SMALL) as pilot:
        assert "The shelf is empty." in screen_text(pilot)
        assert "Press F2 to put books on it" in screen_text(pilot)
        await pilot.press(*"/ngoysS.,><wlJK[]b", "backspace", "space", "end", "escape")
        await settled(pilot)
        assert screen(pilot).export_listing() is None
        assert "The shelf is empty." in screen_text(pilot)


async def test_a_book_that_is_not_there_says_so_and_offers_others(attributed_books: Path) -> None:
    async with open_reader("pg99:3.4") as pilot:
        assert "Pg99 is not in the library; run: scholar add 99." in screen_text(pilot)
        assert "Press b to read another book" in screen_text(pilot)
        await pilot.press("b", "enter")
        await settled(pilot)
        assert "The Lamplighter" in line_text(pilot, "where")


async def test_a_damaged_text_says_what_to_do(attributed_books: Path) -> None:
    text = next((attributed_books / "data" / "books").glob(f"{LAMP}.*")) / "text.txt"
    text.write_text("quite another text", "utf-8")
    async with open_reader(LAMP) as pilot:
        assert f"The stored text of {LAMP} is damaged" in screen_text(pilot)
        assert f"scholar books remove {LAMP}" in " ".join(screen_text(pilot).split())


async def test_a_damaged_shelf_says_what_to_do(attributed_books: Path) -> None:
    (attributed_books / "data" / "catalog.sqlite").write_bytes(b"nothing of the kind" * 100)
    async with open_reader() as pilot:
        assert "list of books" in screen_text(pilot)
        assert "move it away" in " ".join(screen_text(pilot).split())


async def test_a_place_that_the_book_does_not_have_leaves_one_where_one_was(
    attributed_quay: Path,
) -> None:
    async with open_reader(f"{QUAY}:9.1") as pilot:
        assert notifications(pilot)[-1] == f"{QUAY} has no chapter 9; its last is 2"
        assert "Chapter 1" in line_text(pilot, "where")


async def test_a_damaged_dialogue_is_read_anew(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        before = styled_texts(pilot, "speakers")
    stored = next((attributed_quay / "data" / "books").glob(f"{QUAY}.*/dialogue-*.json"))
    stored.write_text("{", "utf-8")
    async with open_reader(QUAY) as pilot:
        assert styled_texts(pilot, "speakers") == before != []


async def test_a_book_without_talk_is_read_without_colours(home: Path, tmp_path: Path) -> None:
    text = tmp_path / "still.txt"
    text.write_text("Chapter 1\n\n" + "The rain fell on the empty road. " * 40, "utf-8")
    succeeded(run_process(home, "add", str(text), "--title", "Still"))
    async with open_reader("own-still") as pilot:
        assert line_text(pilot, "legend").startswith("nobody speaks in this book")
        await pilot.press("full_stop")
        assert notifications(pilot)[-1].startswith("nobody speaks in this book")
        await pilot.press("w")
        assert pilot.app.screen is screen(pilot)
        listing = screen(pilot).export_listing()
        assert listing
        assert "The rain fell" in listing.formats["md"]


async def test_failing_speakers_leave_the_book_and_are_tried_again(
    attributed_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speakers = Library.speakers
    full = OSError(28, "No space left on device", "dialogue.json")

    def refused(*_: object, **__: object) -> None:
        raise full

    monkeypatch.setattr(Library, "speakers", refused)
    async with open_reader(QUAY) as pilot:
        assert line_text(pilot, "legend").startswith("no space is left for dialogue.json")
        assert "It was raining" in first_words(pilot)
        monkeypatch.setattr(Library, "speakers", speakers)
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "Elizabeth Marsh" in line_text(pilot, "legend")


async def test_a_desk_that_cannot_be_written_is_told_once_and_keeps_nobody_from_reading(
    attributed_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ScholarError("the disk is full; free some space")

    async with open_reader(LAMP, SMALL) as pilot:
        monkeypatch.setattr(Bookmarks, "record_position", refused)
        for _ in range(3):
            await pilot.press("pagedown")
            screen(pilot).reading_position.save()
        assert notifications(pilot).count("the disk is full; free some space") == 1
        assert page(pilot).top > 0


async def test_a_book_removed_meanwhile_is_closed_on_coming_back(attributed_books: Path) -> None:
    async with open_reader(LAMP) as pilot:
        Library(user_paths(), scholar(pilot).library.settings).catalog.unlist(
            scholar(pilot).library.book(LAMP).edition
        )
        await pilot.press("pagedown", "y", "s", "n")
        assert LAMP in notifications(pilot)[-2] or LAMP in notifications(pilot)[-1]
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "“The Lamplighter” was taken off the shelf." in screen_text(pilot)
        await pilot.press("b", "enter")
        await settled(pilot)
        assert "The Clockmaker" in line_text(pilot, "where")


async def test_a_text_replaced_meanwhile_is_read_anew_at_the_same_paragraph(
    attributed_books: Path, tmp_path: Path
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        screen(pilot).reading_position.jump(page(pilot).text.index("on day 4 of month 2") - 20)
        await settled(pilot)
        screen(pilot).reading_position.save()
        other = tmp_path / "lamplighter.txt"
        other.write_text("A preface.\n\n" + make_book_text("lamplighter"), "utf-8")
        succeeded(
            run_process(
                attributed_books,
                "add",
                str(other),
                "--title",
                "The Lamplighter",
                "--refresh",
            )
        )
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert any("was replaced; it is read anew" in message for message in notifications(pilot))
        assert page(pilot).text.lstrip().startswith("A preface")
        assert "on day 4 of month 2" in " ".join(first_words(pilot)[:300].split())


async def test_the_first_book_is_read_from_its_beginning(attributed_books: Path) -> None:
    async with open_reader(size=SMALL) as pilot:
        assert scholar(pilot).current_book == LAMP
        assert line_text(pilot, "where").startswith("The Lamplighter · ")
        assert line_text(pilot, "place").split() == [f"{LAMP}:1.1", "0", "%"]
        assert "The lamplighter walked" in screen_text(pilot)


async def test_reading_goes_on_where_it_stopped_in_the_book_read_last(
    attributed_books: Path,
) -> None:
    async with open_reader(CLOCK, SMALL) as pilot:
        await pilot.press("space", "space", "j")
        top = page(pilot).top
        assert top > 0
    async with open_reader(size=SMALL) as pilot:
        assert scholar(pilot).current_book == CLOCK
        assert page(pilot).top == top


async def test_a_place_is_written_soon_after_scrolling_rests(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("space", "space")
        top = page(pilot).top
        await until(pilot, lambda: (position_of(LAMP) or ReadingPosition("", "", 0)).start == top)


async def test_other_screens_say_which_book_is_read(attributed_books: Path) -> None:
    async with open_reader(LAMP) as pilot:
        scholar(pilot).current_book = CLOCK
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "The Clockmaker" in line_text(pilot, "where")


async def test_a_hit_is_marked_and_brought_to_the_middle(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.3:1-5", (80, 12)) as pilot:
        assert styled_texts(pilot, "hit") == ["Hush"]
        span = page(pilot).styles_of("hit")[0].span
        assert page(pilot).visible_span.start < span.start < page(pilot).visible_span.end
        await pilot.press("escape")
        assert styled_texts(pilot, "hit") == []


async def test_following_a_hit_does_not_lose_where_reading_stopped(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
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


async def test_another_book_is_chosen_from_the_shelf(attributed_books: Path) -> None:
    async with open_reader(LAMP) as pilot:
        await pilot.press("b", *"clock", "enter")
        await settled(pilot)
        assert scholar(pilot).current_book == CLOCK
        assert "The Clockmaker" in line_text(pilot, "where")


async def test_chapters_are_stepped_through(attributed_books: Path) -> None:
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
        assert notifications(pilot)[-1] == "this is the last chapter"
        await pilot.press("backspace")
        await settled(pilot)
        assert first_words(pilot).startswith("CHAPTER 1")


@pytest.mark.parametrize(
    ("written", "begins"),
    [
        ("2", "CHAPTER 2"),
        ("3.4", "The lamplighter walked"),
        (f"{LAMP}:2.1", "The lamplighter walked"),
        ("chapter 3", "CHAPTER 3"),
    ],
)
async def test_a_place_is_gone_to(attributed_books: Path, written: str, begins: str) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("g")
        pilot.app.screen.query_one(Input).value = written
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.screen is screen(pilot)
        assert first_words(pilot).startswith(begins)
        assert page(pilot).top > 0


async def test_a_place_that_is_not_there_is_refused_inline(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
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


async def test_a_place_in_another_book_opens_that_book(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("g")
        pilot.app.screen.query_one(Input).value = "own-nowhere:1"
        await pilot.press("enter")
        assert "no book is called" in screen_text(pilot)
        pilot.app.screen.query_one(Input).value = f"{CLOCK}:2.1:4-14"
        await pilot.press("enter")
        await settled(pilot)
        assert scholar(pilot).current_book == CLOCK
        assert styled_texts(pilot, "hit") == ["clockmaker"]


async def test_the_outline_has_parts_and_follows_the_reading(two_parts: str) -> None:
    async with open_reader(two_parts) as pilot:
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


async def test_the_outline_is_hidden_on_a_small_terminal_until_o(two_parts: str) -> None:
    async with open_reader(two_parts, SMALL) as pilot:
        outline = screen(pilot).query_one(Outline)
        assert not outline.display
        await pilot.press("o")
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
        await pilot.press("o", "escape")
        assert not outline.display


async def test_a_folded_part_unfolds_as_one_reads_into_it(two_parts: str) -> None:
    async with open_reader(two_parts) as pilot:
        outline = screen(pilot).query_one(Outline)
        for node in outline.root.children:
            node.collapse()
        await pilot.press("g", *"3", "enter")
        await settled(pilot)
        folded = {str(node.label): not node.is_expanded for node in outline.root.children}
        assert folded["Book the First"]
        assert not folded["Book the Second"]


async def test_a_search_paints_every_match_of_the_whole_book_and_counts_them(
    attributed_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
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


async def test_matches_are_found_as_one_types_and_escape_goes_back(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("slash", *"month 3")
        await until(pilot, lambda: "1 of 10" in line_text(pilot, "count"))
        await settled(pilot)
        assert page(pilot).top > 0
        await pilot.press("escape")
        await settled(pilot)
        assert page(pilot).top == 0
        assert page(pilot).has_focus


async def test_n_goes_on_from_where_one_has_read_to(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("slash", *"day 0", "enter")
        await settled(pilot)
        await pilot.press("right_square_bracket", "right_square_bracket", "n")
        await settled(pilot)
        assert "3 of 3" in line_text(pilot, "count")


async def test_words_that_are_not_there_are_none(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("n")
        assert notifications(pilot)[-1] == "nothing is sought yet; / searches"
        await pilot.press("slash", *"[whale", "enter")
        await settled(pilot)
        assert line_text(pilot, "count") == "“[whale” none"
        await pilot.press("n")
        assert notifications(pilot)[-1] == "“[whale” is not in this book; / searches again"


async def test_quotations_have_the_colours_of_their_speakers_and_a_legend(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        text = page(pilot).text
        styles = {style.span.of(text): style.style for style in page(pilot).styles_of("speakers")}
        ann = styles["It was raining when the ship left,"]
        hale = styles["Why did you stay?"]
        assert ann != hale
        assert styles["I stood on the quay all night."] == ann
        assert styles["You might have come to my house,"] == hale
        assert "■ Elizabeth Marsh" in line_text(pilot, "legend")
        assert "■ Mr. Hale" in line_text(pilot, "legend")
        await pilot.press("l")
        assert styled_texts(pilot, "speakers") == []
        assert "colours are off" in line_text(pilot, "legend")
    async with open_reader(QUAY) as pilot:
        assert "colours are off" in line_text(pilot, "legend")
        await pilot.press("l")
        assert styled_texts(pilot, "speakers") != []


async def test_a_guess_is_marked_unsure(
    attributed_quay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.books import reading as books

    monkeypatch.setattr(books, "UNSURE", 1.1)
    async with open_reader(QUAY) as pilot:
        assert styled_texts(pilot, "unsure") == styled_texts(pilot, "speakers") != []
        assert line_text(pilot, "legend").endswith("unsure")
        await pilot.press("full_stop")
        assert "a guess" in line_text(pilot, "message")


async def test_one_steps_through_the_quotations_of_a_speaker(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        await pilot.press("full_stop")
        message = line_text(pilot, "message")
        assert message.startswith("Elizabeth Marsh · ")
        assert "% sure · by “said Elizabeth Marsh” · 1 of" in message
        assert styled_texts(pilot, "quotation")[0] == "It was raining when the ship left,"
        assert styled_texts(pilot, "cue") == ["said Elizabeth Marsh"]
        await pilot.press("full_stop")
        assert "Elizabeth" in line_text(pilot, "message")
        assert styled_texts(pilot, "quotation")[0].startswith("Because nobody")
        await pilot.press("comma", "greater_than_sign")
        assert line_text(pilot, "message").startswith("Mr. Hale")
        await pilot.press("comma")
        assert notifications(pilot)[-1] == "no quotation of Mr. Hale before this"
        await pilot.press("less_than_sign")
        assert "It was raining" in styled_texts(pilot, "quotation")[0]
        await pilot.press("escape")
        assert styled_texts(pilot, "quotation") == []


async def test_a_speaker_is_chosen_from_all(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        await pilot.press("w")
        assert isinstance(pilot.app.screen, ChooseScreen)
        assert "quotation" in screen_text(pilot)
        await pilot.press(*"hale", "enter")
        await settled(pilot)
        assert line_text(pilot, "message").startswith("Mr. Hale")


async def test_a_click_on_a_quotation_says_who_speaks(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        it = page(pilot)
        row = next(y for y in range(it.size.height) if "Why did you" in it.render_line(y).text)
        await pilot.click(it, offset=(it.render_line(row).text.index("did"), row))
        await settled(pilot)
        assert line_text(pilot, "message").startswith("Mr. Hale")


async def test_one_reads_on_while_speakers_are_being_found_and_leaving_ends_that(
    attributed_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let, ended = threading.Event(), threading.Event()

    def slow(self: Library, reference: str, *, progress: Progress, **_: object) -> None:
        try:
            while not let.wait(0.01):
                progress("finding speakers", 1, 2)
        except BaseException:
            ended.set()
            raise
        raise NoMatch("nobody speaks in this book")

    monkeypatch.setattr(Library, "speakers", slow)
    from screens import app

    made = app("reader", LAMP)
    async with made.run_test(size=SMALL, notifications=True) as pilot:
        try:
            await until(pilot, lambda: "finding out who speaks" in line_text(pilot, "legend"))
            await until(pilot, lambda: page(pilot).max_scroll_y > 0 and page(pilot)._wanted is None)
            await pilot.press("space", "full_stop")
            await until(pilot, lambda: page(pilot).top > 0)
            assert notifications(pilot)[-1] == "who speaks is still being found; in a moment"
            await pilot.press("g", "2", "enter")
            await until(pilot, lambda: first_words(pilot).startswith("CHAPTER 2"))
            await pilot.press("f3")
            await until(pilot, ended.is_set)
        finally:
            let.set()


async def test_the_paragraph_at_the_top_is_copied_with_its_source(attributed_books: Path) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        await pilot.press("g", *"2.3", "enter", "y")
        await settled(pilot)
        quote, source = scholar(pilot).clipboard.splitlines()
        assert quote.startswith("“The lamplighter walked to the")
        assert quote.endswith("”")
        assert source.startswith("— Ann Example, The Lamplighter, Chapter 2")
        assert f"[{LAMP}:2.3:0-" in source
        assert notifications(pilot)[-1].startswith(f"copied {LAMP}:2.3:0-")


async def test_what_is_selected_goes_before_a_quotation_and_that_before_a_mark(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        await pilot.press("J", "J", "y")
        assert "Why did you stay?” asked Mr. Hale." in scholar(pilot).clipboard
        await pilot.press("full_stop", "full_stop", "y")
        assert scholar(pilot).clipboard.startswith("“Because nobody")
        at_ship = page(pilot).text.index("the ship")
        page(pilot).select(Span(at_ship, at_ship + 8))
        await pilot.press("y")
        assert scholar(pilot).clipboard.startswith("“the ship”\n— Ann Example, The Quay, Chapter 1")
        await pilot.press("escape", "K", "K", "y")
        assert "It was raining" in scholar(pilot).clipboard


async def test_a_quotation_is_kept_in_the_collection_that_was_chosen(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.3:1-5") as pilot:
        await pilot.press("s")
        assert notifications(pilot)[-1] == f"kept in “kept”: {QUAY}:2.3:1-5"
        await pilot.press("s")
        assert notifications(pilot)[-1] == f"was kept before in “kept”: {QUAY}:2.3:1-5"
        await pilot.press("S", *"Doors", "enter")
        await settled(pilot)
        assert notifications(pilot)[-1] == f"kept in “Doors”: {QUAY}:2.3:1-5"
        await pilot.press("escape", "s")
        assert "kept in “Doors”" in notifications(pilot)[-1]
    quotations = Bookmarks(user_paths().bookmarks).quotations()
    assert [(quotation.collection, quotation.quote) for quotation in quotations][:2] == [
        ("kept", "Hush"),
        ("Doors", "Hush"),
    ]
    assert (quotations[0].title, quotations[0].chapter) == ("The Quay", "Chapter 2")


async def test_a_selection_over_the_end_of_a_chapter_says_what_is_left_out(
    attributed_books: Path,
) -> None:
    async with open_reader(LAMP) as pilot:
        it = page(pilot)
        opening = it.text.index("CHAPTER 2")
        it.select(Span(opening - 40, opening + 40))
        await pilot.press("y")
        assert any(
            "a quotation ends with its chapter" in message for message in notifications(pilot)
        )
        assert "CHAPTER 2" not in scholar(pilot).clipboard


async def test_the_quotations_of_the_chapter_are_what_is_listed(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.1") as pilot:
        listing = screen(pilot).export_listing()
        assert listing
        assert listing.name == f"{QUAY}-chapter-2-quotations"
        records = json.loads(listing.formats["json"])
        assert {record["chapter"]["number"] for record in records} == {2}
        assert records[0]["speaker"]["name"] == "Mr. Hale"
        assert "> The letter is burnt, I burnt it" in listing.formats["md"]
        assert "Mr. Hale, in Ann Example, The Quay" in listing.formats["md"]
        assert "@book{own-the-quay" in listing.formats["bib"]
        hush = page(pilot).text.index("Hush")
        page(pilot).select(Span(hush, hush + 4))
        listing = screen(pilot).export_listing()
        assert listing
        assert json.loads(listing.formats["json"])[0]["quote"] == "Hush"
        assert listing.formats["md"].startswith("> Hush\n")


async def test_markup_and_controls_of_a_book_are_shown_as_text(two_parts: str) -> None:
    async with open_reader(two_parts, SMALL) as pilot:
        shown = screen_text(pilot)
        assert "A [red]Tale[/]" in line_text(pilot, "where")
        assert "A [red]Tale[/]" in shown
        assert "[bold]Nobody[/bold]" in shown
        assert "_her_" in shown
        assert "\x1b" not in shown


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_everything_of_the_footer_and_the_running_head_fits(
    attributed_quay: Path, size: tuple[int, int]
) -> None:
    async with open_reader(QUAY, size) as pilot:
        await pilot.press("full_stop")
        shown = screen_text(pilot).splitlines()
        assert all(key in shown[-1] for key in ("Search", "Go to", "Outline", "Export", "palette"))
        assert "The Quay · Chapter 1" in shown[1]
        assert shown[1].rstrip().endswith("%")


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
        while screen.reading_position.saved.start != screen.page.top:
            await pilot.pause(0.05)
        print(screen.page.top, file=sys.__stdout__, flush=True)  # print alone is the app's
        await asyncio.sleep(600)
asyncio.run(main())
"""


async def test_the_place_survives_a_killed_terminal(attributed_books: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, LAMP],
        stdout=subprocess.PIPE,
        env=environment(attributed_books, PYTHONPATH=str(Path(__file__).parents[1])),
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
