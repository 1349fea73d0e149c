"""Scores of windows of sentences, and the ranking of windows that do not overlap.

RELiC's candidates are all windows of n consecutive sentences. A window's vector is
combined from the vectors of its sentences, which were encoded in their context; with
mean pooling that is exact: the mean of a window's token vectors is the weighted mean
of its sentences' (docs/retriever.md). The steps here are pure functions: windows, their
scores, the selection of windows that do not overlap, and their ranks by a retriever.

Rows are sentences. run (m,) numbers the runs of consecutive rows in one chapter; windows
never leave a run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from scholar_indexes.arrays import AnyArray, AnyFloats, AnyInts, Floats1d, Floats2d, Ints1d

BLOCK = 16
"""Rows that are multiplied with the rows after them at a time: such small matrix products run in
one thread, and the synchronization of several would take longer than the products."""

REACH = 8
"""Sentences on either side that form a sentence's neighbourhood."""

NEIGHBOUR_SHARE = 0.5
"""The neighbourhood's share of a dense score: see dense_scores."""

BRIEF_WORDS = 16
"""The score of a window of this many words is halved: see penalize_brevity."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of size[i] rows that begin at row start[i]; both (w,)."""

    start: Ints1d
    size: Ints1d

    def __len__(self) -> int:
        return len(self.start)

    @property
    def end(self) -> Ints1d:
        """The rows after the last ones, (w,)."""
        return self.start + self.size

    def take(self, numbers: AnyInts) -> Windows:
        """Return the windows with these numbers, in their order."""
        return Windows(self.start[numbers], self.size[numbers])


def number_runs(keys: Ints1d, chapters: Ints1d) -> Ints1d:
    """Return, for each row, the number of its run of consecutive keys in one chapter, (m,).

    `keys` ascend.
    """
    if not len(keys):
        return np.zeros(0, np.int64)
    breaks = (np.diff(keys) != 1) | (np.diff(chapters) != 0)
    return np.concatenate(([0], np.cumsum(breaks))).astype(np.int64)


def build_windows(run: Ints1d, shortest: int, longest: int) -> Windows:
    """Return every window of `shortest` to `longest` rows inside a run."""
    starts, sizes = [], []
    for size in range(shortest, min(longest, len(run)) + 1):
        first = np.flatnonzero(run[: len(run) - size + 1] == run[size - 1 :])
        starts.append(first)
        sizes.append(np.full(len(first), size))
    if not starts:
        return Windows(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return Windows(np.concatenate(starts), np.concatenate(sizes))


def windows_within(windows: Windows, rows: NDArray[np.bool_]) -> Windows:
    """Return the windows whose rows are all in `rows`, a mask (m,)."""
    total = np.concatenate(([0], np.cumsum(rows)))
    whole = total[windows.end] - total[windows.start] == windows.size
    return windows.take(np.flatnonzero(whole))


def pooled_lengths(vectors: Floats2d, weights: Floats1d, longest: int) -> Floats2d:
    """Return the length of the sum of the weighted vectors of rows [i, i + s) at [s - 1, i], for s
    up to `longest`, (longest, m); 0 for windows that end beyond the rows.

    The square of a sum's length is the sum of the products of its terms with each other, so
    windows need not be pooled one by one. Several scores of the same rows share the lengths.
    """
    products = _products_ahead(vectors * weights[:, None], longest)
    squares = np.zeros((longest, len(vectors)), np.float32)
    squared = np.zeros(len(vectors), np.float32)
    # A row adds its product with itself, and twice its product with each row before it.
    added = products[0].copy()
    for size in range(1, longest + 1):
        ends = len(vectors) - size + 1
        if ends <= 0:
            break
        if size > 1:
            added[size - 1 :] += 2 * products[size - 1, :ends]
        squared = squared[:ends] + added[size - 1 :]
        squares[size - 1, :ends] = squared
    lengths: Floats2d = np.sqrt(np.maximum(squares, 0))
    return lengths


def _products_ahead(rows: Floats2d, count: int) -> Floats2d:
    """Return the products of each row with itself and with the rows after it, (count, m): [k, i] is
    the product of rows i and i + k, 0 if there is no such row."""
    length, width = rows.shape
    blocks = -(-length // BLOCK)
    ahead = BLOCK + count - 1
    padded = np.zeros((blocks * BLOCK + count - 1, width), rows.dtype)
    padded[:length] = rows
    down, across = padded.strides
    overlapping = as_strided(
        padded, (blocks, ahead, width), (BLOCK * down, down, across), writeable=False
    )
    tables = overlapping[:, :BLOCK] @ overlapping.transpose(0, 2, 1)
    table, down, across = tables.strides
    diagonals = as_strided(
        tables, (blocks, BLOCK, count), (table, down + across, across), writeable=False
    )
    return np.ascontiguousarray(diagonals.reshape(blocks * BLOCK, count)[:length].T)


def pooled_vector(vectors: Floats2d, weights: Floats1d) -> Floats1d:
    """Return the unit vector (d,) of a window from the vectors (m, d) and the weights (m,) of its
    rows."""
    pooled = weights @ vectors
    unit: Floats1d = pooled / max(float(np.linalg.norm(pooled)), 1e-9)
    return unit


def neighbourhood_scores(
    query: Floats1d,
    vectors: Floats2d,
    weights: Floats1d,
    run: Ints1d,
    *,
    reach: int = REACH,
    lengths: Floats2d | None = None,
) -> Floats1d:
    """Return the cosine of a query with the sentences from `reach` rows before each row to
    `reach` after it, (m,), within its run; see pooled_lengths."""
    rows = np.arange(len(run))
    first = np.maximum(rows - reach, np.searchsorted(run, run, "left"))
    end = np.minimum(rows + reach + 1, np.searchsorted(run, run, "right"))
    around = Windows(first, end - first)
    return window_cosines(query, vectors, weights, around, lengths=lengths)


def dense_scores(
    query: Floats1d,
    vectors: Floats2d,
    weights: Floats1d,
    windows: Windows,
    around: Floats1d,
    *,
    share: float = NEIGHBOUR_SHARE,
) -> Floats1d:
    """Return the similarity of a query to each window and its neighbourhood, (w,).

    query (d,) and vectors (m, d) are of unit length; weights (m,) are the lengths that
    the vectors had, so vectors * weights are sums of token vectors. around (m,) has the
    scores of the rows' neighbourhoods; their mean over a window makes up `share` of the
    score, because a passage alone rarely says what it means in its scene.
    """
    cosines = window_cosines(query, vectors, weights, windows)
    scores: Floats1d = (1 - share) * cosines + share * mean_of_rows(around, windows)
    return scores


def window_cosines(
    query: Floats1d,
    vectors: Floats2d,
    weights: Floats1d,
    windows: Windows,
    *,
    lengths: Floats2d | None = None,
) -> Floats1d:
    """Return the cosine of a query with each window, (w,); see dense_scores and pooled_lengths."""
    if lengths is None:
        lengths = pooled_lengths(vectors, weights, int(windows.size.max(initial=1)))
    products = sum_of_rows((vectors @ query) * weights, windows)
    norms = np.maximum(lengths[windows.size - 1, windows.start], 1e-9)
    # If vectors cancel each other out, the remaining length may be rounded to 0.
    cosines: Floats1d = np.clip(products / norms, -1, 1).astype(np.float32)
    return cosines


def mean_of_rows(values: Floats1d, windows: Windows) -> Floats1d:
    """Return the mean over each window, (w,), of a value of its rows (m,)."""
    means: Floats1d = (sum_of_rows(values, windows) / windows.size).astype(np.float32)
    return means


def sum_of_rows(values: AnyArray, windows: Windows) -> NDArray[np.float64]:
    """Return the sum over each window, (w,), of a value of its rows (m,)."""
    # In float64: the difference of two long sums has few digits left in float32.
    total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    summed: NDArray[np.float64] = total[windows.end] - total[windows.start]
    return summed


def lexical_scores(sentence_scores: Floats1d, windows: Windows) -> Floats1d:
    """Return the BM25 of each window, (w,): the sum over its sentences divided by √size.

    The square root keeps long windows from winning by length alone while several
    matching sentences together still beat one.
    """
    summed = sum_of_rows(sentence_scores, windows)
    scores: Floats1d = (summed / np.sqrt(np.maximum(windows.size, 1))).astype(np.float32)
    return scores


def penalize_brevity(
    scores: AnyFloats, words: Ints1d, windows: Windows, *, brief_words: int = BRIEF_WORDS
) -> Floats1d:
    """Return scores (w,) times w / (w + brief_words) for windows of w words; words is (m,).

    A call of "Gatsby!" is as near to a claim about Gatsby as text can be, and proves
    nothing. RELiC excludes sentences of fewer than ten tokens from its search for
    quotations; a smooth penalty did better (docs/retriever.md).
    """
    length = sum_of_rows(words, windows)
    share = length / np.maximum(length + brief_words, 1)
    penalized: Floats1d = (scores * share).astype(np.float32)
    return penalized


def select_windows(scores: AnyFloats, windows: Windows, rows: int, limit: int) -> Ints1d:
    """Return the numbers of the best windows that do not overlap, best first, at most `limit`.

    Equal scores keep the earlier and shorter window. rows is the number of rows.
    """
    # One byte per row: scanning a few of them takes a tenth of the time of an array.
    taken = bytearray(rows)
    selected: list[int] = []
    # lexsort sorts by its last key first.
    order = np.lexsort((windows.size, windows.start, -scores))
    columns = (order, windows.start[order], windows.size[order])
    for number, start, size in zip(*(column.tolist() for column in columns), strict=True):
        if len(selected) == limit:
            break
        if 1 in taken[start : start + size]:
            continue
        taken[start : start + size] = b"\1" * size
        selected.append(number)
    return np.array(selected, np.int64)


def best_ranks(ranked: Windows, windows: Windows, rows: int) -> list[int | None]:
    """Return the best rank, from 1, of the ranked windows that overlap each window; None without
    any.

    Retrievers need not agree on the edges of a window. `ranked`, best first, do not overlap one
    another; rows is the number of rows.
    """
    unranked = len(ranked) + 1
    ranks = np.full(rows, unranked)
    for rank, (start, end) in enumerate(zip(ranked.start, ranked.end, strict=True), 1):
        ranks[start:end] = rank
    best = (int(ranks[a:b].min()) for a, b in zip(windows.start, windows.end, strict=True))
    return [None if rank == unranked else rank for rank in best]
