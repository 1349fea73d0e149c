"""Draw the pictures of the first ten minutes, which docs/screen.md shows: docs/screens/first.

.venv/bin/python docs/first_minutes.py        starts with an empty library in a temporary folder
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from scholar_indexes import settings
from scholar_indexes.paths import user_paths
from scholar_tui import themes
from scholar_tui.app import ScholarApp
from scholar_tui.screens.export import ExportScreen
from scholar_tui.widgets.book_table import BookTable

HERE = Path(__file__).parent
FRAMES = HERE / "screens" / "first"
SIZE = (100, 28)
LONGEST_WAIT_S = 300

CLAIM = "Victor's remorse over the deaths he has caused"
NOTE = "remorse, but no confession"


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture: its name, the keys that lead to it, and the condition to wait for."""

    name: str
    keys: tuple[str, ...] = ()
    until: Callable[[ScholarApp], bool] = lambda app: True
    with_messages: bool = False
    """True for a frame that shows passing messages."""


def _is_half_added(app: ScholarApp) -> bool:
    """Return True while the first bundled book is on the shelf and the second is being added."""
    shelf = app.screen.query(BookTable)
    return bool(shelf) and len(shelf.first().ids) == 1 and bool(app.remaining)


def _is_adding_over(app: ScholarApp) -> bool:
    shelf = app.screen.query(BookTable)
    return bool(shelf) and len(shelf.first().ids) == 3 and not app.progress[0]


STORY = (
    Frame("empty"),
    Frame("adding", ("enter",), _is_half_added),
    Frame("shelf", (), _is_adding_over),
    Frame("claim", ("f3", *CLAIM, "enter")),
    Frame("kept", ("e", *NOTE, "ctrl+s", "E")),
    Frame(
        "reader",
        ("enter",),
        lambda app: app.current_mode == "reader" and not app.progress[0],
    ),
    Frame(
        "people",
        ("f5",),
        lambda app: app.current_mode == "characters" and not app.progress[0],
    ),
    Frame("export", ("f3", "ctrl+e")),
    Frame("saved", ("ctrl+s",), with_messages=True),
)


async def wait_until(
    pilot: Pilot[None], app: ScholarApp, is_true: Callable[[ScholarApp], bool]
) -> None:
    """Wait until a condition holds; raises TimeoutError after LONGEST_WAIT_S."""
    end = time.monotonic() + LONGEST_WAIT_S
    while not is_true(app):
        if time.monotonic() > end:
            raise TimeoutError("a frame did not appear")
        await pilot.pause(0.02)


async def come_to_rest(pilot: Pilot[None], app: ScholarApp) -> None:
    """Wait until the work that a key started is done."""
    for _ in range(3):
        await app.workers.wait_for_complete()
        await pilot.pause(0.3)


async def draw(app: ScholarApp, pilot: Pilot[None], frame: Frame, folder: Path) -> None:
    """Press the keys of a frame, wait for it, and write its picture."""
    for key in frame.keys:
        await pilot.press(key)
        if frame.until is not _is_half_added:
            await come_to_rest(pilot, app)
    await wait_until(pilot, app, frame.until)
    await pilot.pause(0.3)  # lets changes be drawn
    if isinstance(app.screen, ExportScreen):  # a path that is the same in every run
        app.screen.query_one("#path", Input).value = "evidence.md"
    while not frame.with_messages and app._notifications:
        app.clear_notifications()
        await pilot.pause(0.1)
    picture = app.export_screenshot(title="scholar").replace(str(folder), "/home/reader")
    (FRAMES / f"{frame.name}.svg").write_text(_smaller(picture), "utf-8")


def _smaller(picture: str) -> str:
    """Return a picture without fonts loaded from elsewhere, and with literal no-break spaces."""
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return picture.replace("&#160;", "\N{NO-BREAK SPACE}")


async def draw_all(folder: Path) -> None:
    """Draw all frames in one run of the program."""
    here = user_paths()
    app = ScholarApp(here, settings.load(here.config)[0])
    app.library.bookmarks.set_choice("theme", themes.DARK)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await come_to_rest(pilot, app)
        for frame in STORY:
            await draw(app, pilot, frame, folder)


if __name__ == "__main__":
    FRAMES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["SCHOLAR_HOME"] = str(Path(home) / "library")
        os.chdir(home)
        asyncio.run(draw_all(Path(home)))
