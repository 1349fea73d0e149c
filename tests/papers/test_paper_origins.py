"""Papers that are read from their source again: what changed there, and what a reader edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from catalog_entries import TEXT, entry, put
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcomeKind
from scholar_indexes.papers.editing import PaperEdit
from scholar_indexes.papers.entry import Entry

ADDED, MERGED, UNCHANGED = EntryOutcomeKind

FIRST = replace(entry(keyword="tides", issue="2"), origin="/library#1/K1")


@pytest.fixture
def papers(tmp_path: Path) -> PaperCatalog:
    return PaperCatalog(tmp_path / "papers.sqlite")


def changed(**more: object) -> Entry:
    """Return the entry FIRST as its source has it later."""
    return replace(entry(**more), origin=FIRST.origin)  # type: ignore[arg-type]


def test_what_is_as_it_was_changes_nothing(papers: PaperCatalog) -> None:
    assert [kind for _, kind in put(papers, FIRST)] == [ADDED]
    assert put(papers, FIRST) == [(1, UNCHANGED)]


def test_what_changed_in_its_source_takes_the_place_of_what_was_there(papers: PaperCatalog) -> None:
    put(papers, FIRST)
    new = changed(title="Counting barnacles by daylight", keyword="sun", text=("Short.",))
    assert put(papers, new) == [(1, MERGED)]
    stored = papers.by_number([1])[1]
    assert stored.paper.title == "Counting barnacles by daylight"
    assert stored.csl["keyword"] == "sun"
    assert stored.paper.sentences == ("Short.",)
    assert papers.paper("Counting barnacles by daylight").number == 1


def test_a_change_that_is_taken_back_is_taken_back(papers: PaperCatalog) -> None:
    put(papers, FIRST, changed(keyword="sun"))
    put(papers, FIRST)
    assert papers.by_number([1])[1].csl["keyword"] == "tides"


def test_the_same_paper_from_elsewhere_fills_gaps_and_adds_tags(papers: PaperCatalog) -> None:
    put(papers, FIRST)
    put(papers, replace(entry(keyword="sun", volume="3"), origin="/other.bib#key:x"))
    csl = papers.by_number([1])[1].csl
    assert (csl["keyword"], csl["volume"], csl["issue"]) == ("tides, sun", "3", "2")


def test_two_records_of_one_paper_do_not_change_it_in_turn(papers: PaperCatalog) -> None:
    second = replace(entry(keyword="sun"), origin="/library#1/K2")
    put(papers, FIRST, second)
    assert put(papers, FIRST, second) == [(1, UNCHANGED), (1, UNCHANGED)]


def test_what_a_reader_edited_stays_when_the_source_changes(papers: PaperCatalog) -> None:
    put(papers, FIRST)
    papers.edit(1, PaperEdit(title="My barnacles", note="ask Ben"))
    put(papers, changed(title="Counting barnacles by moonlight", note="theirs", volume="3"))
    stored = papers.by_number([1])[1]
    assert (stored.paper.title, stored.csl["note"]) == ("My barnacles", "ask Ben")
    assert stored.csl["volume"] == "3"


def test_another_paper_under_the_same_key_is_another_paper(papers: PaperCatalog) -> None:
    put(papers, FIRST)
    other = changed(title="The wool trade of Flanders", year=1999, author="Cy Third")
    assert put(papers, other) == [(2, ADDED)]


def test_a_removed_paper_that_is_still_in_its_source_is_added_again(papers: PaperCatalog) -> None:
    put(papers, FIRST)
    papers.unlist([1])
    assert [kind for _, kind in put(papers, FIRST)] == [ADDED]


def test_an_entry_joins_the_collections_of_its_source(papers: PaperCatalog) -> None:
    put(papers, replace(FIRST, collections=("Thesis", "Thesis/Chapter 2")))
    assert [collection.name for collection in papers.collections()] == [
        "Thesis",
        "Thesis/Chapter 2",
        "papers",
    ]
    assert papers.by_number([1])[1].paper.sentences == TEXT
