"""What a score of the solver is made of, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scholar_indexes.answers import Reason
from scholar_indexes.characters import solve
from scholar_indexes.characters.solve import Solver

PLAIN = {
    "mix near": "what answers the description is near them",
    "mix meant": "what answers it names them or says he or she",
    "mix says": "what answers it is said by them",
    "dense near": "what answers it in other words is near them",
    "profile meant": "it is like what is told of them",
    "profile says": "it is like what they say",
    "gender": "the gender fits",
    "together": "they are often with whom it also speaks of",
    "not the other": "they are not the other whom it speaks of",
    "mix with others": "what answers it has them and the other",
    "sharp mix with others": "what answers it best has them and the other",
    "outer near": "what answers it without the other is near them",
    "outer profile": "without the other it is like what is told of them",
}
"""What the solver weighs (solve.FEATURES), as a reader may want to read it."""


def weighed(description: str, solver: Solver) -> list[list[Reason]]:
    """What speaks for and against each candidate, in the solver's order of them, the weightiest
    first: weights times features, less their mean over all candidates."""
    parts = solver.features([description])[0] * np.array(solve.WEIGHTS, np.float32)
    named = solver.presence.named.sum(axis=1)
    often = np.float32(solve.OFTEN) * np.log1p(named)
    table = np.concatenate([parts, often[:, None]], axis=1)
    table = table - table.mean(axis=0)
    whys = [*(PLAIN.get(name, name) for name in solve.FEATURES), "they are named often"]
    return [_sorted(whys, row.tolist()) for row in table]


def _sorted(whys: Sequence[str], weights: Sequence[float]) -> list[Reason]:
    made = [Reason(why, weight) for why, weight in zip(whys, weights, strict=True)]
    return sorted(made, key=lambda each: -abs(each.weight))
