"""The processor that models run on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from scholar_indexes.stopping import current_check

Item = TypeVar("Item")
Result = TypeVar("Result")


def count_cores() -> int:
    """Return the number of cores this process may use, or of all if that number is unknown."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def map_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> list[Result]:
    """Return the results of `work` for each item, computed in `threads` threads; a single one is
    the caller's."""
    check = current_check()

    def step(item: Item) -> Result:
        check()
        return work(item)

    if threads == 1:
        return list(map(step, items))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(step, items))
