"""Windows, their scores, non-overlapping places, and the fusion of two rankings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scholar_indexes.retrieval.ranking import (
    BRIEF_WORDS,
    Windows,
    best_ranks,
    build_windows,
    dense_scores,
    lexical_scores,
    neighbourhood_scores,
    number_runs,
    penalize_brevity,
    select_windows,
    windows_within,
)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def spans(windows: Windows) -> list[tuple[int, int]]:
    return [(int(a), int(a + n)) for a, n in zip(windows.start, windows.size, strict=True)]


def windows_at(*edges: tuple[int, int]) -> Windows:
    return Windows(ints(*(a for a, _ in edges)), ints(*(b - a for a, b in edges)))


def select(scores: np.ndarray, windows: Windows, rows: int, limit: int) -> list[tuple[int, int]]:
    """Return the edges of the selected windows."""
    return spans(windows.take(select_windows(scores, windows, rows, limit)))


@pytest.mark.parametrize(
    ("keys", "chapters", "expected"),
    [
        pytest.param([], [], [], id="no rows"),
        pytest.param([7], [1], [0], id="one row"),
        pytest.param([7, 8, 9], [1, 1, 1], [0, 0, 0], id="one run"),
        pytest.param([7, 8, 10], [1, 1, 1], [0, 0, 1], id="a gap"),
        pytest.param([7, 8, 9], [1, 2, 2], [0, 1, 1], id="a new chapter"),
        pytest.param([7, 8, 10], [1, 2, 3], [0, 1, 2], id="a gap and a new chapter"),
        pytest.param([2**32 - 1, 2**32 + 0], [1, 1], [0, 0], id="keys are only numbers here"),
    ],
)
def test_runs_are_consecutive_rows_of_one_chapter(
    keys: list[int], chapters: list[int], expected: list[int]
) -> None:
    assert number_runs(np.array(keys, np.int64), np.array(chapters, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("run", "lengths", "expected"),
    [
        pytest.param([], (1, 5), [], id="no rows"),
        pytest.param([0], (1, 5), [(0, 1)], id="one row"),
        pytest.param([0], (2, 5), [], id="too short for any"),
        pytest.param([0, 0, 0], (1, 1), [(0, 1), (1, 2), (2, 3)], id="single rows"),
        pytest.param([0, 0, 0], (2, 3), [(0, 2), (1, 3), (0, 3)], id="two to three"),
        pytest.param([0, 0, 1, 1], (2, 2), [(0, 2), (2, 4)], id="never across runs"),
        pytest.param([0, 0], (3, 2), [], id="no such lengths"),
    ],
)
def test_windows_are_every_stretch_inside_a_run(
    run: list[int], lengths: tuple[int, int], expected: list[tuple[int, int]]
) -> None:
    assert spans(build_windows(np.array(run, np.int64), *lengths)) == expected


@given(st.lists(st.integers(1, 8), max_size=6), st.integers(1, 3), st.integers(1, 6))
def test_windows_match_their_definition(sizes: list[int], shortest: int, longest: int) -> None:
    run = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    expected = [
        (start, start + size)
        for size in range(shortest, longest + 1)
        for start in range(len(run) - size + 1)
        if len(set(run[start : start + size])) == 1
    ]
    assert spans(build_windows(run, shortest, longest)) == expected


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 8))
def test_a_window_scores_the_cosine_of_its_summed_token_vectors(
    seed: int, rows: int, dimensions: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(rows, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    weights = random.uniform(0.1, 50, rows).astype(np.float32)
    query = random.normal(size=dimensions).astype(np.float32)
    query /= np.linalg.norm(query)
    windows = build_windows(np.zeros(rows, np.int64), 1, 5)
    expected, tolerance = [], []
    for start, end in spans(windows):
        pooled = (vectors[start:end] * weights[start:end, None]).astype(np.float64).sum(axis=0)
        length = np.linalg.norm(pooled)
        expected.append(pooled @ query / length)
        # If vectors cancel out, the absolute error of the remainder stays the same.
        tolerance.append(1e-5 + 1e-6 * (weights[start:end].sum() / length) ** 2)
    scores = dense_scores(query, vectors, weights, windows, np.zeros(rows, np.float32), share=0)
    assert (np.abs(scores - expected) <= tolerance).all()


def test_vectors_that_cancel_each_other_out_give_no_score_beyond_a_cosine() -> None:
    random = np.random.default_rng(4662)  # in some windows the sum is almost zero
    vectors = np.sign(random.normal(size=(20, 1))).astype(np.float32)
    weights = random.uniform(0.1, 50, 20).astype(np.float32)
    windows = build_windows(np.zeros(20, np.int64), 1, 5)
    scores = dense_scores(floats(1), vectors, weights, windows, np.zeros(20, np.float32), share=0)
    assert (np.abs(scores) <= 1).all()


def test_a_sentence_without_a_vector_scores_nothing_and_breaks_nothing() -> None:
    windows = build_windows(ints(0, 0), 1, 2)
    vectors, weights = np.array([[0, 0], [1, 0]], np.float32), floats(0, 3)
    around = neighbourhood_scores(floats(1, 0), vectors, weights, ints(0, 0), reach=0)
    assert around.tolist() == [0, 1]
    scores = dense_scores(floats(1, 0), vectors, weights, windows, around, share=0)
    assert scores.tolist() == pytest.approx([0, 1, 1])


def test_a_window_shares_its_score_with_the_text_around_its_sentences() -> None:
    """By hand: the window's cosine is 1, its two sentences' neighbourhoods score 0 and 0.5."""
    windows = Windows(ints(0), ints(2))
    vectors = np.array([[1, 0], [1, 0]], np.float32)
    scores = dense_scores(floats(1, 0), vectors, floats(1, 1), windows, floats(0, 0.5), share=0.5)
    assert scores.tolist() == pytest.approx([0.5 * 1 + 0.5 * 0.25])


def test_a_neighbourhood_reaches_so_far_and_never_out_of_its_run() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], np.float32)
    scores = neighbourhood_scores(
        floats(1, 0), vectors, np.ones(4, np.float32), ints(0, 0, 0, 1), reach=1
    )
    assert scores.tolist() == pytest.approx([0.5**0.5, 0.2**0.5, 0, 1])


def test_windows_within_some_rows_have_none_of_the_others() -> None:
    windows = windows_within(
        build_windows(ints(0, 0, 0, 0), 1, 3), np.array([True, True, False, True])
    )
    assert spans(windows) == [(0, 1), (1, 2), (3, 4), (0, 2)]


def test_no_windows_have_no_scores() -> None:
    windows = build_windows(ints(), 1, 5)
    assert dense_scores(
        floats(1, 0), np.zeros((0, 2), np.float32), floats(), windows, floats()
    ).shape == (0,)
    assert lexical_scores(floats(), windows).shape == (0,)
    assert penalize_brevity(floats(), ints(), windows).shape == (0,)
    assert select(floats(), windows, 0, 10) == []


@given(arrays.arrays(np.float32, st.integers(1, 30), elements=st.floats(0, 20, width=32)))
def test_the_bm25_of_a_window_is_its_sentences_over_the_root_of_their_number(
    scores: np.ndarray,
) -> None:
    windows = build_windows(np.zeros(len(scores), np.int64), 1, 5)
    expected = [scores[a:b].astype(np.float64).sum() / np.sqrt(b - a) for a, b in spans(windows)]
    np.testing.assert_allclose(lexical_scores(scores, windows), expected, rtol=1e-5, atol=1e-5)


def test_two_matching_sentences_together_beat_either_and_padding_beats_nothing() -> None:
    windows = Windows(ints(0, 0, 0), ints(1, 2, 3))
    single, both, padded = lexical_scores(floats(4, 4, 0), windows)
    assert both > padded > single or both > single
    assert both == pytest.approx(8 / np.sqrt(2))
    assert padded == pytest.approx(8 / np.sqrt(3))


def test_brief_windows_count_less() -> None:
    windows = build_windows(ints(0, 0), 1, 2)
    lowered = penalize_brevity(floats(1, 1, 1), ints(BRIEF_WORDS, 3 * BRIEF_WORDS), windows)
    assert lowered.tolist() == pytest.approx([1 / 2, 3 / 4, 4 / 5])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param((1, 3, 2), [(1, 2), (2, 3), (0, 1)], id="best first"),
        pytest.param((1, 1, 1), [(0, 1), (1, 2), (2, 3)], id="equal scores keep their order"),
        pytest.param((-3, -1, -2), [(1, 2), (2, 3), (0, 1)], id="below nought"),
    ],
)
def test_places_come_best_first(scores: tuple[float, ...], expected: list[tuple[int, int]]) -> None:
    assert select(floats(*scores), build_windows(ints(0, 0, 0), 1, 1), 3, 10) == expected


def test_the_earlier_and_shorter_of_equal_windows_is_chosen() -> None:
    chosen = select(np.ones(6, np.float32), build_windows(ints(0, 0, 0), 1, 3), 3, 10)
    assert chosen == [(0, 1), (1, 2), (2, 3)]


def test_a_place_keeps_out_every_window_that_shares_a_row_with_it() -> None:
    windows = Windows(ints(1, 0, 3, 4), ints(3, 2, 2, 1))
    assert select(floats(9, 8, 7, 6), windows, 5, 10) == [(1, 4), (4, 5)]


@pytest.mark.parametrize("limit", [0, 1, 2, 99])
def test_there_are_no_more_places_than_asked_for(limit: int) -> None:
    chosen = select_windows(floats(1, 2, 3), build_windows(ints(0, 0, 0), 1, 1), 3, limit)
    assert len(chosen) == min(limit, 3)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 10))
def test_places_never_overlap_and_a_better_window_left_out_overlaps_a_chosen_one(
    seed: int, rows: int, limit: int
) -> None:
    random = np.random.default_rng(seed)
    windows = build_windows(np.sort(random.integers(0, 3, rows)).astype(np.int64), 1, 5)
    scores = random.integers(0, 5, len(windows)).astype(np.float32)
    chosen = select_windows(scores, windows, rows, limit)
    edges = sorted(spans(windows.take(chosen)))
    assert all(before[1] <= after[0] for before, after in pairwise(edges))
    assert all(before >= after for before, after in pairwise(scores[chosen]))
    if len(chosen) < limit:
        taken = {row for start, end in edges for row in range(start, end)}
        assert all(taken & set(range(start, end)) for start, end in spans(windows))


@pytest.mark.parametrize(
    ("ranked", "window", "expected"),
    [
        pytest.param([(7, 8), (2, 5)], (0, 3), 2, id="other edges"),
        pytest.param([(3, 4), (0, 1)], (0, 5), 1, id="several inside it"),
        pytest.param([(3, 4)], (0, 3), None, id="only one next to it"),
        pytest.param([], (0, 3), None, id="nothing is ranked"),
    ],
)
def test_a_window_has_the_best_rank_of_the_windows_that_overlap_it(
    ranked: list[tuple[int, int]], window: tuple[int, int], expected: int | None
) -> None:
    assert best_ranks(windows_at(*ranked), windows_at(window), 8) == [expected]
