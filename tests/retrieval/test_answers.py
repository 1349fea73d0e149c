"""The set of answers: passages that are folded into a better one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scholar_indexes.arrays import Floats2d
from scholar_indexes.retrieval.answers import BESIDE, choose_answers, put_first
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import Candidates
from scholar_indexes.storage.passages import Neighbourhood

NO_WINDOWS = Windows(np.zeros(0, np.int64), np.zeros(0, np.int64))


def rows_of(vectors: Floats2d, *, second_chapter_from: int | None = None) -> Candidates:
    """Return consecutive sentences with the given vectors."""
    count = len(vectors)
    ones = np.ones(count, np.int64)
    runs = np.zeros(count, np.int64)
    if second_chapter_from is not None:
        runs[second_chapter_from:] = 1
    rows = Neighbourhood(np.arange(count), ones, ones, vectors, ones.astype(np.float32))
    return Candidates(rows, runs, NO_WINDOWS)


def ranked(*windows: tuple[int, int, float]) -> list[Window]:
    return [Window(Place(0, first, end), score) for first, end, score in windows]


def starts(ranking: Sequence[Window], candidates: Candidates, n: int) -> list[list[int]]:
    """Return the first sentences of each answer and of the passages folded into it."""
    return [
        [answer.place.first, *(place.first for place in answer.nearby)]
        for answer in choose_answers(ranking, candidates, n)
    ]


@pytest.fixture
def unlike() -> Candidates:
    """Forty sentences, no two of them similar."""
    return rows_of(np.eye(40, dtype=np.float32))


def test_a_passage_next_to_a_better_one_is_folded_into_it(unlike: Candidates) -> None:
    ranking = ranked((10, 12, 3.0), (30, 31, 2.0), (12 + BESIDE, 17, 1.0), (8, 10, 0.5))
    assert starts(ranking, unlike, 3) == [[10, 12 + BESIDE, 8], [30]]


def test_a_passage_next_to_a_folded_one_only_is_an_answer_of_its_own(
    unlike: Candidates,
) -> None:
    ranking = ranked((10, 12, 3.0), (12, 14, 2.0), (14, 16, 1.0))
    assert starts(ranking, unlike, 3) == [[10, 12], [14]]


def test_a_passage_further_away_is_an_answer_of_its_own(unlike: Candidates) -> None:
    ranking = ranked((10, 12, 3.0), (12 + BESIDE + 1, 17, 1.0))
    assert starts(ranking, unlike, 3) == [[10], [12 + BESIDE + 1]]


def test_the_next_chapter_is_not_adjacent() -> None:
    candidates = rows_of(np.eye(4, dtype=np.float32), second_chapter_from=2)
    assert starts(ranked((1, 2, 2.0), (2, 3, 1.0)), candidates, 2) == [[1], [2]]


def test_the_same_words_elsewhere_are_folded() -> None:
    vectors = np.eye(40, dtype=np.float32)
    vectors[30] = vectors[1]
    ranking = ranked((1, 2, 2.0), (20, 21, 1.5), (30, 31, 1.0))
    assert starts(ranking, rows_of(vectors), 3) == [[1, 30], [20]]


def test_only_as_many_as_were_asked_for(unlike: Candidates) -> None:
    ranking = ranked(*((5 * number, 5 * number + 1, 9.0 - number) for number in range(8)))
    assert starts(ranking, unlike, 3) == [[0], [5], [10]]


def test_nothing_was_found(unlike: Candidates) -> None:
    assert choose_answers([], unlike, 10) == []


def test_the_first_windows_replace_the_others_that_they_overlap() -> None:
    first = ranked((4, 6, 9.0), (5, 7, 8.0))
    others = ranked((0, 4, 3.0), (5, 6, 2.0), (6, 8, 1.0))
    assert put_first(first, others) == [first[0], others[0], others[2]]


def test_a_window_of_another_book_overlaps_none() -> None:
    (first,), elsewhere = ranked((4, 6, 9.0)), Window(Place(1, 4, 6), 1.0)
    assert put_first([first], [elsewhere]) == [first, elsewhere]
