"""The signals that stop a command: Ctrl-C, SIGTERM and SIGHUP."""

from __future__ import annotations

import atexit
import signal
from types import FrameType

_IMPORT_CHECK_S = 0.02
"""Seconds between checks whether an import has ended, so that the command can be stopped."""

SIGNAL_EXIT_CODE = 128
"""The exit code after a signal is this plus the number of the signal."""

HANDLED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
)

_received: list[int] = [signal.SIGINT]
"""The received signals; SIGINT is first because Python handles it if this module does not."""


def stop_on_signals() -> None:
    """Make Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, unless they are ignored (nohup)."""
    for number in HANDLED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)
    atexit.register(_end_checks)


def _end_checks() -> None:
    """Stop the timer of a command that ends before its import: Python takes back the handlers at
    exit, and then the timer's signal would kill the process."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def exit_code() -> int:
    """Return the exit code of a command stopped by the last signal: 130, 143 or 129."""
    return SIGNAL_EXIT_CODE + _received[-1]


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; if the frame is in an import, only once that has ended."""
    if _is_importing(frame) and hasattr(signal, "setitimer"):  # Windows has no timer
        # An exception inside importlib can leave the lock of a module held, so that other threads
        # wait for it forever, and a caller that tries an optional import can swallow it.
        signal.signal(signal.SIGALRM, lambda _alarm, later_frame: _handle(number, later_frame))
        signal.setitimer(signal.ITIMER_REAL, _IMPORT_CHECK_S)
        return
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt the cleanup
    _received.append(number)
    raise KeyboardInterrupt


def _handle(number: int, frame: FrameType | None) -> None:
    """Handle a signal that waited for an import like one that arrives now: a server may have set
    a handler of its own meanwhile."""
    handler = signal.getsignal(number)
    if callable(handler):
        handler(number, frame)


def _is_importing(frame: FrameType | None) -> bool:
    """Return True if a frame, or one of its callers, is in importlib."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
