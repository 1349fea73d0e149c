"""Access to the user's bookmarks with failures shown as messages."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeVar

from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_tui.screens.mode_screen import ModeScreen

if TYPE_CHECKING:
    from scholar_tui.changes import RecordPlace

T = TypeVar("T")


class ReportPolicy(Enum):
    """The failures that are shown: all, each that differs from the previous one, or the first."""

    ALL = auto()
    CHANGED = auto()
    FIRST = auto()


class BookmarkAccess:
    """Reads and writes bookmarks for a screen; a failure is shown instead of raised."""

    def __init__(self, screen: ModeScreen, policy: ReportPolicy = ReportPolicy.ALL) -> None:
        self._screen = screen
        self._policy = policy
        self._last_failure = ""

    def run(self, action: Callable[[Bookmarks], T]) -> T | None:
        """Return what an action returns, or None if it failed."""
        try:
            result = action(self._screen.bookmarks)
        except (ScholarError, OSError) as failure:
            self._report(failure)
            return None
        if self._policy is ReportPolicy.CHANGED:
            self._last_failure = ""
        return result

    def record(self, change: RecordPlace) -> None:
        """Queue a change in passing; only a failure is shown."""
        self._screen.change(change, lambda _: None, self._report, in_passing=True)

    def choice(self, name: str) -> str | None:
        """Return a remembered choice."""
        return self.run(lambda bookmarks: bookmarks.choice(name))

    def set_choice(self, name: str, value: str) -> None:
        """Remember a choice."""
        self.run(lambda bookmarks: bookmarks.set_choice(name, value))

    def claims(self) -> list[str]:
        """Return the earlier claims, the latest first."""
        return self.run(lambda bookmarks: bookmarks.claims()) or []

    def _line(self, failure: ScholarError | OSError) -> str:
        return str(self._screen.scholar.as_refusal(failure))

    def _report(self, failure: ScholarError | OSError) -> None:
        line = self._line(failure)
        is_repeated = {
            ReportPolicy.ALL: False,
            ReportPolicy.CHANGED: line == self._last_failure,
            ReportPolicy.FIRST: bool(self._last_failure),
        }[self._policy]
        self._last_failure = line
        if not is_repeated:
            self._screen.show_message(line, severity="error")
