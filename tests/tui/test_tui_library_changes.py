"""Books that are removed, added by other processes, or not in the index."""

from __future__ import annotations

import shutil
from pathlib import Path

from command_line import invoke_in_home, succeeded
from library_screen import book_table, no_jobs_left
from scholar_tui.screens.confirm import ConfirmScreen
from screens import SMALL, at, notifications, scholar, screen_text, settled, until


async def test_removing_asks_first_and_a_removed_book_is_gone_while_its_file_stays(
    two_books: Path,
) -> None:
    async with at(size=SMALL) as pilot:
        # Removing asks first; "no" keeps the book.
        await pilot.press("d")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        words = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "Remove The Lamplighter from the shelf?" in words
        assert "The file it came from stays where it is" in words
        await pilot.press("enter")  # the focused button keeps it
        await settled(pilot)
        await pilot.press("d", "escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2
        assert book_table(pilot).has_focus

        # A removed book is gone; its file stays.
        file = Path(scholar(pilot).library.books.get("own-the-lamplighter").book.source)
        await pilot.press("d", "y")
        await until(pilot, lambda: book_table(pilot).ids == ["own-the-clockmaker"])
        await settled(pilot)
        assert file.is_file()
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert not list((two_books / "data" / "books").glob("own-the-lamplighter*"))
        assert any("removed The Lamplighter" in line for line in notifications(pilot))


async def test_books_added_by_another_process_are_listed_and_found(
    two_books: Path, source: Path
) -> None:
    async with at() as pilot:
        library = scholar(pilot).library
        assert library.find("the widow asked")  # opens the index in this process
        succeeded(invoke_in_home(two_books, "add", str(source)))
        assert len(book_table(pilot).ids) == 2
        await pilot.press("R")
        await settled(pilot)
        assert "own-ferryman" in book_table(pilot).ids
        assert library.find("the ferryman walked", books=["own-ferryman"])
        succeeded(invoke_in_home(two_books, "books", "remove", "own-ferryman"))
        pilot.app.app_focus = False
        pilot.app.app_focus = True  # the terminal regains the focus
        await settled(pilot)
        assert "own-ferryman" not in book_table(pilot).ids


async def test_an_index_that_another_process_begins_is_seen(home: Path, source: Path) -> None:
    async with at() as pilot:
        library = scholar(pilot).library
        library.index.state()  # opens the empty index in this process
        succeeded(invoke_in_home(home, "add", str(source)))
        await pilot.press("R")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-ferryman"]
        assert library.find("the ferryman walked", books=["own-ferryman"])


async def test_books_without_passages_are_named_and_a_key_indexes_them(two_books: Path) -> None:
    tables = [path.stem for path in (two_books / "data").glob("index.lance/*.lance")]
    shutil.rmtree(two_books / "data" / "index.lance")
    async with at() as pilot:
        for table in tables:
            scholar(pilot).library.catalog.forget_space(table)
        await pilot.press("R")
        await settled(pilot)
        words = " ".join(screen_text(pilot).split())
        assert "not indexed for the model" in words
        assert "press I" in words
        assert " no " in screen_text(pilot)
        await pilot.press("I")
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert "not indexed" not in screen_text(pilot)
        assert "✓" in screen_text(pilot)
