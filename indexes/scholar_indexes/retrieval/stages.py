"""The two stages that rank the best windows of a short claim, and what contributed to each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.retrieval import fusion, ranking
from scholar_indexes.retrieval.candidates import Candidates
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import RankedWindow

FIRST_STAGE = 100
"""The least number of windows that are ranked by all features."""

SECOND_STAGE = "second stage"
MARKED = "marked passages"
"""The parts of a score in addition to the parts of the fusion."""


class Rerank(Protocol):
    """The second stage, which scores the best `depth` places again."""

    @property
    def name(self) -> str: ...

    @property
    def depth(self) -> int: ...

    @property
    def is_stopped(self) -> bool: ...

    def __call__(self, places: Sequence[Place]) -> Floats1d:
        """Return what to add to the score of each place (n,)."""
        ...


@dataclass(frozen=True, slots=True)
class StageScores:
    """The scores of a window by the first stage and by both, without what is not comparable across
    claims (feedback, and fusion.SHARES); `parts` is the contribution of each part of the ranking
    relative to the mean of all windows, and `reader` the model of the second stage, None if it did
    not read the window."""

    first: float
    both: float
    parts: Mapping[str, float]
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class StagedRanking:
    """Windows, best first, and their scores by rows."""

    windows: list[RankedWindow]
    scores: Mapping[tuple[int, int], StageScores]


def rank_in_stages(
    candidates: Candidates,
    scores: WindowScores,
    read_coverage: Callable[[Ints1d], Floats2d],
    n: int,
    rerank: Rerank | None,
) -> StagedRanking:
    """Return the ranking of the windows that are best by meaning and words, two for each of n.

    `read_coverage` returns the share of the claim's words in and around windows by their numbers,
    (n, r); it is read only for the windows that are ranked.

    Without a second stage all are ranked by the first; otherwise the best ones, as many as its
    depth, by both, and the others after them.
    """
    depth = rerank.depth if rerank else 0
    # Twice n, because windows that adjoin a better one are folded into it later.
    count = max(FIRST_STAGE, 2 * n, depth)
    numbers = np.array(candidates.select(scores.blended, count), np.int64)
    scores.coverage[numbers] = read_coverage(numbers)
    # Computed only now: the features include the coverage that was just read.
    features = scores.features[numbers]
    feedback = scores.feedback[numbers]
    first = fusion.fuse(features) + feedback
    by_first = np.argsort(-first, kind="stable")
    numbers, totals = numbers[by_first], first[by_first]
    features, feedback = features[by_first], feedback[by_first]
    comparable = fusion.fuse(features, fusion.COMPARABLE_WEIGHTS)
    comparable_by_both = comparable.copy()
    parts = fusion.score_parts(features)
    if feedback.any():
        parts[MARKED] = feedback - feedback.mean()
    reader = None
    if rerank is not None and len(numbers):
        best = numbers[:depth]
        added = rerank([candidates.place(number) for number in best.tolist()])
        # A stopped reader leaves the order of the first stage, so no window is its work.
        reader = None if rerank.is_stopped else rerank.name
        totals[:depth] += added
        comparable_by_both[:depth] += added
        parts[SECOND_STAGE] = np.zeros(len(numbers), np.float32)
        parts[SECOND_STAGE][:depth] = added - added.mean()
        for scores_by_both in (totals, comparable_by_both):
            # A window that was not read must not overtake one that was read and judged bad.
            lowest = scores_by_both[:depth].min()
            scores_by_both[depth:] = np.minimum(scores_by_both[depth:], lowest)
    order = np.argsort(-totals, kind="stable")
    windows = ranking.rank_windows(totals[order], candidates.windows, numbers[order].tolist())
    return StagedRanking(
        windows,
        {
            (window.start, window.end): StageScores(
                float(comparable[at]),
                float(comparable_by_both[at]),
                {name: float(parts[name][at]) for name in parts},
                reader if at < depth else None,
            )
            for window, at in zip(windows, order.tolist(), strict=True)
        },
    )
