"""The app as a user sees it: press keys, read the text on the screen."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from typing import Any, cast

import textual.app
import textual.pilot
from filelock import FileLock
from textual._compositor import Compositor
from textual._context import active_app
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input
from textual.worker import WorkerCancelled

from scholar_indexes import settings
from scholar_indexes.paths import user_paths
from scholar_indexes.serialize.result_formats import Format
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
    "busy_desk",
    "busy_notes",
    "close_boxes",
    "ended",
    "exported",
    "notifications",
    "scholar",
    "screen_text",
    "settings",
    "settled",
    "until",
    "user_paths",
]

BRIEF_S = 0.005
SMALL, LARGE = (80, 24), (120, 40)
LAMP, CLOCK, QUAY = "own-the-lamplighter", "own-the-clockmaker", "own-the-quay"


def app(start: str = "library", request: Any = None, theme: str = themes.DARK) -> ScholarApp:
    """Return the app on this test's home, starting with a screen."""
    here = user_paths()
    chosen, _ = settings.load(here.config, pause_s=0)
    made = ScholarApp(here, chosen, start, request)
    made.library.bookmarks.set_choice("theme", theme)
    made.NOTIFICATION_TIMEOUT = 600  # a busy machine is slow to read them
    return made


@asynccontextmanager
async def at(
    start: str = "library", request: Any = None, size: tuple[int, int] = LARGE
) -> AsyncIterator[Pilot[None]]:
    """Run the app until nothing changes any more: async with at("find") as pilot."""
    async with app(start, request).run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot
        draw(pilot.app)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until all threads have answered, including those started by an answer, all held keys are
    passed on, and everything is laid out."""
    while True:
        await idle(pilot.app)
        if any(not worker.is_finished for worker in pilot.app.workers):
            with suppress(WorkerCancelled):  # its replacement is awaited in the next round
                await pilot.app.workers.wait_for_complete()
        elif isinstance(pilot.app, ScholarApp) and pilot.app.type_ahead._held:
            await asyncio.sleep(BRIEF_S)
        else:
            return


async def ended(pilot: Pilot[None]) -> None:
    """Wait until all threads have ended, including stopped ones, and then as `settled` does."""
    await until(pilot, lambda: not scholar(pilot).busy)
    await settled(pilot)


async def idle(app: App[Any]) -> None:
    """Wait until the app has nothing left to do now: the rest waits for a thread, for input, or for
    a timer other than one of layout."""
    loop = cast(Any, asyncio.get_running_loop())
    while True:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        if app._exit or not app.is_running:
            return  # it no longer draws anything
        if _resizes_soon(app) or app._batch_count or _keeps_changes(app):
            await asyncio.sleep(BRIEF_S)
        elif _has_layout_to_do(app):
            app.screen._on_timer_update()  # as its timer would within 16 ms
        else:
            await asyncio.sleep(0)  # receives what threads have sent
            if not loop._ready:
                return


def _keeps_changes(app: App[Any]) -> bool:
    """Return True while a correction, a note or a mark is being written to disk, unless a test
    delays it (`holding_up_changes`)."""
    return isinstance(app, ScholarApp) and not _held_up and bool(app.changes.pending)


_held_up: list[bool] = []


@contextmanager
def holding_up_changes() -> Iterator[None]:
    """Keep pilots from waiting for changes that the test delays."""
    _held_up.append(True)
    try:
        yield
    finally:
        _held_up.pop()


def exported(pilot: Pilot[None], format: str) -> str:
    """Return what the front screen exports first in a text format."""
    listings = scholar(pilot).mode_screen.exports()
    listing = next(listing for listing in listings if format in listing.formats)
    written = listing.write(Format(format))
    assert isinstance(written, str)
    return written


@contextmanager
def busy_notes() -> Iterator[None]:
    """Lock the file of notes, as another program that writes to it would."""
    with (
        holding_up_changes(),
        closing(sqlite3.connect(user_paths().bookmarks, isolation_level=None)) as desk,
    ):
        desk.execute("BEGIN IMMEDIATE")
        yield
        desk.execute("ROLLBACK")


@contextmanager
def busy_desk() -> Iterator[None]:
    """Lock the files of notes and of corrections."""
    with FileLock(user_paths().corrections_lock), busy_notes():
        yield


def _resizes_soon(app: App[Any]) -> bool:
    timer = app._resize_timer
    return timer is not None and timer._task is not None and not timer._task.done()


def _has_layout_to_do(app: App[Any]) -> bool:
    """Return True if the current screen needs layout, or has changes to apply."""
    if not app._screen_stack or not app.screen.is_running or not app.screen.is_current:
        return False
    screen = app.screen
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
    )


def draw(app: App[Any]) -> None:
    """Draw what has changed on the current screen."""
    if app._screen_stack:
        _render_update(app.screen._compositor, screen_stack=app._background_screens)


def draw_at_rest(patch: Callable[[object, str, object], None]) -> None:
    """Let apps lay out their screens at every change, but draw them only when a test reads them
    (`screen_text`) and at its end; and let pilots wait as `idle` does, which reads no clock.

    Drawing took half of the time of these tests, and few of the pictures were read.
    `patch` sets an attribute of a class or a module, as setattr does.
    """
    patch(Compositor, "render_update", _render_pictures)
    patch(Pilot, "_wait_for_screen", _wait_for_screen)
    for module in (textual.app, textual.pilot):
        patch(module, "wait_for_idle", _wait_for_idle)


_render_update = Compositor.render_update


def _render_pictures(compositor: Compositor, full: bool = False, **options: Any) -> Any:
    """Draw full pictures, such as screenshots, and skip partial updates of a screen."""
    return _render_update(compositor, full=True, **options) if full else None


async def _wait_for_screen(pilot: Pilot[None], timeout: float = 30.0) -> bool:
    await idle(pilot.app)
    return not pilot.app._exception


async def _wait_for_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    await idle(active_app.get())


async def close_boxes(pilot: Pilot[None]) -> None:
    """Press Escape until no box covers the screen."""
    for _ in range(9):
        if len(pilot.app.screen_stack) == 1:
            return
        await pilot.press("escape")
        await settled(pilot)
    raise AssertionError(f"a box stays open; the screen shows:\n{screen_text(pilot)}")


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until a condition holds; fail with the text on the screen if it never does."""
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        await pilot.pause(0.05)
    raise AssertionError(f"the condition never held; the screen shows:\n{screen_text(pilot)}")


def screen_text(pilot: Pilot[None]) -> str:
    """Return all text that is on the screen, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def scholar(pilot: Pilot[None]) -> ScholarApp:
    return cast(ScholarApp, pilot.app)


def notifications(pilot: Pilot[None]) -> list[str]:
    """Return the messages of all notifications, the latest last."""
    return [notification.message for notification in pilot.app._notifications]
