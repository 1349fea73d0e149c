"""Work spread over threads."""

from __future__ import annotations

import pytest

from scholar_indexes.models.processor import map_in_threads


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_in_the_order_of_the_items(threads: int) -> None:
    assert map_in_threads(lambda number: number * number, range(20), threads) == [
        number * number for number in range(20)
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_a_thread_is_raised_here(threads: int) -> None:
    with pytest.raises(ZeroDivisionError):
        map_in_threads(lambda number: 1 // number, [2, 1, 0, 1], threads)
