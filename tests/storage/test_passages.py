"""The index in a real LanceDB folder: written atomically, searched in scope, updated if stale."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from damaged_tables import DAMAGE, damage
from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.storage import lance_table
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    PassageFilter,
    PassageTable,
    SentenceRows,
)
from scholar_indexes.storage.table_names import SCHEMA_VERSION, table_names
from stored_sentences import TEXTS, WIDTH, numbered, rows, unit


def test_an_empty_index_says_how_to_fill_it(store: PassageTable) -> None:
    query = unit(1)[0]
    for ask in (
        lambda: store.nearest(query, 3, EVERYTHING),
        lambda: store.matching("rain", 3, EVERYTHING),
        lambda: store.around(np.array([1]), 1, EVERYTHING),
    ):
        with pytest.raises(NotIndexed, match="scholar index rebuild"):
            ask()


def test_an_empty_index_has_no_rows_and_can_be_maintained(store: PassageTable) -> None:
    store.delete(1)
    store.optimize()
    store.optimize(thoroughly=True)
    assert store.editions() == set()
    assert store.state().rows == 0
    assert store.others() == []


def test_opening_an_index_makes_no_table(store: PassageTable, tmp_path: Path) -> None:
    assert table_names(tmp_path / "index.lance") == []


def test_a_table_whose_last_edition_went_still_answers(store: PassageTable) -> None:
    store.write(1, [rows()])
    store.optimize()
    store.delete(1)
    store.optimize()
    assert len(store.nearest(unit(1)[0], 3, EVERYTHING)[0]) == 0
    assert len(store.matching("rain", 3, EVERYTHING)[0]) == 0


@pytest.mark.parametrize("part", ["_versions", "data"])
@DAMAGE
def test_a_damaged_table_is_one_clear_line(
    three: PassageTable, tmp_path: Path, part: str, how: str
) -> None:
    damage(tmp_path / "index.lance" / f"{three.name}.lance" / part, how)

    def ask() -> None:
        again = PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)
        again.around(np.arange(1 << EDITION_BITS, 7 + (1 << EDITION_BITS)), 0, EVERYTHING)

    with pytest.raises(Damaged, match="scholar index rebuild"):
        ask()


def test_a_table_is_named_after_its_schema_and_its_space(
    store: PassageTable, tmp_path: Path
) -> None:
    store.write(1, [rows()])
    assert store.name == f"passages_v{SCHEMA_VERSION}_tiny_0123"
    assert table_names(tmp_path / "index.lance") == [store.name]


def test_two_that_opened_a_table_may_renew_its_indexes_one_after_the_other(
    store: PassageTable,
) -> None:
    store.write(1, [rows()])
    other = store.reopen()
    store.optimize()
    other.optimize()
    assert other.state().unindexed == store.reopen().state().unindexed


def test_two_spaces_never_meet(store: PassageTable, tmp_path: Path) -> None:
    other = PassageTable(tmp_path / "index.lance", "other_4567", 4)
    store.write(1, [rows()])
    other.write(1, [SentenceRows([0], [1], ["Rain."], np.eye(4, dtype=np.float32)[:1], np.ones(1))])
    assert (store.state().rows, other.state().rows) == (6, 1)
    assert (store.others(), other.others()) == ([other.name], [store.name])
    assert numbered(store.matching("rain", 9, EVERYTHING)[0]) == [(1, 0)]


@pytest.mark.parametrize("name", ["passages_v1_tiny_0123_cls", "passages_v0_tiny_0123", "notes"])
def test_any_other_table_is_another_even_one_whose_name_goes_on(
    store: PassageTable, tmp_path: Path, name: str
) -> None:
    store.write(1, [rows()])
    (tmp_path / "index.lance" / f"{name}.lance").mkdir()
    assert store.others() == [name]


def test_removing_an_edition_removes_it_from_the_tables_of_every_model(
    store: PassageTable, tmp_path: Path
) -> None:
    other = PassageTable(tmp_path / "index.lance", "other_4567", WIDTH)
    for table in (store, other):
        table.write(1, [rows()])
        table.write(2, [rows()])
    store.delete(1)
    again = PassageTable(tmp_path / "index.lance", "other_4567", WIDTH)
    assert store.editions() == again.editions() == {2}


def test_written_sentences_are_read_back(store: PassageTable, tmp_path: Path) -> None:
    written = rows()
    assert store.write(3, [written]) == 6
    again = PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)
    near = again.around(np.array([2 + (3 << EDITION_BITS)]), 99, EVERYTHING)
    assert numbered(near.keys) == [(3, number) for number in range(6)]
    assert near.chapters.tolist() == [1, 1, 2, 2, 3, 3]
    assert near.words.tolist() == [len(text.split()) for text in TEXTS]
    assert near.weights.tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(near.vectors, written.vectors, atol=1e-3)


def test_batches_are_consumed_one_at_a_time(store: PassageTable) -> None:
    alive: list[int] = []

    def batches() -> Iterator[SentenceRows]:
        for at in range(4):
            alive.append(at)
            yield rows(first=6 * at)

    assert store.write(1, batches()) == 24
    assert alive == [0, 1, 2, 3]
    assert store.state().rows == 24


def test_writing_an_edition_again_replaces_it(three: PassageTable) -> None:
    assert three.write(2, [rows(["Only this."])]) == 1
    assert three.state().rows == 13
    assert {*numbered(three.matching("funeral", 9, EVERYTHING)[0])} == {(1, 4), (3, 4)}


def test_deleting_an_edition_leaves_the_others(three: PassageTable) -> None:
    three.delete(2)
    three.delete(99)
    assert three.editions() == {1, 3}
    assert {*numbered(three.matching("funeral", 9, EVERYTHING)[0])} == {(1, 4), (3, 4)}


@pytest.mark.parametrize(
    "failure",
    [KeyboardInterrupt(), ScholarError("the disk is full"), ValueError("broken")],
    ids=["ctrl-c", "its own error", "any other"],
)
def test_a_write_that_fails_halfway_leaves_nothing_of_itself(
    three: PassageTable, tmp_path: Path, failure: BaseException
) -> None:
    def batches() -> Iterator[SentenceRows]:
        yield rows()
        raise failure

    with pytest.raises(BaseException) as raised:  # noqa: PT011
        three.write(4, batches())
    if not isinstance(failure, ValueError):
        assert raised.value is failure
    for table in (three, PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)):
        assert table.state().rows == 18
        assert table.editions() == {1, 2, 3}


def test_ctrl_c_stops_the_writing_at_once(three: PassageTable) -> None:
    """LanceDB pulls batches in its own thread, which must not continue by itself."""
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    was_interrupted, went_on = threading.Event(), threading.Event()

    def batches() -> Iterator[SentenceRows]:
        for at in range(30):
            if at == 4:
                went_on.set()
            if at == 3:
                signal.pthread_kill(main_thread, signal.SIGINT)
                was_interrupted.wait(60)
            yield rows(first=6 * at)

    with pytest.raises(KeyboardInterrupt):
        three.write(4, batches())
    was_interrupted.set()
    assert not went_on.wait(0.3)
    assert three.editions() == {1, 2, 3}


def test_a_reader_that_was_open_before_sees_what_was_written_after(
    three: PassageTable, tmp_path: Path
) -> None:
    reader = PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)
    three.write(4, [rows(["Quite alone, an albatross."])])
    again = PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)
    assert numbered(again.matching("albatross", 9, EVERYTHING)[0]) == [(4, 0)]
    assert len(reader.matching("funeral", 9, EVERYTHING)[0]) == 3


def test_the_nearest_come_first_with_their_cosines(three: PassageTable) -> None:
    query = unit(6, seed=2)[3]
    keys, cosines = three.nearest(query, 5, EVERYTHING)
    assert numbered(keys)[0] == (2, 3)
    assert cosines[0] == pytest.approx(1, abs=2e-3)
    everything = {
        (edition, at): unit(6, edition)[at] @ query for edition in (1, 2, 3) for at in range(6)
    }
    expected = sorted(everything, key=everything.__getitem__, reverse=True)[:5]
    assert numbered(keys) == expected
    np.testing.assert_allclose(cosines, [everything[key] for key in expected], atol=5e-3)


def test_the_first_of_equally_good_sentences_are_returned(store: PassageTable) -> None:
    for edition in (2, 1):  # an edition with a lower number was written later
        store.write(edition, [rows(["An owl.", *["A lone owl called."] * 60])])
    owls = [(1, 0), (2, 0), *((1, at) for at in range(1, 61)), *((2, at) for at in range(1, 61))]
    for k in (1, 3, 40, 62, 500):
        assert numbered(store.matching("owl", k, EVERYTHING)[0]) == owls[:k]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(PassageFilter({3}), {(3, at) for at in range(6)}, id="an edition"),
        pytest.param(
            PassageFilter({1, 3}, {1: (2, 2), 3: (2, 2)}),
            {(1, 2), (1, 3), (3, 2), (3, 3)},
            id="both",
        ),
        pytest.param(
            PassageFilter(None, {2: (2, 2), 3: (3, 9)}),
            {(2, 2), (2, 3), (3, 4), (3, 5)},
            id="by edition",
        ),
        pytest.param(PassageFilter(set()), set(), id="no editions"),
        pytest.param(PassageFilter({99}), set(), id="an edition that is not there"),
        pytest.param(PassageFilter(None, {1: (7, 9)}), set(), id="chapters that are not there"),
    ],
)
def test_a_scope_counts_before_the_ranking(
    three: PassageTable, scope: PassageFilter, expected: set[tuple[int, int]]
) -> None:
    """The best k in scope are returned, not just the ones in scope among the best k."""
    k = max(len(expected), 1)
    assert {*numbered(three.nearest(unit(6, seed=2)[3], k, scope)[0])} == expected
    matches = numbered(three.matching("rain wept light mansion funeral ship", k, scope)[0])
    assert {*matches} == expected


def test_the_words_of_a_sentence_find_it_by_bm25(three: PassageTable) -> None:
    keys, scores = three.matching("a light on the dock, burning green", 3, PassageFilter({2}))
    assert numbered(keys)[0] == (2, 2)
    assert scores[0] == max(scores) > 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("FUNERALS", 4, id="any case and number"),
        pytest.param('"funeral"', 4, id="quotation marks"),
        pytest.param("funeral' OR 1=1; DROP TABLE x; --", 4, id="SQL"),
        pytest.param("funeral AND NOT (nobody OR +came) ~2 ^3 *", 4, id="operators"),
        pytest.param("[bold]funeral[/bold]\x1b[31m", 4, id="markup"),
        pytest.param("funeral " * 10_000, 4, id="ten thousand words"),
        pytest.param("text:funeral key:1", 4, id="fields"),
    ],
)
def test_whatever_is_asked_is_only_words(three: PassageTable, words: str, expected: int) -> None:
    assert numbered(three.matching(words, 1, PassageFilter({1}))[0]) == [(1, expected)]


@pytest.mark.parametrize("words", ["", " \n", "?!", "xyzzy", "日本語", "\x00"])
def test_words_that_occur_nowhere_find_nothing(three: PassageTable, words: str) -> None:
    keys, scores = three.matching(words, 9, EVERYTHING)
    assert (len(keys), len(scores)) == (0, 0)


def test_rows_that_no_index_has_seen_are_found_all_the_same(three: PassageTable) -> None:
    three.write(4, [rows(["An albatross, quite alone."], seed=9)])
    assert three.state().unindexed["text"] == 1
    assert numbered(three.matching("albatross", 9, EVERYTHING)[0]) == [(4, 0)]
    assert numbered(three.nearest(unit(1, seed=9)[0], 1, EVERYTHING)[0]) == [(4, 0)]


def test_the_neighbourhood_of_keys_is_their_rows_in_order_each_once(three: PassageTable) -> None:
    base = 2 << EDITION_BITS
    near = three.around(np.array([base + 4, base + 1, base + 1]), 1, EVERYTHING)
    assert numbered(near.keys) == [(2, 0), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5)]


def test_a_neighbourhood_stays_in_its_edition_and_in_scope(three: PassageTable) -> None:
    base = 2 << EDITION_BITS
    assert numbered(three.around(np.array([base]), 2, EVERYTHING).keys) == [(2, 0), (2, 1), (2, 2)]
    near = three.around(np.array([base + 2]), 2, PassageFilter(None, {2: (2, 2)}))
    assert numbered(near.keys) == [(2, 2), (2, 3)]


def test_no_keys_have_no_neighbourhood(three: PassageTable) -> None:
    near = three.around(np.zeros(0, np.int64), 4, EVERYTHING)
    assert (len(near), near.vectors.shape) == (0, (0, WIDTH))


def test_the_texts_around_sentences_are_of_their_edition_and_in_order(three: PassageTable) -> None:
    base = 2 << EDITION_BITS
    near = three.texts_around(np.array([base + 4, base + 1]), 1, EVERYTHING)
    assert numbered(near.keys) == [(2, number) for number in range(6)]
    assert near.chapters.tolist() == [1, 1, 2, 2, 3, 3]
    assert near.texts == TEXTS
    narrowed = three.texts_around(np.array([base + 2]), 2, PassageFilter(None, {2: (2, 2)}))
    assert narrowed.texts == TEXTS[2:4]


def test_a_file_where_the_folder_should_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ScholarError, match="in the way"):
        PassageTable(tmp_path / "file" / "index.lance", "tiny", WIDTH)


def test_a_book_that_is_added_and_removed_again_and_again_takes_bounded_room(
    three: PassageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The book is never a quarter of the table, so no index is stale."""
    monkeypatch.setattr(lance_table, "VERSION_RETENTION", timedelta(milliseconds=1))
    monkeypatch.setattr(lance_table, "MOST_OLD_VERSIONS", 8)
    three.optimize(thoroughly=True)
    sizes = []
    for _ in range(12):
        three.write(4, [rows(TEXTS[:2])])
        three.delete(4)
        three.reopen().optimize()
        sizes.append(three.state().size_bytes)
    assert max(sizes[6:]) <= max(sizes[:6])
    assert three.editions() == {1, 2, 3}


@pytest.mark.parametrize("folder", ["data", "_indices"])
def test_a_file_whose_last_write_failed_without_a_word_is_not_kept(
    three: PassageTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """The state LanceDB leaves when the disk refuses the last write to a file."""
    was_cut = lance_table._is_cut

    def cut_first(path: Path) -> bool:
        if path.is_relative_to(tmp_path / "index.lance" / f"{three.name}.lance" / folder):
            path.write_bytes(path.read_bytes()[:-1])
        return was_cut(path)

    def write_and_index() -> None:
        three.write(4, [rows()])
        three.reopen().optimize(thoroughly=True)

    monkeypatch.setattr(lance_table, "_is_cut", cut_first)
    with pytest.raises(ScholarError, match="not store all that was written"):
        write_and_index()
    monkeypatch.undo()
    table = three.reopen()
    assert {1, 2, 3} <= table.editions() <= {1, 2, 3, 4}
    assert table.matching("rain", 3, EVERYTHING)[0].size
    table.write(4, [rows()])
    table.optimize()
    assert table.editions() == {1, 2, 3, 4}


def test_a_list_of_deleted_rows_that_was_cut_brings_the_rows_back(
    three: PassageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    can_be_counted = PassageTable._can_be_counted

    def cut_first(table: PassageTable) -> bool:
        for path in (table._folder / "_deletions").iterdir():
            path.write_bytes(path.read_bytes()[:-4])
        return can_be_counted(table)

    three.optimize(thoroughly=True)  # into one file, so that a book is only part of it
    monkeypatch.setattr(PassageTable, "_can_be_counted", cut_first)
    with pytest.raises(ScholarError, match="not store all that was written"):
        three.delete(2)
    monkeypatch.undo()
    table = three.reopen()
    assert table.editions() == {1, 2, 3}
    table.delete(2)
    assert table.editions() == {1, 3}
