"""Running the screens in a terminal."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
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

    ending = _Ending()
    from scholar_tui.app import ScholarApp

    app = ScholarApp(places, settings, start, request)

    async def run() -> int:
        ending.end_in_order(app)
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
    ends that, or at once in a browser, whose page is gone; say what is left for the next start, and
    return the exit code for that."""
    from scholar_tui.change_queue import named

    has_reader = not app.is_web
    is_given_up, since_signal_s = asyncio.Event(), 0.0
    if os.name == "posix":
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, is_given_up.set)
    if (waiting := app.changes.pending) and has_reader:
        _say(
            f"waiting for another scholar, to keep {named(waiting)}; "
            "Ctrl-C leaves that for the next start of the screen"
        )
    while app.changes.pending and has_reader and not is_given_up.is_set():
        if since_signal_s >= SECONDS_TO_KEEP:
            break
        await asyncio.sleep(POLL_S)
        since_signal_s += POLL_S * ((app.return_code or 0) > _SIGNALS)
    refused, left = app.changes.refused, app.changes.give_up()
    when = ", but at the next start of the screen" if app.changes.is_on_disk else ""
    for line in (*refused, *left):
        _say(f"not kept now{when}: {line}")
    if refused:
        return ScholarError.exit_code
    return RetryLater.exit_code if left else 0


def _say(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201


class _Ending:
    """Ends the application when its terminal is closed or the system asks it to.

    A thread of its own waits for either: Textual blocks the loop of events while a terminal takes
    no output, and goes on without a terminal whose hang-up is sent to others.
    """

    def __init__(self) -> None:
        self._quit: Callable[[int], None] | None = None
        if not hasattr(select, "poll"):  # Windows has no such signals either
            return
        self._asked, asking = os.pipe()
        self._events = select.poll()
        self._events.register(self._asked, select.POLLIN)
        if sys.stdin.isatty() or "TEXTUAL_DRIVER" in os.environ:  # in a browser it is a pipe
            self._events.register(sys.stdin.fileno(), 0)  # a hang-up is reported all the same
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.write(asking, bytes([number])))
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def end_in_order(self, app: ScholarApp) -> None:
        """Let the application end itself from now on, notes kept."""
        loop = asyncio.get_running_loop()

        def quit_app(code: int) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: app.exit(return_code=code))

        self._quit = quit_app

    def _wait(self) -> None:
        while True:
            for descriptor, event in self._events.poll():
                if descriptor == self._asked:
                    self._end(os.read(descriptor, 1)[0])
                elif event & (select.POLLHUP | select.POLLERR):
                    self._end(signal.SIGHUP)
                else:
                    self._events.unregister(descriptor)  # this system looks at no terminals

    def _end(self, number: int) -> None:
        """End as after a signal, at once if there is nothing to end in order yet."""
        code = _SIGNALS + number
        if self._quit is not None:
            self._quit(code)
            time.sleep(SECONDS_TO_END)
        os._exit(code)
