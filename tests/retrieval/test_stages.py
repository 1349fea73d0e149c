"""The two stages that rank windows, and the reported scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from scholar_indexes.retrieval import fusion, ranking
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.stages import FIRST_STAGE, MARKED, SECOND_STAGE, rank_in_stages
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import Candidates
from scholar_indexes.storage.passages import Neighbourhood

COUNT = 250


@pytest.fixture
def candidates() -> Candidates:
    """Return windows of one sentence each, all of the same length."""
    rows = Neighbourhood(
        np.arange(COUNT),
        np.ones(COUNT, np.int64),
        np.full(COUNT, 40),
        np.zeros((COUNT, 2), np.float32),
        np.ones(COUNT, np.float32),
    )
    return Candidates(
        rows, np.zeros(COUNT, np.int64), ranking.build_windows(np.zeros(COUNT, np.int64), 1, 1)
    )


@pytest.fixture
def scores() -> WindowScores:
    """Return scores whose cosines decrease from the first window to the last."""
    scores = WindowScores.zeros(COUNT)
    scores.cosines[:] = np.linspace(0.8, 0.1, COUNT)
    scores.words[:] = 40
    return scores


class Backwards:
    """A second stage that prefers later places, by `step` for each position."""

    name = "backwards"

    def __init__(self, depth: int, step: float = 1.0, *, is_stopped: bool = False) -> None:
        self.depth, self._step = depth, step
        self.is_stopped = is_stopped
        self.asked: list[Place] = []

    def __call__(self, places: Sequence[Place]) -> np.ndarray:
        self.asked += places
        return self._step * np.arange(len(places), dtype=np.float32)


def nothing(numbers: np.ndarray) -> np.ndarray:
    return np.zeros((len(numbers), len(fusion.SHARES)), np.float32)


def starts(ranked: Sequence[Window]) -> list[int]:
    return [window.place.first for window in ranked]


def at(first: int, ranked: Sequence[Window]) -> Window:
    """Return the window that begins at a sentence."""
    return next(window for window in ranked if window.place.first == first)


def comparable(window: Window) -> tuple[float, float]:
    assert window.comparable is not None
    return window.comparable


def parts(window: Window) -> Mapping[str, float]:
    assert window.parts is not None
    return window.parts


def test_the_first_stage_alone_ranks_by_its_scores(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, None)
    assert starts(ranked) == list(range(FIRST_STAGE))
    expected = fusion.fuse(scores.features[:FIRST_STAGE])
    np.testing.assert_allclose([window.score for window in ranked], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("n", "depth", "count"),
    [
        pytest.param(3, 0, FIRST_STAGE, id="a hundred at least"),
        pytest.param(70, 0, 140, id="two for each that is asked for"),
        pytest.param(3, 120, 120, id="all that the second stage reads"),
        pytest.param(900, 0, COUNT, id="all there are"),
    ],
)
def test_the_requested_number_of_windows_is_ranked(
    candidates: Candidates, scores: WindowScores, n: int, depth: int, count: int
) -> None:
    rerank = Backwards(depth) if depth else None
    ranked = rank_in_stages(candidates, scores, nothing, n, rerank)
    assert len(ranked) == count
    if rerank:
        assert rerank.asked == [Place(0, first, first + 1) for first in range(depth)]


def test_the_second_stage_orders_the_best_and_the_others_stay_behind_them(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5, step=2.0))
    assert starts(ranked) == [4, 3, 2, 1, 0, *range(5, FIRST_STAGE)]
    totals = [window.score for window in ranked]
    assert totals == sorted(totals, reverse=True)
    first = fusion.fuse(scores.features[:5])
    np.testing.assert_allclose(totals[:5], (first + 2 * np.arange(5))[::-1], rtol=1e-5)


def test_a_second_stage_that_lowers_all_leaves_none_of_the_others_above_them(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5, step=-9.0))
    assert starts(ranked)[:5] == [0, 1, 2, 3, 4]
    lowest = ranked[4].score
    assert all(window.score <= lowest for window in ranked[5:])
    assert comparable(ranked[5])[1] <= comparable(ranked[4])[1]


def test_the_words_of_ranked_windows_are_read_and_count(
    candidates: Candidates, scores: WindowScores
) -> None:
    read: list[int] = []

    def words_of_one(numbers: np.ndarray) -> np.ndarray:
        read.extend(numbers.tolist())
        shares = nothing(numbers)
        shares[numbers == 40] = 1
        return shares

    ranked = rank_in_stages(candidates, scores, words_of_one, 3, None)
    assert sorted(read) == list(range(FIRST_STAGE))
    without = rank_in_stages(candidates, scores, nothing, 3, None)
    assert starts(ranked).index(40) < starts(without).index(40)
    # Shares of words order the passages of one claim and do not compare across claims.
    first, _ = comparable(at(40, ranked))
    assert first == pytest.approx(comparable(at(40, without))[0], abs=1e-5)


def test_each_window_has_the_scores_of_both_stages_and_their_parts(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5))
    expected = fusion.fuse(scores.features, fusion.COMPARABLE_WEIGHTS).tolist()
    for first in (0, 3, 60):
        window = at(first, ranked)
        assert comparable(window)[0] == pytest.approx(expected[first], abs=1e-5)
        assert set(parts(window)) == {*fusion.PARTS, SECOND_STAGE}
    assert comparable(at(3, ranked))[1] == pytest.approx(expected[3] + 3, abs=1e-5)
    added = [parts(at(first, ranked))[SECOND_STAGE] for first in range(6)]
    assert added == [-2, -1, 0, 1, 2, 0]
    means = np.mean([list(parts(window).values()) for window in ranked], axis=0)
    np.testing.assert_allclose(means, 0, atol=1e-3)
    assert parts(at(0, ranked))["meaning"] > parts(at(60, ranked))["meaning"]
    assert [at(first, ranked).read_by for first in (4, 5)] == ["backwards", None]


def test_marked_passages_count_as_a_part_of_the_score(
    candidates: Candidates, scores: WindowScores
) -> None:
    scores.feedback[7] = 50.0
    ranked = rank_in_stages(candidates, scores, nothing, 3, None)
    assert starts(ranked)[0] == 7
    assert parts(at(7, ranked))[MARKED] == pytest.approx(50 - 50 / FIRST_STAGE)
    assert parts(at(8, ranked))[MARKED] == pytest.approx(-50 / FIRST_STAGE)
    assert comparable(at(7, ranked))[0] < 50  # feedback does not compare across claims


def test_nothing_to_rank_is_an_empty_ranking(candidates: Candidates) -> None:
    empty = Candidates(
        candidates.rows, candidates.runs, ranking.build_windows(np.zeros(0, np.int64), 1, 1)
    )
    rerank = Backwards(5)
    assert rank_in_stages(empty, WindowScores.zeros(0), nothing, 3, rerank) == []
    assert rerank.asked == []
