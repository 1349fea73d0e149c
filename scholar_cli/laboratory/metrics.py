"""Measures of rankings, and bootstrap intervals of their means.

A ranking is the sequence of the gains of its items, best first: 1 (or a grade) for a relevant item
and 0 for another. Items that are not ranked count as not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scholar_indexes.arrays import Ints

RESAMPLES = 2_000

BLOCK = 100
"""Resamples drawn at a time: bounds memory whatever the number of queries."""

KEPT_QUERIES = 1_000
"""Resamples are cached for up to this many queries: a table has many figures of them."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float

    def figures(self, name: str) -> dict[str, float]:
        """Return the mean and the bounds as figures of a report: name, name_low, name_high."""
        return {name: self.mean, f"{name}_low": self.low, f"{name}_high": self.high}


def reciprocal_rank(gains: Sequence[float]) -> float:
    """Return 1 / the rank of the first relevant item, 0 if there is none."""
    return next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def success(gains: Sequence[float], k: int) -> float:
    """Return 1 if one of the first k items is relevant, else 0."""
    return float(any(gain > 0 for gain in gains[:k]))


def recall(gains: Sequence[float], k: int, relevant: int) -> float:
    """Return the share of all relevant items that are among the first k; 0 if there are none."""
    return sum(gain > 0 for gain in gains[:k]) / relevant if relevant else 0.0


def ndcg(gains: Sequence[float], k: int, ideal: Sequence[float]) -> float:
    """Return the discounted gain of the first k over the judged items' gain in the ideal order.

    Järvelin and Kekäläinen (2002): a gain at rank r counts 1 / log2(r + 1).
    """
    best = _discounted(sorted(ideal, reverse=True)[:k])
    return _discounted(gains[:k]) / best if best else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def bootstrap(values: Sequence[float], *, seed: int = 0) -> Interval:
    """Return the mean with its 95 % percentile bootstrap interval over queries."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    sample = np.asarray(values, np.float64)
    draw = _draw_once if len(sample) <= KEPT_QUERIES else _draw
    resamples = draw(len(sample), seed)
    means = np.concatenate([sample[indices].mean(axis=1) for indices in resamples])
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(sample.mean()), float(low), float(high))


def _draw(queries: int, seed: int) -> Iterator[Ints]:
    """Yield RESAMPLES resamples of queries, as rows of indices, BLOCK at a time."""
    random = np.random.default_rng(seed)
    for _ in range(RESAMPLES // BLOCK):
        yield random.integers(0, queries, (BLOCK, queries))


@lru_cache(maxsize=4)
def _draw_once(queries: int, seed: int) -> tuple[Ints, ...]:
    """Return the blocks of _draw()."""
    return tuple(_draw(queries, seed))


def average(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means of the figures of queries, with their intervals; {} for no queries."""
    figures: dict[str, float] = {}
    for name in rows[0] if rows else ():
        figures |= bootstrap([row[name] for row in rows]).figures(name)
    return figures


def columns(rows: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Return the figures of queries by name, in the order of the queries; {} for no queries."""
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def bootstrap_groups(groups: Sequence[Sequence[float]], *, seed: int = 0) -> Interval:
    """Return the mean of all values with its 95 % percentile bootstrap interval over groups.

    Groups, such as the chapters or books of the queries, are drawn whole; groups without values are
    skipped.
    """
    groups = [group for group in groups if group]
    if not groups:
        return Interval(0.0, 0.0, 0.0)
    sums, sizes = np.array([[sum(group), len(group)] for group in groups]).T
    random = np.random.default_rng(seed)
    indices = random.integers(0, len(groups), (RESAMPLES, len(groups)))
    shares = sums[indices].sum(axis=1) / np.maximum(1, sizes[indices].sum(axis=1))
    low, high = np.percentile(shares, (2.5, 97.5))
    return Interval(float(sums.sum() / max(1, sizes.sum())), float(low), float(high))


def difference(values: Sequence[float], others: Sequence[float], *, seed: int = 0) -> Interval:
    """Return the mean of values - others, query by query, with its interval.

    Raises ValueError when the two differ in length.
    """
    return bootstrap([a - b for a, b in zip(values, others, strict=True)], seed=seed)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / float(np.log2(rank + 1)) for rank, gain in enumerate(gains, 1))
