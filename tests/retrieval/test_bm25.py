"""BM25 over passages of consecutive texts; test_bench_relic compares it with rank_bm25."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scholar_indexes.retrieval.bm25 import BM25, index_passages, lucene_idf, okapi_idf

TEXTS = [["lamp", "lamp", "widow"], ["widow"], [], ["harbour", "widow", "lamp"]]


def bm25(size: int = 1) -> BM25:
    starts = np.arange(len(TEXTS) - size + 1)
    return BM25(index_passages(TEXTS, starts, starts + size), lucene_idf, 1.2, 0.4)


def test_postings_count_the_terms_of_overlapping_passages() -> None:
    index = bm25(size=2).index
    lamp = slice(index.edges[index.terms["lamp"]], index.edges[index.terms["lamp"] + 1])
    assert index.passages[lamp].tolist() == [0, 2]
    assert index.counts[lamp].tolist() == [2, 1]
    assert index.lengths.tolist() == [4, 1, 3]


def test_scores_by_hand() -> None:
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    norm = 1.2 * (0.6 + 0.4 * 3 / 1.75)
    expected = [idf * 2 * 2.2 / (2 + norm), 0, 0, idf * 2.2 / (1 + norm)]
    assert bm25().scores({"lamp": 1, "unheard": 1}) == pytest.approx(expected)
    assert bm25().scores({"lamp": 3}) == pytest.approx([3 * score for score in expected])


def test_the_counts_of_a_term_have_its_scores() -> None:
    assert bm25().count_scores(np.array([2.0, 0, 0, 1])) == pytest.approx(
        bm25().scores({"lamp": 1})
    )


def test_half_a_count_is_half_a_passage_of_the_document_frequency() -> None:
    idf = math.log(1 + (4 - 0.5 + 0.5) / (0.5 + 0.5))
    norm = 1.2 * (0.6 + 0.4 * 3 / 1.75)
    scores = bm25().count_scores(np.array([0, 0, 0, 0.5]))
    assert scores == pytest.approx([0, 0, 0, idf * 0.5 * 2.2 / (0.5 + norm)])


def test_a_term_of_most_passages_is_worth_little_but_not_less_than_nothing() -> None:
    frequent = np.array([0, 1, 4, 4])
    assert (lucene_idf(frequent, 4) > 0).all()
    okapi = okapi_idf(frequent, 4)
    assert (
        okapi[2]
        == okapi[3]
        == pytest.approx(0.25 * np.mean(np.log([3.5 / 1.5, 0.5 / 4.5, 0.5 / 4.5])))
    )
