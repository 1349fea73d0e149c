"""Who speaks in turn, decided together: a chain over the quotations of a book.

    how well each candidate suits, how quotations follow one another -> likelihoods

People take turns, so who speaks hangs on who spoke before and on who spoke before that: A B A.
The quotations of a book are a linear chain of second order (conditional random field, Lafferty
et al. 2001), in which every way of giving them to speakers counts by how well it suits, and
sums over all ways are exact (forward and backward).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.speakers.features import BETWEEN, FEATURES, Guesses, Rows

Floats = NDArray[np.float32]
Network = Sequence[tuple[Floats, Floats]]
"""Weights (in, out) and biases (out,) of each layer, with rectifiers between them."""

STATES = 8
"""Candidates of a quotation that are weighed against those of the ones around: the best."""


SHAPES = {"suits": (FEATURES, 1), "follows": (BETWEEN, 2)}
"""How many values each network of a judge takes and gives."""


@dataclass(frozen=True, slots=True)
class Judge:
    """suits scores a candidate by its features (FEATURES to 1); follows says of a quotation
    (BETWEEN to 2) how much speaks for the speaker of the one before, and of the one before that."""

    suits: Network
    follows: Network


@dataclass(frozen=True, slots=True)
class Potentials:
    """Scores of all rows (r,), and of two ways for each quotation to follow (n, 2)."""

    suits: Floats
    follows: Floats


def potentials(rows: Rows, judges: Sequence[Judge]) -> Potentials:
    """What judges say, who were trained on different novels: the mean."""
    suits = np.mean([scored(rows.values, each.suits)[:, 0] for each in judges], axis=0)
    follows = np.mean([scored(rows.between, each.follows) for each in judges], axis=0)
    return Potentials(suits, follows)


def guessed(rows: Rows, judges: Sequence[Judge]) -> Guesses:
    """The likeliest candidate of each quotation and how likely it is; nobody (-1) where there
    is no candidate."""
    likely = likelihoods(rows, potentials(rows, judges))
    who, sure = [-1] * (len(rows.edges) - 1), [0.0] * (len(rows.edges) - 1)
    for number, (first, end) in enumerate(zip(rows.edges, rows.edges[1:], strict=False)):
        if first < end:
            best = first + int(likely[first:end].argmax())
            who[number], sure[number] = int(rows.who[best]), float(likely[best])
    return Guesses(who, sure)


def likelihoods(rows: Rows, said: Potentials) -> NDArray[np.float64]:
    """How likely each candidate is to say its quotation (r,), given all the others.

    Takes time linear in the book.
    """
    states, who, suits = [], [], []
    for number in rows.order:
        first, end = rows.edges[number], rows.edges[number + 1]
        scores = said.suits[first:end].astype(np.float64)
        best = np.argsort(-scores, kind="stable")[:STATES]
        states.append(first + best)
        who.append(rows.who[first + best])
        suits.append(np.exp(scores[best] - scores[best[0]]))
    likely = np.zeros(len(rows.who))
    context = _context(who, suits, said.follows.astype(np.float64))
    for places, alone, around in zip(states, suits, context, strict=True):
        likely[places] = _scaled(alone * around)
    return likely


def _context(
    who: Sequence[NDArray[np.int64]],
    suits: Sequence[NDArray[np.float64]],
    follows: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """What the quotations around say of each state of each one, leaving out how well it suits.

    Sums are over pairs of states (k, l) of a quotation and the one before, scaled so that they
    stay in range.
    """
    nobody = np.full(1, -1, np.int64)
    once = _again(who, [nobody, *who], follows[:, 0])
    twice = _again(who, [nobody, nobody, *who], follows[:, 1])
    forward = [np.ones((1, 1))]
    for n in range(len(who)):
        reached = once[n] * (twice[n] @ forward[-1].T)
        forward.append(_scaled(reached * suits[n][:, None]))
    found = [np.ones(0)] * len(who)
    back = np.ones((1, 1))
    for n in reversed(range(len(who))):
        reached = once[n] * (twice[n] @ forward[n].T) * back
        found[n] = _scaled(reached.sum(1))
        back = _scaled((once[n] * suits[n][:, None] * back).T @ twice[n])
    return found


def _again(
    who: Sequence[NDArray[np.int64]],
    before: Sequence[NDArray[np.int64]],
    scores: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """What it is worth that a state (k,) is the same person as an earlier one (l,)."""
    return [
        np.exp(score * (here[:, None] == earlier))
        for here, earlier, score in zip(who, before, scores, strict=False)
    ]


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = values / values.sum()
    return scaled


def scored(values: Floats, network: Network) -> Floats:
    """What a network gives (r, out) for rows of values (r, in)."""
    for weight, bias in network[:-1]:
        values = np.maximum(values @ weight + bias, 0)
    weight, bias = network[-1]
    result: Floats = values @ weight + bias
    return result
