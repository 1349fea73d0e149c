"""Stop work whose answer is no longer wanted.

The caller names a function that raises an exception once the work has to end; long work calls
`check` between its steps, and nothing is kept of a step that was not finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

Check = Callable[[], None]
"""Returns while work may go on, and raises an exception to end it."""


WORDS = 2_000
"""Words, or other steps as small, that take a few milliseconds together."""


def _go_on() -> None:
    """Let work go on: the Check of a caller that names none."""


_current: ContextVar[Check] = ContextVar("check", default=_go_on)


@contextmanager
def stopped_by(check: Check) -> Iterator[None]:
    """Let `check` decide within the context whether work goes on."""
    token = _current.set(check)
    try:
        yield
    finally:
        _current.reset(token)


def check() -> None:
    """Raise what the caller's Check raises once the work has to end."""
    _current.get()()


def checked(items: Iterable[T], every: int = 1) -> Iterator[T]:
    """Yield items, and call `check` before each, or before every so many that take no time."""
    until = 0
    for item in items:
        if not until:
            check()
            until = every
        until -= 1
        yield item


def current_check() -> Check:
    """Return the caller's Check, for threads that the work itself starts: they do not inherit
    it."""
    return _current.get()


def check_progress(label: str, done: int, total: int) -> None:
    """Call `check`: a Progress for work that reports its steps to nobody."""
    check()
