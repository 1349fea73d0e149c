"""The two stages that rank windows, and the reported scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scholar_indexes.retrieval import fusion, ranking, stages
from scholar_indexes.retrieval.candidates import Candidates
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.stages import FIRST_STAGE, MARKED, SECOND_STAGE, rank_in_stages
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


def starts(ranked: stages.StagedRanking) -> list[int]:
    return [window.start for window in ranked.windows]


def test_the_first_stage_alone_ranks_by_its_scores(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, None)
    assert starts(ranked) == list(range(FIRST_STAGE))
    assert [window.rank for window in ranked.windows] == list(range(1, FIRST_STAGE + 1))
    expected = fusion.fuse(scores.features[:FIRST_STAGE])
    np.testing.assert_allclose([window.score for window in ranked.windows], expected, rtol=1e-5)


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
    assert len(ranked.windows) == len(ranked.scores) == count
    if rerank:
        assert rerank.asked == [Place(0, at, at + 1) for at in range(depth)]


def test_the_second_stage_orders_the_best_and_the_others_stay_behind_them(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5, step=2.0))
    assert starts(ranked) == [4, 3, 2, 1, 0, *range(5, FIRST_STAGE)]
    totals = [window.score for window in ranked.windows]
    assert totals == sorted(totals, reverse=True)
    first = fusion.fuse(scores.features[:5])
    np.testing.assert_allclose(totals[:5], (first + 2 * np.arange(5))[::-1], rtol=1e-5)


def test_a_second_stage_that_lowers_all_leaves_none_of_the_others_above_them(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5, step=-9.0))
    assert starts(ranked)[:5] == [0, 1, 2, 3, 4]
    lowest = ranked.windows[4].score
    assert all(window.score <= lowest for window in ranked.windows[5:])
    assert ranked.scores[5, 6].both <= ranked.scores[4, 5].both


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
    assert ranked.scores[40, 41].first == pytest.approx(without.scores[40, 41].first, abs=1e-5)


def test_each_window_has_the_scores_of_both_stages_and_their_parts(
    candidates: Candidates, scores: WindowScores
) -> None:
    ranked = rank_in_stages(candidates, scores, nothing, 3, Backwards(5))
    comparable = fusion.fuse(scores.features, fusion.COMPARABLE_WEIGHTS)
    for at in (0, 3, 60):
        window = ranked.scores[at, at + 1]
        assert window.first == pytest.approx(float(comparable[at]), abs=1e-5)
        assert set(window.parts) == {*fusion.PARTS, SECOND_STAGE}
    assert ranked.scores[3, 4].both == pytest.approx(float(comparable[3]) + 3, abs=1e-5)
    assert [ranked.scores[at, at + 1].parts[SECOND_STAGE] for at in range(6)] == [
        -2,
        -1,
        0,
        1,
        2,
        0,
    ]
    means = np.mean([list(window.parts.values()) for window in ranked.scores.values()], axis=0)
    np.testing.assert_allclose(means, 0, atol=1e-3)
    assert ranked.scores[0, 1].parts["meaning"] > ranked.scores[60, 61].parts["meaning"]


def test_marked_passages_count_as_a_part_of_the_score(
    candidates: Candidates, scores: WindowScores
) -> None:
    scores.feedback[7] = 50.0
    ranked = rank_in_stages(candidates, scores, nothing, 3, None)
    assert starts(ranked)[0] == 7
    assert ranked.scores[7, 8].parts[MARKED] == pytest.approx(50 - 50 / FIRST_STAGE)
    assert ranked.scores[8, 9].parts[MARKED] == pytest.approx(-50 / FIRST_STAGE)
    assert ranked.scores[7, 8].first < 50  # feedback does not compare across claims


def test_nothing_to_rank_is_an_empty_ranking(candidates: Candidates) -> None:
    empty = Candidates(
        candidates.rows, candidates.runs, ranking.build_windows(np.zeros(0, np.int64), 1, 1)
    )
    rerank = Backwards(5)
    ranked = rank_in_stages(empty, WindowScores.zeros(0), nothing, 3, rerank)
    assert (ranked.windows, dict(ranked.scores), rerank.asked) == ([], {}, [])
