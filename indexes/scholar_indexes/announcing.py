"""Lines for the user that are said once, however often their cause comes up."""

from __future__ import annotations

from collections.abc import Callable


class AnnounceOnce:
    """Passes each line on to a callback the first time."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._said: set[str] = set()

    def __call__(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self._announce(line)
