"""Relevance feedback: the effect of the user's marks on the scores of windows."""

from __future__ import annotations

import numpy as np
import pytest

from scholar_indexes.retrieval.feedback import Feedback, FeedbackScorer
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import build_windows
from scholar_indexes.retrieval.window_candidates import Candidates
from scholar_indexes.storage.passages import EDITION_BITS, Neighbourhood

ROWS = 60


@pytest.fixture
def candidates() -> Candidates:
    """One-sentence windows of books 1 and 2; no two sentences are similar."""
    numbers = np.arange(ROWS) % (ROWS // 2)
    editions = np.arange(ROWS) // (ROWS // 2) + 1
    keys = (editions << EDITION_BITS) + numbers
    ones = np.ones(ROWS, np.int64)
    vectors = np.eye(ROWS, dtype=np.float32)
    rows = Neighbourhood(keys, ones, ones, vectors, ones.astype(np.float32))
    return Candidates(rows, editions, build_windows(editions, 1, 1))


def scores_of(candidates: Candidates, feedback: Feedback) -> np.ndarray:
    """Return the scores of windows, with the vectors of the first marked sentences."""

    def vector(places: tuple[Place, ...]) -> np.ndarray | None:
        rows = [(place.edition - 1) * (ROWS // 2) + place.first for place in places]
        return candidates.rows.vectors[rows].mean(axis=0) if rows else None

    scorer = FeedbackScorer(feedback, vector(feedback.approved), vector(feedback.rejected))
    return scorer.score(candidates)


def test_nothing_is_added_where_nothing_is_marked(candidates: Candidates) -> None:
    assert not scores_of(candidates, Feedback()).any()


def test_passages_near_an_approved_one_gain_most(candidates: Candidates) -> None:
    scores = scores_of(candidates, Feedback(approved=(Place(1, 10, 11),)))
    assert scores[11] > scores[15] > scores[29] > scores[30] == 0
    assert scores[9] == pytest.approx(scores[11])


def test_passages_similar_to_an_approved_one_gain_in_any_book(candidates: Candidates) -> None:
    vectors = candidates.rows.vectors
    vectors[40] = vectors[10]
    scores = scores_of(candidates, Feedback(approved=(Place(1, 10, 11),)))
    assert scores[40] > 0 == scores[41]


def test_passages_next_to_a_rejected_one_lose(candidates: Candidates) -> None:
    scores = scores_of(candidates, Feedback(rejected=(Place(2, 5, 6),)))
    assert scores[34] < scores[32] < 0 == scores[4]


def test_the_nearest_of_several_marks_counts(candidates: Candidates) -> None:
    alone = scores_of(candidates, Feedback(approved=(Place(1, 10, 11),)))
    both = scores_of(candidates, Feedback(approved=(Place(1, 10, 11), Place(2, 0, 1))))
    assert both[12] == pytest.approx(alone[12])
    assert both[31] == pytest.approx(alone[11])
