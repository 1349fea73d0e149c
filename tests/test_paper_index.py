"""The index of papers in a real LanceDB folder: what may be alike is put forward, in scope."""

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

from scholar_cli.bench import papers_speed
from scholar_indexes.errors import Damaged, NotIndexed
from scholar_indexes.papers import index as rooms
from scholar_indexes.papers import match
from scholar_indexes.papers.index import (
    ASPECTS,
    EVERYTHING,
    FACETS,
    Index,
    Row,
    Scope,
    Standing,
    certain,
    interleaved,
    packed,
    unpacked,
    view,
)
from scholar_indexes.papers.shelf import Papers
from scholar_indexes.tables import table_names
from scholar_indexes.types import Facet

WIDTH = 8
LABELS = (Facet.BACKGROUND, Facet.METHOD, Facet.METHOD, Facet.RESULT)
TEXTS = ["Rain on the sea.", "Barnacles at night.", "A green lamp on a dock.",
         "Whales sing.", "Kelp grows, and barnacles.", "The ship left port."]  # fmt: skip


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
) -> Row:
    vectors = unit(2 + len(facets), number if seed is None else seed)
    text = TEXTS[number % len(TEXTS)] if text is None else text
    return Row(
        number, revision, year, collections, text, *vectors[:2], vectors[2:], certain(facets)
    )


def near(index: Index, like: Row, words: str = "", k: int = 9, scope: Scope = EVERYTHING) -> Any:
    return index.candidates(like.whole, {}, words, k, scope)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "papers.lance", "tiny_0123", WIDTH)


@pytest.fixture
def six(index: Index) -> Index:
    """Papers 1 to 6 of 2001 to 2006, the even ones in collection 2 as well, indexed."""
    index.write([
        row(at, year=2000 + at, collections=[1, 2] if at % 2 == 0 else [1]) for at in range(1, 7)
    ])  # fmt: skip
    index.tend()
    return index


# -- nothing there, or nothing that can be read --------------------------------------------


def test_an_empty_index_says_how_to_fill_it(index: Index, tmp_path: Path) -> None:
    for ask in (lambda: near(index, row(1)), lambda: near(index, row(1), "rain"),
                lambda: index.rows([1])):  # fmt: skip
        with pytest.raises(NotIndexed, match="scholar papers add"):
            ask()
    assert table_names(tmp_path / "papers.lance") == []


def test_an_empty_index_bears_every_care(index: Index) -> None:
    index.write([])
    index.delete([1])
    index.renew([Standing(1, 2, 2000, [1])])
    index.tend(thoroughly=True)
    index.drop()
    assert (index.state().rows, index.revisions([1]), index.others()) == (0, {}, [])


def test_a_table_whose_last_paper_went_still_answers(six: Index) -> None:
    six.delete(range(1, 7))
    six.tend()
    assert len(near(six, row(1), "barnacles")) == len(six.rows([1])) == 0


@pytest.mark.parametrize("part", ["_versions", "data"])
@pytest.mark.parametrize("how", ["gone", "cut", "overwritten"])
def test_a_damaged_table_is_one_clear_line(six: Index, tmp_path: Path, part: str, how: str) -> None:
    for path in (tmp_path / "papers.lance" / f"{six.name}.lance" / part).rglob("*"):
        if how == "gone":
            path.unlink()
        elif how == "cut":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        else:
            path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(Damaged, match="scholar papers rebuild"):
        Index(tmp_path / "papers.lance", "tiny_0123", WIDTH).rows([1, 2, 3])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        pytest.param("vectors", "X''", id="no vectors"),
        pytest.param("vectors", "X'00'", id="vectors cut short"),
        pytest.param("facets", "X'000100FF'", id="fewer facets than sentences"),
        pytest.param("facets", "X'0001'", id="facets cut short"),
    ],
)
def test_a_row_that_makes_no_sense_is_damage(six: Index, column: str, value: str) -> None:
    six._table.update(where="number = 3", values_sql={column: value})
    with pytest.raises(Damaged, match="scholar papers rebuild"):
        six.rows([1, 3])


# -- writing -------------------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(1, 400), st.integers(0, 99))
def test_sentences_come_back_from_bytes_within_half_a_step(
    count: int, width: int, seed: int
) -> None:
    vectors = unit(count, seed, width)
    again = unpacked(packed(vectors), width)
    assert again.shape == vectors.shape
    assert (np.abs(again - vectors) <= np.abs(vectors).max(axis=1, initial=0)[:, None] / 253).all()


def test_a_vector_of_nothing_is_stored_as_nothing() -> None:
    assert (unpacked(packed(np.zeros((2, WIDTH), np.float32)), WIDTH) == 0).all()


def test_what_is_written_is_read_back_in_the_order_asked(index: Index, tmp_path: Path) -> None:
    one, bare, long = row(7), row(8, facets=()), row(9, facets=[Facet.OTHER] * 300)
    index.write([one, bare, long])
    found = Index(tmp_path / "papers.lance", "tiny_0123", WIDTH).rows([9, 5, 7, 8])
    assert found.numbers.tolist() == [9, 7, 8]
    assert found.bm25.tolist() == [0, 0, 0]
    for written, read in zip((long, one, bare), found.documents, strict=True):
        assert read.title is not None
        np.testing.assert_allclose(read.whole, written.whole, atol=1e-3)
        np.testing.assert_allclose(read.title, written.title, atol=0.004)
        np.testing.assert_allclose(read.sentences, written.sentences, atol=0.004)
        np.testing.assert_array_equal(read.facets, written.facets)


def test_how_likely_a_facet_is_comes_back_within_a_hundredth(index: Index) -> None:
    likely = np.array([[0.5, 0.3, 0.15, 0.05], [1 / 3, 1 / 3, 1 / 3, 0], [0.999, 0.001, 0, 0]])
    one = row(1, facets=LABELS[:3])
    index.write([replace(one, facets=likely.astype(np.float32))])
    np.testing.assert_allclose(index.rows([1]).documents[0].facets, likely, atol=0.01)


def test_writing_a_paper_again_replaces_it(six: Index) -> None:
    six.write([row(3, seed=30, text="An albatross.", revision=2)])
    assert (six.state().rows, six.revisions([2, 3, 99])) == (6, {2: 1, 3: 2})
    assert near(six, row(3, seed=30), "albatross", k=1).numbers.tolist() == [3]


def test_a_removed_paper_is_gone_from_the_tables_of_every_model(six: Index, tmp_path: Path) -> None:
    other = Index(tmp_path / "papers.lance", "other_4567", WIDTH)
    other.write([row(1), row(2)])
    six.delete([2, 99])
    assert six.revisions(range(9)).keys() == {1, 3, 4, 5, 6}
    assert Index(tmp_path / "papers.lance", "other_4567", WIDTH).revisions([1, 2]) == {1: 1}


def test_two_spaces_never_meet(six: Index, tmp_path: Path) -> None:
    other = Index(tmp_path / "papers.lance", "other_4567", 4)
    four = unit(4, 0, 4)
    other.write([Row(1, 1, None, (), "Rain.", *four[:2], four[2:], certain(LABELS[:2]))])
    assert (six.state().rows, other.state().rows) == (6, 1)
    assert (six.others(), other.others()) == ([other.name], [six.name])
    assert near(six, row(3), "rain", k=6).numbers.tolist()
    other.drop()
    assert six.others() == []


def test_what_stands_beside_the_vectors_changes_without_them(six: Index) -> None:
    before = six.rows([2]).documents[0].sentences
    six.renew([Standing(2, 5, 1999, [7]), Standing(99, 5, 1999, [7])])
    assert (six.state().rows, six.revisions([2, 99])) == (6, {2: 5})
    assert near(six, row(2), scope=Scope({7}, (1999, 1999))).numbers.tolist() == [2]
    assert 2 not in near(six, row(2), scope=Scope({1, 2})).numbers
    np.testing.assert_array_equal(six.rows([2]).documents[0].sentences, before)


_WRITE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_paper_index import WIDTH, Index, row
index = Index(Path(sys.argv[1]), "tiny_0123", WIDTH)
first = int(sys.argv[3])
for batch in range(4):
    index.write([row(first + 5 * batch + at) for at in range(5)])
    if sys.argv[4] == "killed" and batch == 2:
        os._exit(9)
"""


def writer(tmp_path: Path, first: int, how: str) -> subprocess.Popen[bytes]:
    folder, here = tmp_path / "papers.lance", Path(__file__).parent
    return subprocess.Popen([sys.executable, "-c", _WRITE, str(folder), str(here), str(first), how])


def test_a_process_that_is_killed_leaves_whole_batches_and_can_be_repeated(
    six: Index, tmp_path: Path
) -> None:
    assert writer(tmp_path, 100, "killed").wait() == 9
    again = Index(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert again.revisions(range(200)).keys() == {*range(1, 7), *range(100, 115)}
    assert writer(tmp_path, 100, "whole").wait() == 0
    again = Index(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert again.state().rows == 26
    again.tend(thoroughly=True)
    assert len(again.rows(range(200))) == 26


def test_a_reader_answers_while_another_process_writes(six: Index, tmp_path: Path) -> None:
    process = writer(tmp_path, 100, "whole")
    while process.poll() is None:
        assert near(six, row(3), "barnacles", k=3).numbers[0] == 3
    assert process.returncode == 0
    again = Index(tmp_path / "papers.lance", "tiny_0123", WIDTH)
    assert near(again, row(117), k=1).numbers.tolist() == [117]


# -- candidates ----------------------------------------------------------------------------


def test_a_view_lies_between_the_title_and_the_mean_of_its_sentences() -> None:
    axes = np.eye(WIDTH, dtype=np.float32)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(view(axes[:1], axes[3]), (axes[0] + axes[3]) * half, atol=1e-6)
    mean = (axes[0] + axes[1]) * half
    np.testing.assert_allclose(view(axes[:2], axes[3]), (mean + axes[3]) * half, atol=1e-6)
    weighed = view(axes[:2], axes[3], np.array([1, 0], np.float32))
    np.testing.assert_allclose(weighed, view(axes[:1], axes[3]), atol=1e-6)
    np.testing.assert_allclose(view(axes[:0], axes[3]), axes[3], atol=1e-6)


def test_the_views_put_forward_are_those_that_match_compares(six: Index) -> None:
    """Cosine of stored and asked view = match's part of that name."""
    for facet in ASPECTS:
        asked = six.rows([3]).documents[0]
        rows = np.flatnonzero(np.array(LABELS) == facet)
        parts = match.parts(asked, rows, facet, six.rows(range(1, 7)).documents)
        column = six._table.search().select(["number", facet]).limit(9).to_arrow().sort_by("number")
        stored = np.array(column[facet].to_pylist(), np.float32)
        assert asked.title is not None
        cosines = stored @ view(asked.sentences[rows], asked.title)
        np.testing.assert_allclose(cosines, parts.view, atol=0.01)


def test_the_nearest_paper_as_a_whole_comes_first(six: Index) -> None:
    assert [near(six, row(at), k=1).numbers.tolist() for at in range(1, 7)] == [
        [at] for at in range(1, 7)
    ]
    found = near(six, row(4), k=6)
    cosines = np.array([each.whole @ row(4).whole for each in found.documents])
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)


@pytest.mark.parametrize("facet", ASPECTS)
def test_a_paper_alike_in_one_facet_alone_is_put_forward_by_it(six: Index, facet: Facet) -> None:
    """As a whole it is the opposite of what is asked, and it shares no word."""
    axes = np.eye(WIDTH, dtype=np.float32)
    likely = certain(LABELS)
    six.write([Row(50, 1, None, (), "Nothing.", axes[7], axes[6], axes[[0, 1, 1, 2]], likely)])
    asked = {facet: view(axes[[at]], axes[6]) for at, facet in enumerate(ASPECTS)}

    def found(views: dict[Facet, Any]) -> list[int]:
        numbers: list[int] = six.candidates(-axes[7], views, "barnacles", 3).numbers.tolist()
        return numbers

    assert 50 in found({facet: asked[facet]})
    assert 50 not in found({})


def test_a_paper_that_shares_words_alone_is_put_forward_by_them(six: Index) -> None:
    six.write([row(60, text="The zymurgist's almanac.")])
    assert 60 in six.candidates(-row(60).whole, {}, "zymurgist", 2).numbers
    assert 60 not in six.candidates(-row(60).whole, {}, "barnacles", 2).numbers


def test_every_candidate_has_its_bm25_whoever_put_it_forward(six: Index) -> None:
    found = near(six, row(3), "barnacles", k=2)
    everything = near(six, row(3), "barnacles", k=6)
    bm25 = dict(zip(everything.numbers.tolist(), everything.bm25.tolist(), strict=True))
    assert {number for number, score in bm25.items() if score > 0} == {1, 4}
    assert [bm25[number] for number in found.numbers.tolist()] == found.bm25.tolist()
    assert len(found) == 2


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
    assert interleaved(rankings, limit) == expected


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(EVERYTHING, {1, 2, 3, 4, 5, 6, 9}, id="everything"),
        pytest.param(Scope({2}), {2, 4, 6}, id="a collection"),
        pytest.param(Scope({2, 3}), {2, 4, 6, 9}, id="either of two"),
        pytest.param(Scope(None, (2003, 2005)), {3, 4, 5}, id="years"),
        pytest.param(Scope({2}, (2003, 2100)), {4, 6}, id="both"),
        pytest.param(Scope(None, (-9999, 9999)), {1, 2, 3, 4, 5, 6}, id="any year that is known"),
        pytest.param(Scope(set()), set(), id="no collections"),
        pytest.param(Scope({99}), set(), id="a collection of nothing"),
        pytest.param(Scope(None, (2005, 2001)), set(), id="no years"),
    ],
)
def test_a_scope_counts_before_the_ranking(six: Index, scope: Scope, expected: set[int]) -> None:
    """So that the best k in scope come back, not those of the best k that are in scope."""
    six.write([row(9, year=None, collections=[3])])
    k = max(len(expected), 1)
    views = {facet: row(5).whole for facet in ASPECTS}
    found = six.candidates(row(5).whole, views, "barnacles rain lamp", k, scope)
    assert {*found.numbers.tolist()} == expected


@pytest.mark.parametrize(
    "words",
    ["", " \n", "?!", "xyzzy", "日本語", "\x00", "the of and", "BARNACLE' OR 1=1; --",
     "barnacles AND NOT (rain OR +kelp) ~2 ^3 *", "[bold]x[/bold]\x1b[31m", "text:x number:1",
     "barnacles " * 5_000],
    ids=lambda each: repr(each)[:16],
)  # fmt: skip
def test_whatever_is_asked_is_only_words(six: Index, words: str) -> None:
    found = near(six, row(3), words, k=6)
    assert {*found.numbers.tolist()} == {1, 2, 3, 4, 5, 6}
    expected = {1, 4} if "barnacle" in words.casefold() else set()
    assert expected <= {*found.numbers[found.bm25 > 0].tolist()}


def test_rows_that_no_index_has_seen_are_found_all_the_same(six: Index) -> None:
    six.write([row(70, text="An albatross.")])
    assert six.state().unindexed["text"] == 1
    found = near(six, row(70), "albatross", k=1)
    assert (found.numbers.tolist(), found.bm25[0] > 0) == ([70], True)


# -- many rows -----------------------------------------------------------------------------


@pytest.fixture
def partitioned(index: Index, monkeypatch: pytest.MonkeyPatch) -> Index:
    """600 papers where 300 are enough for vector indexes of 200 rows a partition."""
    monkeypatch.setattr(rooms, "VECTOR_INDEX_ROWS", 300)
    monkeypatch.setattr(rooms, "PARTITION_ROWS", 200)
    for first in range(0, 600, 200):
        index.write([row(first + at, collections=[at % 3]) for at in range(200)])
    index.tend()
    return index


def test_many_rows_have_an_index_for_every_vector_and_the_same_answers(partitioned: Index) -> None:
    assert partitioned.state().unindexed == dict.fromkeys(
        ["text", "number", "year", "collections", "whole", *ASPECTS], 0
    )
    for number in (5, 317, 599):
        method = {Facet.METHOD: view(row(number).sentences[1:3], row(number).title)}
        found = partitioned.candidates(row(number).whole, method, "kelp", 50)
        assert number == found.numbers[0]
        assert len(found) == 50
        scoped = near(partitioned, row(number), k=20, scope=Scope({1}))
        assert {int(each) % 200 % 3 for each in scoped.numbers} == {1}


def test_an_index_is_renewed_when_a_quarter_stands_outside_it(partitioned: Index) -> None:
    partitioned.write([row(1_000 + at) for at in range(100)])
    partitioned.tend()
    assert partitioned.state().unindexed["whole"] == 100
    partitioned.write([row(2_000 + at) for at in range(200)])
    partitioned.tend()
    assert {*partitioned.state().unindexed.values()} == {0}


def test_a_made_library_is_listed_and_indexed_like_a_persons(tmp_path: Path) -> None:
    papers_speed.build(tmp_path, 40, "tiny_0123", WIDTH)
    papers = Papers(tmp_path / "data" / "papers.sqlite")
    index = Index(tmp_path / "data" / "papers.lance", "tiny_0123", WIDTH)
    kept = papers.paper(papers_speed.doi(7))
    assert (papers.count(), papers.waiting(index.name), index.state().rows) == (40, [], 40)
    own = index.rows([kept.number])
    scope = Scope([*papers.collection_numbers().values()], (1900, 2100))
    found = index.candidates(own.documents[0].whole, {}, kept.text, 5, scope)
    assert found.numbers[0] == kept.number
    np.testing.assert_array_equal(found.documents[0].facets, certain(kept.paper.facets))
    assert index.revisions([kept.number]) == {kept.number: kept.revision}
    assert len(papers.numbered(found.numbers.tolist())) == 5


def test_the_same_seed_makes_the_same_papers() -> None:
    first, second = (list(papers_speed.made(5, WIDTH, seed=3)) for _ in range(2))
    assert [entry for entry, _ in first] == [entry for entry, _ in second]
    np.testing.assert_array_equal([one for _, one in first], [one for _, one in second])
    np.testing.assert_allclose(np.linalg.norm(first[0][1], axis=1), 1, atol=1e-5)


def test_codes_of_facets_are_places_that_never_move() -> None:
    """They are stored: a change of them is a new schema version."""
    assert FACETS == (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT, Facet.OTHER)
    assert rooms.SCHEMA_VERSION == 1


def test_the_benchmark_adds_papers_and_asks_those_it_made() -> None:
    figures = list(papers_speed.run(12, added=5, runs=1))
    assert [each.what for each in figures] == [
        "papers add of 5", "its peak memory", "12 papers built", "their size on disk",
        "cold papers similar over 12 papers", "its peak memory",
    ]  # fmt: skip
    assert all(each.measured > 0 for each in figures)
