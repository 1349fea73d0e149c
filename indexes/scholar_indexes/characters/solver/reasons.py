"""Explain the score of a candidate by its weighted features."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.weights import FEATURES
from scholar_indexes.results import ScoreReason

SENTENCES = {
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
"""A sentence for each of FEATURES, for a reader."""

_FREQUENCY = "they are named often"


def explain_features(parts: Floats) -> list[list[ScoreReason]]:
    """Return the reasons for and against each candidate, weightiest first.

    parts (c, f + 1) are the weighted FEATURES of one description and the weighted frequency of
    the candidates; a reason weighs its part less the mean over all candidates.
    """
    names = [*map(_sentence, FEATURES), _FREQUENCY]
    return [_sort_reasons(names, row.tolist()) for row in parts - parts.mean(axis=0)]


def _sentence(feature: str) -> str:
    name, comma, suffix = feature.partition(",")
    return SENTENCES.get(name, name) + comma + suffix


def _sort_reasons(names: Sequence[str], weights: Sequence[float]) -> list[ScoreReason]:
    reasons = [ScoreReason(name, weight) for name, weight in zip(names, weights, strict=True)]
    return sorted(reasons, key=lambda reason: -abs(reason.weight))
