"""Draw the first ten minutes of a new user, on the screen: docs/screens/first and first-minutes.md.

.venv/bin/python docs/first_minutes.py        begins with an empty library in a folder of its own
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
PAGE = HERE / "first-minutes.md"
SIZE = (100, 28)
LONGEST_WAIT_S = 300

CLAIM = "Victor's remorse over the deaths he has caused"
NOTE = "remorse, but no confession"


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture: its name, the words below it, the keys that lead to it, and what is waited for."""

    name: str
    caption: str
    keys: tuple[str, ...] = ()
    until: Callable[[ScholarApp], bool] = lambda app: True
    with_messages: bool = False
    """True for a frame that shows messages in passing."""


def _is_half_added(app: ScholarApp) -> bool:
    """Return True while the first of the bundled books is on the shelf and the second is added."""
    shelf = app.screen.query(BookTable)
    return bool(shelf) and len(shelf.first().ids) == 1 and bool(app.remaining)


def _is_adding_over(app: ScholarApp) -> bool:
    shelf = app.screen.query(BookTable)
    return bool(shelf) and len(shelf.first().ids) == 3 and not app.progress[0]


STORY = (
    Frame("empty", "`scholar tui` opens on an empty shelf, which says what to press."),
    Frame(
        "adding",
        "Enter adds three bundled novels without a network. Each stands on the shelf as soon as it "
        "is ready; the line below says how far the rest is and how long it will take.",
        ("enter",),
        _is_half_added,
    ),
    Frame(
        "shelf",
        "All three are there. Enter would read the one under the cursor.",
        (),
        _is_adding_over,
    ),
    Frame(
        "claim",
        "`F3` finds. A claim is typed, and its passages are listed as the typing ends; Enter goes "
        "to the list, and the page beside it shows where each passage stands.",
        ("f3", *CLAIM, "enter"),
    ),
    Frame(
        "kept",
        "`e` writes a note on the passage, which keeps it. `E` shows what was kept.",
        ("e", *NOTE, "ctrl+s", "E"),
    ),
    Frame(
        "reader",
        "Enter opens the book at the passage, marked. Who speaks is found the first time a book is "
        "read, and kept: each speaker has a colour.",
        ("enter",),
        lambda app: app.current_mode == "reader" and not app.progress[0],
    ),
    Frame(
        "people",
        "`F5` has the people of the book: how much each says, where, and what is told of them, "
        "with the passages.",
        ("f5",),
        lambda app: app.current_mode == "characters" and not app.progress[0],
    ),
    Frame(
        "export",
        "Back in Find, `Ctrl+E` takes what was kept out of the program. It offers a new file, and "
        "asks before it writes over one.",
        ("f3", "ctrl+e"),
    ),
    Frame(
        "saved",
        "It says where the file is. `F1` has the keys of every screen, `Ctrl+P` finds a command by "
        "a word of it.",
        ("ctrl+s",),
        with_messages=True,
    ),
)


async def wait_until(
    pilot: Pilot[None], app: ScholarApp, is_true: Callable[[ScholarApp], bool]
) -> None:
    """Wait until a condition holds; raises TimeoutError where it never does."""
    end = time.monotonic() + LONGEST_WAIT_S
    while not is_true(app):
        if time.monotonic() > end:
            raise TimeoutError("a frame did not come about")
        await pilot.pause(0.02)


async def come_to_rest(pilot: Pilot[None], app: ScholarApp) -> None:
    """Wait until the work that a key began is done."""
    for _ in range(3):
        await app.workers.wait_for_complete()
        await pilot.pause(0.3)


async def draw(app: ScholarApp, pilot: Pilot[None], frame: Frame, folder: Path) -> None:
    """Press the keys of a frame, wait for it and write its picture."""
    for key in frame.keys:
        await pilot.press(key)
        if frame.until is not _is_half_added:
            await come_to_rest(pilot, app)
    await wait_until(pilot, app, frame.until)
    await pilot.pause(0.3)  # what has changed is drawn
    if isinstance(app.screen, ExportScreen):  # a folder that is the same at every run
        app.screen.query_one("#path", Input).value = "evidence.md"
    while not frame.with_messages and app._notifications:
        app.clear_notifications()
        await pilot.pause(0.1)
    picture = app.export_screenshot(title="scholar").replace(str(folder), "/home/reader")
    (FRAMES / f"{frame.name}.svg").write_text(_smaller(picture), "utf-8")


def _smaller(picture: str) -> str:
    """Return a picture without the fonts that it would load from elsewhere, its spaces as such."""
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return picture.replace("&#160;", "\N{NO-BREAK SPACE}")


async def tell(folder: Path) -> None:
    """Draw all frames, one after the other, in one run of the program."""
    here = user_paths()
    app = ScholarApp(here, settings.load(here.config)[0])
    app.library.bookmarks.set_choice("theme", themes.DARK)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await come_to_rest(pilot, app)
        for frame in STORY:
            await draw(app, pilot, frame, folder)


def write_page() -> None:
    """Write the page that shows the frames in order."""
    parts = [
        "# The first ten minutes",
        "A new user and an empty library, from the first key to a file of evidence. The pictures "
        "are made by `.venv/bin/python docs/first_minutes.py`, which drives the program itself.",
    ]
    for number, frame in enumerate(STORY, 1):
        parts += [
            f"## {number}",
            frame.caption,
            f"![The screen, step {number}](screens/first/{frame.name}.svg)",
        ]
    parts.append(
        "[The screen](screen.md) says what every screen is for, and [keys](keys.md) has every key."
    )
    PAGE.write_text("\n\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    FRAMES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["SCHOLAR_HOME"] = str(Path(home) / "library")
        os.chdir(home)
        asyncio.run(tell(Path(home)))
    write_page()
