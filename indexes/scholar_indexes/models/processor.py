"""The processor that models run on."""

from __future__ import annotations

import os


def count_cores() -> int:
    """Return the number of cores this process may use, of all cores where no system call tells."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
