"""Lines for the user that are shown once, however often their cause occurs."""

from __future__ import annotations

from collections.abc import Callable


class AnnounceOnce:
    """A callback that passes each line on to another one, the first time only."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._said: set[str] = set()

    def __call__(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self._announce(line)
