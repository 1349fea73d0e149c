"""Draw the pictures of the screen: the bundled books, and the papers of the tests.

.venv/bin/python docs/screens.py        writes docs/screens/*.svg, and browser.png with Chromium
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scholar_indexes import settings
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_tui import themes
from scholar_tui.app import ScholarApp

HERE = Path(__file__).parent
OUT = HERE / "screens"
PAPERS = HERE.parent / "tests" / "data" / "papers.jsonl"
SIZE = (110, 32)
WIDE = {"notes": (166, 34), "graph": (120, 40)}
"""The sizes of pictures that need more room."""

PORT = 8765
CLAIM = {"claim": "the green light stands for a longing that cannot be fulfilled", "book": None}

PICTURES: dict[str, tuple[str, Any, str, tuple[str, ...]]] = {
    "library": ("library", "pg1342", themes.DARK, ()),
    "find": ("find", CLAIM, themes.DARK, ("enter", "s", "down", "down")),
    "export": (
        "find",
        CLAIM,
        themes.DARK,
        ("enter", "ctrl+e", *["down"] * 6, "enter", "end", "ctrl+u", *"dream.docx"),
    ),
    "reader": ("reader", "pg1342:1.3", themes.LIGHT, (".",)),
    "concordance": ("reader", "pg64317", themes.DARK, ("/", *"light", "down", "down")),
    "notes": (
        "reader",
        "pg64317:9.160",
        themes.LIGHT,
        (
            *("m", "e", *"Nick erases the word: the last host", "ctrl+s"),
            *("m", "m", "e", *"the light again; what recedes is not the future", "ctrl+s"),
            "escape",
        ),
    ),
    "characters": ("characters", "pg1342", themes.DARK, ("down",)),
    "graph": ("characters", "pg1342", themes.DARK, ("6",)),
    "papers": ("papers", None, themes.LIGHT, ("2", "enter", "2")),
    "quiz": ("quiz", "pg64317", themes.DARK, ("enter", "1")),
}
"""The first screen, the request, the theme, and the keys to press."""


async def draw(name: str) -> None:
    start, request, theme, keys = PICTURES[name]
    here = user_paths()
    app = ScholarApp(here, settings.load(here.config)[0], start, request)
    app.library.bookmarks.set_choice("theme", theme)
    async with app.run_test(size=WIDE.get(name, SIZE)) as pilot:
        for key in (None, *keys):
            if key is not None:
                await pilot.press(key)
            for _ in range(4):
                await app.workers.wait_for_complete()
                await pilot.pause(0.4)
        while app._notifications:  # wait until passing messages are gone
            app.clear_notifications()
            await pilot.pause(0.2)
        (OUT / f"{name}.svg").write_text(app.export_screenshot(title="scholar"), "utf-8")


def draw_in_browser(home: str) -> None:
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("there is no Chromium; browser.png is left as it is", file=sys.stderr)  # noqa: T201
        return
    scholar = str(Path(sys.executable).with_name("scholar"))
    serving = subprocess.Popen(
        [scholar, "tui", "--serve", "--port", str(PORT)],
        env={**os.environ, "SCHOLAR_HOME": home},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serving.stderr is not None
    lines = (line.partition("open ")[2].strip() for line in serving.stderr if "token=" in line)
    try:
        with sync_playwright() as playwright:
            opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = opened.new_page(viewport={"width": 1000, "height": 620})
            page.goto(f"{next(lines)}&fontsize=15")
            page.wait_for_timeout(3_000)
            page.keyboard.press("F3")
            page.wait_for_timeout(1_000)
            page.keyboard.type(CLAIM["claim"] or "", delay=10)
            page.wait_for_timeout(5_000)
            page.keyboard.press("Enter")
            page.wait_for_timeout(2_000)
            page.screenshot(path=str(OUT / "browser.png"))
            opened.close()
    finally:
        serving.terminate()
        serving.wait()


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["SCHOLAR_HOME"] = home
        here = user_paths()
        library = Library(here, settings.load(here.config)[0])
        library.books.adder.add_sample()
        library.papers.add(str(PAPERS))
        library.characters.cast("pg1342")
        for picture in sys.argv[1:] or PICTURES:
            asyncio.run(draw(picture))
        if len(sys.argv) == 1:
            draw_in_browser(home)
