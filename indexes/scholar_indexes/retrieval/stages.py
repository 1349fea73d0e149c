"""The two stages that rank the best windows of a short claim, and what contributed to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.retrieval import fusion
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import Candidates

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


def rank_in_stages(
    candidates: Candidates,
    scores: WindowScores,
    read_coverage: Callable[[Ints1d], Floats2d],
    n: int,
    rerank: Rerank | None,
) -> list[Window]:
    """Return the windows that are best by meaning and words, two for each of n, best first.

    `read_coverage` returns the share of the claim's words in and around windows by their numbers,
    (n, r); it is read only for the windows that are ranked.

    Without a second stage all are ranked by the first; otherwise the best ones, as many as its
    depth, by both, and the others after them.
    """
    depth = rerank.depth if rerank else 0
    # Twice n, because windows that adjoin a better one are folded into it later.
    numbers, _ = candidates.rank(scores.blended, max(FIRST_STAGE, 2 * n, depth))
    best = replace(scores.take(numbers), coverage=read_coverage(numbers))
    totals = fusion.fuse(best.features) + best.feedback
    by_first = np.argsort(-totals, kind="stable")
    places = candidates.places(numbers[by_first])
    best, totals = best.take(by_first), totals[by_first]
    added = rerank(places[:depth]) if rerank and places else np.zeros(0, np.float32)
    # A stopped reader leaves the order of the first stage, so no window is its work.
    reader = rerank.name if rerank and not rerank.is_stopped else None
    totals = add_to_best(totals, added)
    first = fusion.fuse(best.features, fusion.COMPARABLE_WEIGHTS)
    comparable = zip(first.tolist(), add_to_best(first, added).tolist(), strict=True)
    readers = [reader] * len(added) + [None] * (len(places) - len(added))
    windows = list(map(Window, places, totals.tolist(), comparable, _parts(best, added), readers))
    return [windows[number] for number in np.argsort(-totals, kind="stable").tolist()]


def add_to_best(scores: Floats1d, added: Floats1d) -> Floats1d:
    """Return scores (w,) of windows, the best window first, with the scores of a second stage (d,)
    added to the first ones; the others are lowered so that none is above any of these."""
    # A window that was not read must not overtake one that was read and judged bad.
    both, others = scores[: len(added)] + added, scores[len(added) :]
    return np.concatenate((both, np.minimum(others, both.min(initial=np.inf))))


def _parts(scores: WindowScores, added: Floats1d) -> list[dict[str, float]]:
    """Return the contribution of each part to the score of each window, minus its mean; `added`
    (d,) are the scores that the second stage gave the first windows."""
    columns = fusion.score_parts(scores.features)
    if scores.feedback.any():
        columns[MARKED] = scores.feedback - scores.feedback.mean()
    if len(added):
        columns[SECOND_STAGE] = np.zeros(len(scores.feedback), np.float32)
        columns[SECOND_STAGE][: len(added)] = added - added.mean()
    rows = np.column_stack(list(columns.values())).tolist()
    return [dict(zip(columns, row, strict=True)) for row in rows]
