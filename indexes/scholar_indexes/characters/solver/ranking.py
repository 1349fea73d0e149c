"""Rank the characters of a book by how likely a description means them.

description -> solver.analyze -> probabilities, passages and reasons of the best characters
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.identity import has_name
from scholar_indexes.characters.solver.reasons import explain_features
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.solver import (
    AnalyzedDescriptions,
    Solver,
    log_probabilities,
    log_softmax,
)
from scholar_indexes.characters.solver.weights import WEIGHTS
from scholar_indexes.results import ScoreReason
from scholar_indexes.types import Span

FREQUENCY_WEIGHT = 0.5
"""The weight of the logarithm of a candidate's mentions. The features are relative to the
frequency of candidates, which suits a choice of ten but not all characters of a book."""

UNNAMED_PENALTY = 2.0
"""Subtracted from the score of a candidate without a name. The words of "the convict" match every
description of a convict, and the person is often a named candidate as well."""

MIN_PRESENCE = 0.5
"""The presence near a sentence that makes it a passage about a candidate."""

MIN_DISTANCE = 2
"""Passages are further apart than this many sentences."""

_MIN_SHARE = 1e-4


@dataclass(frozen=True, slots=True)
class SolverResult:
    """A character that a description may mean: its row among the solver's candidates, its
    probability, the passages that match best, and the reasons, strongest first."""

    row: int
    probability: float
    passages: tuple[Span, ...]
    reasons: tuple[ScoreReason, ...] = ()


def rank_characters(
    description: str, solver: Solver, n: int = 5, passages: int = 3, *, explain: bool = False
) -> list[SolverResult]:
    """Return the n most likely characters, each with its passages; explain adds the reasons.

    A passage is three sentences around one that matches the description and is near the
    character, preferably near the other characters of the description too.
    """
    analyzed = solver.analyze([description])
    frequency = FREQUENCY_WEIGHT * np.log1p(solver.presence.named.sum(axis=1))
    unnamed = [
        not has_name((candidate.name, *candidate.aliases)) for candidate in solver.candidates
    ]
    penalty = -UNNAMED_PENALTY * np.array(unnamed, np.float32)
    scores = log_probabilities(analyzed) + (frequency + penalty).astype(np.float32)
    probabilities = np.exp(log_softmax(scores)[0])
    weighted = analyzed.features[0] * np.array(WEIGHTS, np.float32)
    parts = np.column_stack([weighted, frequency, penalty])
    reasons = explain_features(parts) if explain else [()] * len(parts)
    return [
        SolverResult(
            row,
            float(probabilities[row]),
            _find_passages(solver, analyzed, row, passages),
            tuple(reasons[row]),
        )
        for row in np.argsort(-probabilities, kind="stable")[:n].tolist()
    ]


def _find_passages(
    solver: Solver, analyzed: AnalyzedDescriptions, row: int, n: int
) -> tuple[Span, ...]:
    near = solver.presence.near
    others_near = np.minimum((analyzed.others[0][:, None] * near).sum(axis=0), 1)
    matches = analyzed.scores.combined[0] + np.log(near[row] + _MIN_SHARE) + others_near
    ranking = np.where(near[row] >= MIN_PRESENCE, matches, -np.inf)
    return tuple(_window(solver.sentences, sentence) for sentence in _select(ranking, n))


def _select(ranking: Floats, n: int) -> Sequence[int]:
    """Return the n best finite rows that are further apart than MIN_DISTANCE."""
    selected: list[int] = []
    for row in np.argsort(-ranking, kind="stable").tolist():
        if len(selected) == n or not np.isfinite(ranking[row]):
            break
        if all(abs(row - other) > MIN_DISTANCE for other in selected):
            selected.append(row)
    return selected


def _window(sentences: SentenceIndex, row: int) -> Span:
    """Return the span of a sentence and its neighbours in the chapter."""
    first, last = max(row - 1, 0), min(row + 1, len(sentences) - 1)
    first += int(sentences.chapters[first] != sentences.chapters[row])
    last -= int(sentences.chapters[last] != sentences.chapters[row])
    return Span(sentences.spans[first].start, sentences.spans[last].end)
