"""Find without books, passages or hits, and with damaged files."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from command_line import make_book_text
from find_screen import (
    WIDOW,
    bookmarks,
    explanation,
    hits,
    marked_passage,
    message,
    screen,
    search_for,
    type_text,
)
from libraries import overwrite
from scholar_indexes.books import samples
from scholar_indexes.books.adding.book_adder import BookAdder
from scholar_indexes.books.book_service import BookService
from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import Settings
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
from scholar_tui import claim_query
from scholar_tui.widgets.claim_box import ClaimBox
from screens import at, notifications, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


@pytest.fixture
def one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the sample with one that is quick to add."""
    few = (samples.Sample(9999, "The Ferryman", "Cy Third", 1999),)
    monkeypatch.setattr(samples, "bundled", lambda: few)
    monkeypatch.setattr(samples, "read", lambda _: make_book_text("ferryman", 2, 4).encode())


@pytest.mark.usefixtures("one_sample")
async def test_an_empty_library_offers_the_sample_and_then_searches_the_claim() -> None:
    async with at("find") as pilot:
        assert "The library is empty" in message(pilot)
        await type_text(pilot, "the widow asked")
        await settled(pilot)
        assert "The library is empty" in message(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        assert {"The Ferryman"} == {row.citation.split(",")[0] for row in hits(pilot).rows}
        assert "the sample is on the shelf" in notifications(pilot)


async def test_a_book_that_cannot_be_read_is_named_with_the_hits_of_the_others(
    two_books: Path,
) -> None:
    overwrite(next((two_books / "data" / "books").glob("own-the-lamplighter.*")) / "text.txt")
    async with at("find") as pilot:
        await search_for(pilot)
        assert {row.citation.split(",")[0] for row in hits(pilot).rows} == {"The Clockmaker"}
        shown = [line for line in notifications(pilot) if "not searched" in line]
        assert shown
        assert all("The Lamplighter" in line for line in shown)


async def test_a_sample_that_cannot_be_added_says_why_and_is_offered_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*given: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/the/books")

    monkeypatch.setattr(BookAdder, "add_sample", full)
    monkeypatch.setattr(BookService, "add_sample_once", full)
    async with at("find") as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: any("no space is left" in line for line in notifications(pilot)))
        assert "The library is empty" in message(pilot)


@pytest.mark.usefixtures("one_sample")
async def test_a_library_that_was_emptied_on_purpose_can_have_the_sample_too(home: Path) -> None:
    user_paths().sample_marker.parent.mkdir(parents=True)
    user_paths().sample_marker.touch()
    async with at("find") as pilot:
        await pilot.press("tab", "tab")
        await pilot.click("#sample")
        await until(pilot, lambda: "the sample is on the shelf" in notifications(pilot))
        await settled(pilot)
        assert "best first" in message(pilot)


async def test_a_claim_without_a_word_is_refused_where_the_hits_would_be(two_books: Path) -> None:
    async with at("find") as pilot:
        for claim in ("   ", "?!"):
            await type_text(pilot, claim)
            await pilot.press("enter")
            await until(pilot, lambda: "the claim is empty" in message(pilot))
            screen(pilot).query_one(ClaimBox).value = ""
            await settled(pilot)
        await type_text(pilot, WIDOW)
        await until(pilot, lambda: hits(pilot).display)


async def test_a_book_without_passages_says_so_at_once_and_typing_goes_on(two_books: Path) -> None:
    library = Library(user_paths(), Settings())
    for table in (two_books / "data").glob("index.lance/*.lance"):
        library.catalog.forget_space(table.stem)
    async with at("find") as pilot:
        assert "scholar index rebuild" in message(pilot)
        await type_text(pilot, "a claim")
        assert screen(pilot).query_one(ClaimBox).value == "a claim"


async def test_a_damaged_index_is_one_line_where_the_hits_would_be(two_books: Path) -> None:
    for path in (two_books / "data" / "index.lance").glob("*.lance/data/*.lance"):
        path.write_bytes(b"\xff" * path.stat().st_size)
    async with at("find") as pilot:
        await type_text(pilot, WIDOW)
        await pilot.press("enter")
        await until(pilot, lambda: "scholar index rebuild" in message(pilot))
        assert screen(pilot).focused is screen(pilot).query_one(ClaimBox)


async def test_a_damaged_list_of_books_is_one_line_too(two_books: Path) -> None:
    (two_books / "data" / "catalog.sqlite").write_bytes(b"\xff" * 4096)
    async with at("find") as pilot:
        assert "catalog.sqlite is damaged" in message(pilot)
        await type_text(pilot, WIDOW)
        await settled(pilot)
        assert "catalog.sqlite is damaged" in message(pilot)


async def test_filters_that_fit_nothing_say_what_is_wrong(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("find") as pilot:
        for filters, line in (
            ({"speaker": "Nobody Atall"}, "Nobody Atall"),
            ({"author": "Nobody"}, "no book here is by 'Nobody'"),
            ({"chapters": "9-3"}, "run backwards"),
            ({"chapters": "the storm"}, "is not a chapter"),
            ({"books": ["nowhere"]}, "no book is called 'nowhere'"),
        ):
            await scholar(pilot).navigate("find", {"claim": WIDOW, **filters})
            await settled(pilot)
            assert line in message(pilot), filters
            await pilot.press("escape", "f8")
            await until(pilot, lambda: hits(pilot).display)
            await settled(pilot)

        # Without hits, a message says what to try.
        await scholar(pilot).navigate("find", {"claim": "xylophone", "mode": "lexical"})
        await settled(pilot)
        assert "Nothing was found" in message(pilot)

        # A speaker is not searched for in too many books.
        monkeypatch.setattr(
            "scholar_indexes.attribution.attribution_service.MAX_CHARACTER_BOOKS", 1
        )
        await scholar(pilot).navigate("find", {"claim": WIDOW, "speaker": "the widow"})
        await settled(pilot)
        assert "at most 1 books at a time" in message(pilot)


async def test_bookmarks_that_cannot_be_written_are_reported_and_finding_goes_on(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        user_paths().bookmarks.write_bytes(b"\xff" * 4096)
        await search_for(pilot)
        await pilot.press("s")
        await settled(pilot)
        assert any("desk" in line for line in notifications(pilot))
        assert not hits(pilot).rows[0].saved_mark
        assert marked_passage(pilot)


async def test_a_passage_that_cannot_be_dropped_is_not_reported_as_dropped(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ScholarError("the disk is full; free some space")

    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s")
        await settled(pilot)
        monkeypatch.setattr(Bookmarks, "delete", refuse)
        await pilot.press("s")
        await settled(pilot)
        assert "the disk is full" in notifications(pilot)[-1]
        assert hits(pilot).rows[0].saved_mark


async def test_a_saved_passage_of_a_removed_book_names_that_book(
    two_books: Path,
) -> None:
    bookmarks().save(SavedQuotation("own-gone:1.1:0-5", "Words.", "own-gone", "A", "Gone", "ch. 1"))
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        await until(pilot, lambda: "own-gone" in explanation(pilot))
        assert screen(pilot).query_one("#why").display
        assert "Words." in screen_text(pilot)


def test_a_claim_that_an_older_version_stored_is_read() -> None:
    stored = '{"claim": "a", "author": "", "about": "", "sentences": [1, 5], "thorough": false}'
    assert claim_query.parse_saved(stored) == claim_query.ClaimQuery("a")


def test_a_stored_claim_that_cannot_be_read_is_ignored() -> None:
    for written in ("not json", "[]", '{"sentences": 3}', '{"claim": ["x"]}', '{"n": "many"}'):
        assert claim_query.parse_saved(written) == claim_query.ClaimQuery()
