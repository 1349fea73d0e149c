"""The words that a claim and a passage share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from scholar_indexes.retrieval.search import shared_words
from scholar_indexes.retrieval.stemming import stem


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        pytest.param("a candle", "Two candles burned.", ["candles"], id="plural"),
        pytest.param("candles", "The candle burned.", ["candle"], id="singular"),
        pytest.param("running away", "They run.", ["run"], id="infinitive"),
        pytest.param("they run", "He was running.", ["running"], id="participle"),
        pytest.param(
            "a pony", "Four ponies; PONIES!", ["ponies"], id="each once, as first written"
        ),
        pytest.param(
            "the creature, loved", "A Creature! love the", ["Creature", "love"], id="order"
        ),
        pytest.param("general doubts", "A generous man.", [], id="one beginning, two words"),
        pytest.param("the candle of the house", "the end of the day", [], id="function words"),
    ],
)
def test_a_claim_and_a_passage_share_words_across_inflection(
    claim: str, text: str, expected: list[str]
) -> None:
    assert shared_words(claim, text) == expected


def test_threads_have_the_same_stems() -> None:
    words = [
        f"{first}a{last}{ending}"
        for first in "bcdfgl"
        for last in "bdgklmnpt"
        for ending in ("ings", "edly", "ness", "er")
    ]
    expected = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem.__wrapped__, words * 8)) == expected * 8
