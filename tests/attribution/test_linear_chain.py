"""The linear chain: exact sums over all assignments of speakers to quotations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import linear_chain
from scholar_indexes.attribution.features import BETWEEN, FEATURES, CandidateRows
from scholar_indexes.attribution.linear_chain import STATES, Potentials

ALTERNATING = (-1.0, 2.0)
"""Weights against the speaker of the previous quotation, and for the speaker before that."""


def candidate_rows(*candidates: tuple[int, ...]) -> CandidateRows:
    """Return rows for quotations with these candidates; all features are 0."""
    count = sum(map(len, candidates))
    answerable = [number for number, characters in enumerate(candidates) if characters]
    return CandidateRows(
        np.zeros((count, FEATURES), np.float32),
        np.array(list(itertools.chain.from_iterable(candidates)), np.int64),
        np.cumsum([0, *map(len, candidates)]),
        np.array(answerable, np.int64),
        np.zeros((len(answerable), BETWEEN), np.float32),
    )


def compute_marginals(
    rows: CandidateRows, unary: list[float], transition: tuple[float, float] = ALTERNATING
) -> list[list[float]]:
    """Return the marginal probability of each candidate of each quotation."""
    transitions = np.tile(np.array(transition, np.float32), (len(rows.order), 1))
    potentials = Potentials(np.array(unary, np.float32), transitions)
    shares = linear_chain.compute_marginals(rows, potentials)
    return [
        shares[first:end].round(6).tolist()
        for first, end in zip(rows.edges, rows.edges[1:], strict=False)
    ]


def enumerate_marginals(
    rows: CandidateRows, unary: list[float], transition: tuple[float, float] = ALTERNATING
) -> np.ndarray:
    """Return the same marginals, summed over every sequence of speakers."""
    places = [range(rows.edges[number], rows.edges[number + 1]) for number in rows.order]
    shares = np.zeros(len(rows.characters))
    for sequence in itertools.product(*places):
        speakers = [rows.characters[place] for place in sequence]
        score = sum(unary[place] for place in sequence)
        score += transition[0] * sum(a == b for a, b in itertools.pairwise(speakers))
        score += transition[1] * sum(a == b for a, b in zip(speakers, speakers[2:], strict=False))
        shares[list(sequence)] += np.exp(score)
    for place in places:
        shares[list(place)] /= shares[list(place)].sum()
    return shares


def test_two_who_talk_take_turns() -> None:
    """Only the first two are known."""
    rows = candidate_rows((0, 1), (0, 1), (0, 1), (0, 1))
    shares = compute_marginals(rows, [9, 0, 0, 9, 0, 0, 0, 0])
    assert [int(np.argmax(share)) for share in shares] == [0, 1, 0, 1]


def test_later_quotations_affect_earlier_ones() -> None:
    rows = candidate_rows((0, 1), (0, 1), (0, 1))
    shares = compute_marginals(rows, [0, 0, 0, 0, 0, 9])
    assert [int(np.argmax(share)) for share in shares] == [1, 0, 1]


def test_a_certain_answer_is_not_outvoted() -> None:
    rows = candidate_rows((0, 1), (0, 1), (0, 1))
    shares = compute_marginals(rows, [30, 0, 30, 0, 30, 0])
    assert all(share[0] > 0.99 for share in shares)


CANDIDATES = st.lists(st.lists(st.integers(0, 3), max_size=3, unique=True), min_size=1, max_size=5)
NUMBER = st.floats(-4, 4, width=32)


@given(CANDIDATES, st.data())
def test_likelihoods_are_the_sums_over_all_ways(
    candidates: list[list[int]], data: st.DataObject
) -> None:
    rows = candidate_rows(*map(tuple, candidates))
    unary = data.draw(
        st.lists(NUMBER, min_size=len(rows.characters), max_size=len(rows.characters))
    )
    transition = data.draw(st.tuples(NUMBER, NUMBER))
    shares = list(itertools.chain.from_iterable(compute_marginals(rows, unary, transition)))
    assert shares == pytest.approx(enumerate_marginals(rows, unary, transition).tolist(), abs=1e-5)


@pytest.mark.parametrize("scale", [1e3, -1e3, 1e6])
def test_extreme_scores_stay_in_range(scale: float) -> None:
    rows = candidate_rows(*[(0, 1, 2)] * 50)
    shares = np.array(compute_marginals(rows, [scale, 0, -scale] * 50, (50.0, -50.0)))
    assert np.isfinite(shares).all()
    assert shares.sum(1) == pytest.approx(np.ones(50))


def test_only_the_best_of_many_candidates_are_compared() -> None:
    rows = candidate_rows(tuple(range(30)))
    (shares,) = compute_marginals(rows, [float(number == 29) for number in range(30)])
    assert np.argmax(shares) == 29
    assert np.count_nonzero(shares) == STATES


def test_a_quotation_without_candidates_has_no_answer() -> None:
    network = [(np.zeros((FEATURES, 1), np.float32), np.zeros(1, np.float32))]
    transition = [(np.zeros((BETWEEN, 2), np.float32), np.zeros(2, np.float32))]
    guesses = linear_chain.decode(
        candidate_rows((3,), ()), [linear_chain.TurnScorer(network, transition)]
    )
    assert (guesses.speakers, guesses.probabilities) == ([3, -1], [1.0, 0.0])


def test_a_network_has_a_rectifier_after_each_layer_but_the_last() -> None:
    """By hand: (1, 2) -> (1 - 2, 2 * 2 + 1) -> (0, 5) -> 3 * 0 - 5 + 0.5."""
    first = np.array([[1.0, 0.0], [-1.0, 2.0]], np.float32), np.array([0.0, 1.0], np.float32)
    last = np.array([[3.0], [-1.0]], np.float32), np.array([0.5], np.float32)
    values = np.array([[1.0, 2.0]], np.float32)
    assert linear_chain.apply_network(values, [first, last]).tolist() == [[-4.5]]
    assert linear_chain.apply_network(values, [last]).tolist() == [[1.5]]


def test_the_scores_of_an_ensemble_are_the_means_of_its_scorers() -> None:
    rows = candidate_rows((0, 1), (1,))
    rows.values[:, 0] = [1, 2, 3]
    rows.between[:, 1] = [4, 5]

    def scorer(weight: float) -> linear_chain.TurnScorer:
        unary, transition = np.zeros((FEATURES, 1)), np.zeros((BETWEEN, 2))
        unary[0, 0], transition[1, 1] = weight, 10 * weight
        return linear_chain.TurnScorer([(unary, np.zeros(1))], [(transition, np.ones(2))])

    potentials = linear_chain.compute_potentials(rows, [scorer(1), scorer(3)])
    assert potentials.unary.tolist() == [2, 4, 6]
    assert potentials.transition.tolist() == [[1, 81], [1, 101]]
