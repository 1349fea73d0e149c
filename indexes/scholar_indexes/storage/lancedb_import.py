"""The import of LanceDB, in half of its time, and with less memory for its threads."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

SETTINGS = {
    "LANCEDB_LOG": "error",
    # By itself it scores each row that a filter leaves, if these are few of all, which takes up to
    # three times as long as searching the lists of the words (docs/scale.md).
    "LANCE_FLAT_SEARCH_PERCENT_THRESHOLD": "0",
}
"""Environment variables of LanceDB, which it reads when it is imported or used first."""

FEW_CORES = 4
"""On so many cores or fewer Lance computes on all of them. By itself it leaves two to the reading
of files, which then waits for the only other."""

MALLOC_ARENAS = 2
"""The heaps that glibc divides among threads; by itself it makes eight for each core."""

_M_ARENA_MAX = -8
"""The number of that setting in glibc's malloc.h."""


def load_lancedb() -> Any:
    """Import LanceDB without what takes half of the time and is not used here.

    Left out are the client of its remote service, whose package is entered without running it and
    whose models become empty classes; and the checks of the package overrides, which
    LanceDB does without by itself from Python 3.12 on.

    Its warnings, such as one for each new partition of an index that is renewed, are about its own
    work and would stand between the lines of a command; LANCEDB_LOG=warn shows them.
    """
    import importlib.util
    import os
    import sys
    from types import ModuleType

    if "lancedb" not in sys.modules:
        client = "lance_namespace_urllib3_client"
        for name in (client, f"{client}.models"):
            if name not in sys.modules and (spec := importlib.util.find_spec(name)):
                sys.modules[name] = importlib.util.module_from_spec(spec)
                sys.modules[name].__dict__["__getattr__"] = _empty_class
        unchecked = ModuleType("overrides")
        unchecked.__dict__.update(
            override=lambda method: method, EnforceOverrides=type("EnforceOverrides", (), {})
        )
        present = sys.modules.setdefault("overrides", unchecked)
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        if (cores := os.cpu_count() or 1) <= FEW_CORES:
            os.environ.setdefault("LANCE_CPU_THREADS", str(cores))
        _limit_arenas()
        import lancedb

        if present is unchecked:
            del sys.modules["overrides"]
    import lancedb

    return lancedb


def _limit_arenas() -> None:
    """Let all threads share a few heaps where the C library is glibc, unless MALLOC_ARENA_MAX says
    how many: each keeps what its thread has freed (docs/scale.md)."""
    import os
    import sys

    if sys.platform == "linux" and "MALLOC_ARENA_MAX" not in os.environ:
        import ctypes

        with suppress(OSError, AttributeError):  # musl has no such setting
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MALLOC_ARENAS)


def _empty_class(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})
