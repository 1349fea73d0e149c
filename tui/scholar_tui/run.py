"""Running the screen in a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import UsageError

if TYPE_CHECKING:
    from scholar_indexes.places import Places
    from scholar_indexes.settings import Settings


def in_terminal(
    places: Places, settings: Settings, start: str = "library", errand: Any = None
) -> int:
    """Show the screen until the person quits; returns the exit code.

    Raises UsageError where there is no terminal to draw on.
    """
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal; in a pipe use scholar find, show and others")
    if os.environ.get("TERM") == "dumb":
        raise UsageError("this terminal is too plain for the screen; use scholar find and others")

    from scholar_tui.app import ScholarApp

    app = ScholarApp(places, settings, start, errand)

    async def shown() -> None:
        await app.run_async()
        # A thread that is still asking would keep the prompt waiting; what it writes is
        # either whole or not there.
        if any(not each.is_finished for each in app.workers):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(app.return_code or 0)

    asyncio.run(shown())
    return app.return_code or 0
