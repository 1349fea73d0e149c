"""The features of windows and their learned weights."""

from __future__ import annotations

import numpy as np
import pytest

from scholar_indexes.retrieval import fusion
from scholar_indexes.retrieval.fusion import (
    COMPARABLE_WEIGHTS,
    FEATURES,
    SHARES,
    WEIGHTS,
    WindowScores,
    presence,
)
from scholar_indexes.retrieval.ranking import Windows


def test_the_packaged_weights_match_the_features() -> None:
    assert WEIGHTS.shape == (len(FEATURES),)
    assert WindowScores.zeros(3).features.shape == (3, len(FEATURES))
    assert np.isfinite(WindowScores.zeros(3).features).all()


@pytest.mark.parametrize("feature", ["cosine", "surroundings", "somebody near", "people together"])
def test_features_that_support_a_passage_have_positive_weights(feature: str) -> None:
    assert WEIGHTS[FEATURES.index(feature)] > 0


def test_words_that_noise_shares_with_novels_order_passages_but_compare_no_claims() -> None:
    scores = WindowScores.zeros(2)
    scores.words[:] = 40
    scores.coverage[1] = 1
    without, with_words = fusion.fuse(scores.features)
    assert with_words > without
    without, with_words = fusion.fuse(scores.features, COMPARABLE_WEIGHTS)
    assert with_words == without
    assert len(SHARES) == scores.coverage.shape[1]


def test_presence_counts_rows_and_people() -> None:
    present = np.array([[1, 0], [0, 0], [1, 1], [0, 0]], bool)
    windows = Windows(np.array([0, 2, 3]), np.array([2, 1, 1]))
    here, near, mean, together = presence(windows, present).T
    assert here.tolist() == [0.5, 1.0, 0.0]
    assert near.tolist() == [0.5, 0.5, 0.5]
    assert mean.tolist() == [0.25, 1.0, 0.0]
    assert together.tolist() == [0.5, 1.0, 0.0]


def test_near_reaches_no_further_than_its_sentences() -> None:
    present = np.zeros((20, 1), bool)
    present[0] = True
    windows = Windows(np.array([fusion.NEAR, fusion.NEAR + 1]), np.array([1, 1]))
    near = presence(windows, present)[:, 1]
    assert near[0] > 0
    assert near[1] == 0


def test_a_passage_with_the_person_is_better_than_an_equal_one() -> None:
    scores = WindowScores.zeros(2)
    scores.words[:] = 40
    scores.presence[1] = 1
    here, there = fusion.fuse(scores.features)
    assert there > here


def test_near_counts_the_rows_that_there_are_around_a_window() -> None:
    """By hand: of rows 2 to 10 around a window at 6, the ones from 9 onwards have a person."""
    present = np.zeros((12, 1), bool)
    present[9:] = True
    near = presence(Windows(np.array([6, 11]), np.array([1, 1])), present)[:, 1]
    assert near.tolist() == pytest.approx([2 / 9, 3 / 5])


def test_an_omnipresent_character_does_not_make_a_passage_about_others() -> None:
    """The first of two people is a narrator, and occurs in most rows."""
    present = np.array([[1, 0], [1, 0], [1, 1], [0, 1]], bool)
    windows = Windows(np.array([0, 2]), np.array([2, 2]))
    here, near, mean, together = presence(windows, present, np.array([True, False])).T
    assert here.tolist() == [0.0, 1.0]
    assert near.tolist() == [0.5, 0.5]
    assert mean.tolist() == [0.5, 0.75]
    assert together.tolist() == [0.5, 1.0]


def test_alone_who_is_everywhere_is_looked_for() -> None:
    present = np.array([[1], [0], [1]], bool)
    windows = Windows(np.array([0, 1]), np.array([1, 1]))
    alone = presence(windows, present, np.array([True]))
    np.testing.assert_array_equal(alone, presence(windows, present))
