"""When the indexes of a table are made, updated and rebuilt, and that they find all rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.arrays import Floats2d
from scholar_indexes.storage import lance_table
from scholar_indexes.storage.passages import EVERYTHING, PassageFilter, PassageTable, SentenceRows
from stored_sentences import TEXTS, numbered, rows, unit


def write_vectors(store: PassageTable, edition: int, vectors: Floats2d) -> Floats2d:
    """Write sentences with the vectors (n, d), and return the vectors at unit length."""
    count = len(vectors)
    unit_vectors: Floats2d = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    unit_vectors = unit_vectors.astype(np.float32)
    ones = np.ones(count, np.float32)
    sentences = SentenceRows(range(count), [1] * count, ["Rain."] * count, unit_vectors, ones)
    store.write(edition, [sentences])
    return unit_vectors


def test_tending_makes_the_small_indexes(store: PassageTable) -> None:
    store.write(1, [rows()])
    assert set(store.state().unindexed.values()) == {None}
    store.optimize()
    state = store.state()
    assert state.unindexed == {"text": 0, "key": 0, "edition": 0, "vector": None}
    assert state.size_bytes > 0


def test_an_index_is_renewed_when_a_quarter_of_the_rows_is_outside_it(
    store: PassageTable,
) -> None:
    store.write(1, [rows(TEXTS * 10)])
    store.optimize()
    store.write(2, [rows()])
    store.optimize()
    assert store.state().unindexed["text"] == 6
    store.write(3, [rows(TEXTS * 5)])
    store.optimize()
    assert store.state().unindexed["text"] == 0


def test_rows_that_every_query_would_read_one_by_one_are_indexed_when_nothing_more_follows(
    store: PassageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_table, "MOST_OUTSIDE", 10)
    store.write(1, [rows(TEXTS * 20)])
    store.optimize()
    store.write(2, [rows(TEXTS * 2)])
    store.optimize(more_follow=True)
    assert store.state().unindexed["text"] == 12
    store.optimize()
    assert store.state().unindexed["text"] == 0
    store.write(3, [rows()])
    store.optimize()
    assert store.state().unindexed["text"] == 6


def test_tending_thoroughly_indexes_every_row_and_drops_what_was_deleted(
    three: PassageTable,
) -> None:
    three.write(4, [rows()])
    three.delete(1)
    three.optimize(thoroughly=True)
    state = three.state()
    assert (state.rows, state.unindexed["text"]) == (18, 0)
    assert {*numbered(three.matching("funeral", 9, EVERYTHING)[0])} == {(2, 4), (3, 4), (4, 4)}


def test_above_its_threshold_the_vector_index_is_made_and_loses_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, width = 6_000, 32
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 5_000)
    monkeypatch.setattr(lance_table, "_MIN_PROBES", 1)  # out of ten partitions
    random = np.random.default_rng(1)
    topics = random.normal(size=(40, width))
    around = topics[random.integers(0, 40, count)] + random.normal(size=(count, width)) / 2
    store = PassageTable(tmp_path / "index.lance", "wide", width)
    vectors = write_vectors(store, 1, around)
    store.optimize()
    assert store.state().unindexed["vector"] == 0
    recalls = []
    for query in vectors[:: count // 20]:
        expected = set(np.argsort(-(vectors @ query))[:10].tolist())
        nearest, _ = store.nearest(query, 10, EVERYTHING)
        recalls.append(len(expected & {number for _, number in numbered(nearest)}) / 10)
    assert np.mean(recalls) > 0.95
    inside, _ = store.nearest(vectors[0], 10, PassageFilter(None, {1: (1, 1)}))
    assert len(inside) == 10
    assert len(store.nearest(vectors[0], 10, PassageFilter({2}))[0]) == 0


def test_a_search_of_few_books_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 500)
    monkeypatch.setattr(lance_table, "_MIN_PROBES", 1)
    monkeypatch.setattr(lance_table, "_PROBED_SHARE", 0)
    random = np.random.default_rng(1)
    store = PassageTable(tmp_path / "index.lance", "wide", 16)
    vectors = {
        edition: write_vectors(store, edition, random.normal(size=(500, 16)))
        for edition in range(1, 6)
    }
    store.optimize()
    query = vectors[5][0]

    def missed(scope: PassageFilter) -> int:
        """Return the number of the nearest 50 in scope that the table misses; it varies without
        exact search, since the clusters of the index begin at random."""
        searched = scope.editions or vectors
        cosines = {
            (edition, at): cosine
            for edition in searched
            for at, cosine in enumerate((vectors[edition] @ query).tolist())
        }
        nearest = sorted(cosines, key=cosines.__getitem__)[-50:]
        return len({*nearest} - {*numbered(store.nearest(query, 50, scope)[0])})

    assert missed(EVERYTHING) > 1, "a search of one partition of several is not exact"
    assert missed(PassageFilter({1, 2, 3})) > 1, "a search of most books uses the index"
    assert missed(PassageFilter({3})) <= 1, "half precision may swap two equal ones"


def test_a_library_that_grew_four_times_gets_twice_as_many_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 500)
    random = np.random.default_rng(1)
    store = PassageTable(tmp_path / "index.lance", "wide", 16)
    partitions = []
    for edition in (1, 2, 3, 4):
        vectors = write_vectors(store, edition, random.normal(size=(600, 16)))
        store.optimize()
        names = [path.name for path in store._table.list_indices() if path.columns == ["vector"]]
        partitions.append(names)
        assert store.nearest(vectors[7], 1, EVERYTHING)[0].tolist() == [(edition << 32) + 7]
    assert partitions == [["vector_3"], ["vector_3"], ["vector_3"], ["vector_6"]]


def test_a_vector_index_answers_until_the_one_in_its_place_is_made(
    three: PassageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command killed between the steps leaves both; the next one drops the old index."""
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 10)
    three.optimize()
    (old,) = three._vector_indexes("vector")
    dropped = []

    def drop_index(name: str) -> None:
        dropped.append((name, {index.name for index in three._vector_indexes("vector")}))
        raise KeyboardInterrupt

    monkeypatch.setattr(lance_table, "partitions_of", lambda rows: 2)
    monkeypatch.setattr(three._table, "drop_index", drop_index)
    with pytest.raises(KeyboardInterrupt):
        three.optimize()
    assert dropped == [(old.name, {old.name, "vector_2"})]
    again = three.reopen()
    again.optimize()
    assert [index.name for index in again._vector_indexes("vector")] == ["vector_2"]
    assert len(again.nearest(unit(1)[0], 3, EVERYTHING)[0]) == 3


def test_a_vector_index_in_many_segments_is_rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_table, "VECTOR_INDEX_ROWS", 300)
    random = np.random.default_rng(1)
    store = PassageTable(tmp_path / "index.lance", "wide", 16)
    for edition in (1, 2, 3, 4):
        vectors = write_vectors(store, edition, random.normal(size=(400, 16)))
        store.optimize()
        store._table.optimize()

    def segments() -> int:
        (vector_index,) = store._vector_indexes("vector")
        return vector_index.segments

    before = segments()
    assert before > 1
    store.optimize()
    assert segments() == before
    monkeypatch.setattr(lance_table, "MOST_SEGMENTS", 1)
    store.optimize()
    assert segments() == 1
    assert store.nearest(vectors[7], 1, EVERYTHING)[0].tolist() == [(4 << 32) + 7]


@pytest.mark.parametrize(("wanted", "level"), [({}, "error"), ({"LANCEDB_LOG": "warn"}, "warn")])
def test_warnings_of_lancedb_are_shown_on_request(wanted: dict[str, str], level: str) -> None:
    program = (
        "import os; from scholar_indexes.storage.lancedb_import import load_lancedb; "
        "load_lancedb(); print(os.environ['LANCEDB_LOG'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "LANCEDB_LOG"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment | wanted,
    )
    assert done.stdout.strip() == level
