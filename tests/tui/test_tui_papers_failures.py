"""Papers that are missing, damaged, not indexed or refused."""

from __future__ import annotations

import errno
import json
import re
import shutil
from pathlib import Path

import pytest

from papers_screen import (
    BIBTEX,
    PAPERS,
    add,
    box_message,
    listed_ids,
    paste,
    press,
    screen,
    write_file,
)
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.paper_service import PaperLibrary
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import Settings
from scholar_indexes.storage.bookmarks import Bookmarks
from screens import LARGE, SMALL, at, close_boxes, notifications, screen_text, settled

NO_BACKGROUND = {
    "paper_id": "9",
    "title": "On the Keeping of Moths in Large Numbers",
    "abstract": [
        {"facet": "method", "text": "We keep moths in boxes."},
        {"facet": "result", "text": "They live."},
    ],
}


async def test_an_empty_list_says_how_to_add_papers(home: Path) -> None:
    async with at("papers") as pilot:
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert "No papers yet. a adds them" in screen_text(pilot)
            await press(pilot, "enter", "2", "space", "y", "Y", "d", "n", "escape")
            assert screen(pilot).exports() == []
        await press(pilot, "p")
        await paste(pilot, "moths")
        await press(pilot, "enter")
        assert "press a to add some" in notifications(pilot)[-1]


async def test_a_file_without_papers_is_an_error_in_the_box(tmp_path: Path) -> None:
    async with at("papers") as pilot:
        # A missing file and a file without papers are errors in the box.
        await press(pilot, "a", "enter")
        assert "write the name of a file" in box_message(pilot)
        await press(pilot, "escape")
        await add(pilot, str(tmp_path / "nowhere.bib"))
        assert "there is no file" in box_message(pilot)
        await press(pilot, "escape")
        await add(pilot, write_file(tmp_path, "letter.bib", "Dear Ann,"))
        assert "letter.bib" in box_message(pilot)
        assert "no paper" in box_message(pilot)
        await press(pilot, "escape")
        await add(pilot, str(tmp_path))
        assert "no paper could be read from" in box_message(pilot)
        await close_boxes(pilot)

        # Sources that would block the terminal are refused.
        for source in ("-", "~nobody-at-all/x.bib", "/dev/tty"):
            await add(pilot, source)
            assert re.search("no file|not a file", box_message(pilot))
            await press(pilot, "escape")


async def test_offline_an_id_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLAR_OFFLINE", "1")
    async with at("papers") as pilot:
        await press(pilot, "a")
        assert "offline" in box_message(pilot)
        await press(pilot, "escape")
        await add(pilot, "arxiv:1810.00001")
        assert "offline" in box_message(pilot)
        assert "arXiv" in box_message(pilot)


@pytest.mark.slow
async def test_a_facet_that_no_sentence_has_leads_to_the_nearest(
    papers_home: Path, tmp_path: Path
) -> None:
    async with at("papers") as pilot:
        await add(pilot, write_file(tmp_path, "moths.jsonl", json.dumps(NO_BACKGROUND)))
        await press(pilot, "escape", "end", "1")
        assert "labelled background" in notifications(pilot)[-1]
        nearest = screen(pilot).abstract.cursor
        assert f"sentence {nearest} is nearest: enter searches with it" in notifications(pilot)[-1]
        await press(pilot, "enter")
        assert f"similar in sentence {nearest}" in screen_text(pilot)


async def test_a_damaged_index_is_rebuilt_with_a_key(papers_home: Path) -> None:
    (table,) = (papers_home / "data" / "papers.lance").glob("*.lance")
    shutil.rmtree(table / "data")
    async with at("papers") as pilot:
        await press(pilot, "2")
        assert "press I" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 12
        await press(pilot, "I")
        assert notifications(pilot)[-1] == "the index has 12 papers"
        await press(pilot, "2")
        assert "similar in method" in screen_text(pilot)


async def test_papers_of_another_model_say_that_they_are_not_indexed(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PaperCatalog(papers_home / "data" / "papers.sqlite").forget_spaces()
    async with at("papers") as pilot:
        await press(pilot, "4")
        assert "not yet in the index" in notifications(pilot)[-1]
        assert "press I" in notifications(pilot)[-1]


async def test_a_damaged_catalogue_is_reported_in_place_of_the_list(papers_home: Path) -> None:
    (papers_home / "data" / "papers.sqlite").write_bytes(b"not a database at all, but text" * 50)
    async with at("papers") as pilot:
        assert "is damaged" in screen_text(pilot)
        assert "scholar doctor --repair" in " ".join(screen_text(pilot).split())


async def test_an_invalid_search_or_addition_is_explained(
    papers_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"paper_id": "9", "title": "Twelve Moths of Kent"}
    async with at("papers") as pilot:
        # Invalid years and claims change nothing.
        await press(pilot, "p", "enter")
        assert notifications(pilot)[-1].startswith("write a claim")
        await press(pilot, "escape", "f")
        await paste(pilot, "late")
        await press(pilot, "enter")
        assert "2015-" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 12
        await press(pilot, "escape", "escape")

        # A paper without an abstract is refused with advice.
        await add(pilot, write_file(tmp_path, "moths.jsonl", json.dumps(record)))
        assert "1 without an abstract" in box_message(pilot)
        await press(pilot, "escape", "end")
        assert "It has no abstract" in screen_text(pilot)
        await press(pilot, "2")
        assert "press p to search by its words" in notifications(pilot)[-1]
        await press(pilot, "tab", "space", "enter")
        assert "it has no abstract" in notifications(pilot)[-1]
        await press(pilot, "escape", "escape")

        # The message about a full disk says what to do.
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", str(papers_home / "data"))

        monkeypatch.setattr(type(screen(pilot).papers.catalog), "add", full)
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        assert "no space is left" in box_message(pilot)


async def test_a_collection_that_is_gone_gives_way_to_all_papers(papers_home: Path) -> None:
    Bookmarks(user_paths().bookmarks).set_choice("papers.collection", "lost")
    async with at("papers") as pilot:
        assert "no collection 'lost'" in notifications(pilot)[0]
        assert len(listed_ids(pilot)) == 12


@pytest.mark.slow
async def test_an_empty_collection_says_which_key_fills_it(papers_home: Path) -> None:
    library = PaperLibrary(user_paths(), Settings(), lambda line: None)
    library.add(str(PAPERS), collection="moths")
    for stored in list(library.catalog.papers("moths")):
        library.remove(stored.paper.id, "moths")
    Bookmarks(user_paths().bookmarks).set_choice("papers.collection", "moths")
    async with at("papers") as pilot:
        screen(pilot).activate({"claim": "moths"})
        await settled(pilot)
        message = notifications(pilot)[-1]
        assert "the collection 'moths' has no papers; press a to add some" in message
