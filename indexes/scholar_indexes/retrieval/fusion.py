"""The learned fusion of the features of a window: a conditional logit.

`scholar-lab train ranking` fitted the weights on graded claims; weights.json has them with the data
and scores of that training (docs/ranking.md).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.retrieval.coverage import REACHES
from scholar_indexes.retrieval.ranking import BRIEF_WORDS, NEIGHBOUR_SHARE, Windows

FEATURES = (
    "cosine",
    "surroundings",
    "words",
    "words beside the best",
    "log of length",
    "length",
    "somebody present",
    "somebody near",
    "people present",
    "people together",
    "share of words",
    "share of words near",
    "share of words around",
)
"""The columns of WindowScores.features."""

PARTS = {
    "meaning": ("cosine",),
    "surroundings": ("surroundings",),
    "words": (
        "words",
        "words beside the best",
        "share of words",
        "share of words near",
        "share of words around",
    ),
    "length": ("log of length", "length"),
    "people": ("somebody present", "somebody near", "people present", "people together"),
}
"""The parts of a score, and the features of each."""

NEAR = 4
"""Sentences on either side of a window that count as near it, for people."""

MOST_BM25 = 30.0
"""The cap of BM25."""

LOGITS_OF_COSINE = 4.6
"""The logits of the fusion for a difference of 1 in the cosine of a window and its surroundings."""

SHARES = tuple(name for name in FEATURES if name.startswith("share of words"))
"""The features that order the passages of one claim, but do not separate claims from noise, because
novels contain the words of noise too."""

_FITTED = json.loads((resources.files(__package__) / "weights.json").read_text("utf-8"))


def _load(key: str) -> Floats1d:
    return np.array([_FITTED[key][name] for name in FEATURES], np.float32)


WEIGHTS, COMPARABLE_WEIGHTS = _load("weights"), _load("weights without shares of words")
"""The weights that order the passages of a claim, and the weights for scores that are comparable
across claims."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowScores:
    """Measurements of w windows: the cosine with the claim and the cosine of the surroundings, the
    BM25 and the best BM25 of all windows with the same reading of the claim, and the number of
    words, each (w,); `presence` (w, 4) measures the people of the claim there (see presence),
    `coverage` (w, 3) its words (see coverage), and `feedback` (w,) is what the reader's marks add
    to the score (see feedback)."""

    cosines: Floats1d
    surroundings: Floats1d
    bm25: Floats1d
    best_bm25: Floats1d
    words: Ints1d
    presence: Floats2d
    coverage: Floats2d
    feedback: Floats1d

    @classmethod
    def zeros(cls, count: int) -> WindowScores:
        """Return the scores of `count` windows, to be filled."""
        cosines, surroundings, bm25, best_bm25, feedback = np.zeros((5, count), np.float32)
        presence = np.zeros((count, 4), np.float32)
        coverage = np.zeros((count, len(REACHES)), np.float32)
        return cls(
            cosines,
            surroundings,
            bm25,
            best_bm25,
            np.zeros(count, np.int64),
            presence,
            coverage,
            feedback,
        )

    def take(self, numbers: Ints1d) -> WindowScores:
        """Return the measurements of the windows with these numbers, in their order."""
        return WindowScores(*(getattr(self, field.name)[numbers] for field in fields(self)))

    @property
    def dense(self) -> Floats1d:
        """The similarity of each window and its surroundings with the claim, (w,)."""
        surroundings = NEIGHBOUR_SHARE * self.surroundings
        dense: Floats1d = ((1 - NEIGHBOUR_SHARE) * self.cosines + surroundings).astype(np.float32)
        return dense

    @property
    def blended(self) -> Floats1d:
        """The similarity, plus shares of the BM25 relative to its best and of the feedback, (w,);
        see blend_scores."""
        blended = blend_scores(self.dense, self.bm25, best=self.best_bm25)
        return blended + self.feedback / LOGITS_OF_COSINE

    @property
    def features(self) -> Floats2d:
        """The features of the windows, (w, f), each of about unit size."""
        lengths = np.maximum(self.words, 1)
        columns = [
            (self.cosines - 0.3) * 8,
            (self.surroundings - 0.3) * 8,
            np.minimum(self.bm25, MOST_BM25) / 10,
            self.bm25 / np.maximum(self.best_bm25, 1e-9) * 3,
            np.log(lengths / 40),
            lengths / (lengths + BRIEF_WORDS) * 4 - 3,
        ]
        return np.column_stack((*columns, self.presence, 3 * self.coverage)).astype(np.float32)


def fuse(features: Floats2d, weights: Floats1d = WEIGHTS) -> Floats1d:
    """Return the score of each window (w,) from its features (w, f)."""
    scores: Floats1d = (features @ weights).astype(np.float32)
    return scores


def score_parts(features: Floats2d) -> dict[str, Floats1d]:
    """Return the contribution of each part to the scores of windows (w,), minus its mean over them,
    from their features (w, f)."""
    weighed = features * WEIGHTS
    weighed -= weighed.mean(axis=0) if len(weighed) else 0
    return {
        name: weighed[:, [FEATURES.index(feature) for feature in part]].sum(axis=1)
        for name, part in PARTS.items()
    }


def presence(
    windows: Windows, present: NDArray[np.bool_], everywhere: NDArray[np.bool_] | None = None
) -> Floats2d:
    """Return four measures of the people of a claim in windows, (w, 4); `present` (m, c) marks the
    people in each row: the share of a window's rows with any of them, the same for the rows near
    it, the mean over them of their shares, and the share of them who are in the window at all.

    "Any of them" excludes people who are `everywhere` in their book (c,) if the claim has others.
    """
    ends = windows.start + windows.size
    others = present
    if everywhere is not None and not everywhere.all():
        others = present[:, ~everywhere]
    anybody = np.concatenate(([0], np.cumsum(others.any(axis=1))))
    each_person = np.concatenate((np.zeros((1, present.shape[1])), np.cumsum(present, axis=0)))
    first, last = np.maximum(windows.start - NEAR, 0), np.minimum(ends + NEAR, len(present))
    counts = each_person[ends] - each_person[windows.start]
    columns = (
        (anybody[ends] - anybody[windows.start]) / windows.size,
        (anybody[last] - anybody[first]) / (last - first),
        (counts / windows.size[:, None]).mean(axis=1),
        (counts > 0).mean(axis=1),
    )
    return np.column_stack(columns).astype(np.float32)
