"""Running the screens in a terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from scholar_indexes.errors import RetryLater, ScholarError, UsageError
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.paths import Paths
    from scholar_indexes.settings import Settings
    from scholar_tui.app import ScholarApp
    from scholar_tui.navigation import NavigationRequest

_SIGNALS = 128
"""The exit code after a signal is its number more."""

POLL_S = 0.05

MOST_NAMED = 3
"""Changes that wait to be kept and are named."""

SECONDS_TO_KEEP = 3.0
"""The time after a signal in which changes are kept that another program holds up."""

SECONDS_TO_END = 5
"""The time for an orderly end after a signal; a terminal that is gone may never take what Textual
writes to it."""


def in_terminal(
    places: Paths,
    settings: Settings,
    start: str = "library",
    request: NavigationRequest | None = None,
) -> int:
    """Run the application until the user quits and return the exit code.

    Raises UsageError where there is no terminal to draw on.
    """
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal; in a pipe use scholar find, show and others")
    if os.environ.get("TERM") == "dumb":
        raise UsageError("this terminal is too plain for the screen; use scholar find and others")

    from scholar_tui.app import ScholarApp

    app = ScholarApp(places, settings, start, request)

    async def run() -> int:
        _end_on_signals(app)
        await app.run_async()
        failure = await _keep_changes(app)
        for label in list(app.unfinished.values()):
            _say(f"stopped before it was done: {one_line(label)}")
        code = app.return_code or failure
        # A thread that is still running would keep the prompt waiting; what it writes is either
        # complete or absent. A terminal that is gone takes no last output.
        if app.busy or app.changes.pending or code > _SIGNALS:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
        return code

    return asyncio.run(run())


async def _keep_changes(app: ScholarApp) -> int:
    """Wait for corrections, notes and marks that another program holds up, until Ctrl-C or a signal
    gives them up; say which are not kept, and return the exit code for that."""
    if waiting := app.changes.pending:
        names = ", ".join(waiting[:MOST_NAMED]) + ", ..." * (len(waiting) > MOST_NAMED)
        _say(f"waiting for another scholar, to keep {names}; Ctrl-C gives that up")
    is_given_up, since_signal_s = asyncio.Event(), 0.0
    if os.name == "posix":
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, is_given_up.set)
    while app.changes.pending and not is_given_up.is_set() and since_signal_s < SECONDS_TO_KEEP:
        await asyncio.sleep(POLL_S)
        since_signal_s += POLL_S * ((app.return_code or 0) > _SIGNALS)
    refused, left = app.changes.refused, app.changes.give_up()
    for line in (*refused, *left):
        _say(f"not kept: {line}")
    if refused:
        return ScholarError.exit_code
    return RetryLater.exit_code if left else 0


def _say(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201


def _end_on_signals(app: ScholarApp) -> None:
    """Make the application end in order, notes kept, when the window of its terminal is closed or
    the system asks it to."""

    def end(number: int) -> None:
        app.exit(return_code=_SIGNALS + number)
        fallback = threading.Timer(SECONDS_TO_END, os._exit, [_SIGNALS + number])
        fallback.daemon = True
        fallback.start()

    if os.name == "posix":
        for number in (signal.SIGHUP, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, end, number)
