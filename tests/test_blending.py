"""Dense and lexical scores as one."""

from __future__ import annotations

import numpy as np
import pytest

from scholar_indexes.blending import LEXICAL_SHARE, blend_scores


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def test_a_blend_adds_the_words_share_to_the_cosine() -> None:
    """By hand: the best lexical match adds 0.1, a match half as good adds 0.05."""
    blended = blend_scores(floats(0.5, 0.4, 0.0), floats(0, 10, 5))
    assert LEXICAL_SHARE == 0.1
    assert blended.tolist() == pytest.approx([0.5, 0.5, 0.05])


def test_a_blend_without_matching_words_is_the_cosine() -> None:
    assert blend_scores(floats(0.5, -0.4), floats(0, 0)).tolist() == pytest.approx([0.5, -0.4])


def test_claims_are_blended_each_by_itself() -> None:
    cosines, bm25 = np.zeros((2, 2)), np.array([[1.0, 2.0], [30.0, 0.0]])
    assert blend_scores(cosines, bm25) == pytest.approx(np.array([[0.05, 0.1], [0.1, 0.0]]))


def test_nothing_blends_to_nothing() -> None:
    assert blend_scores(floats(), floats()).tolist() == []
