"""The words shared by a claim and a passage, and the relevant sentences of a window."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.retrieval.search import NEAR, bearing_on, shared_words

ENDINGS = ("", "s", "ed", "ing", "er", "ingly", "iness", "y")


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        pytest.param("a candle", "Two candles burned.", ["candles"], id="plural"),
        pytest.param("candles", "The candle burned.", ["candle"], id="singular"),
        pytest.param("running away", "They run.", ["run"], id="infinitive"),
        pytest.param("they run", "He was running.", ["running"], id="participle"),
        pytest.param("a pony", "Ponies; PONIES!", ["Ponies"], id="once, as first written"),
        pytest.param("the creature, loved", "A Creature! love", ["Creature", "love"], id="order"),
        pytest.param("general doubts", "A generous man.", [], id="one beginning, two words"),
        pytest.param("the candle of the house", "the end of the day", [], id="function words"),
    ],
)
def test_a_claim_and_a_passage_share_words_across_inflection(
    claim: str, text: str, expected: list[str]
) -> None:
    assert shared_words(claim, text) == expected


def test_threads_have_the_same_stems() -> None:
    words = [f"{word}{ending}" for word in ("wander", "laugh", "lonel") for ending in ENDINGS] * 300
    expected = [stem(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem, words)) == expected


@pytest.mark.parametrize(
    ("nearness", "expected"),
    [
        pytest.param([0.5], (0, 1), id="one sentence"),
        pytest.param(
            [0.0, 0.0, 0.6, 0.0, 0.0], (2, 3), id="one that is far nearer than all others"
        ),
        pytest.param([0.5, 0.5, 0.6, 0.5, 0.5], (0, 5), id="all about as near"),
        pytest.param([0.0, 0.4, 0.6, 0.0, 0.0], (1, 3), id="the one next to it"),
        pytest.param([0.0, 0.0, 0.6, 0.1, 0.5], (2, 5), id="what is between two near ones"),
        pytest.param([0.6, 0.3, 0.0, 0.0, 0.3], (0, 2), id="what is nearer by must be less near"),
    ],
)
def test_sentences_about_as_near_as_the_nearest_are_relevant(
    nearness: list[float], expected: tuple[int, int]
) -> None:
    assert bearing_on(np.array(nearness, np.float32)) == expected


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=9))
def test_the_nearest_sentence_and_equally_near_ones_are_relevant(nearness: list[float]) -> None:
    scores = np.array(nearness, np.float32)
    first, end = bearing_on(scores)
    assert first <= np.argmax(scores) < end
    assert set(np.flatnonzero(scores == scores.max())) <= set(range(first, end))
    assert all(scores[at] >= scores.max() - max(NEAR) for at in (first, end - 1))
