"""A linear-chain CRF over the quotations of a book, whose states are candidate speakers.

    unary scores of candidates, transition scores of quotations -> marginal probabilities

People take turns, so who speaks depends on who spoke before and on who spoke before that: A B A.
The quotations of a book form a second-order linear chain (conditional random field, Lafferty
et al. 2001), in which every assignment of speakers to quotations is weighted by its unary and
transition scores, and sums over all assignments are exact (forward-backward).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats
from scholar_indexes.attribution.features import BETWEEN, FEATURES, CandidateRows, Guesses
from scholar_indexes.stopping import checked

Network = Sequence[tuple[Floats, Floats]]
"""Weights (in, out) and biases (out,) of each layer, with rectifiers between them."""

STATES = 8
"""The maximum number of states of a quotation: its candidates with the best unary scores."""

NETWORKS: Mapping[str, tuple[int, int]] = {"unary": (FEATURES, 1), "transition": (BETWEEN, 2)}
"""The networks of a scorer, with the numbers of their inputs and outputs."""


@dataclass(frozen=True, slots=True)
class TurnScorer:
    """The networks that score states and transitions.

    `unary` scores a candidate by its features (FEATURES to 1). `transition` scores for a
    quotation (BETWEEN to 2) that it has the same speaker as the previous one, and as the one
    before that.
    """

    unary: Network
    transition: Network


@dataclass(frozen=True, slots=True)
class Potentials:
    """Unary scores of all rows (r,) and transition scores of all quotations (n, 2)."""

    unary: Floats
    transition: Floats


def compute_potentials(rows: CandidateRows, scorers: Sequence[TurnScorer]) -> Potentials:
    """Return the mean scores of an ensemble, whose scorers were trained on different novels."""
    unary = np.mean(
        [apply_network(rows.values, scorer.unary)[:, 0] for scorer in checked(scorers)], axis=0
    )
    transition = np.mean(
        [apply_network(rows.between, scorer.transition) for scorer in checked(scorers)], axis=0
    )
    return Potentials(unary, transition)


def decode(rows: CandidateRows, scorers: Sequence[TurnScorer]) -> Guesses:
    """Return the most probable candidate of each quotation with its marginal probability.

    The speaker is -1 if a quotation has no candidates.
    """
    marginals = compute_marginals(rows, compute_potentials(rows, scorers))
    count = len(rows.edges) - 1
    speakers, probabilities = [-1] * count, [0.0] * count
    for number, (first, end) in enumerate(zip(rows.edges, rows.edges[1:], strict=False)):
        if first < end:
            best = first + int(marginals[first:end].argmax())
            speakers[number] = int(rows.characters[best])
            probabilities[number] = float(marginals[best])
    return Guesses(speakers, probabilities)


def compute_marginals(rows: CandidateRows, potentials: Potentials) -> NDArray[np.float64]:
    """Return the probability of each candidate (r,) given the potentials of the whole chain.

    Takes time linear in the number of quotations.
    """
    states, characters, unary = [], [], []
    for number in checked(rows.order):
        first, end = rows.edges[number], rows.edges[number + 1]
        scores = potentials.unary[first:end].astype(np.float64)
        best = np.argsort(-scores, kind="stable")[:STATES]
        states.append(first + best)
        characters.append(rows.characters[first + best])
        unary.append(np.exp(scores[best] - scores[best[0]]))
    messages = _pass_messages(characters, unary, potentials.transition.astype(np.float64))
    marginals = np.zeros(len(rows.characters))
    for state_rows, state_unary, message in zip(states, unary, messages, strict=True):
        marginals[state_rows] = _normalize(state_unary * message)
    return marginals


def _pass_messages(
    characters: Sequence[NDArray[np.int64]],
    unary: Sequence[NDArray[np.float64]],
    transition: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """Return the product of the forward and backward messages to the states of each quotation.

    Messages are over pairs of states (k, l) of a quotation and the previous one, scaled to stay
    in range.
    """
    nobody = np.full(1, -1, np.int64)
    first_order = _transition_potentials(characters, [nobody, *characters], transition[:, 0])
    second_order = _transition_potentials(
        characters, [nobody, nobody, *characters], transition[:, 1]
    )
    forward = [np.ones((1, 1))]
    for n in checked(range(len(characters))):
        reached = first_order[n] * (second_order[n] @ forward[-1].T)
        forward.append(_normalize(reached * unary[n][:, None]))
    messages = [np.ones(0)] * len(characters)
    backward = np.ones((1, 1))
    for n in checked(reversed(range(len(characters)))):
        reached = first_order[n] * (second_order[n] @ forward[n].T) * backward
        messages[n] = _normalize(reached.sum(1))
        backward = _normalize((first_order[n] * unary[n][:, None] * backward).T @ second_order[n])
    return messages


def _transition_potentials(
    characters: Sequence[NDArray[np.int64]],
    earlier: Sequence[NDArray[np.int64]],
    scores: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """Return for each quotation the potentials (k, l) between its states and the states of an
    earlier one: the exponential of its score if both are the same character, else 1."""
    return [
        np.exp(score * (later[:, None] == before))
        for later, before, score in zip(characters, earlier, scores, strict=False)
    ]


def _normalize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    normalized: NDArray[np.float64] = values / values.sum()
    return normalized


def apply_network(values: Floats, network: Network) -> Floats:
    """Return the outputs of a network (r, out) for rows of values (r, in)."""
    for weight, bias in network[:-1]:
        values = np.maximum(values @ weight + bias, 0)
    weight, bias = network[-1]
    result: Floats = values @ weight + bias
    return result
