"""The app as a user sees it: press keys, read the text on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from textual.pilot import Pilot
from textual.widgets import Input
from textual.worker import WorkerCancelled

from scholar_indexes import settings
from scholar_indexes.paths import user_paths
from scholar_tui import themes
from scholar_tui.app import ScholarApp

__all__ = [
    "CLOCK",
    "LAMP",
    "LARGE",
    "QUAY",
    "SMALL",
    "Input",
    "Pilot",
    "ScholarApp",
    "app",
    "at",
    "notifications",
    "scholar",
    "screen_text",
    "settings",
    "settled",
    "until",
    "user_paths",
]

SMALL, LARGE = (80, 24), (120, 40)
LAMP, CLOCK, QUAY = "own-the-lamplighter", "own-the-clockmaker", "own-the-quay"


def app(start: str = "library", request: Any = None, theme: str = themes.DARK) -> ScholarApp:
    """Return the app on this test's home, starting with a screen."""
    here = user_paths()
    chosen, _ = settings.load(here.config, pause_s=0)
    made = ScholarApp(here, chosen, start, request)
    made.library.bookmarks.set_choice("theme", theme)
    made.NOTIFICATION_TIMEOUT = 600  # a busy machine is slow to look
    return made


@asynccontextmanager
async def at(
    start: str = "library", request: Any = None, size: tuple[int, int] = LARGE
) -> AsyncIterator[Pilot[None]]:
    """Run the app until nothing changes any more: async with at("find") as pilot."""
    async with app(start, request).run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot


async def settled(pilot: Pilot[None]) -> None:
    """Wait until all threads have answered, those that an answer started too, all keys that waited
    are handed on, and everything is drawn."""
    rounds_at_rest = 0
    while rounds_at_rest < 3:
        held = isinstance(pilot.app, ScholarApp) and bool(
            pilot.app.type_ahead._held or pilot.app.changes.pending
        )
        busy = held or any(not worker.is_finished for worker in pilot.app.workers)
        with suppress(WorkerCancelled):  # what came in its place is waited for in the next round
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        rounds_at_rest = 0 if busy else rounds_at_rest + 1


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until a condition holds; fail with the text on the screen when it never does."""
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        await pilot.pause(0.05)
    raise AssertionError(f"this did not come about; the screen shows:\n{screen_text(pilot)}")


def screen_text(pilot: Pilot[None]) -> str:
    """Return all text that is on the screen, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def scholar(pilot: Pilot[None]) -> ScholarApp:
    return cast(ScholarApp, pilot.app)


def notifications(pilot: Pilot[None]) -> list[str]:
    """Return the messages of all notifications, the latest last."""
    return [notification.message for notification in pilot.app._notifications]
