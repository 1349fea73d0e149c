"""Find: searches while a claim is typed, the list of hits and the page of a passage."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from command_line import make_book_text
from find_screen import (
    COINS,
    WIDOW,
    explanation,
    hits,
    marked_passage,
    page,
    screen,
    search_for,
    type_text,
)
from scholar_indexes.library import Library
from scholar_indexes.requests import AddRequest, FindRequest
from scholar_indexes.serialize.evidence import NOTATION
from scholar_tui import claim_query
from scholar_tui.job_queue import Job
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.hit_list import HitList
from screens import at, notifications, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


@pytest.fixture
def searched_claims(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the searched claims, except the search that only loads the encoder."""
    claims: list[str] = []
    whole = Library.find

    def count(self: Library, claim: str | FindRequest, **options: Any) -> Any:
        if isinstance(claim, FindRequest):  # the search that loads the encoder passes a string
            claims.append(claim.claim)
        return whole(self, claim, **options)

    monkeypatch.setattr(Library, "find", count)
    return claims


async def test_hits_come_as_one_finishes_typing_with_the_passage_in_its_page(
    two_books: Path, searched_claims: list[str]
) -> None:
    async with at("find") as pilot:
        await type_text(pilot, COINS)
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        assert searched_claims == [COINS]
        assert screen(pilot).focused is screen(pilot).query_one(ClaimBox)
        assert marked_passage(pilot) == screen(pilot).results.hits[0].item.passage.text  # type: ignore
        assert "counted the coins" in screen_text(pilot)
        assert hits(pilot).rows[0].citation.startswith("The ")
        await pilot.press("!")
        await until(pilot, lambda: len(searched_claims) == 2)


async def test_a_search_that_is_superseded_never_shows(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    whole, claims = Library.find, []

    def slow(self: Library, request: FindRequest, **options: Any) -> Any:
        claims.append(request.claim)
        if request.claim == "first":
            begun.set()
            assert go_on.wait(300)
        return whole(self, request, **options)

    async with at("find") as pilot:
        monkeypatch.setattr(Library, "find", slow)
        await type_text(pilot, "first")
        await until(pilot, begun.is_set)
        await type_text(pilot, " second")
        await pilot.press("enter")
        assert screen(pilot).query_one(ClaimBox).value == "first second"
        go_on.set()
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        assert screen(pilot).results.query.claim == "first second"  # type: ignore[union-attr]
        assert claims == ["first", "first second"]


@pytest.mark.slow
async def test_leaving_ends_a_search_and_coming_back_begins_it_again(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    whole = Library.find

    def slow(self: Library, request: FindRequest, **options: Any) -> Any:
        begun.set()
        assert go_on.wait(300)
        return whole(self, request, **options)

    async with at("find") as pilot:
        here = screen(pilot)
        monkeypatch.setattr(Library, "find", slow)
        await type_text(pilot, WIDOW)
        await until(pilot, begun.is_set)
        pilot.app.workers.cancel_node(here)
        go_on.set()
        await pilot.pause()
        assert not hits(pilot).rows
        here.activate(None)
        await until(pilot, lambda: bool(hits(pilot).rows))


async def test_hits_are_looked_at_explained_copied_and_opened(
    two_books: Path,
    navigations: list[tuple[str, Any]],
) -> None:
    async with at("find") as pilot:
        # Moving through the list moves the page at once.
        await search_for(pilot)
        passages = [hit.item.passage.text for hit in screen(pilot).results.hits]  # type: ignore
        for key, index in (("j", 1), ("down", 2), ("k", 1), ("end", 19), ("home", 0)):
            await pilot.press(key)
            await pilot.pause()
            assert marked_passage(pilot) == passages[index], key
            (hit,) = page(pilot).styles_of("hit")
            seen_now = page(pilot).visible_span
            assert seen_now.start <= hit.span.start < seen_now.end, key
        before = page(pilot).scroll_y
        await pilot.press("K")
        above = page(pilot).scroll_y
        assert above < before
        await pilot.press("J")
        assert page(pilot).scroll_y > above

        # The neighbours of a hit's paragraph are dimmed; the paragraph is not.
        await search_for(pilot)
        (hit,) = page(pilot).styles_of("hit")
        before, after = page(pilot).styles_of("dim")
        text = page(pilot).text
        assert "\n\n" not in text[before.span.end : hit.span.start]
        assert "\n\n" not in text[hit.span.end : after.span.start]
        assert before.span.end <= hit.span.start < hit.span.end <= after.span.start
        assert text[before.span.end - 1] == "\n"

        # A copy contains quotation, source and locator.
        await search_for(pilot)
        await pilot.press("y")
        hit = screen(pilot).results.hits[0].item  # type: ignore[union-attr]
        quote, source = pilot.app.clipboard.split("\n")
        assert " ".join(hit.passage.text.split()) in quote
        assert source.endswith(f"[{hit.locator}]")
        assert hit.book.author in source

        # The explanation shows both ranks and the common words.
        await search_for(pilot, COINS)
        assert "by meaning" not in screen_text(pilot)
        await pilot.press("i")
        await settled(pilot)
        assert "by meaning" in screen_text(pilot)
        assert "by words rank" in explanation(pilot)
        assert "counted" in explanation(pilot)
        assert "coins" in explanation(pilot)
        assert NOTATION in explanation(pilot)
        await pilot.press("i")
        await settled(pilot)
        assert "by meaning" not in screen_text(pilot)

        # A click selects; a double click opens.
        await search_for(pilot)
        await pilot.click(HitList, offset=(8, 5))
        assert hits(pilot).highlighted == 1
        assert not navigations
        await pilot.click(HitList, offset=(8, 5), times=2)
        assert [name for name, _ in navigations] == ["reader"]
        navigations.clear()

        # Enter opens the passage in the reader.
        await search_for(pilot)
        await pilot.press("home", "n", "enter")
        assert navigations == [("reader", screen(pilot).results.hits[1].item.locator)]  # type: ignore


async def test_the_reader_opens_the_book_of_the_passage_under_the_cursor(two_books: Path) -> None:
    async with at("find") as pilot:
        # The cursor in the list chooses the book; while a claim is typed, the book stays.
        await type_text(pilot, WIDOW)
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert scholar(pilot).current_book is None
        await pilot.press("enter")
        await settled(pilot)
        listed = [hit.item.book for hit in screen(pilot).results.hits]  # type: ignore[union-attr]
        assert scholar(pilot).current_book == listed[0].id
        other = next(at for at, book in enumerate(listed) if book != listed[0])
        await pilot.press(*["n"] * other, "f4")
        await settled(pilot)
        assert listed[other].title in screen_text(pilot)


async def test_a_hit_and_its_page_name_the_part_that_its_chapter_is_in(two_parts: str) -> None:
    async with at("find") as pilot:
        await search_for(pilot, "so it is")
        where = "A [red]Tale[/], Book the Second, Chapter 1"
        assert hits(pilot).rows[0].citation.startswith(where)
        assert f" {where} ─" in screen_text(pilot)  # in the border of the page


@pytest.mark.slow
async def test_more_places_are_listed_when_wanted(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        assert len(hits(pilot).rows) == claim_query.PAGE_SIZE
        await pilot.press("l")
        await until(pilot, lambda: len(hits(pilot).rows) > claim_query.PAGE_SIZE)


async def test_books_that_are_added_meanwhile_are_searched_too(
    two_books: Path, tmp_path: Path
) -> None:
    async def add(name: str) -> None:
        path = tmp_path / f"{name}.txt"
        path.write_text(make_book_text(name), "utf-8")
        library = scholar(pilot).library
        scholar(pilot).jobs.add(Job(name, lambda _: library.add(AddRequest(str(path))).book.title))
        await settled(pilot)

    def shelf() -> int:
        results = screen(pilot).results
        return len(results.shelf) if results else 0

    async with at("find") as pilot:
        # A reader of the first hit gets the new answer, a reader further down is offered it.
        await search_for(pilot)
        await add("ferryman")
        assert "1 more book can be searched now; the search was repeated" in notifications(pilot)
        await pilot.press("j")
        await add("beekeeper")
        assert "R searches again, with the new books" in screen_text(pilot)
        await pilot.press("R")
        await settled(pilot)
        assert "R searches again" not in screen_text(pilot)
        assert shelf() == 4

        # Whoever adds books on the shelf gets the answer on return.
        await pilot.press("f2")
        await add("glazier")
        assert "more book" not in notifications(pilot)[-1]
        await pilot.press("f3")
        await settled(pilot)
        assert shelf() == 5
