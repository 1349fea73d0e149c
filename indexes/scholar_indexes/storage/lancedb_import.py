"""The import of LanceDB, in half the time, and with less memory for its threads."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

SETTINGS = {
    "LANCEDB_LOG": "error",
    # By default it scores each row that passes a filter, if they are few of all, which takes up to
    # three times as long as searching the posting lists (docs/scale.md).
    "LANCE_FLAT_SEARCH_PERCENT_THRESHOLD": "0",
}
"""Environment variables of LanceDB, which it reads on import or on first use."""

FEW_CORES = 4
"""With this many cores or fewer, Lance computes on all of them. By default it reserves two for
reading files, which then wait for the few that compute."""

MALLOC_ARENAS = 2
"""The number of heaps that glibc shares among threads; its default is eight per core."""

_M_ARENA_MAX = -8
"""The number of this setting in glibc's malloc.h."""


def load_lancedb() -> Any:
    """Import LanceDB without the unused parts that take half of the time.

    It skips the client of its remote service, whose package is registered without being run and
    whose models become empty classes, and the checks of the package overrides, which LanceDB
    itself skips since Python 3.12.

    Its warnings, such as one for each new partition of an updated index, concern its internals and
    would appear in the output of a command; LANCEDB_LOG=warn shows them.
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
    """Let all threads share a few heaps if the C library is glibc, unless MALLOC_ARENA_MAX sets
    their number: each heap keeps the memory that its threads freed (docs/scale.md)."""
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
