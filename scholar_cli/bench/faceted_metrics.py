"""How good a ranking of graded papers is, as CSFCube's own script measures it.

A ranking is the grades of a whole pool (0 to 3) in ranked order, best first; a paper
counts as relevant from SIMILAR up. What the paper calls R-Precision is not the one of the
textbooks, and its NDCG discounts as Järvelin and Kekäläinen (2002) first wrote it, so both
differ from scholar_cli.bench.metrics. Where nothing is relevant every figure is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2

SIMILAR = 2
"""The least grade that counts as relevant."""

CUT = 20
"""Ranks that P@20, R@20 and NDCG@20 look at."""

SHARE = 0.2
"""The part of a pool that NDCG%20 looks at."""

Grades = Sequence[int]


def precision(grades: Grades, k: int = CUT) -> float:
    """The relevant among the first k, over k even where the pool is smaller."""
    return _relevant(grades[:k]) / k


def recall(grades: Grades, k: int = CUT) -> float:
    """The share of all relevant that is among the first k."""
    return _relevant(grades[:k]) / max(_relevant(grades), 1)


def average_precision(grades: Grades) -> float:
    """The mean of the precision at the rank of each relevant; its mean over queries is MAP."""
    ranks = _ranks(grades)
    return sum(found / rank for found, rank in enumerate(ranks, 1)) / max(len(ranks), 1)


def precision_at_last(grades: Grades) -> float:
    """The precision at the rank of the last relevant: what CSFCube's tables call R-Precision."""
    ranks = _ranks(grades)
    return len(ranks) / ranks[-1] if ranks else 0.0


def r_precision(grades: Grades) -> float:
    """The relevant among the first R, over R, where R papers are relevant in all."""
    everything = _relevant(grades)
    return _relevant(grades[:everything]) / max(everything, 1)


def ndcg(grades: Grades, k: int | None = None) -> float:
    """Discounted grades of the first k (of all: None), over those of the best order there is.

    Järvelin and Kekäläinen (2002), equation 2 with b = 2: a grade counts in full at ranks 1
    and 2, and 1 / log2(rank) of it from there.
    """
    best = _discounted(sorted(grades, reverse=True)[:k])
    return _discounted(grades[:k]) / best if best else 0.0


def depth(pool: int) -> int:
    """The ranks that NDCG%20 looks at in a pool of so many papers."""
    return int(SHARE * pool)


MEASURES: Mapping[str, Callable[[Grades], float]] = {
    "RP": precision_at_last,
    "RP-std": r_precision,
    "P@20": precision,
    "R@20": recall,
    "MAP": average_precision,
    "NDCG": ndcg,
    "NDCG@20": lambda grades: ndcg(grades, CUT),
    "NDCG%20": lambda grades: ndcg(grades, depth(len(grades))),
}
"""The columns of the paper's tables, each a share from 0 to 1."""


def measures(grades: Grades) -> dict[str, float]:
    """Every measure of one ranking."""
    return {name: measure(grades) for name, measure in MEASURES.items()}


def graded(ranking: Iterable[str], judged: Mapping[str, int]) -> list[int]:
    """The grades of ranked ids, in order: what is not judged is dropped, and of what is ranked
    twice the first place counts."""
    return [judged[each] for each in dict.fromkeys(ranking) if each in judged]


def _ranks(grades: Grades) -> list[int]:
    return [rank for rank, grade in enumerate(grades, 1) if grade >= SIMILAR]


def _relevant(grades: Grades) -> int:
    return len(_ranks(grades))


def _discounted(grades: Grades) -> float:
    return sum(grade / log2(max(rank, 2)) for rank, grade in enumerate(grades, 1))
