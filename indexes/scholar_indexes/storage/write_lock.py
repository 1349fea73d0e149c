"""The locks that let only one program at a time write books, and only one write papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scholar_indexes.locks import exclusive_lock
from scholar_indexes.types import Progress


class WriteLock:
    """A lock of the library at `path`; waiting for it is announced once."""

    def __init__(self, path: Path, wait_s: float, announce: Callable[[str], None]) -> None:
        self._path = path
        self._wait_s = wait_s
        self._announce = announce

    @contextmanager
    def held(self, progress: Progress) -> Iterator[None]:
        """Hold the lock; raises Busy if another program holds it for too long."""

        def tell() -> None:
            self._announce("another scholar is writing; waiting for it to finish")

        def keep_waiting() -> None:
            progress("waiting for another scholar", 0, 0)

        with exclusive_lock(self._path, self._wait_s, tell, keep_waiting):
            yield
