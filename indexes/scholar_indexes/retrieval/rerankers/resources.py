"""The resources that re-rankers are loaded with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings


class Clocks(NamedTuple):
    """Seconds that have passed, and seconds that the processor's cores worked for this process."""

    passed: float
    worked: float


def read_clocks() -> Clocks:
    return Clocks(time.perf_counter(), time.process_time())


@dataclass(frozen=True, slots=True)
class Resources:
    """The files and settings of a library. `announce` prints a line for the user; `clocks` measures
    the speed of this machine."""

    paths: Paths
    settings: Settings
    announce: Callable[[str], None]
    clocks: Callable[[], Clocks] = read_clocks
