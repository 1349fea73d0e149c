"""Running the screens in a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.paths import Paths
    from scholar_indexes.settings import Settings
    from scholar_tui.navigation import NavigationRequest


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
        await app.run_async()
        for label in list(app.unfinished.values()):
            print(f"stopped before it was done: {one_line(label)}", file=sys.stderr)  # noqa: T201
        # A thread that is still running would keep the prompt waiting; what it writes is either
        # complete or absent.
        if app.busy:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(app.return_code or 0)

    asyncio.run(run())
    return app.return_code or 0
