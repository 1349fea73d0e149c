"""The list of papers: filters, collections, years, copies and export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from command_line import CommandResult
from papers_screen import (
    BIBTEX,
    add,
    box_message,
    listed_ids,
    paste,
    press,
    screen,
    shown_id,
    write_file,
)
from scholar_indexes.types import Facet
from screens import LARGE, SMALL, at, exported, notifications, screen_text, settled


async def test_a_paper_is_shown_next_to_the_list_with_a_letter_for_each_facet(
    papers_home: Path, command: Callable[..., CommandResult]
) -> None:
    async with at("papers") as pilot:
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert "papers 12" in screen_text(pilot)
            assert "B background  M method  R result  O other" in screen_text(pilot)
            first = [line.split("││")[-1].split()[:3] for line in screen_text(pilot).splitlines()]
            assert ["B", "1", "Large"] in first
            assert ["M", "4", "Two"] in first
            await press(pilot, "down")
            assert shown_id(pilot) == "key:1002"
            await press(pilot, "end")
            assert shown_id(pilot) == listed_ids(pilot)[-1]
            await press(pilot, "k", "n", "N", "home")
            assert shown_id(pilot) == "key:1001"

        # The list and a ranking are exported as Markdown, JSON and BibTeX.
        listed_by_command = command("papers", "list", "--json").json
        assert json.loads(exported(pilot, "json")) == listed_by_command
        assert exported(pilot, "md").count("\n- ") == 12
        assert exported(pilot, "bibtex").count("\n@") == 11
        await press(pilot, "2")
        arguments = ("papers", "similar", "key:1001", "--facet", "method", "-n", "50", "--json")
        assert json.loads(exported(pilot, "json")) == command(*arguments).json
        assert "# similar in method: Finding Duplicate Bug Reports" in exported(pilot, "md")
        assert "   > (4, method) " in exported(pilot, "md")
        assert exported(pilot, "bibtex").startswith("@")

        # The mouse selects papers and sentences.
        await press(pilot, "escape")
        await pilot.click("#papers", offset=(5, 4))
        await settled(pilot)
        assert shown_id(pilot) == "key:1003"
        await pilot.click("#abstract", offset=(3, 5))
        await settled(pilot)
        assert screen(pilot).abstract.chosen == {0}
        await pilot.click("#papers", offset=(5, 2), times=2)
        await settled(pilot)
        await pilot.click("#papers", offset=(5, 2), times=2)
        await settled(pilot)
        assert "similar overall" in screen_text(pilot)


async def test_papers_are_filtered_copied_and_shown_as_text(
    papers_home: Path, tmp_path: Path
) -> None:
    record = {
        "paper_id": "1",
        "title": "Red \x1b[31m moths [bold]and[/bold] [link=x]bells",
        "abstract": "We [red]ring[/red] \x1b]0;t\x07 bells. Moths hear them.",
    }
    async with at("papers") as pilot:
        # Typing filters by title, author, year and venue, ignoring accents.
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        await press(pilot, "escape")
        for words, ref in (
            ("muller", "doi:10.5555/lamp"),
            ("annals mucken 2020", "doi:10.5555/lamp"),
            ("SIGNATURES", "key:1003"),
        ):
            await press(pilot, "slash")
            await paste(pilot, words)
            assert listed_ids(pilot) == [ref]
            assert shown_id(pilot) == ref
            await press(pilot, "down", "escape")
            assert len(listed_ids(pilot)) == 14
            assert shown_id(pilot) == ref, "the cursor stays on the paper"
        await press(pilot, "slash", "z", "z")
        assert "No paper matches" in screen_text(pilot)
        await press(pilot, "escape", "escape")

        # A citation, a sentence and a BibTeX entry are copied.
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        await press(pilot, "escape", "end", "up", "y")
        cited = (
            "Ann Example, Ben Müller (2020). Lamps That Count Mücken [bold]. Annals of Moths. "
            "doi:10.5555/lamp"
        )
        assert pilot.app.clipboard == cited
        await press(pilot, "Y")
        assert pilot.app.clipboard.startswith("@article{lamp2020,")
        await press(pilot, "tab", "y")
        assert pilot.app.clipboard == f"“Moths are counted by hand.” — {cited}"
        await press(pilot, "escape")

        # Markup and control characters are shown as text.
        await add(pilot, write_file(tmp_path, "[bold].jsonl", json.dumps(record)))
        assert "[bold].jsonl: 1 added" in box_message(pilot)
        await press(pilot, "escape", "end")
        assert "moths [bold]and[/bold] [link=x]bells" in screen_text(pilot)
        assert "We [red]ring[/red]" in screen_text(pilot)
        await press(pilot, "4")
        assert "[bold]and[/bold]" in screen_text(pilot)
        assert not any(mark in screen_text(pilot) for mark in ("\x1b", "\x07"))
        assert not any(mark in notifications(pilot)[-1] for mark in ("\x1b", "\x07"))


async def test_many_papers_are_listed_a_page_at_a_time(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scholar_tui.controllers.paper_catalog.PAGE_SIZE", 5)
    async with at("papers") as pilot:
        assert "papers 5 of 12" in screen_text(pilot)
        await press(pilot, "end")
        assert len(listed_ids(pilot)) == 10
        assert shown_id(pilot) == listed_ids(pilot)[4]
        await press(pilot, "end")
        assert len(listed_ids(pilot)) == 12


async def test_a_collection_and_years_are_chosen_and_remembered(
    papers_home: Path, tmp_path: Path
) -> None:
    async with at("papers") as pilot:
        await press(pilot, "a")
        pilot.app.screen.query_one("#source", Input).value = write_file(tmp_path, "b.bib", BIBTEX)
        pilot.app.screen.query_one("#into", Input).value = "moths"
        await press(pilot, "enter")
        await press(pilot, "escape", "S")
        assert "All papers  14" in screen_text(pilot)
        await press(pilot, "down", "enter")
        assert listed_ids(pilot) == ["doi:10.5555/lamp", "doi:10.5555/fens"]
        await press(pilot, "f")
        await paste(pilot, "2021-")
        assert listed_ids(pilot) == ["doi:10.5555/fens"]
    async with at("papers") as pilot:
        assert listed_ids(pilot) == ["doi:10.5555/fens"]
        assert "moths 1" in screen_text(pilot)
        await press(pilot, "S", "home", "enter")
        assert listed_ids(pilot) == ["key:1012", "doi:10.5555/fens"]
        await press(pilot, "f", "f8")  # from the box for years
        assert len(listed_ids(pilot)) == 14
    async with at("papers") as pilot:
        assert len(listed_ids(pilot)) == 14


async def test_words_for_an_empty_list_say_how_to_add_papers(home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "slash", *"moth", "enter")
        assert "No papers yet" in screen_text(pilot)


async def test_a_claim_is_answered_from_one_facet_as_the_command_line_does(
    papers_home: Path, command: Callable[..., CommandResult]
) -> None:
    claim = "twin networks with a contrastive loss"
    async with at("papers") as pilot:
        screen(pilot).query_one("#facet", Select).value = Facet.METHOD
        await press(pilot, "p")
        await paste(pilot, claim)
        await press(pilot, "enter")
        arguments = ("papers", "find", claim, "--facet", "method", "-n", "50", "--json")
        expected = [hit["paper"]["id"] for hit in command(*arguments).json]
        assert listed_ids(pilot) == expected
        assert f"found in method {len(expected)}" in screen_text(pilot)
        await press(pilot, "1")  # papers similar to the shown one, not to the claim
        assert "similar in background" in screen_text(pilot)
        await press(pilot, "backspace")
        assert listed_ids(pilot) == expected
    async with at("papers") as pilot:
        assert screen(pilot).query_one("#facet", Select).value == Facet.METHOD
        await press(pilot, "p")
        await paste(pilot, claim)
        await press(pilot, "enter")
        assert "found in method" in screen_text(pilot)
        await press(pilot, "f8")
        assert "found in method" not in screen_text(pilot)
        plain = command("papers", "find", claim, "-n", "50", "--json").json
        assert listed_ids(pilot) == [hit["paper"]["id"] for hit in plain]


async def test_text_typed_fast_into_the_filter_stays(papers_home: Path) -> None:
    async with at("papers") as pilot:
        for keys in (["slash"], ["4", "slash"]):  # among all papers, then among similar ones
            await press(pilot, *keys)
            box = screen(pilot).query_one("#filter", Input)
            for letter in "ab cd":
                box.insert_text_at_cursor(letter)  # before the screen has heard of the last one
            await press(pilot, "e")
            assert box.value == "ab cde"
            await press(pilot, "ctrl+u", "escape")

        # An answer comes between a key and the message about it.
        await press(pilot, "backspace", "slash")
        with box.prevent(Input.Changed):
            box.insert_text_at_cursor("a")
        screen(pilot)._catalog.load()
        await settled(pilot)
        await press(pilot, "b")
        assert box.value == "ab"
