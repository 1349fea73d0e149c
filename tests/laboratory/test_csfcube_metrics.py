"""The metrics of CSFCube, computed by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_cli.laboratory.csfcube import faceted_metrics
from scholar_cli.laboratory.csfcube.faceted_metrics import compute_measures, grade_ranking

LOG3, LOG5 = log2(3), log2(5)


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        pytest.param(
            [0, 3, 0, 2, 1],
            {
                "RP": 2 / 4,
                "RP-std": 1 / 2,
                "P@20": 2 / 20,
                "R@20": 1,
                "MAP": (1 / 2 + 2 / 4) / 2,
                "NDCG": (3 + 2 / 2 + 1 / LOG5) / (3 + 2 + 1 / LOG3),
                "NDCG%20": 0,
            },
            id="five",
        ),
        pytest.param(
            [3, 0, 0, 0, 2],
            {
                "RP": 2 / 5,
                "RP-std": 1 / 2,
                "MAP": (1 + 2 / 5) / 2,
                "NDCG%20": 1,
                "NDCG": (3 + 2 / LOG5) / 5,
            },
            id="the last relevant decides RP",
        ),
        pytest.param(
            [2, 3],
            {"RP": 1, "RP-std": 1, "MAP": 1, "NDCG": 1, "NDCG@20": 1, "NDCG%20": 0},
            id="ranks 1 and 2 weigh the same, and a fifth of two is none",
        ),
        pytest.param(
            [1] * 5,
            {"RP": 0, "RP-std": 0, "P@20": 0, "R@20": 0, "MAP": 0, "NDCG": 1},
            id="related is not relevant, but gains",
        ),
        pytest.param([0] * 40, dict.fromkeys(faceted_metrics.MEASURES, 0), id="nothing relevant"),
        pytest.param([], dict.fromkeys(faceted_metrics.MEASURES, 0), id="nothing at all"),
        pytest.param(
            [0] * 20 + [3] + [0] * 19,
            {
                "RP": 1 / 21,
                "RP-std": 0,
                "P@20": 0,
                "R@20": 0,
                "MAP": 1 / 21,
                "NDCG@20": 0,
                "NDCG": 1 / log2(21),
            },
            id="behind the cut",
        ),
        pytest.param(
            [0] * 7 + [2] + [0] * 15 + [3, 3] + [0] * 25,
            {
                "P@20": 1 / 20,
                "R@20": 1 / 3,
                "RP": 3 / 25,
                "NDCG@20": (2 / 3) / (6 + 2 / LOG3),
                "NDCG%20": (2 / 3) / (6 + 2 / LOG3),
                "MAP": (1 / 8 + 2 / 24 + 3 / 25) / 3,
            },
            id="fifty, cut at ten and twenty",
        ),
    ],
)
def test_measures_equal_the_values_worked_out_by_hand(
    grades: list[int], expected: dict[str, float]
) -> None:
    measures = compute_measures(grades)
    assert {name: measures[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("pool", "ranks"), [(0, 0), (4, 0), (5, 1), (88, 17), (99, 19), (100, 20), (251, 50)]
)
def test_a_fifth_of_a_pool_is_rounded_down(pool: int, ranks: int) -> None:
    assert faceted_metrics.cut_rank(pool) == ranks


def test_the_first_of_duplicates_counts_and_the_unjudged_are_dropped() -> None:
    judged = {"a": 3, "b": 0, "c": 2}
    assert grade_ranking(["x", "a", "b", "y", "a", "c", "b"], judged) == [3, 0, 2]


@given(st.lists(st.integers(0, 3), max_size=60))
def test_the_best_order_has_the_best_figures(grades: list[int]) -> None:
    measures, best = compute_measures(grades), compute_measures(sorted(grades, reverse=True))
    for name, value in measures.items():
        assert 0 <= value <= best[name] + 1e-12 <= 1 + 1e-9
