"""Quotations kept in Find: collections, notes and export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

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
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_tui import claim_query
from scholar_tui.controllers import collections
from scholar_tui.widgets.claim_box import ClaimBox
from screens import at, exported, notifications, screen_text, settled, until


def drop_all() -> None:
    """Drop all kept quotations, as another program does."""
    for quotation in bookmarks().quotations():
        bookmarks().delete(quotation.number)


pytestmark = pytest.mark.usefixtures("one_encoder")


@pytest.mark.slow
async def test_a_hit_is_kept_in_a_collection_of_its_own(two_books: Path) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "n", "S")
        await pilot.pause()
        await type_text(pilot, "essay")
        await pilot.press("enter")
        await settled(pilot)
        assert bookmarks().collections() == [("essay", 1), ("kept", 1)]
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["○", "●", ""]
        assert "kept in “essay”" in notifications(pilot)
    async with at("find") as pilot:
        await until(pilot, lambda: bool(hits(pilot).rows))
        await pilot.press("escape", "n", "n", "s")
        await settled(pilot)
        assert bookmarks().collections() == [("essay", 2), ("kept", 1)]


async def test_hits_are_kept_noted_dropped_and_brought_back(two_books: Path) -> None:
    async with at("find") as pilot:
        # Only a second Escape discards a note.
        await search_for(pilot)
        await pilot.press("e")
        await pilot.pause()
        await type_text(pilot, "words")
        await pilot.press("escape")
        await pilot.pause()
        assert "not saved yet" in screen_text(pilot)
        assert pilot.app.screen.query_one(TextArea).text == "words"
        await pilot.press("escape")
        await settled(pilot)
        assert bookmarks().quotations() == []

        # A hit is kept, dropped and brought back.
        await search_for(pilot)
        await pilot.press("n", "s")
        (quotation,) = bookmarks().quotations()
        hit = screen(pilot).results.hits[1].item  # type: ignore[union-attr]
        assert (quotation.locator, quotation.quote, quotation.claim) == (
            hit.locator,
            hit.passage.text,
            WIDOW,
        )
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["", "●", ""]
        await pilot.press("s")
        assert bookmarks().quotations() == []
        assert not hits(pilot).rows[1].saved_mark
        await pilot.press("u")
        assert [clipping.locator for clipping in bookmarks().quotations()] == [quotation.locator]
        assert hits(pilot).rows[1].saved_mark
        drop_all()

        # A dropped quotation comes back at its position in the collection.
        await search_for(pilot)
        await pilot.press("s", "n", "s", "E")
        await settled(pilot)
        kept = bookmarks().quotations()
        await pilot.press("d", "u")
        assert bookmarks().quotations() == kept
        assert [row.quote for row in hits(pilot).rows] == [quotation.quote for quotation in kept]
        drop_all()

        # Undo restores the note of a hit that was kept again.
        await search_for(pilot)
        await pilot.press("s")
        bookmarks().annotate(bookmarks().quotations()[0].number, "mine")
        await pilot.press("s", "s")
        assert [quotation.note for quotation in bookmarks().quotations()] == [""]
        await pilot.press("u")
        assert [quotation.note for quotation in bookmarks().quotations()] == ["mine"]
        assert hits(pilot).rows[0].note == "mine"
        drop_all()

        # A note keeps the hit and is shown under it.
        await search_for(pilot)
        await pilot.press("e")
        await pilot.pause()
        await type_text(pilot, "for [b] one")
        await pilot.press("enter")
        await type_text(pilot, "two")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert [clipping.note for clipping in bookmarks().quotations()] == ["for [b] one\ntwo"]
        assert "for [b] one two" in screen_text(pilot)


async def test_kept_passages_are_browsed_noted_and_dropped(
    two_books: Path, navigations: list[tuple[str, Any]]
) -> None:
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("s", "n", "s", "E")
        await settled(pilot)
        assert "Kept ─" in screen_text(pilot)
        first, second = bookmarks().quotations()
        assert marked_passage(pilot) == first.quote
        await pilot.press("n")
        await settled(pilot)
        assert marked_passage(pilot) == second.quote
        await pilot.press("i")
        assert WIDOW in explanation(pilot)
        await pilot.press("e")
        await pilot.pause()
        await type_text(pilot, "good")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "good" in explanation(pilot)
        assert hits(pilot).highlighted == 1
        await pilot.press("enter", "d")
        await settled(pilot)
        assert navigations == [("reader", second.locator)]
        assert [clipping.locator for clipping in bookmarks().quotations()] == [first.locator]
        await pilot.press("u")
        await settled(pilot)
        assert [clipping.note for clipping in bookmarks().quotations()] == ["", "good"]
        await pilot.press("y")
        assert first.locator in pilot.app.clipboard
        await pilot.press("escape")
        assert [row.saved_mark for row in hits(pilot).rows][:3] == ["●", "●", ""]


async def test_keys_typed_into_an_empty_collection_never_reach_the_hidden_claim(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        await settled(pilot)
        assert "Nothing is kept yet" in message(pilot)
        await pilot.press("S")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert screen(pilot).focused is None
        await pilot.press(*"never")
        await settled(pilot)
        assert screen(pilot).query_one(ClaimBox).value == ""

        # Back among the hits, a closed dialog leaves the claim ready to be typed.
        await pilot.press("escape", "escape", "question_mark")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert screen(pilot).focused is screen(pilot).query_one(ClaimBox)


@pytest.mark.parametrize("name", ["kept", "time"])
async def test_a_hit_is_kept_in_the_collection_whose_whole_name_is_typed(
    two_books: Path, name: str
) -> None:
    for collection in ("bedtime", "times", "time", "kept"):
        bookmarks().make_collection(collection)
    bookmarks().set_choice(collections.CHOICE, "bedtime")
    async with at("find") as pilot:
        await search_for(pilot)
        await pilot.press("S")
        await pilot.pause()
        await type_text(pilot, name)
        await pilot.press("enter")
        await settled(pilot)
        assert [saved.collection for saved in bookmarks().quotations()] == [name]


async def test_kept_passages_are_listed_and_exported_with_their_chapters_as_named_now(
    two_books: Path,
) -> None:
    of = ("own-the-lamplighter", "Ann Example", "The Lamplighter")
    bookmarks().save(SavedQuotation(f"{of[0]}:2.1:0-15", "The lamplighter", *of, "as once named"))
    bookmarks().save(SavedQuotation("own-gone:1.1:0-5", "Words.", "own-gone", "A", "Gone", "old"))
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        await settled(pilot)
        assert [row.citation for row in hits(pilot).rows] == [
            "The Lamplighter, Chapter 2, Ann Example",
            "Gone, old, A",
        ]
        assert "(Example, ch. 2) `own-the-lamplighter:2.1:0-15`" in exported(pilot, "md")


@pytest.mark.slow
async def test_brackets_switch_between_collections(two_books: Path) -> None:
    of = ("own-the-clockmaker", "Ben Other", "The Clockmaker", "CHAPTER 1")
    for name in ("a", "b"):
        bookmarks().save(SavedQuotation(f"{of[0]}:1.1:0-9", f"of {name}", *of, collection=name))
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        assert "Nothing is kept yet" in message(pilot)
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


async def test_kept_passages_are_filtered_by_the_tags_of_their_notes(two_books: Path) -> None:
    of = ("own-the-clockmaker", "Ben Other", "The Clockmaker", "CHAPTER 1")
    for at_char, note in enumerate(("#irony", "#irony and #time", "no tag")):
        bookmarks().save(SavedQuotation(f"{of[0]}:1.1:{at_char}-9", note, *of, note=note))
    async with at("find") as pilot:
        await pilot.press("escape", "E", "f")
        await settled(pilot)
        assert "#irony  2 passages" in screen_text(pilot)
        await type_text(pilot, "time")
        await pilot.press("enter")
        await settled(pilot)
        assert [row.quote for row in hits(pilot).rows] == ["#irony and #time"]
        assert "Kept, #time" in screen_text(pilot)
        await pilot.press("f8")
        await settled(pilot)
        assert len(hits(pilot).rows) == 3
        assert "tags: [scholar, irony, time]" in exported(pilot, "obsidian")


CLOCKMAKER = ("own-the-clockmaker", "Ben Other", "The Clockmaker", "CHAPTER 1")


def keep_letters(letters: str) -> None:
    """Save a quotation for each letter, with a note on the vowels."""
    for at_char, letter in enumerate(letters):
        locator = f"{CLOCKMAKER[0]}:1.1:{at_char}-9"
        note = "#vowel" if letter in "ae" else ""
        bookmarks().save(SavedQuotation(locator, letter, *CLOCKMAKER, note=note))


def listed(pilot: Pilot[None]) -> str:
    return "".join(row.quote for row in hits(pilot).rows)


async def test_kept_passages_are_put_in_order_which_is_kept_and_exported(two_books: Path) -> None:
    keep_letters("abcde")
    async with at("find") as pilot:
        # At either end, and among the hits, a passage does not move.
        await pilot.press("escape", "E", "U", "end", "D")
        await settled(pilot)
        assert listed(pilot) == "abcde"

        # The cursor moves with the passage, also if both keys are held down.
        await pilot.press("home", "D", "D", "shift+down", "shift+up")
        await settled(pilot)
        assert (listed(pilot), hits(pilot).highlighted) == ("bcade", 2)
        assert [row.number for row in hits(pilot).rows] == [1, 2, 3, 4, 5]
        assert "".join(saved.quote for saved in bookmarks().quotations("kept")) == "bcade"

        # A dropped passage comes back where it was.
        await pilot.press("d")
        await settled(pilot)
        await pilot.press("u")
        await settled(pilot)
        assert listed(pilot) == "bcade"

        # Among those with a tag, a passage moves past the one before it in the list.
        await pilot.press("f", "enter")
        await settled(pilot)
        await pilot.press("end", "U", "f8")
        await settled(pilot)
        assert listed(pilot) == "bcead"
        places = [record["quote"] for record in json.loads(exported(pilot, "json"))]
        assert "".join(places) == "bcead"
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        await settled(pilot)
        assert listed(pilot) == "bcead"


async def test_a_passage_that_another_program_removed_does_not_move(two_books: Path) -> None:
    keep_letters("abc")
    async with at("find") as pilot:
        await pilot.press("escape", "E")
        await settled(pilot)
        bookmarks().delete(bookmarks().quotations()[1].number)
        await pilot.press("D")
        await settled(pilot)
        assert notifications(pilot)[-1].startswith("this passage is no longer in the collection")
        assert listed(pilot) == "ac"


async def test_kept_passages_are_listed_and_filtered_by_their_colours(two_books: Path) -> None:
    keep_letters("abc")
    async with at("find") as pilot:
        await pilot.press("escape", "E", "n", "H")
        await settled(pilot)
        await type_text(pilot, "orange")
        await pilot.press("enter")
        await settled(pilot)
        assert "■ orange The Clockmaker" in screen_text(pilot)
        await pilot.press("f")
        await settled(pilot)
        await type_text(pilot, "orange")
        await pilot.press("enter")
        await settled(pilot)
        assert (listed(pilot), "Kept, orange (F8: all)" in screen_text(pilot)) == ("b", True)

        # Without its colour, it is no longer listed.
        await pilot.press("H")
        await settled(pilot)
        await type_text(pilot, "no colour")
        await pilot.press("enter")
        await settled(pilot)
        assert "Nothing here is marked orange any more" in message(pilot)
        await pilot.press("f8")
        await settled(pilot)
        assert listed(pilot) == "abc"


async def test_hits_and_saved_quotations_are_exported_as_markdown_json_and_bibtex(
    two_books: Path,
) -> None:
    async with at("find") as pilot:
        assert screen(pilot).exports() == []
        await search_for(pilot)
        rows = json.loads(exported(pilot, "json"))
        assert [row["rank"] for row in rows] == list(range(1, claim_query.PAGE_SIZE + 1))
        assert all(row["locator"] in exported(pilot, "md") for row in rows)
        assert exported(pilot, "bibtex").count("@book") == 2
        heading, _, summary = exported(pilot, "md").split("\n")[:3]
        assert heading == f"# {WIDOW}"
        assert summary.startswith(f"{claim_query.PAGE_SIZE} passages from 2 books, ")
        await pilot.press("s", "e")
        await pilot.pause()
        await type_text(pilot, "mine")
        await pilot.press("ctrl+s")
        await settled(pilot)
        await pilot.press("E")
        await settled(pilot)
        assert screen(pilot).exports()[0].name == "kept"
        assert [row["note"] for row in json.loads(exported(pilot, "json"))] == ["mine"]
        assert "mine" in exported(pilot, "md")
        assert exported(pilot, "md").startswith("# kept\n\n1 passage from 1 book, ")
        assert exported(pilot, "bibtex").count("@book") == 1
