"""Stopping work whose result is no longer wanted.

The caller sets a function that raises an exception once the work must stop; long work calls
`check` between its steps, and nothing of an unfinished step is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

Check = Callable[[], None]
"""Returns while work may continue, and raises an exception to stop it."""


WORDS = 2_000
"""The number of words, or of similarly small steps, that take a few milliseconds together."""


def _go_on() -> None:
    """Let work continue: the Check of a caller that sets none."""


_current: ContextVar[Check] = ContextVar("check", default=_go_on)


@contextmanager
def stopped_by(check: Check) -> Iterator[None]:
    """Let `check` stop the work within the context."""
    token = _current.set(check)
    try:
        yield
    finally:
        _current.reset(token)


def check() -> None:
    """Call the caller's Check, which raises once the work must stop."""
    _current.get()()


def checked(items: Iterable[T], every: int = 1) -> Iterator[T]:
    """Yield items, and call `check` before each, or once per `every` items if these are fast."""
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
    """Call `check`: a Progress for work whose steps are not shown."""
    check()
