"""The two stages that rank the best windows of a short claim, and what counted for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Floats1d, Ints1d
from scholar_indexes.retrieval import fusion, ranking
from scholar_indexes.retrieval.candidates import BookQuery, Candidates
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.ranking import RankedWindow
from scholar_indexes.storage.passages import EDITION_BITS

FIRST_STAGE = 100
"""Windows that are ranked by all that is known of them, at least."""

RERANKED = 32
"""Windows that the second stage ranks anew (docs/ranking.md)."""

SECOND_STAGE = "second stage"

Rerank = Callable[[Sequence[tuple[int, int, int]], Mapping[int, BookQuery]], Floats1d]
"""The second stage: returns what to add to the score of each place (n,), given by its edition, its
first sentence and the one after its last, and the claim as books read it, by edition."""


@dataclass(frozen=True, slots=True)
class StagedRanking:
    """Windows, best first, and what each part of the ranking gave to a window beside the mean of
    all, by the window's rows."""

    windows: list[RankedWindow]
    parts: Mapping[tuple[int, int], Mapping[str, float]]


def rank_in_stages(
    candidates: Candidates,
    scores: WindowScores,
    books: Mapping[int, BookQuery],
    n: int,
    rerank: Rerank | None,
) -> StagedRanking:
    """Return the ranking of the windows that are best by meaning and words, two for each of n.

    Without a second stage all are ranked by the first; else the best RERANKED by both, and the
    others behind them.
    """
    numbers = np.array(candidates.select(scores.blended, max(FIRST_STAGE, 2 * n)), np.int64)
    features = scores.features[numbers]
    first = fusion.fuse(features)
    by_first = np.argsort(-first, kind="stable")
    numbers, totals = numbers[by_first], first[by_first]
    parts = fusion.score_parts(features[by_first])
    if rerank is not None and len(numbers):
        best = numbers[:RERANKED]
        added = rerank(_places(candidates, best), books)
        totals[:RERANKED] += added
        parts[SECOND_STAGE] = np.zeros(len(numbers), np.float32)
        parts[SECOND_STAGE][:RERANKED] = added - added.mean()
        totals[RERANKED:] = np.minimum(totals[RERANKED:], totals[:RERANKED].min())
    order = np.argsort(-totals, kind="stable")
    windows = ranking.rank_windows(totals[order], candidates.windows, numbers[order].tolist())
    return StagedRanking(
        windows,
        {
            (window.start, window.end): {name: float(parts[name][at]) for name in parts}
            for window, at in zip(windows, order.tolist(), strict=True)
        },
    )


def _places(candidates: Candidates, numbers: Ints1d) -> list[tuple[int, int, int]]:
    """Return the edition of windows, their first sentence, and the one after their last."""
    keys = candidates.rows.keys[candidates.windows.start[numbers]]
    first = keys & ((1 << EDITION_BITS) - 1)
    ends = first + candidates.windows.size[numbers]
    places = zip((keys >> EDITION_BITS).tolist(), first.tolist(), ends.tolist(), strict=True)
    return list(places)
