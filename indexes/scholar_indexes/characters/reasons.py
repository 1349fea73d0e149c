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
    "words near": "what answers it as a whole is near them",
    "words meant": "what answers it as a whole names them or says he or she",
    "words says": "what answers it as a whole is said by them",
    "late named": "what has its words, or words like them, names them",
    "share of mix": "what answers it has few others",
    "late sum": "much of what has its words names them",
    "best place": "what answers it best is near them",
    "profile meant": "it is like what is told of them",
    "profile says": "it is like what they say",
    "gender": "the gender fits",
    "mix with others": "what answers it has them and the other",
    "late with others": "what has its words has them and the other",
    "mix beyond chance": "what answers it has them and the other more than the book does",
    "late beyond chance": "what has its words has both more than the book does",
    "together": "they are often with whom it also speaks of",
    "not the other": "they are not the other whom it speaks of",
    "outer mix near": "what answers it without the other is near them",
    "outer late named": "what has its words without the other names them",
    "outer profile": "without the other it is like what is told of them",
    "outer mix with others": "what answers it without the other has both",
    "outer mix beyond chance": "what answers it without the other has both more than the book does",
    "called so": "they are called so",
    "called so by tokens": "they are called like that",
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
    whys = [*(_plain(name) for name in solve.FEATURES), "they are named often"]
    return [_sorted(whys, row.tolist()) for row in table]


def _plain(feature: str) -> str:
    name, comma, described = feature.partition(",")
    return PLAIN.get(name, name) + comma + described


def _sorted(whys: Sequence[str], weights: Sequence[float]) -> list[Reason]:
    made = [Reason(why, weight) for why, weight in zip(whys, weights, strict=True)]
    return sorted(made, key=lambda each: -abs(each.weight))
