"""The list of books: its order, its filter, and the keys that lead from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from characters_screen import other_library
from command_line import CommandResult, make_book_text, succeeded
from library_screen import book_table, screen
from scholar_indexes.books import listing as browse
from scholar_indexes.serialize.books import books_to_markdown
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_tui.widgets.book_table import BookRow, _shape
from screens import CLOCK, LARGE, SMALL, at, exported, scholar, screen_text, settled, until

TRANSLATED = """Title: The Lamp
Author: Ann Example
Translator: Ben Other
Editor: Cy Third
Release date: May 1, 1998 [eBook #9999]
Language: English

*** START OF THE PROJECT GUTENBERG EBOOK THE LAMP ***

{text}
"""


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_list_shows_every_book_with_its_details(
    two_books: Path, size: tuple[int, int]
) -> None:
    async with at(size=size) as pilot:
        scholar(pilot).library.bookmarks.record_position(
            ReadingPosition("own-the-clockmaker", "own-x:2.1", 4_500)
        )
        await pilot.press("R")
        await settled(pilot)
        shown = screen_text(pilot)
        for words in ("The Lamplighter", "Ann Example", "Title", "Pages", "Read", "%", "✓"):
            assert words in shown
        offer, shelf = "continues where you left off: The Clockmaker", shown.partition("Title")[2]
        assert offer in shown
        assert shelf.index("The Lamplighter") < shelf.index("The Clockmaker")
        assert "own-the-lamplighter" in shown
        assert "sha256" not in shown
        if size == SMALL:
            await pilot.press("i")
            await settled(pilot)
            assert "sha256" in screen_text(pilot)
            assert "Chapter 3" in screen_text(pilot)
            await pilot.press("escape")
            await settled(pilot)
            assert book_table(pilot).has_focus
            assert "The Clockmaker" in screen_text(pilot)
        else:
            await pilot.press("i")
            await settled(pilot)
            assert "sha256" in screen_text(pilot)
            await pilot.press("escape")
            await settled(pilot)
            assert "sha256" not in screen_text(pilot)


async def test_the_list_narrows_is_exported_and_is_put_in_another_order(
    two_books: Path,
    command: Callable[..., CommandResult],
) -> None:
    async with at() as pilot:
        # The row under the cursor is the current book of all screens.
        assert scholar(pilot).current_book == "own-the-lamplighter"
        await pilot.press("down")
        await settled(pilot)
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert "Ben Other" in screen_text(pilot)
        await pilot.press("k")
        await settled(pilot)
        assert scholar(pilot).current_book == "own-the-lamplighter"

        # Typing narrows the list; Escape shows all.
        await pilot.press("slash", *"CLOCK")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-the-clockmaker"]
        assert scholar(pilot).current_book == "own-the-clockmaker"
        await pilot.press(*"xx")
        await settled(pilot)
        assert book_table(pilot).ids == []
        assert screen(pilot).exports() == []
        assert scholar(pilot).current_book == "own-the-clockmaker"
        await pilot.press("escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2
        assert book_table(pilot).cursor_id == "own-the-clockmaker"
        assert book_table(pilot).has_focus

        # Moving down to the books keeps the filter.
        await pilot.press("slash", *"other", "down")
        await settled(pilot)
        assert book_table(pilot).has_focus
        assert book_table(pilot).ids == ["own-the-clockmaker"]
        await pilot.press("escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2

        # The export contains the listed books.
        assert json.loads(exported(pilot, "json")) == json.loads(
            json.dumps(sorted(command("books", "list", "--json").json, key=lambda e: e["author"]))
        )
        assert "| The Lamplighter | Ann Example |" in exported(pilot, "md")
        assert "own-the-clockmaker" in exported(pilot, "bibtex")
        await pilot.press("slash", *"clock")
        await settled(pilot)
        assert "Lamplighter" not in exported(pilot, "md")
        await pilot.press("escape", "home")
        await settled(pilot)

        # A key changes the order of the books.
        assert book_table(pilot).ids == ["own-the-lamplighter", "own-the-clockmaker"]
        await pilot.press("o")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-the-clockmaker", "own-the-lamplighter"]
        assert book_table(pilot).cursor_id == "own-the-lamplighter"


async def test_the_book_that_was_read_last_has_the_cursor(two_books: Path) -> None:
    async with at() as pilot:
        scholar(pilot).library.bookmarks.record_position(
            ReadingPosition("own-the-clockmaker", "own-x:1.1", 10)
        )
    async with at() as pilot:
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert book_table(pilot).cursor_id == "own-the-clockmaker"


async def test_keys_open_the_other_screens_with_this_book(
    two_books: Path, navigations: list[tuple[str, object]]
) -> None:
    async with at() as pilot:
        await pilot.press("down")
        await settled(pilot)
        for keys, name, request in (
            (["enter"], "reader", CLOCK),
            (["p"], "find", {"claim": "", "book": CLOCK}),
            (["q"], "quiz", CLOCK),
            (["i", "down", "enter"], "reader", f"{CLOCK}:2"),
        ):
            for key in keys:
                await pilot.press(key)
                await settled(pilot)
            assert navigations[-1] == (name, request)
        assert len(navigations) == 4


async def test_bibtex_has_the_translator_the_editor_and_the_year_as_cite_has_them(
    scholar: Callable[..., CommandResult], home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "lamp.txt"
    path.write_text(TRANSLATED.format(text=make_book_text("lamplighter", 1, 3)), "utf-8")
    succeeded(scholar("add", str(path)))
    cited = succeeded(scholar("cite", "pg9999", "--to", "bibtex")).stdout
    assert all(name in cited for name in ("Other, Ben", "Third, Cy", "1998"))
    async with at() as pilot:
        assert exported(pilot, "bibtex") == cited
        await pilot.press("Y")
        assert pilot.app.clipboard == cited


async def test_markup_and_escapes_in_a_title_are_shown_as_text(
    two_books: Path, source: Path
) -> None:
    title = "[bold]Sea[/] [@click=app.quit]x[/] \x1b[31mred"
    async with at(size=(200, 40)) as pilot:
        scholar(pilot).library.add(str(source), title=title, author="[red]A[/red]")
        await pilot.press("R")
        await settled(pilot)
        await pilot.press("slash", *"sea")
        await settled(pilot)
        assert "[bold]Sea[/] [@click=app.quit]x[/] [31mred" in screen_text(pilot)
        assert "[red]A[/red]" in screen_text(pilot)
        await pilot.press("down", "d")
        await settled(pilot)
        assert "[bold]Sea[/]" in screen_text(pilot)
        await pilot.press("y")
        await until(pilot, lambda: len(screen(pilot).books) == 2)


def test_books_are_narrowed_and_ordered_whatever_case_and_accents(two_books: Path) -> None:
    books = other_library().books.all()
    assert [stored.book.id for stored in browse.filter_books(books, "LÂMP ann")] == [
        "own-the-lamplighter"
    ]
    assert browse.filter_books(books, "lamp other") == []
    for order in browse.ORDERS:
        assert len(browse.sort_books(books, order)) == 2
    read = [ReadingPosition("own-the-clockmaker", "own-x:1", 0)]
    assert browse.sort_books(books, "read", read)[0].book.id == "own-the-clockmaker"
    assert browse.percent_read(books[0], ReadingPosition("x", "x:1", books[0].characters)) == 100
    assert browse.percent_read(books[0], None) is None
    assert [browse.count_pages(characters) for characters in (0, 1, 1_800, 1_801)] == [1, 1, 1, 2]
    assert books_to_markdown(books).count("\n") == 4


def widths(title: str, author: str, width: int) -> dict[str, int]:
    row = BookRow("own-a", title, author, 1, 1, True, None, "2026-01-02")
    return dict(_shape(width, [row]))


@pytest.mark.parametrize("width", [75, 80, 120, 160])
def test_titles_and_authors_are_whole_where_both_have_room(width: int) -> None:
    shared = sum(widths("", "", width)[name] for name in ("title", "author"))
    author = "A" * (shared - 22)
    room = widths("T" * 22, author, width)
    assert room["author"] >= len(author)
    assert room["title"] >= 22


def test_columns_that_do_not_fit_are_cut_as_little_as_possible() -> None:
    room = widths("Frankenstein; Or, The Modern Prometheus", "Mary Wollstonecraft Shelley", 120)
    assert room["title"] >= 39
    assert room["author"] >= 27
    narrow = widths("A title that is far too long for so narrow a table", "Ann Example", 60)
    assert narrow["author"] <= 12
