"""The screen of papers, driven with keys over a dozen small papers."""

from __future__ import annotations

import errno
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, Static

from command_line import CommandResult, succeeded
from mirror_server import MirrorServer
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_tui.screens.papers import PapersScreen
from scholar_tui.widgets.papers import SentencePairs
from screens import LARGE, SMALL, at, notifications, scholar, screen_text, settled, until

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"

BIBTEX = """
@article{lamp2020, title = {Lamps That Count M{\\"u}cken [bold]}, year = 2020, doi = {10.5555/lamp},
  author = {Ann Example and Ben M{\\"u}ller}, journal = {Annals of Moths},
  abstract = {Moths are counted by hand. We count moths with a lamp that weighs them.
    The lamp is right for nine moths in ten.}}
@article{broken2021, title = {No end to this
@article{moth2021, title = {Moths of the Fens}, year = 2021, doi = {10.5555/fens},
  abstract = {We walked the fens for a year. Forty kinds of moths were seen.}}
"""

NO_BACKGROUND = {
    "paper_id": "9",
    "title": "On the Keeping of Moths in Large Numbers",
    "abstract": [
        {"facet": "method", "text": "We keep moths in boxes."},
        {"facet": "result", "text": "They live."},
    ],
}


@pytest.fixture
def command(request: pytest.FixtureRequest) -> Callable[..., CommandResult]:
    """Return the command line beside the screen: command("papers", "list")."""
    run: Callable[..., CommandResult] = request.getfixturevalue("scholar")
    return run


def screen(pilot: Pilot[None]) -> PapersScreen:
    current = scholar(pilot).mode_screen
    assert isinstance(current, PapersScreen)
    return current


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


async def paste(pilot: Pilot[None], text: str) -> None:
    """Paste a text into the focused box, at its cursor."""
    pilot.app.post_message(Paste(text))
    await settled(pilot)


def listed_ids(pilot: Pilot[None]) -> list[str]:
    """Return the ids of the papers in the list."""
    return [row.stored.paper.id for row in screen(pilot).rows.rows]


def shown_id(pilot: Pilot[None]) -> str:
    """Return the id of the paper whose abstract is shown."""
    paper = screen(pilot).abstract.paper
    return paper.id if paper else ""


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that adds papers."""
    return str(pilot.app.screen.query_one("#line", Static).content)


async def add(pilot: Pilot[None], source: str) -> None:
    """Add a source through the box, which stays open."""
    await press(pilot, "a")
    pilot.app.screen.query_one("#source", Input).value = source
    await press(pilot, "enter")


def write_file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_an_empty_shelf_says_how_to_add_papers(size: tuple[int, int]) -> None:
    async with at("papers", size=size) as pilot:
        assert "No papers yet. a adds them" in screen_text(pilot)
        await press(pilot, "enter", "m", "space", "y", "Y", "d", "n", "escape")
        assert screen(pilot).export_listing() is None
        await press(pilot, "f")
        await paste(pilot, "moths")
        await press(pilot, "enter")
        assert "press a to add some" in notifications(pilot)[-1]


async def test_no_such_file_and_a_file_without_a_paper_are_told_in_the_box(tmp_path: Path) -> None:
    async with at("papers") as pilot:
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
        assert "name the files in it" in box_message(pilot)


async def test_what_would_hold_up_the_terminal_is_no_source() -> None:
    async with at("papers") as pilot:
        for source in ("-", "~nobody-at-all/x.bib", "/dev/tty"):
            await add(pilot, source)
            assert "no file" in box_message(pilot)
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


async def test_a_facet_that_no_sentence_has_leads_to_the_nearest(
    papers_home: Path, tmp_path: Path
) -> None:
    async with at("papers") as pilot:
        await add(pilot, write_file(tmp_path, "moths.jsonl", json.dumps(NO_BACKGROUND)))
        await press(pilot, "escape", "end", "b")
        assert "labelled background" in notifications(pilot)[-1]
        nearest = screen(pilot).abstract.cursor
        assert f"sentence {nearest} comes nearest: enter asks with it" in notifications(pilot)[-1]
        await press(pilot, "enter")
        assert f"alike in sentence {nearest}" in screen_text(pilot)


async def test_a_paper_without_an_abstract_is_refused_with_advice(
    papers_home: Path, tmp_path: Path
) -> None:
    record = {"paper_id": "9", "title": "Twelve Moths of Kent"}
    async with at("papers") as pilot:
        await add(pilot, write_file(tmp_path, "moths.jsonl", json.dumps(record)))
        assert "1 without an abstract" in box_message(pilot)
        await press(pilot, "escape", "end")
        assert "No abstract of it is known" in screen_text(pilot)
        await press(pilot, "m")
        assert "press f to ask by its words" in notifications(pilot)[-1]
        await press(pilot, "tab", "space", "enter")
        assert "no abstract of it is known" in notifications(pilot)[-1]


async def test_a_damaged_index_is_made_anew_with_a_key(papers_home: Path) -> None:
    (table,) = (papers_home / "data" / "papers.lance").glob("*.lance")
    shutil.rmtree(table / "data")
    async with at("papers") as pilot:
        await press(pilot, "m")
        assert "press R" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 12
        await press(pilot, "R")
        assert notifications(pilot)[-1] == "the index has 12 papers"
        await press(pilot, "m")
        assert "alike in method" in screen_text(pilot)


async def test_papers_of_another_model_say_that_they_are_not_indexed(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PaperCatalog(papers_home / "data" / "papers.sqlite").forget_space(
        next((papers_home / "data" / "papers.lance").glob("*.lance")).stem
    )
    async with at("papers") as pilot:
        await press(pilot, "w")
        assert "not yet in the index" in notifications(pilot)[-1]
        assert "press R" in notifications(pilot)[-1]


async def test_a_damaged_shelf_is_told_in_place_of_the_list(papers_home: Path) -> None:
    (papers_home / "data" / "papers.sqlite").write_bytes(b"not a database at all, but text" * 50)
    async with at("papers") as pilot:
        assert "is damaged" in screen_text(pilot)
        assert "add your papers again" in " ".join(screen_text(pilot).split())


async def test_a_full_disk_is_told_with_what_to_do(
    papers_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(papers_home / "data"))

    async with at("papers") as pilot:
        monkeypatch.setattr(type(screen(pilot).papers.catalog), "add", full)
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        assert "no space is left" in box_message(pilot)


async def test_years_and_claims_that_are_none_change_nothing(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "f", "enter")
        assert notifications(pilot)[-1].startswith("write a claim")
        await press(pilot, "escape", "t")
        await paste(pilot, "late")
        await press(pilot, "enter")
        assert "2015-" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 12


async def test_a_collection_that_is_gone_gives_way_to_all_papers(papers_home: Path) -> None:
    Bookmarks(user_paths().bookmarks).set_choice("papers.collection", "lost")
    async with at("papers") as pilot:
        assert "no collection 'lost'" in notifications(pilot)[0]
        assert len(listed_ids(pilot)) == 12


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_paper_is_seen_beside_the_list_with_a_letter_for_each_facet(
    papers_home: Path, size: tuple[int, int]
) -> None:
    async with at("papers", size=size) as pilot:
        assert "papers 12" in screen_text(pilot)
        assert "B background  M method  R result  O other" in screen_text(pilot)
        first = [line.split("││")[-1].split()[:3] for line in screen_text(pilot).splitlines()]
        assert ["B", "1", "Large"] in first
        assert ["M", "4", "Two"] in first
        await press(pilot, "down")
        assert shown_id(pilot) == "key:1002"
        await press(pilot, "end")
        assert shown_id(pilot) == listed_ids(pilot)[-1]
        await press(pilot, "k", "n", "p", "g")
        assert shown_id(pilot) == "key:1001"


async def test_typing_filters_by_title_author_year_and_venue_without_accents(
    papers_home: Path, tmp_path: Path
) -> None:
    async with at("papers") as pilot:
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
        assert "No paper has that" in screen_text(pilot)


async def test_markup_and_control_characters_are_shown_as_text(
    papers_home: Path, tmp_path: Path
) -> None:
    record = {
        "paper_id": "1",
        "title": "Red \x1b[31m moths [bold]and[/bold] [link=x]bells",
        "abstract": "We [red]ring[/red] \x1b]0;t\x07 bells. Moths hear them.",
    }
    async with at("papers") as pilot:
        await add(pilot, write_file(tmp_path, "[bold].jsonl", json.dumps(record)))
        assert "[bold].jsonl: 1 added" in box_message(pilot)
        await press(pilot, "escape", "end")
        assert "moths [bold]and[/bold] [link=x]bells" in screen_text(pilot)
        assert "We [red]ring[/red]" in screen_text(pilot)
        await press(pilot, "w")
        assert "[bold]and[/bold]" in screen_text(pilot)
        assert not any(mark in screen_text(pilot) for mark in ("\x1b", "\x07"))
        assert not any(mark in notifications(pilot)[-1] for mark in ("\x1b", "\x07"))


async def test_a_long_shelf_is_listed_a_page_at_a_time(
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
        await press(pilot, "escape", "c")
        assert "All papers  14" in screen_text(pilot)
        await press(pilot, "down", "enter")
        assert listed_ids(pilot) == ["doi:10.5555/lamp", "doi:10.5555/fens"]
        await press(pilot, "t")
        await paste(pilot, "2021-")
        assert listed_ids(pilot) == ["doi:10.5555/fens"]
    async with at("papers") as pilot:
        assert listed_ids(pilot) == ["doi:10.5555/fens"]
        assert "moths 1" in screen_text(pilot)
        await press(pilot, "c", "home", "enter")
        assert listed_ids(pilot) == ["key:1012", "doi:10.5555/fens"]
        await press(pilot, "t", "ctrl+u", "enter")
        assert len(listed_ids(pilot)) == 14


async def test_papers_alike_in_method_differ_from_those_alike_in_background(
    papers_home: Path,
) -> None:
    async with at("papers") as pilot:
        await press(pilot, "m")
        assert listed_ids(pilot)[0] == "key:1003"
        assert "alike in method 11" in screen_text(pilot)
        await press(pilot, "b")
        assert listed_ids(pilot)[0] == "key:1002"
        assert "Papers › Finding Duplicate" in screen_text(pilot)
        await press(pilot, "r", "w")
        assert "alike altogether 11" in screen_text(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_what_matched_stands_side_by_side_and_is_marked_in_the_abstract(
    papers_home: Path, size: tuple[int, int]
) -> None:
    async with at("papers", size=size) as pilot:
        await press(pilot, "m")
        table = screen(pilot).query_one("#pairs", SentencePairs)
        pair = table.pairs[0]
        query, hit = pair.query, pair.hit
        assert (query.facet, hit.facet) == ("method", "method")
        assert screen(pilot).abstract.paper.sentences[hit.number - 1] == hit.text  # type: ignore[union-attr]
        assert f"{pair.weight:.0%}" in screen_text(pilot)
        assert f"{pair.cosine:.2f}" in screen_text(pilot)
        line = next(
            line for line in screen_text(pilot).splitlines() if f"{pair.weight:.0%}" in line
        )
        assert f"M {query.number}" in line
        assert f"│ M {hit.number}" in line
        assert "•M" in screen_text(pilot)
        assert "score 0." in screen_text(pilot)
        for name in ("Filter", "Find", "Alike", "Back", "Help", "Export"):
            assert name in screen_text(pilot).splitlines()[-1], "the footer fits"
        await press(pilot, "down")
        assert shown_id(pilot) == listed_ids(pilot)[1]
        await press(pilot, "tab", "tab", "down")
        assert screen(pilot).focused is table
        assert table.pair
        assert screen(pilot).abstract.cursor == table.pair.hit.number


async def test_a_hit_is_followed_and_the_trail_leads_back(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "down", "down", "m", "down", "down")
        first, third = listed_ids(pilot), shown_id(pilot)
        await press(pilot, "enter")
        assert "alike in method" in screen_text(pilot), "in the same respect"
        assert third not in listed_ids(pilot)
        trail = next(line for line in screen_text(pilot).splitlines() if "›" in line)
        assert trail.count("›") == 2
        await press(pilot, "backspace")
        assert (listed_ids(pilot), shown_id(pilot)) == (first, third)
        await press(pilot, "escape")
        assert len(listed_ids(pilot)) == 12
        assert shown_id(pilot) == "key:1003", "where one was on the shelf"
        await press(pilot, "escape", "backspace")
        assert len(listed_ids(pilot)) == 12


async def test_single_sentences_are_chosen_and_asked_with(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "tab", "down", "down", "down", "space", "space")
        await press(pilot, "c", "escape")
        assert screen_text(pilot).count("✓M") == 2, "a box over the screen forgets nothing"
        await press(pilot, "enter")
        assert "alike in sentences 4, 5" in screen_text(pilot)
        assert listed_ids(pilot)[0] == "key:1003"
        numbers = {
            pair.query.number for pair in screen(pilot).query_one("#pairs", SentencePairs).pairs
        }
        assert numbers <= {4, 5}


async def test_a_key_in_the_abstract_is_about_the_paper_that_is_shown(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "m")
        hit = shown_id(pilot)
        await press(pilot, "tab", "r")
        assert hit not in listed_ids(pilot)
        assert "alike in result" in screen_text(pilot)


async def test_a_free_question_finds_the_sentence_that_answers_it(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "f")
        await paste(pilot, "how much memory does a sketch of a graph need?")
        await press(pilot, "enter")
        assert listed_ids(pilot)[0] in {"key:1006", "key:1007"}
        (pair,) = screen(pilot).query_one("#pairs", SentencePairs).pairs
        assert pair.query.text == "how much memory does a sketch of a graph need?"
        assert pair.hit.text
        await press(pilot, "m")
        assert "alike in method" in screen_text(pilot), "like the paper that is shown"
        await press(pilot, "backspace")
        assert listed_ids(pilot)[0] in {"key:1006", "key:1007"}
        await press(pilot, "f", "ctrl+u", "up")
        assert screen(pilot).query_one("#claim", Input).value.startswith("how much memory")
        await press(pilot, "down")
        assert screen(pilot).query_one("#claim", Input).value == ""


async def test_a_claim_can_be_brought_along(papers_home: Path) -> None:
    async with at("papers", {"claim": "sketches of graphs"}) as pilot:
        assert "found 12" in screen_text(pilot)
        assert "“sketches of graphs”" in screen_text(pilot)


async def test_a_file_with_one_paper_can_be_asked_with(papers_home: Path, tmp_path: Path) -> None:
    record = PAPERS.read_text("utf-8").splitlines()[0]
    file = write_file(tmp_path, "draft.jsonl", record)
    async with at("papers") as pilot:
        screen(pilot).query_one("#claim", Input).value = file
        await press(pilot, "f", "enter")
        assert "Papers › Finding Duplicate" in screen_text(pilot)
        await press(pilot, "m")
        assert listed_ids(pilot)[:2] == ["key:1001", "key:1003"]
        screen(pilot).query_one("#claim", Input).value = str(PAPERS)
        await press(pilot, "f", "enter")
        assert "several papers" in notifications(pilot)[-1]


async def test_hits_are_filtered_and_narrowed_to_years(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "w", "slash")
        await paste(pilot, "signatures")
        assert listed_ids(pilot) == ["key:1003"]
        await press(pilot, "enter", "escape")
        assert len(listed_ids(pilot)) == 11
        await press(pilot, "t")
        await paste(pilot, "2018-2019")
        assert listed_ids(pilot)
        years = {row.stored.paper.year for row in screen(pilot).rows.rows}
        assert years <= {2018, 2019}
        await press(pilot, "ctrl+u")
        await paste(pilot, "1901")
        assert "No other paper passes" in screen_text(pilot)
        await press(pilot, "escape", "backspace")
        assert "No paper has that" in screen_text(pilot)


async def test_leaving_ends_the_question_and_coming_back_asks_it_again(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("papers") as pilot:
        papers = screen(pilot).papers
        begun, go_on = threading.Event(), threading.Event()
        similar = papers.similar

        def slow(*args: Any, **kwargs: Any) -> Any:
            begun.set()
            go_on.wait(20)
            return similar(*args, **kwargs)

        monkeypatch.setattr(papers, "similar", slow)
        await pilot.press("m")
        await until(pilot, begun.is_set)
        assert "asking…" in screen_text(pilot)
        await pilot.press("slash", "b", "u", "g")
        await until(pilot, lambda: listed_ids(pilot) == ["key:1001"])
        assert screen(pilot).query_one("#filter", Input).value == "bug", "typing stays live"
        await pilot.press("escape")
        scholar(pilot).workers.cancel_node(screen(pilot))
        go_on.set()
        await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))
        assert "alike in" not in screen_text(pilot)
        await scholar(pilot).navigate("papers")
        await until(pilot, lambda: "alike in method" in screen_text(pilot))


async def test_escape_takes_a_slow_question_back(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("papers") as pilot:
        go_on = threading.Event()
        monkeypatch.setattr(screen(pilot).papers, "similar", lambda *_, **__: go_on.wait(20))
        await pilot.press("m")
        await until(pilot, lambda: "asking…" in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "asking…" not in screen_text(pilot))
        go_on.set()
        await settled(pilot)
        assert len(listed_ids(pilot)) == 12


async def test_papers_are_added_and_broken_records_told_with_their_line(tmp_path: Path) -> None:
    async with at("papers") as pilot:
        await add(pilot, write_file(tmp_path, "two.bib", BIBTEX))
        lines = box_message(pilot).splitlines()
        assert any(":6: " in line for line in lines)
        assert lines[-1].endswith("two.bib: 2 added, 1 not readable")
        await press(pilot, "enter")
        assert "2 already there" in box_message(pilot)
        await press(pilot, "escape")
        assert listed_ids(pilot) == ["doi:10.5555/lamp", "doi:10.5555/fens"]
        assert "Ben Müller" in screen_text(pilot)


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
            go_on.wait(20)
            return really(*args, **kwargs)

        monkeypatch.setattr(papers, "add", slow)
        await pilot.press("a")
        pilot.app.screen.query_one("#source", Input).value = write_file(tmp_path, "b.bib", BIBTEX)
        await pilot.press("enter")
        await until(pilot, lambda: begun.is_set() and "encoding 1 of 4" in box_message(pilot))
        await pilot.press("enter")
        assert "still being worked on" in box_message(pilot)
        await pilot.press("escape", "down", "down")
        assert shown_id(pilot) == "key:1003"
        go_on.set()
        await settled(pilot)
        assert "2 added" in notifications(pilot)[-1]
        assert len(listed_ids(pilot)) == 14
        assert shown_id(pilot) == "key:1003"


async def test_a_paper_is_removed_after_asking(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "down", "d")
        assert "Remove “Word Overlap" in screen_text(pilot)
        await press(pilot, "enter")
        assert "key:1002" in listed_ids(pilot), "keeping it is what enter does at first"
        await press(pilot, "delete", "escape")
        assert "key:1002" in listed_ids(pilot)
        await press(pilot, "d", "y")
        assert "key:1002" not in listed_ids(pilot)
        assert notifications(pilot)[-1].startswith("removed: Word Overlap")
        await press(pilot, "home", "w", "d", "y")
        assert len(listed_ids(pilot)) == 9
        await press(pilot, "backspace")
        assert len(listed_ids(pilot)) == 10


async def test_a_paper_is_taken_out_of_one_collection(
    papers_home: Path, command: Callable[..., CommandResult]
) -> None:
    succeeded(command("papers", "add", str(PAPERS), "-c", "twins"))
    async with at("papers") as pilot:
        await press(pilot, "c", "end", "enter", "d")
        assert "Take out of twins" in screen_text(pilot)
        await press(pilot, "o")
        assert "key:1001" not in listed_ids(pilot)
        await press(pilot, "c", "home", "enter")
        assert "key:1001" in listed_ids(pilot)


async def test_a_paper_is_fetched_by_its_id(arxiv: MirrorServer) -> None:
    async with at("papers") as pilot:
        await add(pilot, "arXiv:1810.00001")
        assert "1 added" in box_message(pilot)
        await press(pilot, "escape")
        assert listed_ids(pilot) == ["arxiv:1810.00001"]


async def test_a_citation_a_sentence_and_a_bibtex_entry_are_copied(
    papers_home: Path, tmp_path: Path
) -> None:
    async with at("papers") as pilot:
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


async def test_the_list_can_be_exported_as_markdown_json_and_bibtex(
    papers_home: Path, command: Callable[..., CommandResult]
) -> None:
    async with at("papers") as pilot:
        listing = screen(pilot).export_listing()
        await press(pilot, "m")
        ranking = screen(pilot).export_listing()
        assert listing
        assert ranking
        listed_by_command = command("papers", "list", "--json").json
        assert json.loads(listing.formats["json"]) == listed_by_command
        arguments = ("papers", "similar", "key:1001", "--facet", "method", "-n", "50", "--json")
        assert json.loads(ranking.formats["json"]) == command(*arguments).json
        assert listing.formats["md"].count("\n- ") == 12
        assert "# alike in method: Finding Duplicate Bug Reports" in ranking.formats["md"]
        assert "   > (4, method) " in ranking.formats["md"]
        assert listing.formats["bib"].count("\n@") == 11
        assert ranking.formats["bib"].startswith("@")


async def test_the_mouse_chooses_papers_and_sentences(papers_home: Path) -> None:
    async with at("papers") as pilot:
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
        assert "alike altogether" in screen_text(pilot)
