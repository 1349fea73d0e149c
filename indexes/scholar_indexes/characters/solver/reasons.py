"""Explain the score of a candidate by its weighted features."""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.weights import FEATURES
from scholar_indexes.results import ScoreReason

SENTENCES = {
    "mix near": "they are near the sentences that match the description",
    "mix meant": "the sentences that match it mention them",
    "mix says": "they say the sentences that match it",
    "words near": "they are near the sentences that match it as a whole",
    "words meant": "the sentences that match it as a whole mention them",
    "words says": "they say the sentences that match it as a whole",
    "late named": "sentences with its words, or similar words, name them",
    "share of mix": "few others are near the sentences that match it",
    "late sum": "many sentences with its words name them",
    "best place": "they are near the sentence that matches it best",
    "profile meant": "it is similar to the passages that mention them",
    "profile says": "it is similar to what they say",
    "gender": "the gender fits",
    "mix with others": "they and the other one are near the sentences that match it",
    "late with others": "sentences with its words name them and the other one",
    "mix beyond chance": "both are near the sentences that match it more often than elsewhere",
    "late beyond chance": "sentences with its words name both more often than elsewhere",
    "together": "they are often with the other one that it mentions",
    "not the other": "they are not the other one that it mentions",
    "outer mix near": "they are near the sentences that match its main part",
    "outer late named": "sentences with the words of its main part name them",
    "outer profile": "its main part is similar to the passages that mention them",
    "outer mix with others": "both are near the sentences that match its main part",
    "outer mix beyond chance": "both are near these sentences more often than elsewhere",
    "called so": "sentences with words like its noun name them",
    "called so by tokens": "sentences with tokens like its noun name them",
}
"""A sentence about each of FEATURES, for a reader."""

_BIASES = "they are named often", "they have a name"


def explain_features(parts: Floats) -> list[list[ScoreReason]]:
    """Return the reasons for and against each candidate, strongest first.

    parts (c, f + 2) are the weighted FEATURES of one description, the weighted frequency of the
    candidates, and the penalty of those without a name; the weight of a reason is its part minus
    the mean over all candidates.
    """
    names = [*map(_sentence, FEATURES), *_BIASES]
    return [_sort_reasons(names, row.tolist()) for row in parts - parts.mean(axis=0)]


def _sentence(feature: str) -> str:
    name, comma, suffix = feature.partition(",")
    return SENTENCES.get(name, name) + comma + suffix


def _sort_reasons(names: Sequence[str], weights: Sequence[float]) -> list[ScoreReason]:
    reasons = [ScoreReason(name, weight) for name, weight in zip(names, weights, strict=True)]
    return sorted(reasons, key=lambda reason: -abs(reason.weight))
