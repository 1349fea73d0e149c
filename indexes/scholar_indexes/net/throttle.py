"""Limit requests to one at a time per host, with a pause after each.

Everything here works across processes, because a user may run several at once and a host
sees only their sum.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import Busy, RetryLater
from scholar_indexes.guarded import read_text
from scholar_indexes.net.responses import plain

_LONG_WAIT_S = 5.0  # a wait longer than this is announced
_LOCK_WAIT_S = 600.0
_MAX_STAMP_BYTES = 200
_LONGEST_PAUSE_S = 7 * 3600.0  # a longer pause is never granted: the file is damaged


@dataclass(slots=True)
class HostSlot:
    """One request to a host, and the seconds that the next one must wait after it."""

    wait_s: float


@contextmanager
def turn(
    folder: Path, host: str, pause_s: float, max_wait_s: float, announce: Callable[[str], None]
) -> Iterator[HostSlot]:
    """Hold a host for one request, once its pause is over.

    folder has a file for each host with the time it was written and the time before which no
    request may be sent. Raises RetryLater if that is more than max_wait_s away, and Busy if
    another process holds the host for ten minutes.
    """
    stamp = folder / re.sub(r"[^a-z0-9.-]", "_", host.lower())[:100]
    with hold(stamp.with_name(stamp.name + ".lock"), f"from {plain(host)}", announce):
        wait_s = _pause_left(stamp)
        if wait_s > max(max_wait_s, pause_s):
            raise RetryLater(come_back(host, wait_s))
        if wait_s > _LONG_WAIT_S:
            announce(f"waiting {wait_s:.0f} s before asking {plain(host)} again")
        time.sleep(wait_s)
        mine = HostSlot(pause_s)
        _write_pause(stamp, mine.wait_s)  # so that it counts even if this process is killed
        try:
            yield mine
        finally:
            _write_pause(stamp, mine.wait_s)


@contextmanager
def hold(path: Path, what: str, announce: Callable[[str], None]) -> Iterator[None]:
    """Hold a lock file; announce it if another process makes this one wait.

    Raises Busy if it is still held after ten minutes.
    """
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=_LONG_WAIT_S)
    except Timeout:
        announce(f"waiting: another scholar is downloading {what}")
        try:
            lock.acquire(timeout=_LOCK_WAIT_S)
        except Timeout:
            raise Busy(
                f"another scholar is still downloading {what}; "
                "run the same command again when it is done"
            ) from None
    try:
        yield
    finally:
        lock.release()


def come_back(host: str, wait_s: float) -> str:
    """Return the message that a host wants no requests for `wait_s` seconds."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() + wait_s))
    return f"{plain(host)} accepts no requests until {when}; run the same command again then"


def _pause_left(stamp: Path) -> float:
    """Return the seconds until the next request to a host is allowed."""
    now = time.time()
    try:
        written, until = map(float, read_text(stamp, _MAX_STAMP_BYTES).split())
    except (FileNotFoundError, ValueError):
        return 0.0
    # A wrong clock would otherwise block the host until the right one has caught up.
    clock_was_set_back = written > now + 1
    left = until - now
    return left if 0 < left < _LONGEST_PAUSE_S and not clock_was_set_back else 0.0


def _write_pause(stamp: Path, wait_s: float) -> None:
    now = time.time()
    stamp.write_text(f"{now} {now + wait_s}", encoding="ascii")
