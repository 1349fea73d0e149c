"""Quotations in the reader: copied, kept in collections and exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reader_screen import open_reader, page, screen
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_indexes.types import Span
from screens import LAMP, QUAY, SMALL, exported, notifications, scholar, settled


async def test_a_paragraph_is_copied_with_its_source_and_a_selection_within_its_chapter(
    two_books: Path,
) -> None:
    async with open_reader(LAMP, SMALL) as pilot:
        # The paragraph at the top is copied with its source.
        await pilot.press("g", *"2.3", "enter", "y")
        await settled(pilot)
        quote, source = scholar(pilot).clipboard.splitlines()
        assert quote.startswith("“The lamplighter walked to the")
        assert quote.endswith("”")
        assert source.startswith("— Ann Example, The Lamplighter, Chapter 2")
        assert f"[{LAMP}:2.3:0-" in source
        assert notifications(pilot)[-1].startswith(f"copied {LAMP}:2.3:0-")

        # A selection past the end of a chapter says what is omitted.
        it = page(pilot)
        opening = it.text.index("CHAPTER 2")
        it.select(Span(opening - 40, opening + 40))
        await pilot.press("y")
        assert any(
            "a quotation ends with its chapter" in message for message in notifications(pilot)
        )
        assert "CHAPTER 2" not in scholar(pilot).clipboard


async def test_a_selection_takes_precedence_over_a_quotation_and_that_over_a_mark(
    attributed_quay: Path,
) -> None:
    async with open_reader(QUAY) as pilot:
        await pilot.press("m", "m", "y")
        assert "Why did you stay?” asked Mr. Hale." in scholar(pilot).clipboard
        await pilot.press("full_stop", "full_stop", "y")
        assert scholar(pilot).clipboard.startswith("“Because nobody")
        at_ship = page(pilot).text.index("the ship")
        page(pilot).select(Span(at_ship, at_ship + 8))
        await pilot.press("y")
        assert scholar(pilot).clipboard.startswith("“the ship”\n— Ann Example, The Quay, Chapter 1")
        await pilot.press("escape", "M", "M", "y")
        assert "It was raining" in scholar(pilot).clipboard


@pytest.mark.parametrize(
    ("keys", "copied"),
    [
        (["m"], "“It was raining when the ship left,” said Elizabeth Marsh."),
        (["end", "home"], "“It was raining when the ship left,” said Elizabeth Marsh."),
        (["full_stop"], "It was raining when the ship left,"),
    ],
    ids=["a mark", "a jump", "a step to a quotation"],
)
async def test_a_selection_gives_way_to_what_the_user_chooses_next(
    attributed_quay: Path, keys: list[str], copied: str
) -> None:
    async with open_reader(QUAY) as pilot:
        at_stay = page(pilot).text.index("stay?")
        page(pilot).select(Span(at_stay, at_stay + 4))
        await pilot.press(*keys)
        await settled(pilot)
        await pilot.press("y")
        assert page(pilot).selected is None
        assert copied in scholar(pilot).clipboard


async def test_a_quotation_is_kept_in_the_collection_that_was_chosen(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.3:1-5") as pilot:
        await pilot.press("s")
        assert notifications(pilot)[-1] == f"kept: {QUAY}:2.3:1-5"
        await pilot.press("s")
        assert notifications(pilot)[-1] == f"already kept: {QUAY}:2.3:1-5"
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


async def test_the_quotations_of_the_chapter_are_what_is_listed(attributed_quay: Path) -> None:
    async with open_reader(f"{QUAY}:2.1") as pilot:
        assert screen(pilot).exports()[0].name == f"{QUAY}-chapter-2-quotations"
        records = json.loads(exported(pilot, "json"))
        assert {record["chapter"]["number"] for record in records} == {2}
        assert records[0]["speaker"]["name"] == "Mr. Hale"
        assert "> The letter is burnt, I burnt it" in exported(pilot, "md")
        assert "Mr. Hale, in Ann Example, The Quay" in exported(pilot, "md")
        assert "@book{own-the-quay" in exported(pilot, "bibtex")
        assert "<TEI " in exported(pilot, "tei")
        hush = page(pilot).text.index("Hush")
        page(pilot).select(Span(hush, hush + 4))
        assert json.loads(exported(pilot, "json"))[0]["quote"] == "Hush"
        assert exported(pilot, "md").startswith("# The Quay\n\n1 passage from 1 book, ")
        assert "\n\n> Hush\n" in exported(pilot, "md")
