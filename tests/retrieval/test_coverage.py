"""The share of the words of a claim in and around windows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.lexicon.word_frequencies import rarity
from scholar_indexes.retrieval.coverage import (
    MOST_WORDS,
    REACHES,
    claim_stems,
    coverage,
    find_stems,
)
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.retrieval.readings import Reading
from scholar_indexes.retrieval.window_candidates import (
    BookQuery,
    Retrieved,
    find_candidates,
    read_coverage,
)
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    PassageTable,
    SentenceRows,
)

WORDS = (
    "party parties dying dies lying tied sky skies hollow hollowness wealth wealthy run İstanbul"
).split()


def test_nothing_is_found_without_words_or_without_texts() -> None:
    assert find_stems([], ["A party."]).shape == (1, 0)
    assert find_stems(["parti"], []).shape == (0, 1)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        pytest.param("parties", "The party has begun.", id="singular and plural"),
        pytest.param("he dies", "She saw him dying.", id="a stem that begins otherwise"),
        pytest.param("skies", "The SKY was low.", id="capitals"),
        pytest.param("war", "after-war_plans", id="hyphens and underscores part words"),
    ],
)
def test_forms_of_a_word_match(claim: str, text: str) -> None:
    stems = claim_stems(claim)
    assert find_stems(stems, ["Nothing here.", text])[:, -1].tolist() == [False, True]


@given(st.lists(st.sampled_from(WORDS), min_size=1), st.lists(st.lists(st.sampled_from(WORDS))))
def test_words_are_found_where_stemming_every_word_finds_them(
    claim: list[str], sentences: list[list[str]]
) -> None:
    stems = claim_stems(" ".join(claim))
    texts = [" ".join(words).title() for words in sentences]
    present = find_stems(stems, texts)
    for row, text in enumerate(texts):
        of_text = {stem(word) for word in re.findall(r"[^\W_]+", text.lower())}
        assert [known in of_text for known in stems] == present[row].tolist()


def test_only_the_rarest_words_of_a_very_long_claim_are_searched() -> None:
    stems = claim_stems(" ".join(["the", "of"] + [f"word{number}" for number in range(60)]))
    assert len(stems) == MOST_WORDS
    assert "the" not in stems


def test_words_count_within_reach_and_not_beyond_the_chapter() -> None:
    rows = 40
    present = np.zeros((rows, 1), bool)
    present[20] = True
    runs = np.repeat([0, 1], [21, 19])
    one = np.ones(1, np.float32)
    starts = np.array([20, 20 - REACHES[1], 20 - REACHES[2], 21, 0])
    windows = Windows(starts, np.ones(len(starts), np.int64))
    shares = coverage(windows, runs, present, one)
    assert shares.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    assert rarity("the") < rarity("parti") < rarity("zzyzx")
    present = np.array([[True, False], [False, True]])
    weights = np.array([rarity("time"), rarity("portrait")], np.float32)
    windows = Windows(np.array([0, 1]), np.array([1, 1]))
    frequent, rare = coverage(windows, np.array([0, 1]), present, weights)[:, 0]
    assert frequent < rare
    assert frequent + rare == pytest.approx(1)


def test_a_claim_without_words_covers_nothing() -> None:
    windows = Windows(np.array([0]), np.array([1]))
    shares = coverage(windows, np.array([0]), np.zeros((1, 0), bool), np.zeros(0, np.float32))
    assert shares.tolist() == [[0.0] * len(REACHES)]


@pytest.fixture
def table(tmp_path: Path) -> PassageTable:
    """Return two indexed editions of seven sentences; the third sentence is about a party."""
    texts = ["It rained.", "She came.", "The parties were loud.", *["He left."] * 4]
    vectors = np.eye(7, 8, dtype=np.float32)
    ones = np.ones(7, np.float32)
    table = PassageTable(tmp_path / "index.lance", "tiny_0123", 8)
    for edition in (1, 2):
        table.write(edition, [SentenceRows(range(7), [1, 1, 1, 1, 1, 2, 2], texts, vectors, ones)])
    return table


def test_the_words_of_a_claim_are_read_around_windows_as_each_book_reads_it(
    table: PassageTable,
) -> None:
    first, second = 1 << EDITION_BITS, 2 << EDITION_BITS
    keys = np.array([first, first + 2, first + 5, second + 2])
    candidates = find_candidates(table, keys, (1, 1), EVERYTHING, np.zeros(0, np.int64))
    windows = [
        int(np.flatnonzero(candidates.rows.keys[candidates.windows.start] == key)[0])
        for key in keys
    ]
    plain = Retrieved("loud party", None, None, ())
    rain = BookQuery(Reading((), "", "rain"), Retrieved("rain", None, None, ()), None)  # type: ignore[arg-type]

    def read(books: Mapping[int, BookQuery]) -> list[list[float]]:
        numbers = np.array(windows, np.int64)
        return read_coverage(table, EVERYTHING, candidates, numbers, plain, books).tolist()

    assert read({}) == [[0, 1, 1], [1, 1, 1], [0, 0, 0], [1, 1, 1]]
    assert read({2: rain})[3] == [0, 1, 1]
    table.delete(2)
    assert read({}) == [[0, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]]
