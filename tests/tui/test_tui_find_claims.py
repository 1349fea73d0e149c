"""Claims in Find: their history, the filters of books, and requests from other screens."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from find_screen import COINS, WIDOW, bookmarks, hits, screen, search_for, type_text
from scholar_indexes.library import Library
from scholar_indexes.requests import Mode
from scholar_tui import claim_query
from scholar_tui.widgets.claim_box import ClaimBox
from screens import at, scholar, screen_text, settled, until

pytestmark = pytest.mark.usefixtures("one_encoder")


@pytest.mark.slow
async def test_up_and_down_go_through_the_history_of_claims(two_books: Path) -> None:
    bookmarks().record_claim("the oldest")
    bookmarks().record_claim("the newest")
    async with at("find") as pilot:
        box = screen(pilot).query_one(ClaimBox)
        await type_text(pilot, "mine")
        for key, value in (
            ("up", "the newest"),
            ("up", "the oldest"),
            ("up", "the oldest"),
            ("down", "the newest"),
            ("down", "mine"),
        ):
            await pilot.press(key)
            assert box.value == value
        await until(pilot, lambda: bool(hits(pilot).rows))
        await pilot.press("down")
        assert screen(pilot).focused is hits(pilot)


async def test_a_claim_that_was_asked_is_remembered_though_one_quits_while_it_is_searched_for(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait(*_: object, **__: object) -> list[Any]:
        begun.set()
        assert go_on.wait(300)
        return []

    async with at("find") as pilot:
        with monkeypatch.context() as patch:
            patch.setattr(Library, "find", wait)
            await type_text(pilot, COINS)
            await until(pilot, begun.is_set)
            assert bookmarks().claims() == []
            await pilot.press("enter", "ctrl+q")
            go_on.set()
    assert bookmarks().claims() == [COINS]
    async with at("find") as pilot:
        assert screen(pilot).query_one(ClaimBox).value == COINS


@pytest.mark.slow
async def test_only_claims_whose_hits_were_looked_at_are_remembered(two_books: Path) -> None:
    async with at("find") as pilot:
        await type_text(pilot, "the wid")
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert bookmarks().claims() == []
        await type_text(pilot, "ow asked")
        await pilot.press("enter")
        await until(pilot, lambda: bookmarks().claims() == ["the widow asked"])


async def test_the_history_is_a_list_to_choose_from(two_books: Path) -> None:
    for claim in ("an orchard", WIDOW, "a mill"):
        bookmarks().record_claim(claim)
    async with at("find") as pilot:
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert all(claim in screen_text(pilot) for claim in ("an orchard", WIDOW, "a mill"))
        await type_text(pilot, "wid")
        await pilot.press("enter")
        await until(pilot, lambda: screen(pilot).focused is hits(pilot))
        assert screen(pilot).results.query.claim == WIDOW  # type: ignore[union-attr]
        await pilot.press("h", "down", "escape")
        await settled(pilot)
        assert screen(pilot).query_one(ClaimBox).value == WIDOW


async def test_a_search_is_narrowed_by_books_author_chapters_and_ranking(two_books: Path) -> None:
    from textual.events import Paste

    async with at("find") as pilot:
        # Pasted lines become one claim.
        box = screen(pilot).query_one(ClaimBox)
        box.post_message(Paste("the widow\r\nasked\n\twhat"))
        await pilot.pause()
        assert box.value == "the widow asked what"

        # A search can be limited to the book of a passage, and widened again.
        await search_for(pilot)
        book = screen(pilot).results.hits[0].item.book.id  # type: ignore[union-attr]
        await pilot.press("B")
        await until(pilot, lambda: screen(pilot).results.query.books == (book,))  # type: ignore
        await pilot.press("B")
        await until(pilot, lambda: screen(pilot).results.query.books == ())  # type: ignore

        # Books are chosen with keys; the row names them.
        await search_for(pilot)
        await pilot.press("f", "enter")
        await pilot.pause()
        await type_text(pilot, "clock")
        await pilot.press("tab", "enter")
        await settled(pilot)
        await until(
            pilot,
            lambda: (
                {"own-the-clockmaker"}
                == {
                    hit.item.book.id
                    for hit in screen(pilot).results.hits  # type: ignore[union-attr]
                }
            ),
        )
        assert "book The Clockmaker" in screen_text(pilot)
        await pilot.press("escape", "escape")
        assert not screen(pilot).has_class("-filters")
        await pilot.press("f8")
        await settled(pilot)
        assert "none" in screen_text(pilot).splitlines()[4]
        assert len({hit.item.book.id for hit in screen(pilot).results.hits}) == 2  # type: ignore

        # Author, chapters and ranking narrow the search.
        await search_for(pilot)
        await pilot.press("f", "tab")
        await type_text(pilot, "ann")
        await pilot.press("tab")
        await type_text(pilot, "2-")
        await pilot.press("tab", "tab", "tab", "enter")
        await pilot.pause()
        await type_text(pilot, "lex")
        await pilot.press("enter")
        await settled(pilot)
        await until(pilot, lambda: screen(pilot).results.query.mode == "lexical")  # type: ignore
        places_found = {
            (hit.item.book.author, hit.item.chapter.number)
            for hit in screen(pilot).results.hits  # type: ignore[union-attr]
        }
        assert places_found == {("Ann Example", 2), ("Ann Example", 3)}
        assert "author ann  ·  chapters 2-  ·  ranking lexical" in screen_text(pilot)
        assert all(hit.item.dense is None for hit in screen(pilot).results.hits)  # type: ignore


async def test_a_speaker_leaves_what_they_say_and_somebody_where_they_are(quay: Path) -> None:
    async with at("find", {"claim": "it was raining", "speaker": "Elizabeth"}) as pilot:
        # With a speaker, only their quotations are left.
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert all("Hush" not in row.quote for row in hits(pilot).rows)
        assert any("raining" in row.quote for row in hits(pilot).rows)
        assert "speaker Elizabeth" in screen_text(pilot)
        request = {"claim": "the hat and the lamp", "about": "Elizabeth"}
        await scholar(pilot).navigate("find", request)
        await settled(pilot)

        # With a character, only their passages are left; the explanation says so.
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert all("I burnt it" not in row.quote for row in hits(pilot).rows)
        assert "about Elizabeth" in screen_text(pilot)
        await pilot.press("i")
        await until(pilot, lambda: "Elizabeth Marsh" in screen_text(pilot))


async def test_a_request_brings_its_claim_and_every_filter(two_books: Path) -> None:
    request = {
        "claim": WIDOW,
        "book": None,
        "books": ["clockmaker"],
        "author": "other",
        "chapters": "1-2",
        "speaker": None,
        "about": None,
        "mode": "dense",
        "n": 3,
        "sentences": (2, 2),
        "context": 2,
    }
    async with at("find", request) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        now = screen(pilot).results.query  # type: ignore[union-attr]
        assert now == claim_query.ClaimQuery(
            WIDOW,
            books=["clockmaker"],
            author="other",
            chapters="1-2",
            n=3,
            mode=Mode.DENSE,
            sentences=(2, 2),
            context=2,
        )
        assert len(hits(pilot).rows) == 3
        assert "sentences 2" in screen_text(pilot)
        screen(pilot).activate({"claim": COINS, "book": "own-the-lamplighter"})
        await until(
            pilot,
            lambda: (
                screen(pilot).results.query
                == claim_query.ClaimQuery(  # type: ignore
                    COINS, ("own-the-lamplighter",)
                )
            ),
        )


async def test_the_last_claim_is_there_again_in_a_new_run(two_books: Path) -> None:
    async with at("find", {"claim": WIDOW, "author": "other"}) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
    async with at("find") as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert screen(pilot).results.query == claim_query.ClaimQuery(WIDOW, author="other")  # type: ignore
        await type_text(pilot, "a")
        assert screen(pilot).query_one(ClaimBox).value == "a"
