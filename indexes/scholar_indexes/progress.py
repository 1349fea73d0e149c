"""Combined progress of work in several stages, and estimates of the remaining time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import accumulate

from scholar_indexes.types import Progress

SCALE = 1_000
"""The total that stages report together: thousandths of the whole."""

LEAST_ELAPSED_S = 1.0
"""Seconds of work that are measured before the remaining time is estimated."""


def divide_progress(progress: Progress, shares: Sequence[float]) -> list[Progress]:
    """Return a Progress for each stage of some work, which reports the stage's progress as part of
    the whole; `shares` are roughly how long the stages take, in any unit. A stage of unknown total
    stays at its beginning; a skipped stage counts as done once the next one reports."""
    whole = sum(shares) or 1.0
    starts = accumulate(shares, initial=0.0)

    def stage(start: float, share: float) -> Progress:
        def report(label: str, done: int, total: int) -> None:
            part = min(done / total, 1.0) if total else 0.0
            progress(label, round(SCALE * (start + share * part) / whole), SCALE)

        return report

    return [stage(start, share) for start, share in zip(starts, shares, strict=False)]


class TimeEstimate:
    """An estimate of the remaining time of work, from its speed since it was first seen.

    Work done before that, such as results kept by an earlier run, does not count.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = 0
        self._first = 0
        self._began = 0.0
        self._done = 0

    def remaining_s(self, done: int, total: int) -> float | None:
        """Return the seconds that the rest takes at the speed so far; None while unknown.
        Another total, or less done than before, is treated as new work."""
        now = self._clock()
        if total != self._total or done < self._done:
            self._total, self._first, self._began = total, done, now
        self._done = done
        elapsed, advance = now - self._began, done - self._first
        if not total or advance <= 0 or elapsed < LEAST_ELAPSED_S:
            return None
        return elapsed * max(total - done, 0) / advance


def describe_remaining(seconds: float | None) -> str:
    """Return text such as "about 8 s left", in minutes from 90 s; empty if unknown."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 90:
        return f"about {max(whole, 1)} s left"
    return f"about {round(seconds / 60)} min left"
