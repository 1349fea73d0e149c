"""The index of papers in a real LanceDB folder: candidates for similarity, within a scope."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from damaged_tables import DAMAGE, damage
from scholar_cli.laboratory.speed import paper_speed
from scholar_indexes.errors import Damaged, NotIndexed
from scholar_indexes.papers import match, table
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.table import (
    ALL_PAPERS,
    FACETS,
    PaperFilter,
    PaperMetadata,
    PaperRow,
    PaperTable,
    facet_view,
    interleave,
    one_hot_facets,
    pack_vectors,
    unpack_vectors,
)
from scholar_indexes.storage import lance_table
from scholar_indexes.storage.table_names import table_names
from scholar_indexes.types import QUERY_FACETS, Facet

WIDTH = 8
LABELS = (Facet.BACKGROUND, Facet.METHOD, Facet.METHOD, Facet.RESULT)
TEXTS = [
    "Rain on the sea.",
    "Barnacles at night.",
    "A green lamp on a dock.",
    "Whales sing.",
    "Kelp grows, and barnacles.",
    "The ship left port.",
]


def unit(count: int, seed: int = 0, width: int = WIDTH) -> Any:
    vectors = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def row(
    number: int,
    *,
    seed: int | None = None,
    text: str | None = None,
    year: int | None = 2000,
    collections: Sequence[int] = (1,),
    facets: Sequence[Facet] = LABELS,
    revision: int = 1,
) -> PaperRow:
    vectors = unit(2 + len(facets), number if seed is None else seed)
    text = TEXTS[number % len(TEXTS)] if text is None else text
    return PaperRow(
        number, revision, year, collections, text, *vectors[:2], vectors[2:], one_hot_facets(facets)
    )


def near(
    index: PaperTable, like: PaperRow, words: str = "", k: int = 9, scope: PaperFilter = ALL_PAPERS
) -> Any:
    return index.candidates(like.whole, {}, words, k, scope)


@pytest.fixture
def index(tmp_path: Path) -> PaperTable:
    return PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH)


@pytest.fixture
def six(index: PaperTable) -> PaperTable:
    """Return an index of papers 1 to 6 of 2001 to 2006; even numbers are also in collection 2."""
    index.write(
        [row(at, year=2000 + at, collections=[1, 2] if at % 2 == 0 else [1]) for at in range(1, 7)]
    )
    index.optimize()
    return index


def test_an_empty_index_says_how_to_fill_it(index: PaperTable, tmp_path: Path) -> None:
    for ask in (
        lambda: near(index, row(1)),
        lambda: near(index, row(1), "rain"),
        lambda: index.rows([1]),
    ):
        with pytest.raises(NotIndexed, match="scholar papers rebuild"):
            ask()
    assert table_names(tmp_path / "papers.lance") == []


def test_an_empty_index_can_be_maintained(index: PaperTable) -> None:
    index.write([])
    index.delete([1])
    index.renew([PaperMetadata(1, 2, 2000, [1])])
    index.optimize(thoroughly=True)
    index.drop()
    assert (index.state().rows, index.revisions([1]), index.others()) == (0, {}, [])


def test_a_table_whose_last_paper_went_still_answers(six: PaperTable) -> None:
    six.delete(range(1, 7))
    six.optimize()
    assert len(near(six, row(1), "barnacles")) == len(six.rows([1])) == 0


@pytest.mark.parametrize("part", ["_versions", "data"])
@DAMAGE
def test_a_damaged_table_is_one_clear_line(
    six: PaperTable, tmp_path: Path, part: str, how: str
) -> None:
    damage(tmp_path / "papers.lance" / f"{six.name}.lance" / part, how)
    with pytest.raises(Damaged, match="scholar papers rebuild"):
        PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH).rows([1, 2, 3])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        pytest.param("vectors", "X''", id="no vectors"),
        pytest.param("vectors", "X'00'", id="vectors cut short"),
        pytest.param("facets", "X'000100FF'", id="fewer facets than sentences"),
        pytest.param("facets", "X'0001'", id="facets cut short"),
    ],
)
def test_a_row_that_makes_no_sense_is_damage(six: PaperTable, column: str, value: str) -> None:
    six._table.update(where="number = 3", values_sql={column: value})
    with pytest.raises(Damaged, match="scholar papers rebuild"):
        six.rows([1, 3])


@given(st.integers(0, 40), st.integers(1, 400), st.integers(0, 99))
def test_sentences_come_back_from_bytes_within_half_a_step(
    count: int, width: int, seed: int
) -> None:
    vectors = unit(count, seed, width)
    again = unpack_vectors(pack_vectors(vectors), width)
    assert again.shape == vectors.shape
    assert (np.abs(again - vectors) <= np.abs(vectors).max(axis=1, initial=0)[:, None] / 253).all()


def test_a_vector_of_nothing_is_stored_as_nothing() -> None:
    assert (unpack_vectors(pack_vectors(np.zeros((2, WIDTH), np.float32)), WIDTH) == 0).all()


def test_rows_are_read_back_in_the_requested_order(index: PaperTable, tmp_path: Path) -> None:
    one, bare, long = row(7), row(8, facets=()), row(9, facets=[Facet.OTHER] * 300)
    index.write([one, bare, long])
    stored = PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH).rows([9, 5, 7, 8])
    assert stored.numbers.tolist() == [9, 7, 8]
    assert stored.bm25.tolist() == [0, 0, 0]
    for written, read in zip((long, one, bare), stored.documents, strict=True):
        assert read.title is not None
        np.testing.assert_allclose(read.whole, written.whole, atol=1e-3)
        np.testing.assert_allclose(read.title, written.title, atol=0.004)
        np.testing.assert_allclose(read.sentences, written.sentences, atol=0.004)
        np.testing.assert_array_equal(read.facets, written.facets)


def test_probabilities_of_facets_are_stored_within_a_hundredth(index: PaperTable) -> None:
    likely = np.array([[0.5, 0.3, 0.15, 0.05], [1 / 3, 1 / 3, 1 / 3, 0], [0.999, 0.001, 0, 0]])
    one = row(1, facets=LABELS[:3])
    index.write([replace(one, facets=likely.astype(np.float32))])
    np.testing.assert_allclose(index.rows([1]).documents[0].facets, likely, atol=0.01)


def test_writing_a_paper_again_replaces_it(six: PaperTable) -> None:
    six.write([row(3, seed=30, text="An albatross.", revision=2)])
    assert (six.state().rows, six.revisions([2, 3, 99])) == (6, {2: 1, 3: 2})
    assert near(six, row(3, seed=30), "albatross", k=1).numbers.tolist() == [3]


def test_a_removed_paper_is_gone_from_the_tables_of_every_model(
    six: PaperTable, tmp_path: Path
) -> None:
    other = PaperTable(tmp_path / "papers.lance", "other_4567", WIDTH)
    other.write([row(1), row(2)])
    six.delete([2, 99])
    assert six.revisions(range(9)).keys() == {1, 3, 4, 5, 6}
    assert PaperTable(tmp_path / "papers.lance", "other_4567", WIDTH).revisions([1, 2]) == {1: 1}


def test_two_spaces_never_meet(six: PaperTable, tmp_path: Path) -> None:
    other = PaperTable(tmp_path / "papers.lance", "other_4567", 4)
    four = unit(4, 0, 4)
    other.write(
        [PaperRow(1, 1, None, (), "Rain.", *four[:2], four[2:], one_hot_facets(LABELS[:2]))]
    )
    assert (six.state().rows, other.state().rows) == (6, 1)
    assert (six.others(), other.others()) == ([other.name], [six.name])
    assert near(six, row(3), "rain", k=6).numbers.tolist()
    other.drop()
    assert six.others() == []


def test_metadata_changes_without_the_vectors(six: PaperTable) -> None:
    before = six.rows([2]).documents[0].sentences
    six.renew([PaperMetadata(2, 5, 1999, [7]), PaperMetadata(99, 5, 1999, [7])])
    assert (six.state().rows, six.revisions([2, 99])) == (6, {2: 5})
    assert near(six, row(2), scope=PaperFilter({7}, (1999, 1999))).numbers.tolist() == [2]
    assert 2 not in near(six, row(2), scope=PaperFilter({1, 2})).numbers
    np.testing.assert_array_equal(six.rows([2]).documents[0].sentences, before)


_WRITE = """
import os, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], str(Path(sys.argv[2]).parent)]
from test_paper_table import WIDTH, row
from scholar_indexes.papers.table import PaperTable
index = PaperTable(Path(sys.argv[1]), "tiny_0123", WIDTH)
first = int(sys.argv[3])
for batch in range(4):
    index.write([row(first + 5 * batch + at) for at in range(5)])
    if sys.argv[4] == "killed" and batch == 2:
        os._exit(9)
"""


def writer(tmp_path: Path, first: int, how: str) -> subprocess.Popen[bytes]:
    folder, here = tmp_path / "papers.lance", Path(__file__).parent
    return subprocess.Popen([sys.executable, "-c", _WRITE, str(folder), str(here), str(first), how])


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_whole_batches_and_can_be_repeated(
    six: PaperTable, tmp_path: Path
) -> None:
    assert writer(tmp_path, 100, "killed").wait() == 9
    again = PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert again.revisions(range(200)).keys() == {*range(1, 7), *range(100, 115)}
    assert writer(tmp_path, 100, "whole").wait() == 0
    again = PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert again.state().rows == 26
    again.optimize(thoroughly=True)
    assert len(again.rows(range(200))) == 26


@pytest.mark.slow
def test_a_reader_answers_while_another_process_writes(six: PaperTable, tmp_path: Path) -> None:
    process = writer(tmp_path, 100, "whole")
    while process.poll() is None:
        assert near(six, row(3), "barnacles", k=3).numbers[0] == 3
    assert process.returncode == 0
    again = PaperTable(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert near(again, row(117), k=1).numbers.tolist() == [117]


def test_a_view_lies_between_the_title_and_the_mean_of_its_sentences() -> None:
    axes = np.eye(WIDTH, dtype=np.float32)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(facet_view(axes[:1], axes[3]), (axes[0] + axes[3]) * half, atol=1e-6)
    mean = (axes[0] + axes[1]) * half
    np.testing.assert_allclose(facet_view(axes[:2], axes[3]), (mean + axes[3]) * half, atol=1e-6)
    weighed = facet_view(axes[:2], axes[3], np.array([1, 0], np.float32))
    np.testing.assert_allclose(weighed, facet_view(axes[:1], axes[3]), atol=1e-6)
    np.testing.assert_allclose(facet_view(axes[:0], axes[3]), axes[3], atol=1e-6)


def test_the_candidate_views_are_the_views_that_match_compares(six: PaperTable) -> None:
    """The cosine of the stored view and the query's view is the part of that name in match."""
    for facet in QUERY_FACETS:
        document = six.rows([3]).documents[0]
        rows = np.flatnonzero(np.array(LABELS) == facet)
        parts = match.score_parts(document, rows, facet, six.rows(range(1, 7)).documents)
        column = six._table.search().select(["number", facet]).limit(9).to_arrow().sort_by("number")
        stored = np.array(column[facet].to_pylist(), np.float32)
        assert document.title is not None
        cosines = stored @ facet_view(document.sentences[rows], document.title)
        np.testing.assert_allclose(cosines, parts.view, atol=0.01)


def test_the_nearest_paper_as_a_whole_comes_first(six: PaperTable) -> None:
    assert [near(six, row(at), k=1).numbers.tolist() for at in range(1, 7)] == [
        [at] for at in range(1, 7)
    ]
    candidates = near(six, row(4), k=6)
    cosines = np.array([document.whole @ row(4).whole for document in candidates.documents])
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)


@pytest.mark.parametrize("facet", QUERY_FACETS)
def test_a_paper_similar_in_one_facet_alone_is_a_candidate(six: PaperTable, facet: Facet) -> None:
    """As a whole it is the opposite of the query, and it shares no word with it."""
    axes = np.eye(WIDTH, dtype=np.float32)
    likely = one_hot_facets(LABELS)
    six.write([PaperRow(50, 1, None, (), "Nothing.", axes[7], axes[6], axes[[0, 1, 1, 2]], likely)])
    views = {facet: facet_view(axes[[at]], axes[6]) for at, facet in enumerate(QUERY_FACETS)}

    def numbers_of(views: dict[Facet, Any]) -> list[int]:
        numbers: list[int] = six.candidates(-axes[7], views, "barnacles", 3).numbers.tolist()
        return numbers

    assert 50 in numbers_of({facet: views[facet]})
    assert 50 not in numbers_of({})


def test_a_paper_that_shares_words_alone_is_put_forward_by_them(six: PaperTable) -> None:
    six.write([row(60, text="The zymurgist's almanac.")])
    assert 60 in six.candidates(-row(60).whole, {}, "zymurgist", 2).numbers
    assert 60 not in six.candidates(-row(60).whole, {}, "barnacles", 2).numbers


def test_every_candidate_has_its_bm25_whoever_put_it_forward(six: PaperTable) -> None:
    candidates = near(six, row(3), "barnacles", k=2)
    everything = near(six, row(3), "barnacles", k=6)
    bm25 = dict(zip(everything.numbers.tolist(), everything.bm25.tolist(), strict=True))
    assert {number for number, score in bm25.items() if score > 0} == {1, 4}
    assert [bm25[number] for number in candidates.numbers.tolist()] == candidates.bm25.tolist()
    assert len(candidates) == 2


@pytest.mark.parametrize(
    ("rankings", "limit", "expected"),
    [
        pytest.param([], 3, [], id="none"),
        pytest.param([[1, 2, 3]], 2, [1, 2], id="one"),
        pytest.param([[1, 2, 3], [4, 1, 5]], 9, [1, 4, 2, 3, 5], id="in turn, each once"),
        pytest.param([[1], [2, 3, 4]], 3, [1, 2, 3], id="a short one"),
        pytest.param([[1], [2]], 0, [], id="no room"),
    ],
)
def test_rankings_are_taken_in_turn(
    rankings: list[list[int]], limit: int, expected: list[int]
) -> None:
    assert interleave(rankings, limit) == expected


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(ALL_PAPERS, {1, 2, 3, 4, 5, 6, 9}, id="everything"),
        pytest.param(PaperFilter({2}), {2, 4, 6}, id="a collection"),
        pytest.param(PaperFilter({2, 3}), {2, 4, 6, 9}, id="either of two"),
        pytest.param(PaperFilter(None, (2003, 2005)), {3, 4, 5}, id="years"),
        pytest.param(PaperFilter({2}, (2003, 2100)), {4, 6}, id="both"),
        pytest.param(
            PaperFilter(None, (-9999, 9999)), {1, 2, 3, 4, 5, 6}, id="any year that is known"
        ),
        pytest.param(PaperFilter(set()), set(), id="no collections"),
        pytest.param(PaperFilter({99}), set(), id="a collection of nothing"),
        pytest.param(PaperFilter(None, (2005, 2001)), set(), id="no years"),
    ],
)
def test_a_scope_counts_before_the_ranking(
    six: PaperTable, scope: PaperFilter, expected: set[int]
) -> None:
    """The best k in scope are returned, not just the ones in scope among the best k."""
    six.write([row(9, year=None, collections=[3])])
    k = max(len(expected), 1)
    views = {facet: row(5).whole for facet in QUERY_FACETS}
    candidates = six.candidates(row(5).whole, views, "barnacles rain lamp", k, scope)
    assert {*candidates.numbers.tolist()} == expected


@pytest.mark.parametrize(
    "words",
    [
        "",
        " \n",
        "?!",
        "xyzzy",
        "日本語",
        "\x00",
        "the of and",
        "BARNACLE' OR 1=1; --",
        "barnacles AND NOT (rain OR +kelp) ~2 ^3 *",
        "[bold]x[/bold]\x1b[31m",
        "text:x number:1",
        "barnacles " * 5_000,
    ],
    ids=lambda words: repr(words)[:16],
)
def test_whatever_is_asked_is_only_words(six: PaperTable, words: str) -> None:
    candidates = near(six, row(3), words, k=6)
    assert {*candidates.numbers.tolist()} == {1, 2, 3, 4, 5, 6}
    expected = {1, 4} if "barnacle" in words.casefold() else set()
    assert expected <= {*candidates.numbers[candidates.bm25 > 0].tolist()}


def test_rows_that_no_index_has_seen_are_found_all_the_same(six: PaperTable) -> None:
    six.write([row(70, text="An albatross.")])
    assert six.state().unindexed["text"] == 1
    candidates = near(six, row(70), "albatross", k=1)
    assert (candidates.numbers.tolist(), candidates.bm25[0] > 0) == ([70], True)


@pytest.fixture
def partitioned(index: PaperTable, monkeypatch: pytest.MonkeyPatch) -> PaperTable:
    """Return an index of 600 papers, where 300 are enough for vector indexes."""
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 300)
    for first in range(0, 600, 200):
        index.write([row(first + at, collections=[at % 3]) for at in range(200)])
    index.optimize()
    return index


def test_many_rows_have_an_index_for_every_vector_and_the_same_answers(
    partitioned: PaperTable,
) -> None:
    assert partitioned.state().unindexed == dict.fromkeys(
        ["text", "number", "year", "collections", "whole", *QUERY_FACETS], 0
    )
    for number in (5, 317, 599):
        method = {Facet.METHOD: facet_view(row(number).sentences[1:3], row(number).title)}
        candidates = partitioned.candidates(row(number).whole, method, "kelp", 50)
        assert number == candidates.numbers[0]
        assert len(candidates) == 50
        scoped = near(partitioned, row(number), k=20, scope=PaperFilter({1}))
        assert {int(number) % 200 % 3 for number in scoped.numbers} == {1}


def test_an_index_is_renewed_when_a_quarter_of_the_papers_is_outside_it(
    partitioned: PaperTable,
) -> None:
    partitioned.write([row(1_000 + at) for at in range(100)])
    partitioned.optimize()
    assert partitioned.state().unindexed["whole"] == 100
    partitioned.write([row(2_000 + at) for at in range(200)])
    partitioned.optimize()
    assert {*partitioned.state().unindexed.values()} == {0}


def test_a_made_library_is_listed_and_indexed_like_a_persons(tmp_path: Path) -> None:
    paper_speed.build(tmp_path, 40, "tiny_0123", WIDTH)
    papers = PaperCatalog(tmp_path / "data" / "papers.sqlite")
    index = PaperTable(tmp_path / "data" / "papers.lance", "tiny_0123", WIDTH)
    stored = papers.paper(paper_speed.doi(7))
    assert (papers.count(), papers.pending(index.name), index.state().rows) == (40, [], 40)
    own = index.rows([stored.number])
    scope = PaperFilter([*papers.collection_numbers().values()], (1900, 2100))
    candidates = index.candidates(own.documents[0].whole, {}, stored.text, 5, scope)
    assert candidates.numbers[0] == stored.number
    np.testing.assert_array_equal(
        candidates.documents[0].facets, one_hot_facets(stored.paper.facets)
    )
    assert index.revisions([stored.number]) == {stored.number: stored.revision}
    assert len(papers.by_number(candidates.numbers.tolist())) == 5


def test_the_same_seed_makes_the_same_papers() -> None:
    first, second = (list(paper_speed.generate_papers(5, WIDTH, seed=3)) for _ in range(2))
    assert [entry for entry, _ in first] == [entry for entry, _ in second]
    np.testing.assert_array_equal([one for _, one in first], [one for _, one in second])
    np.testing.assert_allclose(np.linalg.norm(first[0][1], axis=1), 1, atol=1e-5)


def test_codes_of_facets_are_places_that_never_move() -> None:
    """They are stored: changing them requires a new schema version."""
    assert FACETS == (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT, Facet.OTHER)
    assert table.SCHEMA_VERSION == 1


@pytest.mark.slow
def test_the_benchmark_adds_papers_and_searches_for_them() -> None:
    figures = list(paper_speed.run(12, added=5, runs=1))
    assert [figure.what for figure in figures] == [
        "papers add of 5",
        "its peak memory",
        "12 papers built",
        "their size on disk",
        "cold papers similar over 12 papers",
        "its peak memory",
    ]
    assert all(figure.measured > 0 for figure in figures)
