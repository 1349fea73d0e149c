"""Papers that are added, fetched and removed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from command_line import CommandResult, succeeded
from mirror_server import MirrorServer
from papers_screen import (
    BIBTEX,
    PAPERS,
    add,
    box_message,
    listed_ids,
    press,
    screen,
    shown_id,
    write_file,
)
from screens import at, close_boxes, ended, notifications, screen_text, until


async def test_adding_goes_on_when_its_box_is_closed_and_one_at_a_time(
    papers_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("papers") as pilot:
        papers = screen(pilot).papers
        begun, go_on = threading.Event(), threading.Event()
        really = papers.add

        def slow(*args: Any, **kwargs: Any) -> Any:
            kwargs["progress"]("encoding", 1, 4)
            begun.set()
            go_on.wait(300)
            return really(*args, **kwargs)

        monkeypatch.setattr(papers, "add", slow)
        await pilot.press("a")
        pilot.app.screen.query_one("#source", Input).value = write_file(tmp_path, "b.bib", BIBTEX)
        await pilot.press("enter")
        await until(pilot, lambda: begun.is_set() and "encoding 1 of 4" in box_message(pilot))
        await pilot.press("enter")
        assert "still in progress" in box_message(pilot)
        await pilot.press("escape", "down", "down")
        assert shown_id(pilot) == "key:1003"
        go_on.set()
        await ended(pilot)
        assert "2 added" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 14
        assert shown_id(pilot) == "key:1003"


async def test_a_paper_is_removed_after_asking(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "down", "d")
        assert "Remove “Word Overlap" in screen_text(pilot)
        await press(pilot, "enter")
        assert "key:1002" in listed_ids(pilot), "enter keeps it by default"
        await press(pilot, "delete", "escape")
        assert "key:1002" in listed_ids(pilot)
        await press(pilot, "d", "y")
        assert "key:1002" not in listed_ids(pilot)
        assert notifications(pilot)[-1].startswith("removed: Word Overlap")
        await press(pilot, "home", "4", "d", "y")
        assert len(listed_ids(pilot)) == 9
        await press(pilot, "backspace")
        assert len(listed_ids(pilot)) == 10


async def test_a_paper_is_taken_out_of_one_collection(
    papers_home: Path, command: Callable[..., CommandResult]
) -> None:
    succeeded(command("papers", "add", str(PAPERS), "-c", "twins"))
    async with at("papers") as pilot:
        await press(pilot, "S", "end", "enter", "d")
        assert "Take out of twins" in screen_text(pilot)
        await press(pilot, "o")
        assert "key:1001" not in listed_ids(pilot)
        await press(pilot, "S", "home", "enter")
        assert "key:1001" in listed_ids(pilot)


async def test_papers_are_fetched_and_added_and_broken_records_reported_with_their_line(
    tmp_path: Path, arxiv: MirrorServer
) -> None:
    async with at("papers") as pilot:
        # Ticks are visible without colour.
        await press(pilot, "a")
        assert "▐ ▌ and the papers it cites" in screen_text(pilot)
        await press(pilot, "tab", "tab", "space")
        assert "▐X▌ and the papers it cites" in screen_text(pilot)
        await close_boxes(pilot)

        # Papers are added; broken records are reported with their line.
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        lines = box_message(pilot).splitlines()
        assert any(":6: " in line for line in lines)
        assert lines[-1].endswith("two.bib: 2 added, 1 not readable")
        await press(pilot, "enter")
        assert "2 already there" in box_message(pilot)
        await press(pilot, "escape")
        assert listed_ids(pilot) == ["doi:10.5555/lamp", "doi:10.5555/fens"]
        assert "Ben Müller" in screen_text(pilot)
        await close_boxes(pilot)

        # A paper is fetched by its id.
        await add(pilot, "arXiv:1810.00001")
        assert "1 added" in box_message(pilot)
        await press(pilot, "escape")
        assert "arxiv:1810.00001" in listed_ids(pilot)
