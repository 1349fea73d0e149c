"""The signals that stop a command: Ctrl-C, SIGTERM and SIGHUP."""

from __future__ import annotations

import signal
from types import FrameType

_IMPORT_CHECK_S = 0.02
"""Seconds between the checks of an import that has to end before a command is stopped."""

SIGNAL_EXIT_CODE = 128
"""The exit code after a signal is its number more."""

HANDLED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
)

_received: list[int] = [signal.SIGINT]
"""The signals that were received, SIGINT first: Python handles it where this module does not."""


def stop_on_signals() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, unless they are ignored (nohup)."""
    for number in HANDLED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def exit_code() -> int:
    """Return the exit code of a command that the last signal stopped: 130, 143 or 129."""
    return SIGNAL_EXIT_CODE + _received[-1]


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, once the import is over that the frame is in, if any."""
    if _is_importing(frame) and hasattr(signal, "setitimer"):  # Windows has no timer
        # An exception within importlib can leave the lock of a module held, for which other threads
        # then wait for ever, and a caller that tries an optional import can swallow it.
        signal.signal(signal.SIGALRM, lambda _alarm, later_frame: _stop(number, later_frame))
        signal.setitimer(signal.ITIMER_REAL, _IMPORT_CHECK_S)
        return
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt what ends in order
    _received.append(number)
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Return True if a frame, or one that called it, is importlib's."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
