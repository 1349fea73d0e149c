"""Papers similar in a facet, to single sentences, to a question or to a file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from papers_screen import PAPERS, listed_ids, paste, press, screen, shown_id, write_file
from scholar_tui.widgets.paper_lists import SentencePairs
from screens import LARGE, SMALL, at, ended, notifications, scholar, screen_text, settled, until


async def test_papers_similar_in_facets_sentences_and_questions_are_found_and_followed(
    papers_home: Path,
) -> None:
    async with at("papers") as pilot:
        # Papers similar in method differ from papers similar in background.
        await press(pilot, "2")
        assert listed_ids(pilot)[0] == "key:1003"
        assert "similar in method 11" in screen_text(pilot)
        await press(pilot, "1")
        assert listed_ids(pilot)[0] == "key:1002"
        assert "Papers › Finding Duplicate" in screen_text(pilot)
        await press(pilot, "3", "4")
        assert "similar overall 11" in screen_text(pilot)
        await press(pilot, *["escape"] * 5, "home")

        # Enter follows similar papers; Backspace goes back.
        await press(pilot, "down", "down", "2", "down", "down")
        first, third = listed_ids(pilot), shown_id(pilot)
        await press(pilot, "enter")
        assert "similar in method" in screen_text(pilot), "in the same facet"
        assert third not in listed_ids(pilot)
        trail = next(line for line in screen_text(pilot).splitlines() if "›" in line)
        assert trail.count("›") == 2
        await press(pilot, "backspace")
        assert (listed_ids(pilot), shown_id(pilot)) == (first, third)
        await press(pilot, "escape")
        assert len(listed_ids(pilot)) == 12
        assert shown_id(pilot) == "key:1003", "back at the same paper in the list"
        await press(pilot, "escape", "backspace")
        assert len(listed_ids(pilot)) == 12
        await press(pilot, *["escape"] * 5, "home")

        # Single sentences are chosen as the query.
        await press(pilot, "tab", "down", "down", "down", "space", "space")
        await press(pilot, "S", "escape")
        assert screen_text(pilot).count("✓M") == 2, "a box over the screen keeps the selection"
        await press(pilot, "enter")
        assert "similar in sentences 4, 5" in screen_text(pilot)
        assert listed_ids(pilot)[0] == "key:1003"
        numbers = {
            pair.query.number for pair in screen(pilot).query_one("#pairs", SentencePairs).pairs
        }
        assert numbers <= {4, 5}
        await press(pilot, *["escape"] * 5, "home")

        # A free question finds the sentence that answers it.
        await press(pilot, "p")
        await paste(pilot, "how much memory does a sketch of a graph need?")
        await press(pilot, "enter")
        assert listed_ids(pilot)[0] in {"key:1006", "key:1007"}
        (pair,) = screen(pilot).query_one("#pairs", SentencePairs).pairs
        assert pair.query.text == "how much memory does a sketch of a graph need?"
        assert pair.hit.text
        await press(pilot, "2")
        assert "similar in method" in screen_text(pilot), "similar to the shown paper"
        await press(pilot, "backspace")
        assert listed_ids(pilot)[0] in {"key:1006", "key:1007"}
        await press(pilot, "p", "ctrl+u", "up")
        assert screen(pilot).query_one("#claim", Input).value.startswith("how much memory")
        await press(pilot, "down")
        assert screen(pilot).query_one("#claim", Input).value == ""
        await scholar(pilot).navigate("papers", {"claim": "sketches of graphs"})
        await settled(pilot)

        # A claim can be passed from another screen.
        assert "found 12" in screen_text(pilot)
        assert "“sketches of graphs”" in screen_text(pilot)


async def test_matching_sentences_are_side_by_side_and_the_abstract_follows_them(
    papers_home: Path,
) -> None:
    async with at("papers", size=SMALL) as pilot:
        await press(pilot, "2")
        for size in (LARGE, SMALL):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            pair = screen(pilot).query_one("#pairs", SentencePairs).pairs[0]
            query, hit = pair.query, pair.hit
            assert (query.facet, hit.facet) == ("method", "method")
            assert screen(pilot).abstract.paper.sentences[hit.number - 1] == hit.text  # type: ignore[union-attr]
            weight = f"{pair.weight:.0%}"
            line = next(line for line in screen_text(pilot).splitlines() if weight in line)
            assert f"M {query.number}" in line
            assert f"│ M {hit.number}" in line
            for text in (f"{pair.cosine:.2f}", "•M", "score 0."):
                assert text in screen_text(pilot), text
            for name in ("Search", "Ask", "Similar", "Back", "Actions", "More"):
                assert name in screen_text(pilot).splitlines()[-1], "the footer fits"

        # The abstract follows the chosen paper and the chosen pair of sentences.
        table = screen(pilot).query_one("#pairs", SentencePairs)
        await press(pilot, "down")
        assert shown_id(pilot) == listed_ids(pilot)[1]
        await press(pilot, "tab", "tab", "down")
        assert screen(pilot).focused is table
        assert table.pair
        assert screen(pilot).abstract.cursor == table.pair.hit.number


@pytest.mark.slow
async def test_a_key_in_the_abstract_is_about_the_paper_that_is_shown(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "2")
        hit = shown_id(pilot)
        await press(pilot, "tab", "3")
        assert hit not in listed_ids(pilot)
        assert "similar in result" in screen_text(pilot)


@pytest.mark.slow
async def test_a_file_with_one_paper_can_be_the_query(papers_home: Path, tmp_path: Path) -> None:
    record = PAPERS.read_text("utf-8").splitlines()[0]
    file = write_file(tmp_path, "draft.jsonl", record)
    async with at("papers") as pilot:
        screen(pilot).query_one("#claim", Input).value = file
        await press(pilot, "p", "enter")
        assert "Papers › Finding Duplicate" in screen_text(pilot)
        await press(pilot, "2")
        assert listed_ids(pilot)[:2] == ["key:1001", "key:1003"]
        screen(pilot).query_one("#claim", Input).value = str(PAPERS)
        await press(pilot, "p", "enter")
        assert "several papers" in notifications(pilot)[-1]


@pytest.mark.slow
async def test_hits_are_filtered_and_narrowed_to_years(papers_home: Path) -> None:
    async with at("papers") as pilot:
        await press(pilot, "4", "slash")
        await paste(pilot, "signatures")
        assert listed_ids(pilot) == ["key:1003"]
        await press(pilot, "enter", "escape")
        assert len(listed_ids(pilot)) == 11
        await press(pilot, "f")
        await paste(pilot, "2018-2019")
        assert listed_ids(pilot)
        years = {row.stored.paper.year for row in screen(pilot).rows.rows}
        assert years <= {2018, 2019}
        await press(pilot, "ctrl+u")
        await paste(pilot, "1901")
        assert "No other paper matches" in screen_text(pilot)
        await press(pilot, "escape", "backspace")
        assert "No paper matches" in screen_text(pilot)


async def test_leaving_ends_a_search_for_papers_and_coming_back_repeats_it(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("papers") as pilot:
        papers = screen(pilot).papers
        begun, go_on = threading.Event(), threading.Event()
        similar = papers.similar

        def slow(*args: Any, **kwargs: Any) -> Any:
            begun.set()
            go_on.wait(300)
            return similar(*args, **kwargs)

        monkeypatch.setattr(papers, "similar", slow)
        await pilot.press("2")
        await until(pilot, begun.is_set)
        assert "searching…" in screen_text(pilot)
        await pilot.press("slash", "b", "u", "g")
        await until(pilot, lambda: listed_ids(pilot) == ["key:1001"])
        assert screen(pilot).query_one("#filter", Input).value == "bug", "typing stays live"
        await pilot.press("escape")
        scholar(pilot).workers.cancel_node(screen(pilot))
        go_on.set()
        await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))
        assert "similar in" not in screen_text(pilot)
        await scholar(pilot).navigate("papers")
        await until(pilot, lambda: "similar in method" in screen_text(pilot))


async def test_escape_takes_a_slow_question_back(
    papers_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at("papers") as pilot:
        go_on = threading.Event()
        monkeypatch.setattr(screen(pilot).papers, "similar", lambda *_, **__: go_on.wait(300))
        await pilot.press("2")
        await until(pilot, lambda: "searching…" in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "searching…" not in screen_text(pilot))
        go_on.set()
        await ended(pilot)
        assert len(listed_ids(pilot)) == 12
