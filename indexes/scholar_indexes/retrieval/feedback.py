"""Relevance feedback: answers move toward passages that the reader approved, and away from rejected
passages, by the stored vectors of these; nothing is encoded again.

A window gains by its similarity and proximity to approved passages, and loses by its similarity and
proximity to rejected ones, as in Rocchio (1971); the weights relative to the learned ranking were
chosen on graded claims (docs/ranking.md). Marked passages are not among the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Ints1d
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import Windows, pooled_vector, window_cosines
from scholar_indexes.retrieval.window_candidates import Candidates
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    PassageFilter,
    PassageTable,
)

LIKE_APPROVED = 2.0
"""The weight, in logits, of the mean cosine with the approved passages in a score."""

LIKE_REJECTED = -1.0
"""The weight of the mean cosine with the rejected passages."""

NEAR_APPROVED, APPROVED_REACH = 1.0, 150
"""The gain at an approved passage, and the distance in sentences at which a third of it is left."""

NEAR_REJECTED, REJECTED_REACH = -0.6, 20
"""The same for a rejected passage: its neighbours are no better, but its chapter may be."""

NO_KEYS: Ints1d = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Feedback:
    """The passages that a reader marked."""

    approved: tuple[Place, ...] = ()
    rejected: tuple[Place, ...] = ()

    @property
    def marked(self) -> tuple[Place, ...]:
        """The approved and the rejected passages."""
        return (*self.approved, *self.rejected)

    @property
    def keys(self) -> Ints1d:
        """The keys of the marked sentences."""
        return np.concatenate([NO_KEYS, *(place.keys for place in self.marked)])


NO_FEEDBACK = Feedback()


@dataclass(frozen=True, slots=True, eq=False)
class FeedbackScorer:
    """Feedback, with the mean unit vectors of the approved and of the rejected passages, each (d,);
    None without any."""

    feedback: Feedback
    approved: Floats1d | None
    rejected: Floats1d | None

    @classmethod
    def read(cls, table: PassageTable, feedback: Feedback) -> FeedbackScorer:
        """Return a scorer with a table's vectors of the marked passages."""
        return cls(
            feedback,
            _mean_vector(table, feedback.approved),
            _mean_vector(table, feedback.rejected),
        )

    def nearest(self, table: PassageTable, limit: int, scope: PassageFilter) -> Ints1d:
        """Return the keys of the sentences in the approved passages, and of the nearest ones."""
        if self.approved is None:
            return NO_KEYS
        unit = self.approved / max(float(np.linalg.norm(self.approved)), 1e-9)
        keys, _ = table.nearest(unit, limit, scope)
        within = [
            place.keys
            for place in self.feedback.approved
            if scope.editions is None or place.edition in scope.editions
        ]
        return np.concatenate([keys, *within])

    def score(self, candidates: Candidates) -> Floats1d:
        """Return what the feedback adds to the score of each window, (w,)."""
        rows, windows = candidates.rows, candidates.windows
        scores = np.zeros(len(windows), np.float32)
        for weight, vector in ((LIKE_APPROVED, self.approved), (LIKE_REJECTED, self.rejected)):
            if vector is not None:
                scores += weight * window_cosines(vector, rows.vectors, rows.weights, windows)
        for weight, reach, places in (
            (NEAR_APPROVED, APPROVED_REACH, self.feedback.approved),
            (NEAR_REJECTED, REJECTED_REACH, self.feedback.rejected),
        ):
            if places:
                scores += weight * np.exp(-_least_distances(rows.keys, windows, places) / reach)
        return scores.astype(np.float32)


def _mean_vector(table: PassageTable, places: Sequence[Place]) -> Floats1d | None:
    """Return the mean of the unit vectors of places (d,); None if no sentence is stored."""
    if not places:
        return None
    rows = table.around(np.concatenate([place.keys for place in places]), 0, EVERYTHING)
    vectors = []
    for place in places:
        inside = np.isin(rows.keys, place.keys)
        if inside.any():
            vectors.append(pooled_vector(rows.vectors[inside], rows.weights[inside]))
    return np.mean(vectors, axis=0).astype(np.float32) if vectors else None


def _least_distances(
    keys: Ints1d, windows: Windows, places: Sequence[Place]
) -> NDArray[np.float64]:
    """Return the number of sentences between windows and the nearest of the given places, (w,);
    infinite if their edition has none."""
    starts = keys[windows.start]
    least = np.full(len(starts), np.inf)
    for place in places:
        first = (place.edition << EDITION_BITS) + place.first
        between = np.maximum(starts - (first + place.size), first - (starts + windows.size))
        is_elsewhere = starts >> EDITION_BITS != place.edition
        least = np.minimum(least, np.where(is_elsewhere, np.inf, np.maximum(between, 0)))
    return least
