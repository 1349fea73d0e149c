"""The words that a claim and a passage share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from scholar_indexes.retrieval.search import shared_words
from scholar_indexes.retrieval.stemming import stem

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
