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
"""The exit code after a signal is this plus the number of the signal."""

POLL_S = 0.05

SECONDS_TO_KEEP = 3.0
"""The seconds after a signal in which changes that another program blocks are still saved."""

SECONDS_TO_END = 5
"""The seconds for an orderly exit after a signal; a terminal that is gone may never accept the
output of Textual."""


def in_terminal(
    places: Paths,
    settings: Settings,
    start: str = "library",
    request: NavigationRequest | None = None,
) -> int:
    """Run the application until the user quits and return the exit code.

    Raises UsageError if there is no terminal to draw on.
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
        for label in app.jobs.unfinished:
            _say(f"stopped before it was done: {one_line(label)}")
        code = app.return_code or failure
        # A thread that is still running would delay the prompt; its output is either complete
        # or absent. A terminal that is gone accepts no last output.
        if app.busy or app.changes.pending or code > _SIGNALS:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
        return code

    return asyncio.run(run())


async def _keep_changes(app: ScholarApp) -> int:
    """Wait for corrections, notes and marks that another program blocks, until Ctrl-C or a signal
    ends the wait, or not at all in a browser, whose page is gone; report what is left for the next
    start, and return the exit code for that."""
    is_given_up = asyncio.Event()
    if os.name == "posix":
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, is_given_up.set)
    if app.changes.pending and not app.is_web:
        await _wait_for_changes(app, is_given_up)
    refused, left = app.changes.refused, app.changes.give_up()
    when = ", but at the next start of the screen" if app.changes.is_on_disk else ""
    for line in (*refused, *left):
        _say(f"not saved now{when}: {line}")
    if refused:
        return ScholarError.exit_code
    return RetryLater.exit_code if left else 0


async def _wait_for_changes(app: ScholarApp, is_given_up: asyncio.Event) -> None:
    """Wait until all changes are saved, the user gives up, or a signal leaves no more time."""
    from scholar_tui.change_queue import named

    since_signal_s = 0.0
    _say(
        f"waiting for another scholar, to save {named(app.changes.pending)}; "
        "Ctrl-C leaves that for the next start of the screen"
    )
    while app.changes.pending and not is_given_up.is_set():
        if since_signal_s >= SECONDS_TO_KEEP:
            break
        await asyncio.sleep(POLL_S)
        since_signal_s += POLL_S * ((app.return_code or 0) > _SIGNALS)


def _say(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201


class _Ending:
    """Ends the application when its terminal is closed or the system requests it.

    A separate thread waits for either: Textual blocks the event loop while a terminal accepts no
    output, and keeps running without its terminal if the hang-up is sent to other processes.
    """

    def __init__(self) -> None:
        self._quit: Callable[[int], None] | None = None
        if not hasattr(select, "poll"):  # Windows has no such signals either
            return
        self._asked, asking = os.pipe()
        self._events = select.poll()
        self._events.register(self._asked, select.POLLIN)
        if sys.stdin.isatty() or "TEXTUAL_DRIVER" in os.environ:  # in a browser it is a pipe
            self._events.register(sys.stdin.fileno(), 0)  # hang-ups are always reported
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.write(asking, bytes([number])))
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def end_in_order(self, app: ScholarApp) -> None:
        """Let the application exit by itself from now on, so that notes are saved."""
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
                    self._events.unregister(descriptor)  # this system cannot poll terminals

    def _end(self, number: int) -> None:
        """Exit as on a signal; immediately if there is nothing to clean up."""
        code = _SIGNALS + number
        if self._quit is not None:
            self._quit(code)
            time.sleep(SECONDS_TO_END)
        os._exit(code)
