"""Who speaks in turn: exact sums over all ways of giving quotations to speakers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.speakers import turns
from scholar_indexes.speakers.features import BETWEEN, FEATURES, Rows
from scholar_indexes.speakers.turns import STATES, Potentials

ALTERNATING = (-1.0, 2.0)
"""Against the speaker of the quotation before, for that of the one before it."""


def rows(*who: tuple[int, ...]) -> Rows:
    """Quotations with these candidates, of whom nothing is known."""
    count = sum(map(len, who))
    there = [number for number, each in enumerate(who) if each]
    return Rows(
        np.zeros((count, FEATURES), np.float32),
        np.array([each for several in who for each in several], np.int64),
        np.cumsum([0, *map(len, who)]),
        np.array(there, np.int64),
        np.zeros((len(there), BETWEEN), np.float32),
    )


def likely(
    found: Rows, suits: list[float], follows: tuple[float, float] = ALTERNATING
) -> list[list[float]]:
    """How likely each candidate of each quotation is."""
    ways = np.tile(np.array(follows, np.float32), (len(found.order), 1))
    shares = turns.likelihoods(found, Potentials(np.array(suits, np.float32), ways))
    return [
        shares[first:end].round(6).tolist()
        for first, end in zip(found.edges, found.edges[1:], strict=False)
    ]


def enumerated(
    found: Rows, suits: list[float], follows: tuple[float, float] = ALTERNATING
) -> np.ndarray:
    """The same by going through every way there is."""
    places = [range(found.edges[n], found.edges[n + 1]) for n in found.order]
    shares = np.zeros(len(found.who))
    for way in itertools.product(*places):
        who = [found.who[place] for place in way]
        score = sum(suits[place] for place in way)
        score += follows[0] * sum(a == b for a, b in itertools.pairwise(who))
        score += follows[1] * sum(a == b for a, b in zip(who, who[2:], strict=False))
        shares[list(way)] += np.exp(score)
    for place in places:
        shares[list(place)] /= shares[list(place)].sum()
    return shares


def test_two_who_talk_take_turns() -> None:
    """Only the first two are known."""
    found = rows((0, 1), (0, 1), (0, 1), (0, 1))
    shares = likely(found, [9, 0, 0, 9, 0, 0, 0, 0])
    assert [int(np.argmax(each)) for each in shares] == [0, 1, 0, 1]


def test_what_comes_later_decides_too() -> None:
    found = rows((0, 1), (0, 1), (0, 1))
    shares = likely(found, [0, 0, 0, 0, 0, 9])
    assert [int(np.argmax(each)) for each in shares] == [1, 0, 1]


def test_what_is_certain_is_not_outvoted() -> None:
    found = rows((0, 1), (0, 1), (0, 1))
    shares = likely(found, [30, 0, 30, 0, 30, 0])
    assert all(each[0] > 0.99 for each in shares)


WHO = st.lists(st.lists(st.integers(0, 3), max_size=3, unique=True), min_size=1, max_size=5)
NUMBER = st.floats(-4, 4, width=32)


@given(WHO, st.data())
@settings(max_examples=80, deadline=None)
def test_likelihoods_are_the_sums_over_all_ways(who: list[list[int]], data: st.DataObject) -> None:
    found = rows(*map(tuple, who))
    suits = data.draw(st.lists(NUMBER, min_size=len(found.who), max_size=len(found.who)))
    follows = data.draw(st.tuples(NUMBER, NUMBER))
    shares = [each for several in likely(found, suits, follows) for each in several]
    assert shares == pytest.approx(enumerated(found, suits, follows).tolist(), abs=1e-5)


@pytest.mark.parametrize("scale", [1e3, -1e3, 1e6])
def test_extreme_scores_stay_in_range(scale: float) -> None:
    found = rows(*[(0, 1, 2)] * 50)
    shares = np.array(likely(found, [scale, 0, -scale] * 50, (50.0, -50.0)))
    assert np.isfinite(shares).all()
    assert shares.sum(1) == pytest.approx(np.ones(50))


def test_of_many_candidates_the_best_are_weighed() -> None:
    found = rows(tuple(range(30)))
    (shares,) = likely(found, [float(each == 29) for each in range(30)])
    assert np.argmax(shares) == 29
    assert np.count_nonzero(shares) == STATES


def test_a_quotation_without_candidates_has_no_answer() -> None:
    network = [(np.zeros((FEATURES, 1), np.float32), np.zeros(1, np.float32))]
    follows = [(np.zeros((BETWEEN, 2), np.float32), np.zeros(2, np.float32))]
    guesses = turns.guessed(rows((3,), ()), [turns.Judge(network, follows)])
    assert (guesses.who, guesses.sure) == ([3, -1], [1.0, 0.0])
