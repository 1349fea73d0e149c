"""The reader of books that are missing, damaged, removed or replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import invoke_in_home, make_book_text, succeeded
from reader_screen import first_words, line_text, open_reader, page, screen, styled_texts
from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks
from screens import LAMP, QUAY, SMALL, exported, notifications, scholar, screen_text, settled


async def test_an_empty_library_says_where_books_come_from() -> None:
    async with open_reader(size=SMALL) as pilot:
        assert "The library is empty." in screen_text(pilot)
        assert "F2 opens the library" in screen_text(pilot)
        await pilot.press(*"/ngoysS.,><wlJK[]b", "backspace", "space", "end", "escape")
        await settled(pilot)
        assert screen(pilot).exports() == []
        assert "The library is empty." in screen_text(pilot)


async def test_a_book_that_is_not_there_says_so_and_offers_others(two_books: Path) -> None:
    async with open_reader("pg99:3.4") as pilot:
        assert "Pg99 is not in the library; run: scholar add 99." in screen_text(pilot)
        assert "Press b to read another book" in screen_text(pilot)
        await pilot.press("b", "enter")
        await settled(pilot)
        assert "The Lamplighter" in line_text(pilot, "where")


async def test_a_damaged_text_says_what_to_do(two_books: Path) -> None:
    text = next((two_books / "data" / "books").glob(f"{LAMP}.*")) / "text.txt"
    text.write_text("quite another text", "utf-8")
    async with open_reader(LAMP) as pilot:
        assert f"The stored text of {LAMP} is damaged" in screen_text(pilot)
        assert "scholar add FILE --refresh" in " ".join(screen_text(pilot).split())


async def test_the_message_about_a_damaged_list_of_books_says_what_to_do(
    two_books: Path,
) -> None:
    (two_books / "data" / "catalog.sqlite").write_bytes(b"nothing of the kind" * 100)
    async with open_reader() as pilot:
        assert "list of books" in screen_text(pilot)
        assert "set it aside" in " ".join(screen_text(pilot).split())


async def test_a_damaged_dialogue_is_recomputed(attributed_quay: Path) -> None:
    async with open_reader(QUAY) as pilot:
        before = styled_texts(pilot, "speakers")
    stored = next((attributed_quay / "data" / "books").glob(f"{QUAY}.*/dialogue-*.json"))
    stored.write_text("{", "utf-8")
    async with open_reader(QUAY) as pilot:
        assert styled_texts(pilot, "speakers") == before != []


async def test_a_book_without_talk_is_read_without_colours(home: Path, tmp_path: Path) -> None:
    text = tmp_path / "still.txt"
    text.write_text("Chapter 1\n\n" + "The rain fell on the empty road. " * 40, "utf-8")
    succeeded(invoke_in_home(home, "add", str(text), "--title", "Still"))
    async with open_reader("own-still") as pilot:
        assert line_text(pilot, "legend").startswith("nobody speaks in this book")
        await pilot.press("full_stop")
        assert notifications(pilot)[-1].startswith("nobody speaks in this book")
        await pilot.press("w")
        assert pilot.app.screen is screen(pilot)
        assert "The rain fell" in exported(pilot, "md")


async def test_speakers_or_places_that_fail_leave_the_book_where_it_was(
    attributed_quay: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speakers = Library.speakers
    full = OSError(28, "No space left on device", "dialogue.json")

    def refused(*_: object, **__: object) -> None:
        raise full

    monkeypatch.setattr(Library, "speakers", refused)
    async with open_reader(QUAY) as pilot:
        # If finding speakers fails, the book stays open; it is tried again.
        assert line_text(pilot, "legend").startswith("no space is left for dialogue.json")
        assert "It was raining" in first_words(pilot)
        monkeypatch.setattr(Library, "speakers", speakers)
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "Elizabeth Marsh" in line_text(pilot, "legend")
        await scholar(pilot).navigate("reader", f"{QUAY}:9.1")
        await settled(pilot)

        # A place that the book does not have leaves the position unchanged.
        assert notifications(pilot)[-1] == f"{QUAY} has no section 9; its last is 2"
        assert "Chapter 1" in line_text(pilot, "where")


async def test_bookmarks_that_cannot_be_written_are_reported_once_and_reading_goes_on(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
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


async def test_a_book_removed_meanwhile_is_closed_on_coming_back(two_books: Path) -> None:
    async with open_reader(LAMP) as pilot:
        Library(user_paths(), scholar(pilot).library.settings).catalog.unlist(
            scholar(pilot).library.books.get(LAMP).edition
        )
        await pilot.press("pagedown", "y", "s", "n")
        assert LAMP in notifications(pilot)[-2] or LAMP in notifications(pilot)[-1]
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert "“The Lamplighter” was taken off the shelf." in screen_text(pilot)
        await pilot.press("b", "enter")
        await settled(pilot)
        assert "The Clockmaker" in line_text(pilot, "where")


async def test_a_text_replaced_meanwhile_is_reloaded_at_the_same_paragraph(
    two_books: Path, tmp_path: Path
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        screen(pilot).reading_position.jump(page(pilot).text.index("on day 4 of month 2") - 20)
        await settled(pilot)
        screen(pilot).reading_position.save()
        other = tmp_path / "lamplighter.txt"
        other.write_text("A preface.\n\n" + make_book_text("lamplighter"), "utf-8")
        succeeded(
            invoke_in_home(
                two_books,
                "add",
                str(other),
                "--title",
                "The Lamplighter",
                "--refresh",
            )
        )
        await scholar(pilot).navigate("reader")
        await settled(pilot)
        assert any("was replaced; reloading it" in message for message in notifications(pilot))
        assert page(pilot).text.lstrip().startswith("A preface")
        assert "on day 4 of month 2" in " ".join(first_words(pilot)[:300].split())
