"""Running the screens in a terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.paths import Paths
    from scholar_indexes.settings import Settings
    from scholar_tui.app import ScholarApp
    from scholar_tui.navigation import NavigationRequest

_SIGNALS = 128
"""The exit code after a signal is its number more."""

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

    async def run() -> None:
        _end_on_signals(app)
        await app.run_async()
        with suppress(OSError):
            for label in list(app.unfinished.values()):
                print(f"stopped before it was done: {one_line(label)}", file=sys.stderr)  # noqa: T201
        # A thread that is still running would keep the prompt waiting; what it writes is either
        # complete or absent. A terminal that is gone takes no last output.
        code = app.return_code or 0
        if app.busy or code > _SIGNALS:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    asyncio.run(run())
    return app.return_code or 0


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
