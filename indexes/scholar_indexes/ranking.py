"""From scored sentences to ranked places of a book.

RELiC's candidates are all windows of n consecutive sentences. A window's vector is put
together from the vectors of its sentences, which were encoded in their context; with
mean pooling that is exact: the mean of a window's token vectors is the weighted mean
of its sentences' (docs/index-design.md). Here are the pure steps: windows, their
scores, the choice of places that do not overlap, and what two rankers agree on.

Rows are sentences. run (m,) numbers the stretches of rows that follow one another in
one chapter; windows never leave a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats1d = NDArray[np.float32]
Floats2d = NDArray[np.float32]
Ints1d = NDArray[np.int64]

Floats = NDArray[np.floating[Any]]

LEXICAL_SHARE = 0.1
"""What the best match in words is worth, as a cosine: see blend."""

BLOCK = 2_048
"""Windows that are put together at a time: bounds memory."""

REACH = 8
"""Sentences on either side that are a sentence's neighbourhood."""

NEIGHBOUR_SHARE = 0.5
"""How much of a dense score is the neighbourhood's: see dense_scores."""

BRIEF_WORDS = 16
"""A window of this many words counts half: see tempered."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of size[i] rows that begin at row start[i]; both (w,)."""

    start: Ints1d
    size: Ints1d


@dataclass(frozen=True, slots=True)
class Place:
    """A window that a ranker chose: rows [start, end), its rank from 1, its score."""

    start: int
    end: int
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A place in the common ranking, and where each ranker had it (by name)."""

    start: int
    end: int
    score: float
    by: Mapping[str, Place]


def runs(keys: Ints1d, chapters: Ints1d) -> Ints1d:
    """Number the stretches of consecutive keys within one chapter; keys ascend."""
    if not len(keys):
        return np.zeros(0, np.int64)
    breaks = (np.diff(keys) != 1) | (np.diff(chapters) != 0)
    return np.concatenate(([0], np.cumsum(breaks))).astype(np.int64)


def windows(run: Ints1d, shortest: int, longest: int) -> Windows:
    """Every window of shortest to longest rows inside a run."""
    starts, sizes = [], []
    for size in range(shortest, min(longest, len(run)) + 1):
        first = np.flatnonzero(run[: len(run) - size + 1] == run[size - 1 :])
        starts.append(first)
        sizes.append(np.full(len(first), size))
    if not starts:
        return Windows(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return Windows(np.concatenate(starts), np.concatenate(sizes))


def within(of: Windows, rows: NDArray[np.bool_]) -> Windows:
    """The windows that have all their rows among some, given as (m,) of bool."""
    total = np.concatenate(([0], np.cumsum(rows)))
    whole = total[of.start + of.size] - total[of.start] == of.size
    return Windows(of.start[whole], of.size[whole])


def neighbourhoods(
    query: Floats1d, vectors: Floats2d, weights: Floats1d, run: Ints1d, *, reach: int = REACH
) -> Floats1d:
    """The cosine of a query with the sentences from reach before each row to reach behind it,
    (m,), as far as its run goes."""
    rows = np.arange(len(run))
    first = np.maximum(rows - reach, np.searchsorted(run, run, "left"))
    end = np.minimum(rows + reach + 1, np.searchsorted(run, run, "right"))
    return _cosines(query, vectors, weights, first, end)


def _cosines(
    query: Floats1d, vectors: Floats2d, weights: Floats1d, first: Ints1d, end: Ints1d
) -> Floats1d:
    """The cosine of a query with rows [first, end) put together, a block at a time."""
    total = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors * weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    found = np.zeros(len(first), np.float32)
    for at in range(0, len(first), BLOCK):
        block = slice(at, at + BLOCK)
        pooled = total[end[block]] - total[first[block]]
        length = np.maximum(np.linalg.norm(pooled, axis=1), 1e-9)
        found[block] = pooled @ query / length
    return found


def dense_scores(
    query: Floats1d,
    vectors: Floats2d,
    weights: Floats1d,
    of: Windows,
    around: Floats1d,
    *,
    share: float = NEIGHBOUR_SHARE,
) -> Floats1d:
    """How near a query is to each window and to what stands around it, (w,).

    query (d,) and vectors (m, d) are of unit length; weights (m,) are the lengths that
    the vectors had, so vectors * weights are sums of token vectors. around (m,) has the
    rows' neighbourhoods; share of the score is their mean over a window, because a
    passage rarely says by itself what the scene it stands in makes it mean.
    """
    if not len(of.start):
        return np.zeros(0, np.float32)
    cosines = _cosines(query, vectors, weights, of.start, of.start + of.size)
    surroundings = np.concatenate(([0.0], np.cumsum(around, dtype=np.float64)))
    mean = (surroundings[of.start + of.size] - surroundings[of.start]) / of.size
    scores: Floats1d = ((1 - share) * cosines + share * mean).astype(np.float32)
    return scores


def lexical_scores(sentence_scores: Floats1d, of: Windows) -> Floats1d:
    """The BM25 of each window, (w,): its sentences' added up, tempered by its length.

    The square root keeps long windows from winning by length alone while several
    matching sentences together still beat one.
    """
    total = np.concatenate(([0.0], np.cumsum(sentence_scores, dtype=np.float64)))
    summed = total[of.start + of.size] - total[of.start]
    scores: Floats1d = (summed / np.sqrt(np.maximum(of.size, 1))).astype(np.float32)
    return scores


def tempered(
    scores: Floats, words: Ints1d, of: Windows, *, brief_words: int = BRIEF_WORDS
) -> Floats1d:
    """Scores (w,) times w / (w + brief_words) for windows of w words; words is (m,).

    A call of "Gatsby!" is as near to a claim about Gatsby as text can be, and proves
    nothing. RELiC leaves sentences of fewer than ten tokens out of its search for
    quotations; a smooth penalty did better (docs/index-design.md).
    """
    total = np.concatenate(([0], np.cumsum(words)))
    length = total[of.start + of.size] - total[of.start]
    share = length / np.maximum(length + brief_words, 1)
    lowered: Floats1d = (scores * share).astype(np.float32)
    return lowered


def places(scores: Floats, of: Windows, rows: int, limit: int) -> list[Place]:
    """The best windows that do not overlap, best first, at most limit of them.

    Equal scores keep the earlier and shorter window. rows is the number of rows.
    """
    taken = np.zeros(rows, bool)
    chosen: list[Place] = []
    for window in np.lexsort((of.size, of.start, -scores)):
        if len(chosen) == limit:
            break
        start = int(of.start[window])
        end = start + int(of.size[window])
        if taken[start:end].any():
            continue
        taken[start:end] = True
        chosen.append(Place(start, end, len(chosen) + 1, float(scores[window])))
    return chosen


def blend(cosines: Floats, bm25: Floats, *, share: float = LEXICAL_SHARE) -> Floats:
    """One score from two, each (..., w): the cosine plus share of the BM25, which is taken
    relative to its best, since it grows with the number of words in a question.

    A weighted sum keeps how much better one window is than the next, which reciprocal
    rank fusion forgets (Bruch et al. 2023); docs/retriever.md has what it gains.
    """
    best = bm25.max(axis=-1, keepdims=True, initial=0.0)
    blended: Floats = cosines + share * bm25 / np.maximum(best, 1e-9)
    return blended


def agreed(
    common: Sequence[Place], rankings: Mapping[str, Sequence[Place]], rows: int
) -> list[Fused]:
    """The places of a common ranking, and where each ranker has them. Rankers need not agree
    on a place's edges: it counts where the two overlap, at the best such rank."""
    at: dict[str, NDArray[np.int64]] = {}
    for name, ranking in rankings.items():
        at[name] = np.full(rows, len(ranking), np.int64)
        for position, place in reversed(list(enumerate(ranking))):
            at[name][place.start : place.end] = position
    found = []
    for place in common:
        by = {}
        for name, ranking in rankings.items():
            position = int(at[name][place.start : place.end].min())
            if position < len(ranking):
                by[name] = ranking[position]
        found.append(Fused(place.start, place.end, place.score, by))
    return found
