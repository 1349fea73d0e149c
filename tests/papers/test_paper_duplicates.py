"""Entries of one paper: recognised, merged and listed once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog_entries import LONG, SPACE, TEXT, entry, many, numbers, put
from scholar_indexes.papers.adding import Tally
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcomeKind
from scholar_indexes.papers.duplicates import merge_abstracts, merge_items
from scholar_indexes.papers.editing import PaperEdit
from scholar_indexes.papers.entry import Entry
from scholar_indexes.types import Facet


@pytest.fixture
def papers(tmp_path: Path) -> PaperCatalog:
    return PaperCatalog(tmp_path / "papers.sqlite")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            entry(LONG, "doi:10.1/a"),
            entry("Other words", "doi:10.1/a", year=1990),
            True,
            id="one DOI",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", "arxiv:1901.00001"),
            entry("Other words", "arxiv:1901.00001"),
            True,
            id="one arXiv id of two ids",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a"),
            entry("COUNTING Bárnacles, by moonlight!"),
            True,
            id="one title but for case, accents and marks",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", year=2018),
            entry(LONG, "doi:10.2/b", year=2019),
            True,
            id="a preprint of the year before",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a", year=2017),
            entry(LONG, "doi:10.2/b", year=2019),
            False,
            id="one title two years apart",
        ),
        pytest.param(
            entry(LONG, year=2001),
            entry(LONG, year=2010),
            False,
            id="one title nine years apart, no other id",
        ),
        pytest.param(
            entry(LONG, "doi:10.1/a"), entry(LONG, year=None), True, id="a year that is not known"
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author="A. Byrne"),
            True,
            id="a given name in short",
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author="Max Oro"),
            False,
            id="one title by others",
        ),
        pytest.param(
            entry(LONG, author="Ada Byrne"),
            entry(LONG, author=""),
            True,
            id="authors that are not known",
        ),
        pytest.param(
            entry("Editorial", "doi:10.1/a"),
            entry("Editorial", "doi:10.1/b"),
            False,
            id="a title too short to decide",
        ),
        pytest.param(
            entry(LONG, "key:byrne2019"),
            entry("Barnacles", "key:byrne2019"),
            False,
            id="a citation key of two bibliographies",
        ),
        pytest.param(
            entry(LONG, "key:byrne2019"),
            entry(LONG + ": a diary", "key:byrne2019"),
            True,
            id="a citation key, and a subtitle",
        ),
        pytest.param(
            entry("Editorial", "key:a1"),
            entry("Editorial", "key:a1"),
            True,
            id="a short title under one key",
        ),
        pytest.param(
            entry("Editorial"),
            entry("Editorial", year=2011),
            False,
            id="two short titles of different years",
        ),
        pytest.param(
            entry("", "key:a", author="", year=None),
            entry("", "key:b", author="", year=None),
            False,
            id="two entries that say nothing",
        ),
    ],
)
def test_two_entries_are_one_paper_or_two(
    tmp_path: Path, one: Entry, other: Entry, same: bool
) -> None:
    for at, (first, second) in enumerate([(one, other), (other, one)]):
        papers = PaperCatalog(tmp_path / f"{at}.sqlite")
        outcomes = put(papers, first, second)
        assert (outcomes[0][0] == outcomes[1][0]) is same
        assert papers.count() == (1 if same else 2)
        assert [what for _, what in put(papers, first, second)] == [EntryOutcomeKind.UNCHANGED] * 2
        assert papers.count() == (1 if same else 2)


def test_the_same_twice_is_unchanged_and_waits_for_nothing(papers: PaperCatalog) -> None:
    first = put(papers, *many(4))
    assert put(papers, *many(4)) == [(number, EntryOutcomeKind.UNCHANGED) for number, _ in first]
    assert papers.pending(SPACE) == []


def test_the_fields_of_two_entries_of_a_paper_are_merged(papers: PaperCatalog) -> None:
    preprint = entry(LONG, "arxiv:1901.00001", year=2018, type="article", text=(), URL="https://a")
    printed = entry(
        LONG + ": a diary",
        "doi:10.1/a",
        "arxiv:1901.00001",
        author="Ada Byrne",
        **{"container-title": "Shore Letters", "volume": "3"},
    )
    ((number, _),) = put(papers, preprint, collection="read")
    ((again, what),) = put(papers, printed, collection="cited")
    stored = papers.paper("doi:10.1/a")
    assert (again, what) == (number, EntryOutcomeKind.MERGED)
    assert stored == papers.paper("arxiv:1901.00001") == papers.paper(LONG)
    assert stored.paper.id == "doi:10.1/a"
    assert stored.paper.ids == ("doi:10.1/a", "arxiv:1901.00001")
    assert (stored.paper.title, stored.paper.year) == (LONG + ": a diary", 2019)
    assert (stored.paper.venue, stored.paper.sentences) == ("Shore Letters", TEXT)
    assert (stored.csl["URL"], stored.csl["type"]) == ("https://a", "article-journal")
    assert stored.collections == ("cited", "read")


def test_an_entry_that_knows_less_takes_nothing_away(papers: PaperCatalog) -> None:
    put(papers, entry(LONG, "doi:10.1/a", volume="3"))
    before = papers.paper("doi:10.1/a")
    bare = Entry({"id": "y", "title": LONG}, ("doi:10.1/a",), ())
    assert put(papers, bare) == [(before.number, EntryOutcomeKind.UNCHANGED)]
    assert papers.paper("doi:10.1/a") == before


def test_the_tags_of_both_entries_are_kept_once_each_in_order(papers: PaperCatalog) -> None:
    put(papers, entry(LONG, "doi:10.1/a", keyword="stylometry, authorship"))
    fuller = entry(LONG, "doi:10.1/a", keyword="Lewes; Authorship", volume="3", issue="2")
    put(papers, fuller)
    assert papers.paper("doi:10.1/a").csl["keyword"] == "stylometry, authorship, Lewes"


def test_two_papers_that_prove_to_be_one_keep_the_tags_of_both(papers: PaperCatalog) -> None:
    put(papers, entry("Barnacles: a count", "doi:10.1/a", keyword="tides"))
    put(papers, entry("On the counting of shells", "arxiv:1901.00001", keyword="shells"))
    put(papers, entry(LONG, "doi:10.1/a", "arxiv:1901.00001", keyword="kelp"))
    assert papers.paper("doi:10.1/a").csl["keyword"] == "tides, shells, kelp"


def test_tags_that_a_reader_chose_stay_as_they_are(papers: PaperCatalog) -> None:
    ((number, _),) = put(papers, entry(LONG, "doi:10.1/a", keyword="tides, sun"))
    papers.edit(number, PaperEdit(remove_tags=("sun",)))
    put(papers, entry(LONG, "doi:10.1/a", keyword="sun, shells"))
    assert papers.paper("doi:10.1/a").csl["keyword"] == "tides"


def test_an_abstract_that_comes_later_is_new_text_and_waits_for_vectors(
    papers: PaperCatalog,
) -> None:
    ((number, _),) = put(papers, entry(LONG, "doi:10.1/a", text=()))
    added = papers.add([entry(LONG, "doi:10.1/a")])
    assert [(outcome.kind, outcome.has_abstract) for outcome in added.outcomes] == [
        (EntryOutcomeKind.MERGED, True)
    ]
    (waiting,) = papers.pending(SPACE)
    assert (waiting.number, waiting.revision, waiting.text_revision) == (number, 2, 2)
    papers.mark_indexed(
        SPACE, added.revision, {number: [Facet.BACKGROUND, Facet.METHOD, Facet.RESULT]}
    )
    assert papers.pending(SPACE) == []
    assert papers.paper("#1").paper.facets == (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)


def test_a_third_entry_may_show_that_two_papers_are_one(papers: PaperCatalog) -> None:
    ((first, _),) = put(papers, entry("Barnacles: a count", "doi:10.1/a", text=()), collection="a")
    ((second, _),) = put(
        papers, entry("On the counting of shells", "arxiv:1901.00001"), collection="b"
    )
    assert first != second
    ((third, what),) = put(papers, entry(LONG, "doi:10.1/a", "arxiv:1901.00001", text=()))
    assert (third, what) == (first, EntryOutcomeKind.MERGED)
    assert papers.unfinished() == [second]
    stored = papers.paper("arxiv:1901.00001")
    assert (stored.number, stored.paper.sentences) == (first, TEXT)
    assert stored.collections == ("a", "b", "papers")
    for title in ("Barnacles: a count", "On the counting of shells", LONG):
        assert papers.paper(title).number == first
    papers.purge(papers.unfinished())
    assert numbers(papers) == [first]


def test_the_report_counts_papers_without_an_abstract_once(papers: PaperCatalog) -> None:
    bare = entry(LONG, "doi:10.1/a", text=())
    tally = Tally()
    tally.record(papers.add([bare, bare, *many(2)]).outcomes)
    report = tally.report()
    assert (report.added, report.merged, report.unchanged) == (3, 0, 0)
    assert report.without_abstract == 1


_WORD = st.sampled_from(["tide", "shell", "kelp", ""])

_ITEM = st.fixed_dictionaries(
    {"title": st.sampled_from([LONG, LONG + ": a diary", "Kelp", ""])},
    optional={
        "container-title": _WORD,
        "type": st.sampled_from(["article", "book"]),
        "volume": _WORD,
        "keyword": st.sampled_from(["", "tides", "Tides; kelp", "shells, tides"]),
        "author": st.lists(st.fixed_dictionaries({"family": _WORD}), max_size=3),
        "issued": st.builds(lambda year: {"date-parts": [[year]]}, st.integers(2000, 2002)),
        "custom": st.dictionaries(st.sampled_from(["s2", "openalex"]), _WORD),
    },
)

_SENTENCES = st.lists(
    st.tuples(st.sampled_from(TEXT), st.sampled_from([None, Facet.METHOD])), max_size=3
).map(tuple)

_NAMES = st.lists(
    st.sampled_from(["doi:10.1/a", "doi:10.1/b", "arxiv:1901.00001", "key:k", "pmid:1"]),
    min_size=1,
    max_size=3,
    unique=True,
)


@given(_ITEM, _ITEM)
def test_merging_again_what_was_merged_changes_nothing(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    both = merge_items(one, other)
    assert merge_items(both, one) == both
    assert merge_items(both, other) == both
    assert {name for item in (one, other) for name, value in item.items() if value} == set(both)


@given(_SENTENCES, _SENTENCES)
def test_the_richer_abstract_stays_the_richer(one: Any, other: Any) -> None:
    richer = merge_abstracts({}, one, {}, other)
    assert merge_abstracts({}, richer, {}, one) == merge_abstracts({}, richer, {}, other) == richer


@given(_ITEM, _ITEM, st.sets(st.sampled_from(["title", "volume", "note"])))
@example(
    {"title": LONG, "container-title": "tide"},
    {"title": LONG, "container-title": "shell", "type": "article", "volume": "tide"},
    {"title", "volume"},
)
def test_edited_fields_outlive_every_merge(
    one: dict[str, Any], other: dict[str, Any], fields: set[str]
) -> None:
    edited = {**one, "custom": {**one.get("custom", {}), "edited": sorted(fields)}}
    merged = merge_items(edited, other)
    assert {name: merged.get(name) for name in fields} == {name: one.get(name) for name in fields}
    assert merge_items(merged, other) == merged


@settings(max_examples=20)
@given(
    st.lists(
        st.builds(
            lambda item, names, text: Entry(item, tuple(names), text), _ITEM, _NAMES, _SENTENCES
        ),
        max_size=6,
    )
)
def test_whatever_comes_every_entry_is_found_again_by_its_ids(entries: list[Entry]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        papers = PaperCatalog(Path(folder) / "papers.sqlite")
        put(papers, *entries)
        for entry in entries:
            strong = [name for name in entry.ids if not name.startswith("key:")]
            assert len({papers.paper(name).number for name in strong}) <= 1
        listed = list(papers.papers())
        assert len({name for stored in listed for name in stored.paper.ids}) == sum(
            len(stored.paper.ids) for stored in listed
        )
        assert all(stored.paper.id == stored.paper.ids[0] for stored in listed)
        assert papers.pending(SPACE) == []
