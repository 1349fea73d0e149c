"""Find on the screen, as one meets it with a keyboard."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from command_line import make_book_text
from scholar_indexes.books import samples
from scholar_indexes.library import Library
from scholar_indexes.models import engines
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import Settings
from scholar_indexes.storage.bookmarks import Bookmarks, SavedQuotation
from scholar_tui import claim_query
from scholar_tui.controllers import hit_page
from scholar_tui.screens.find import FindScreen
from scholar_tui.widgets.book_text import BookText
from scholar_tui.widgets.claim_box import ClaimBox
from scholar_tui.widgets.hit_list import HitList, HitRow, clip_lines, render_row
from screens import SMALL, at, notifications, scholar, screen_text, settled, until

WIDOW = "the widow"
COINS = "the coins"


def screen(pilot: Pilot[None]) -> FindScreen:
    shown = scholar(pilot).mode_screen
    assert isinstance(shown, FindScreen)
    return shown


def hits(pilot: Pilot[None]) -> HitList:
    return screen(pilot).query_one(HitList)


def page(pilot: Pilot[None]) -> BookText:
    return screen(pilot).query_one(BookText)


def message(pilot: Pilot[None]) -> str:
    """Return the message in place of the hits."""
    assert screen(pilot).query_one("#nothing").display
    return str(screen(pilot).query_one("#message").render())


def marked_passage(pilot: Pilot[None]) -> str:
    """Return the text that is marked as the hit in its page."""
    (paint,) = page(pilot).styles_of("hit")
    return paint.span.of(page(pilot).text)


def explanation(pilot: Pilot[None]) -> str:
    return str(screen(pilot).query_one("#why").render())


def bookmarks() -> Bookmarks:
    return Bookmarks(user_paths().bookmarks)


async def type_text(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*("space" if sign == " " else sign for sign in text))


async def search_for(pilot: Pilot[None], claim: str = WIDOW) -> None:
    """Type a claim, press Enter and wait until the list has the focus."""
    await type_text(pilot, claim)
    await pilot.press("enter")
    await until(pilot, lambda: pilot.app.focused is hits(pilot))
    await settled(pilot)


@pytest.fixture(scope="session")
def encoders() -> dict[str, Encoder]:
    """Return the encoders that have been loaded, by the name of their model."""
    return {}


@pytest.fixture
def one_encoder(encoders: dict[str, Encoder], monkeypatch: pytest.MonkeyPatch) -> None:
    """Load every encoder once for all tests that use this."""
    load = engines.load

    def load_once(model: ModelFiles, *options: Any) -> Encoder:
        if model.name not in encoders:
            encoders[model.name] = load(model, *options)
        return encoders[model.name]

    monkeypatch.setattr(engines, "load", load_once)


pytestmark = pytest.mark.usefixtures("one_encoder")


@pytest.fixture
def navigations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Record the screens and requests that are opened, and open none."""
    ways: list[tuple[str, Any]] = []

    async def navigate(self: App[None], name: str, request: Any = None) -> None:
        ways.append((name, request))

    monkeypatch.setattr("scholar_tui.app.ScholarApp.navigate", navigate)
    return ways


@pytest.fixture
def searched_claims(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the claims that are searched, without the search that loads the encoder."""
    claims: list[str] = []
    whole = Library.find

    def count(self: Library, claim: str, **filters: Any) -> Any:
        if filters.get("n") != 1:
            claims.append(claim)
        return whole(self, claim, **filters)

    monkeypatch.setattr(Library, "find", count)
    return claims


@pytest.fixture
def one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the sample by one that is quick to add."""
    few = (samples.Sample(9999, "The Ferryman", "Cy Third"),)
    monkeypatch.setattr(samples, "bundled", lambda: few)
    monkeypatch.setattr(samples, "read", lambda _: make_book_text("ferryman", 2, 4).encode())


@pytest.mark.usefixtures("one_sample")
async def test_an_empty_shelf_offers_the_sample_and_then_answers_what_was_asked() -> None:
    async with at("find") as pilot:
        assert "The library is empty" in message(pilot)
        await type_text(pilot, "the widow asked")
        await settled(pilot)
        assert "The library is empty" in message(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert {"The Ferryman"} == {row.citation.split(",")[0] for row in hits(pilot).rows}
        assert "the sample is on the shelf" in notifications(pilot)


async def test_a_sample_that_cannot_be_added_says_why_and_is_offered_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*given: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/the/books")

    monkeypatch.setattr(Library, "add_sample", full)
    monkeypatch.setattr(Library, "add_sample_once", full)
    async with at("find") as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: any("no space is left" in line for line in notifications(pilot)))
        assert "The library is empty" in message(pilot)


@pytest.mark.usefixtures("one_sample")
async def test_a_shelf_that_was_emptied_on_purpose_can_have_the_sample_too(home: Path) -> None:
    user_paths().sample_marker.parent.mkdir(parents=True)
    user_paths().sample_marker.touch()
    async with at("find") as pilot:
        await pilot.press("tab", "tab")
        await pilot.click("#sample")
        await until(pilot, lambda: "the sample is on the shelf" in notifications(pilot))
        await settled(pilot)
        assert "best first" in message(pilot)


@pytest.mark.parametrize("claim", ["   ", "?!"])
async def test_a_claim_without_a_word_is_refused_where_the_hits_would_be(
    two_books: Path, claim: str
) -> None:
    async with at("find") as pilot:
        await type_text(pilot, claim)
        await pilot.press("enter")
        await until(pilot, lambda: "the claim is empty" in message(pilot))
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


@pytest.mark.parametrize(
    ("filters", "line"),
    [
        pytest.param({"speaker": "Nobody Atall"}, "Nobody Atall", id="a speaker nobody is"),
        pytest.param({"author": "Nobody"}, "no book here is by 'Nobody'", id="an author of none"),
        pytest.param({"chapters": "9-3"}, "run backwards", id="chapters backwards"),
        pytest.param({"chapters": "x"}, "is not a chapter", id="no chapter"),
        pytest.param({"books": ["nowhere"]}, "no book is called 'nowhere'", id="no such book"),
    ],
)
async def test_filters_that_fit_nothing_say_what_is_wrong(
    two_books: Path, filters: dict[str, Any], line: str
) -> None:
    async with at("find", {"claim": WIDOW, **filters}) as pilot:
        await until(pilot, lambda: line in message(pilot))
        await pilot.press("escape", "x")
        await until(pilot, lambda: hits(pilot).display)


async def test_a_speaker_is_not_looked_for_in_too_many_books(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scholar_indexes.attribution.service.MAX_SPEAKER_BOOKS", 1)
    async with at("find", {"claim": WIDOW, "speaker": "the widow"}) as pilot:
        await until(pilot, lambda: "at most 1 books at a time" in message(pilot))


async def test_nothing_found_says_what_to_try(two_books: Path) -> None:
    async with at("find", {"claim": "xylophone", "mode": "lexical"}) as pilot:
        await until(pilot, lambda: "Nothing was found" in message(pilot))


async def test_a_desk_that_cannot_be_written_is_told_and_finding_goes_on(two_books: Path) -> None:
    async with at("find") as pilot:
        user_paths().bookmarks.write_bytes(b"\xff" * 4096)
        await search_for(pilot)
        await pilot.press("s")
        assert any("desk" in line for line in notifications(pilot))
        assert not hits(pilot).rows[0].saved_mark
        assert marked_passage(pilot)


async def test_a_kept_passage_of_a_book_that_is_gone_says_where_the_book_was(
    two_books: Path,
) -> None:
    bookmarks().save(SavedQuotation("own-gone:1.1:0-5", "Words.", "own-gone", "A", "Gone", "ch. 1"))
    async with at("find") as pilot:
        await pilot.press("escape", "c")
        await until(pilot, lambda: "own-gone" in explanation(pilot))
        assert screen(pilot).query_one("#why").display
        assert "Words." in screen_text(pilot)


def test_what_was_asked_last_is_forgotten_where_it_cannot_be_read() -> None:
    for written in ("not json", "[]", '{"sentences": 3}', '{"claim": ["x"]}', '{"n": "many"}'):
        assert claim_query.parse_saved(written) == claim_query.ClaimQuery()


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

    def slow(self: Library, claim: str, **filters: Any) -> Any:
        claims.append(claim)
        if claim == "first":
            begun.set()
            assert go_on.wait(20)
        return whole(self, claim, **filters)

    async with at("find") as pilot:
        monkeypatch.setattr(Library, "find", slow)
        await type_text(pilot, "first")
        await until(pilot, begun.is_set)
        await type_text(pilot, " s")
        await pilot.press("enter")
        await type_text(pilot, "econd")
        await pilot.press("enter")
        assert screen(pilot).query_one(ClaimBox).value == "first second"
        go_on.set()
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        assert screen(pilot).results.query.claim == "first second"  # type: ignore[union-attr]
        assert claims == ["first", "first second"]


async def test_leaving_ends_a_search_and_coming_back_begins_it_again(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    whole = Library.find

    def slow(self: Library, claim: str, **filters: Any) -> Any:
        begun.set()
        assert go_on.wait(20)
        return whole(self, claim, **filters)

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


async def test_moving_through_the_list_moves_the_page_at_once(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        passages = [hit.item.passage.text for hit in screen(pilot).results.hits]  # type: ignore
        for key, index in (("j", 1), ("down", 2), ("k", 1), ("G", 19), ("g", 0)):
            await pilot.press(key)
            await pilot.pause()
            assert marked_passage(pilot) == passages[index], key
            (hit,) = page(pilot).styles_of("hit")
            seen_now = page(pilot).visible_span
            assert seen_now.start <= hit.span.start < seen_now.end, key
        before = page(pilot).scroll_y
        await pilot.press("J")
        assert page(pilot).scroll_y > before
        await pilot.press("K")
        assert page(pilot).scroll_y <= before


async def test_the_paragraph_of_a_hit_is_not_dimmed_and_its_neighbours_are(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        (hit,) = page(pilot).styles_of("hit")
        before, after = page(pilot).styles_of("dim")
        text = page(pilot).text
        assert "\n\n" not in text[before.span.end : hit.span.start]
        assert "\n\n" not in text[hit.span.end : after.span.start]
        assert before.span.end <= hit.span.start < hit.span.end <= after.span.start
        assert text[before.span.end - 1] == "\n"


async def test_enter_opens_the_passage_in_the_reader(
    two_books: Path, navigations: list[tuple[str, Any]]
) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("j", "enter")
        assert navigations == [("reader", screen(pilot).results.hits[1].item.locator)]  # type: ignore


async def test_a_click_chooses_and_two_open(
    two_books: Path, navigations: list[tuple[str, Any]]
) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.click(HitList, offset=(8, 5))
        assert hits(pilot).highlighted == 1
        assert not navigations
        await pilot.click(HitList, offset=(8, 5), times=2)
        assert [name for name, _ in navigations] == ["reader"]


async def test_why_tells_both_ranks_and_the_words_in_common(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot, COINS)
        assert "by meaning" not in screen_text(pilot)
        await pilot.press("w")
        await settled(pilot)
        assert "by meaning" in screen_text(pilot)
        assert "rank 1" in explanation(pilot)
        assert "coins" in explanation(pilot)
        await pilot.press("w")
        await settled(pilot)
        assert "by meaning" not in screen_text(pilot)


async def test_copying_takes_quotation_source_and_locator_along(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("y")
        hit = screen(pilot).results.hits[0].item  # type: ignore[union-attr]
        quote, source = pilot.app.clipboard.split("\n")
        assert " ".join(hit.passage.text.split()) in quote
        assert source.endswith(f"[{hit.locator}]")
        assert hit.book.author in source


async def test_more_places_are_listed_when_wanted(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        assert len(hits(pilot).rows) == claim_query.PAGE_SIZE
        await pilot.press("m")
        await until(pilot, lambda: len(hits(pilot).rows) > claim_query.PAGE_SIZE)


async def test_up_and_down_go_through_what_was_asked_and_back(two_books: Path) -> None:
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


async def test_only_what_somebody_looked_at_is_remembered(two_books: Path) -> None:
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


async def test_lines_that_are_pasted_are_one_claim(two_books: Path) -> None:
    from textual.events import Paste

    async with at("find") as pilot:
        box = screen(pilot).query_one(ClaimBox)
        box.post_message(Paste("the widow\r\nasked\n\twhat"))
        await pilot.pause()
        assert box.value == "the widow asked what"


async def test_books_are_chosen_with_keys_and_the_row_says_which(two_books: Path) -> None:
    async with at("find") as pilot:
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
        await pilot.press("x")
        await settled(pilot)
        assert "filters (f)  none" in screen_text(pilot)
        assert len({hit.item.book.id for hit in screen(pilot).results.hits}) == 2  # type: ignore


async def test_author_chapters_and_ranking_narrow_the_search(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("f", "tab")
        await type_text(pilot, "ann")
        await pilot.press("tab")
        await type_text(pilot, "2-")
        await pilot.press("tab", "tab", "enter")
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


async def test_a_speaker_leaves_only_what_they_say(quay: Path) -> None:
    async with at("find", {"claim": "it was raining", "speaker": "Elizabeth"}) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert all("Hush" not in row.quote for row in hits(pilot).rows)
        assert any("raining" in row.quote for row in hits(pilot).rows)
        assert "speaker Elizabeth" in screen_text(pilot)


async def test_the_book_of_a_passage_can_be_searched_alone_and_all_again(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        book = screen(pilot).results.hits[0].item.book.id  # type: ignore[union-attr]
        await pilot.press("b")
        await until(pilot, lambda: screen(pilot).results.query.books == (book,))  # type: ignore
        await pilot.press("b")
        await until(pilot, lambda: screen(pilot).results.query.books == ())  # type: ignore


async def test_a_request_brings_its_claim_and_every_filter(two_books: Path) -> None:
    request = {
        "claim": WIDOW,
        "book": None,
        "books": ["clockmaker"],
        "author": "other",
        "chapters": "1-2",
        "speaker": None,
        "mode": "dense",
        "n": 3,
        "sentences": (2, 2),
        "context": 2,
    }
    async with at("find", request) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        now = screen(pilot).results.query  # type: ignore[union-attr]
        assert now == claim_query.ClaimQuery(
            WIDOW, ("clockmaker",), "other", "1-2", "", "dense", 3, (2, 2), 2
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


async def test_what_was_asked_last_is_there_again_in_a_new_run(two_books: Path) -> None:
    async with at("find", {"claim": WIDOW, "author": "other"}) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
    async with at("find") as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        assert screen(pilot).results.query == claim_query.ClaimQuery(WIDOW, author="other")  # type: ignore
        await type_text(pilot, "a")
        assert screen(pilot).query_one(ClaimBox).value == "a"


async def test_a_hit_is_kept_dropped_and_brought_back(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("j", "s")
        (quotation,) = bookmarks().quotations()
        hit = screen(pilot).results.hits[1].item  # type: ignore[union-attr]
        assert (quotation.locator, quotation.quote, quotation.claim) == (
            hit.locator,
            hit.passage.text,
            WIDOW,
        )
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["", "●", ""]
        await pilot.press("space")
        assert bookmarks().quotations() == []
        assert not hits(pilot).rows[1].saved_mark
        await pilot.press("u")
        assert [clipping.locator for clipping in bookmarks().quotations()] == [quotation.locator]
        assert hits(pilot).rows[1].saved_mark


async def test_a_hit_is_kept_in_a_collection_of_its_own(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "j", "S")
        await pilot.pause()
        await type_text(pilot, "essay")
        await pilot.press("enter")
        await settled(pilot)
        assert bookmarks().collections() == [("essay", 1), ("kept", 1)]
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["○", "●", ""]
        assert "kept in “essay”" in notifications(pilot)
    async with at("find") as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        await pilot.press("escape", "j", "j", "s")
        assert bookmarks().collections() == [("essay", 2), ("kept", 1)]


async def test_a_note_keeps_the_hit_and_stands_under_it(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("n")
        await pilot.pause()
        await type_text(pilot, "for [b] one")
        await pilot.press("enter")
        await type_text(pilot, "two")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert [clipping.note for clipping in bookmarks().quotations()] == ["for [b] one\ntwo"]
        assert "for [b] one two" in screen_text(pilot)


async def test_a_note_is_thrown_away_only_by_a_second_escape(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("n")
        await pilot.pause()
        await type_text(pilot, "words")
        await pilot.press("escape")
        await pilot.pause()
        assert "not kept yet" in screen_text(pilot)
        assert pilot.app.screen.query_one(TextArea).text == "words"
        await pilot.press("escape")
        await settled(pilot)
        assert [clipping.note for clipping in bookmarks().quotations()] == [""]


async def test_what_was_kept_is_browsed_noted_and_dropped(
    two_books: Path, navigations: list[tuple[str, Any]]
) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "j", "s", "c")
        await settled(pilot)
        assert "Kept in “kept”" in screen_text(pilot)
        first, second = bookmarks().quotations()
        assert marked_passage(pilot) == first.quote
        await pilot.press("j")
        await settled(pilot)
        assert marked_passage(pilot) == second.quote
        await pilot.press("w")
        assert WIDOW in explanation(pilot)
        await pilot.press("n")
        await pilot.pause()
        await type_text(pilot, "good")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "good" in explanation(pilot)
        assert hits(pilot).highlighted == 1
        await pilot.press("enter", "d")
        assert navigations == [("reader", second.locator)]
        assert [clipping.locator for clipping in bookmarks().quotations()] == [first.locator]
        await pilot.press("u")
        assert [clipping.note for clipping in bookmarks().quotations()] == ["", "good"]
        await pilot.press("y")
        assert first.locator in pilot.app.clipboard
        await pilot.press("escape")
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["●", "●", ""]


async def test_collections_are_gone_through_with_brackets(two_books: Path) -> None:
    of = ("own-the-clockmaker", "Ben Other", "The Clockmaker", "CHAPTER 1")
    for name in ("a", "b"):
        bookmarks().save(SavedQuotation(f"{of[0]}:1.1:0-9", f"of {name}", *of, collection=name))
    async with at("find") as pilot:
        await pilot.press("escape", "c")
        assert "Nothing is kept in “kept” yet" in message(pilot)
        for key, name in (("]", "a"), ("]", "b"), ("]", "a"), ("[", "b")):
            await pilot.press({"]": "right_square_bracket", "[": "left_square_bracket"}[key])
            await settled(pilot)
            assert f"Kept in “{name}”" in screen_text(pilot)
            assert [row.quote for row in hits(pilot).rows] == [f"of {name}"]
        await pilot.press("S")
        await pilot.pause()
        await pilot.press("down", "enter")
        await settled(pilot)
        assert "Kept in “a”" in screen_text(pilot)
        await pilot.press("slash")
        assert screen(pilot).focused is screen(pilot).query_one(ClaimBox)
        assert not screen(pilot).has_class("-kept")


async def test_hits_and_what_was_kept_leave_as_markdown_json_and_bibtex(two_books: Path) -> None:
    async with at("find") as pilot:
        assert screen(pilot).export_listing() is None
        await search_for(pilot)
        listing = screen(pilot).export_listing()
        assert listing is not None
        rows = json.loads(listing.formats["json"])
        assert [row["rank"] for row in rows] == list(range(1, claim_query.PAGE_SIZE + 1))
        assert all(row["locator"] in listing.formats["md"] for row in rows)
        assert listing.formats["bib"].count("@book") == 2
        await pilot.press("s", "n")
        await pilot.pause()
        await type_text(pilot, "mine")
        await pilot.press("ctrl+s")
        await settled(pilot)
        await pilot.press("c")
        await settled(pilot)
        listing = screen(pilot).export_listing()
        assert listing is not None
        assert listing.name == "kept"
        assert [row["note"] for row in json.loads(listing.formats["json"])] == ["mine"]
        assert "mine" in listing.formats["md"]
        assert listing.formats["bib"].count("@book") == 1


async def test_letters_are_written_in_a_box_and_act_in_the_list(two_books: Path) -> None:
    async with at("find") as pilot:
        await type_text(pilot, "snwycfxbmdu")
        assert screen(pilot).query_one(ClaimBox).value == "snwycfxbmdu"
        await until(pilot, lambda: bool(hits(pilot).rows))
        await pilot.press("escape", "f", "tab")
        assert isinstance(screen(pilot).focused, Input)
        await type_text(pilot, "scm")
        assert screen(pilot).query_one("#author", Input).value == "scm"
        assert bookmarks().quotations() == []


async def test_a_small_terminal_shows_the_list_above_the_page(two_books: Path) -> None:
    async with at("find", {"claim": COINS}, size=SMALL) as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        await settled(pilot)
        left, right = screen(pilot).query_one("#left"), screen(pilot).query_one("#right")
        assert left.region.bottom <= right.region.y
        assert page(pilot).size.height >= 6
        (hit,) = page(pilot).styles_of("hit")
        assert page(pilot).visible_span.start <= hit.span.start < page(pilot).visible_span.end
        assert hits(pilot).rows[0].quote.split(".")[0][:40] in screen_text(pilot)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert left.region.right <= right.region.x


async def test_markup_and_escapes_in_a_book_are_shown_as_text(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(make_book_text("\x1b[31mred [bold]lamplighter[/]", 1, 3), "utf-8")
    library = Library(user_paths(), Settings())
    library.add(str(path), title="[bold]Odd[/bold] \x1b[31m", author="[u]Who")
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "w", "f", "enter")
        await pilot.pause()
        assert "[bold]Odd[/bold]" in screen_text(pilot)
        await pilot.press("escape")
        assert "[bold]Odd[/bold]" in screen_text(pilot)
        await pilot.press("escape", "escape", "c")
        await settled(pilot)
        assert "[bold]lamplighter[/]" in screen_text(pilot)
        assert "\x1b" not in screen_text(pilot)


@pytest.mark.parametrize(
    ("text", "width", "most", "lines"),
    [
        ("one two three", 7, 3, ["one two", "three"]),
        ("one two three", 7, 1, ["one…"]),
        ("one two three", 8, 1, ["one two…"]),
        ("onetwothree", 5, 1, ["onet…"]),
        ("", 5, 2, [""]),
        ("戰爭與和平", 4, 1, ["戰…"]),
    ],
)
def test_a_quotation_is_clipped_at_a_word(
    text: str, width: int, most: int, lines: list[str]
) -> None:
    assert clip_lines(text, width, most) == lines


def test_no_line_of_a_row_is_wider_than_the_list() -> None:
    row = HitRow(1000, "wörter 戰爭與和平 " * 30, "Title, " * 20, "●", "a note " * 20)
    lines = render_row(row, 30).split("\n")
    assert len(lines) == 5
    assert max(line.cell_length for line in lines) <= 30


async def test_the_screen_needs_none_of_what_is_slow_to_import(home: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; import scholar_tui.screens.find; "
        "print([n for n in ('numpy', 'lancedb', 'torch', 'onnxruntime', 'spacy') "
        "if n in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_a_spot_in_a_chapter_has_its_paragraphs_around_it() -> None:
    from scholar_indexes.types import Span

    text = "One.\n\nTwo, and two.\n\nThree.\n"
    body = Span(0, len(text))
    at_two: Callable[[Span], str] = lambda hit: hit_page.paragraphs_around(text, body, hit).of(text)  # noqa: E731
    assert at_two(Span(6, 9)) == "Two, and two."
    assert at_two(Span(12, 24)) == "Two, and two.\n\nThree."
