"""Progress of work in several stages as one, and the time that the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import accumulate

from scholar_indexes.types import Progress

SCALE = 1_000
"""The total that stages report together: thousandths of the whole."""

LEAST_ELAPSED_S = 1.0
"""Seconds of work that are measured before its end is estimated."""


def divide_progress(progress: Progress, shares: Sequence[float]) -> list[Progress]:
    """Return a Progress for each stage of some work, which passes the stage's own on as part of
    the whole; `shares` are about how long the stages take, in any unit. A stage of unknown total
    stands at its beginning; one that is left out is passed over by the next."""
    whole = sum(shares) or 1.0
    starts = accumulate(shares, initial=0.0)

    def stage(start: float, share: float) -> Progress:
        def report(label: str, done: int, total: int) -> None:
            part = min(done / total, 1.0) if total else 0.0
            progress(label, round(SCALE * (start + share * part) / whole), SCALE)

        return report

    return [stage(start, share) for start, share in zip(starts, shares, strict=False)]


class TimeEstimate:
    """The time that work will still take, measured from what was done since it was first seen.

    What was done before, such as what an earlier run had kept, does not count.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = 0
        self._first = 0
        self._began = 0.0
        self._done = 0

    def remaining_s(self, done: int, total: int) -> float | None:
        """Return the seconds that the rest takes at the speed so far; None while that is not
        known. Another total, or less done than before, is taken for other work."""
        now = self._clock()
        if total != self._total or done < self._done:
            self._total, self._first, self._began = total, done, now
        self._done = done
        elapsed, advance = now - self._began, done - self._first
        if not total or advance <= 0 or elapsed < LEAST_ELAPSED_S:
            return None
        return elapsed * max(total - done, 0) / advance


def describe_remaining(seconds: float | None) -> str:
    """Return "about 8 s left", in minutes from 90 s on; empty where it is not known."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 90:
        return f"about {max(whole, 1)} s left"
    return f"about {round(seconds / 60)} min left"
