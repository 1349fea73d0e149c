"""Papers read again from their source: changes in the source, and edits of the user."""

from __future__ import annotations

import sqlite3
from contextlib import closing
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


def test_an_unchanged_record_changes_nothing(papers: PaperCatalog) -> None:
    assert [kind for _, kind in put(papers, FIRST)] == [ADDED]
    assert put(papers, FIRST) == [(1, UNCHANGED)]


def test_a_changed_record_replaces_the_earlier_one(papers: PaperCatalog) -> None:
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


SECOND = replace(entry(keyword="sun, kelp"), origin="/other.bib#key:x")


def tags(papers: PaperCatalog) -> str:
    """Return the stored tags of the first paper."""
    return str(papers.by_number([1])[1].csl.get("keyword", ""))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param("shells", "tides, shells", id="others"),
        pytest.param("kelp, tides", "tides, kelp", id="one that the first has too"),
        pytest.param("", "tides", id="none any more"),
    ],
)
def test_a_second_source_that_changes_replaces_its_own_tags_only(
    papers: PaperCatalog, now: str, expected: str
) -> None:
    put(papers, FIRST, SECOND)
    put(papers, replace(entry(keyword=now), origin=SECOND.origin))
    assert tags(papers) == expected


def test_a_first_source_that_changes_leaves_the_tags_of_the_second(papers: PaperCatalog) -> None:
    put(papers, FIRST, SECOND)
    put(papers, changed(keyword="Sun"))
    assert tags(papers) == "Sun, kelp"
    put(papers, changed(keyword="tides"))
    assert tags(papers) == "tides, sun, kelp"


def test_tags_from_standard_input_stay_when_a_source_changes(papers: PaperCatalog) -> None:
    put(papers, FIRST, entry(keyword="sun"), entry(keyword="tides"))
    put(papers, changed(keyword="kelp"))
    assert tags(papers) == "kelp, sun, tides"


def test_tags_whose_source_was_not_noted_by_an_older_program_stay(
    tmp_path: Path, papers: PaperCatalog
) -> None:
    put(papers, FIRST, SECOND)
    with closing(sqlite3.connect(tmp_path / "papers.sqlite")) as db, db:
        db.execute("UPDATE records SET csl = json_remove(csl, '$.custom')")
    put(papers, changed(keyword="shells"))
    assert tags(papers) == "tides, sun, kelp, shells"
    put(papers, changed(keyword="crabs"))
    assert tags(papers) == "tides, sun, kelp, crabs"


def test_the_tags_of_a_reader_stay_when_either_source_changes(papers: PaperCatalog) -> None:
    put(papers, FIRST, SECOND)
    papers.edit(1, PaperEdit(add_tags=("mine",)))
    put(papers, changed(keyword="kelp"), replace(entry(keyword=""), origin=SECOND.origin))
    assert tags(papers) == "tides, sun, kelp, mine"


def test_two_papers_that_prove_to_be_one_keep_whose_their_tags_are(papers: PaperCatalog) -> None:
    shore = replace(entry("Counts", "doi:10.1/a", keyword="tides"), origin="/a.bib#key:a")
    beach = replace(entry("Beaches", "arxiv:1901.00001", keyword="sun"), origin="/b.bib#key:b")
    put(papers, shore, beach, entry("Counts", "doi:10.1/a", "arxiv:1901.00001", keyword="kelp"))
    assert tags(papers) == "tides, sun, kelp"
    changed_beach = entry("Beaches", "arxiv:1901.00001", keyword="shells")
    put(papers, replace(changed_beach, origin=beach.origin))
    assert tags(papers) == "tides, shells, kelp"


def test_the_origin_of_tags_is_not_exported(papers: PaperCatalog) -> None:
    put(papers, FIRST, SECOND)
    (item,) = papers.csl_items([1])
    assert "custom" not in item


def test_two_records_of_one_paper_do_not_change_it_in_turn(papers: PaperCatalog) -> None:
    second = replace(entry(keyword="sun"), origin="/library#1/K2")
    put(papers, FIRST, second)
    assert put(papers, FIRST, second) == [(1, UNCHANGED), (1, UNCHANGED)]


def test_edited_fields_stay_when_the_source_changes(papers: PaperCatalog) -> None:
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
