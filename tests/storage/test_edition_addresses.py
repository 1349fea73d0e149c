"""Rows read by address, once a search has shown the positions of their editions."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.storage.edition_addresses import EditionAddresses
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    PassageFilter,
    PassageTable,
    passage_batch,
)
from stored_sentences import TEXTS, WIDTH, numbered, rows, unit

EDITIONS = (1, 2, 3, 5)


@pytest.fixture(scope="module")
def scattered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an index whose second edition continues in another file, after the
    third, and whose fourth was deleted."""
    folder = tmp_path_factory.mktemp("scattered") / "index.lance"
    store = PassageTable(folder, "tiny_0123", WIDTH)
    store.write(1, [rows(seed=1)])
    store.write(2, [rows(TEXTS[:3], chapter=1, seed=2)])
    store.write(3, [rows(seed=3)])
    store.write(4, [rows(seed=4)])
    store._table.add(passage_batch(2, rows(TEXTS[3:], first=3, chapter=2, seed=12)))
    store.write(5, [rows(TEXTS * 3, seed=5)])
    store.delete(4)
    return folder


def opened(folder: Path, *, searched: bool) -> PassageTable:
    """Return the index, either unsearched or after a search that found all editions."""
    store = PassageTable(folder, "tiny_0123", WIDTH)
    if searched:
        keys, _ = store.nearest(unit(1)[0], 99, EVERYTHING)
        assert {edition for edition, _ in numbered(keys)} == {*EDITIONS}
    return store


def test_an_edition_never_found_has_no_address() -> None:
    addresses = EditionAddresses()
    ones = np.ones(3, np.int64)
    assert len(addresses.of_rows(1, ones, np.arange(3))) == 0
    addresses.note(1, ones, np.arange(3), np.arange(100, 103))
    assert addresses.of_rows(1, 2 * ones, np.arange(3)).tolist() == []


def test_an_address_holds_for_one_version() -> None:
    addresses = EditionAddresses()
    addresses.note(1, np.array([7]), np.array([2]), np.array([102]))
    assert addresses.of_rows(1, np.array([7, 7]), np.array([0, 5])).tolist() == [100, 105]
    assert addresses.of_rows(2, np.array([7, 7]), np.array([0, 5])).tolist() == []
    addresses.note(2, np.array([8]), np.array([0]), np.array([0]))
    assert addresses.of_rows(2, np.array([7, 8]), np.array([0, 5])).tolist() == [5]


@given(
    keys=st.lists(st.tuples(st.sampled_from((*EDITIONS, 4, 9)), st.integers(0, 20)), max_size=8),
    reach=st.integers(0, 20),
    scope=st.sampled_from(
        [
            EVERYTHING,
            PassageFilter(None, {2: (1, 1), 5: (2, 3)}),
            PassageFilter(None, None, {(2 << EDITION_BITS) + 4, (5 << EDITION_BITS) + 17}),
        ]
    ),
)
def test_rows_are_the_same_by_their_addresses_as_by_their_keys(
    scattered: Path, keys: list[tuple[int, int]], reach: int, scope: PassageFilter
) -> None:
    wanted = np.array([(edition << EDITION_BITS) + at for edition, at in keys], np.int64)
    by_keys, by_addresses = (
        opened(scattered, searched=searched).around(wanted, reach, scope)
        for searched in (False, True)
    )
    assert numbered(by_addresses.keys) == numbered(by_keys.keys)
    for column in ("chapters", "words", "vectors", "weights"):
        expected, read = (getattr(near, column) for near in (by_keys, by_addresses))
        np.testing.assert_array_equal(read, expected)


def test_a_neighbourhood_contains_its_sentences_and_nothing_else(scattered: Path) -> None:
    near = opened(scattered, searched=True).around(
        np.array([(2 << EDITION_BITS) + 2, (4 << EDITION_BITS)]), 4, EVERYTHING
    )
    assert numbered(near.keys) == [(2, number) for number in range(6)]


def test_texts_are_read_by_their_addresses_too(scattered: Path) -> None:
    keys = np.array([(edition << EDITION_BITS) + 4 for edition in (1, 2, 3, 4, 5)])
    texts = opened(scattered, searched=True).texts(keys)
    assert {*texts.values()} == {TEXTS[4]}
    assert numbered(sorted(texts)) == [(1, 4), (2, 4), (3, 4), (5, 4)]


def test_rows_that_moved_to_another_file_are_found(scattered: Path, tmp_path: Path) -> None:
    store = opened(shutil.copytree(scattered, tmp_path / "index.lance"), searched=True)
    key = np.array([(5 << EDITION_BITS) + 9])
    before = store.texts_around(key, 3, EVERYTHING)
    store.optimize(thoroughly=True)
    after = store.texts_around(key, 3, EVERYTHING)
    assert (after.texts, numbered(after.keys)) == (before.texts, numbered(before.keys))
