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
    """Return the number of cores this process may use, of all cores where no system call tells."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def map_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> list[Result]:
    """Return what some work returns for each item, done in so many threads; one is this thread."""
    check = current_check()

    def step(item: Item) -> Result:
        check()
        return work(item)

    if threads == 1:
        return list(map(step, items))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(step, items))
