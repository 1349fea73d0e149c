"""Ranking metrics for graded papers, as CSFCube's own script computes them.

A ranking is the grades of a whole pool (0 to 3) in ranked order, best first; a paper is relevant
from MIN_RELEVANT_GRADE up. The paper's R-Precision is not the textbook measure, and its NDCG uses
the original discount of Järvelin and Kekäläinen (2002), so both differ from
scholar_cli.laboratory.metrics. If nothing is relevant, every figure is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2

MIN_RELEVANT_GRADE = 2
"""The minimum grade of a relevant paper."""

CUT = 20
"""The cut-off rank of P@20, R@20 and NDCG@20."""

SHARE = 0.2
"""The share of a pool above the cut-off of NDCG%20."""

Grades = Sequence[int]


def precision(grades: Grades, k: int = CUT) -> float:
    """Return the number of relevant papers in the first k, divided by k even in a smaller pool."""
    return _relevant(grades[:k]) / k


def recall(grades: Grades, k: int = CUT) -> float:
    """Return the share of all relevant papers in the first k."""
    return _relevant(grades[:k]) / max(_relevant(grades), 1)


def average_precision(grades: Grades) -> float:
    """Return the mean of the precision at the rank of each relevant paper (MAP over queries)."""
    ranks = _ranks(grades)
    return sum(count / rank for count, rank in enumerate(ranks, 1)) / max(len(ranks), 1)


def precision_at_last(grades: Grades) -> float:
    """Return the precision at the last relevant rank, called R-Precision in CSFCube's tables."""
    ranks = _ranks(grades)
    return len(ranks) / ranks[-1] if ranks else 0.0


def r_precision(grades: Grades) -> float:
    """Return the share of relevant papers in the first R, for R relevant papers in total."""
    relevant = _relevant(grades)
    return _relevant(grades[:relevant]) / max(relevant, 1)


def ndcg(grades: Grades, k: int | None = None) -> float:
    """Return the DCG of the first k (None: all), divided by the DCG of the ideal order.

    Järvelin and Kekäläinen (2002), equation 2 with b = 2: a grade is not discounted at ranks 1 and
    2, and divided by log2(rank) from there.
    """
    best = _discounted(sorted(grades, reverse=True)[:k])
    return _discounted(grades[:k]) / best if best else 0.0


def cut_rank(pool: int) -> int:
    """Return the cut-off rank of NDCG%20 for the size of a pool."""
    return int(SHARE * pool)


MEASURES: Mapping[str, Callable[[Grades], float]] = {
    "RP": precision_at_last,
    "RP-std": r_precision,
    "P@20": precision,
    "R@20": recall,
    "MAP": average_precision,
    "NDCG": ndcg,
    "NDCG@20": lambda grades: ndcg(grades, CUT),
    "NDCG%20": lambda grades: ndcg(grades, cut_rank(len(grades))),
}
"""The columns of the paper's tables, each a share from 0 to 1."""


def compute_measures(grades: Grades) -> dict[str, float]:
    """Return every measure of one ranking."""
    return {name: measure(grades) for name, measure in MEASURES.items()}


def grade_ranking(ranking: Iterable[str], judged: Mapping[str, int]) -> list[int]:
    """Return the grades of ranked ids, in order, without unjudged and repeated ids."""
    return [judged[paper_id] for paper_id in dict.fromkeys(ranking) if paper_id in judged]


def _ranks(grades: Grades) -> list[int]:
    return [rank for rank, grade in enumerate(grades, 1) if grade >= MIN_RELEVANT_GRADE]


def _relevant(grades: Grades) -> int:
    return len(_ranks(grades))


def _discounted(grades: Grades) -> float:
    return sum(grade / log2(max(rank, 2)) for rank, grade in enumerate(grades, 1))
