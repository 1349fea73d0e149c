"""Snapshots of every screen at two sizes and in a light theme, and of screens with a wide panel.

After an intended change: pytest tests/tui/test_tui_snapshots.py --snapshot-update, and review
the difference. The snapshots do not depend on the day, the folder or the processor: books have
fixed dates, answers are ranked by words, and the output of models is omitted.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import screens
from command_line import invoke_in_home, succeeded
from libraries import add_book, build_once
from scholar_indexes.characters.quiz.preferences import QuizPreferences
from scholar_tui import themes

Compare = Callable[..., bool]

LOOKS = [
    pytest.param(screens.SMALL, themes.DARK, id="80x24-dark"),
    pytest.param(screens.SMALL, themes.LIGHT, id="80x24-light", marks=pytest.mark.slow),
    pytest.param(screens.LARGE, themes.DARK, id="120x40-dark", marks=pytest.mark.slow),
]

HUGE = (200, 60)

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"


@pytest.fixture(scope="session")
def furnished_library(
    small_library: Path, spoken: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Build a home with three small books with fixed dates, and a dozen papers."""

    def build(folder: Path) -> None:
        home = folder / "home"
        shutil.copytree(small_library, home)
        quay = next((spoken / "data" / "books").glob("own-the-quay.*/text*"))
        add_book(home, folder / "quay.txt", quay.read_text("utf-8"), "The Quay")
        succeeded(invoke_in_home(home, "papers", "add", str(PAPERS)))
        succeeded(invoke_in_home(home, "characters", "quay"))
        with sqlite3.connect(home / "data" / "catalog.sqlite") as db:
            dated = "UPDATE editions SET added = '2026-01-02T03:04:05Z', source = 'a small file'"
            db.execute(dated)

    return build_once(tmp_path_factory, "furnished", build) / "home"


@pytest.fixture
def furnished_home(furnished_library: Path, home: Path) -> Path:
    shutil.copytree(furnished_library, home)
    return home


def look(*keys: str) -> Callable[[Any], Any]:
    """Press keys, and wait before and after each until nothing changes."""

    async def come_to_rest(pilot: Any) -> None:
        await screens.settled(pilot)
        for key in keys:
            await pilot.press(key)
            await screens.settled(pilot)
        pilot.app.clear_notifications()
        await screens.settled(pilot)

    return come_to_rest


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_library(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("library", "own-the-quay", theme)
    assert snap_compare(app, terminal_size=size, run_before=look())


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_finding(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    request = {"claim": "the letter is burnt", "books": ["own-the-quay"], "mode": "lexical"}
    app = screens.app("find", request, theme)
    assert snap_compare(app, terminal_size=size, run_before=look("enter", "s", "i"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_reading(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("reader", "own-the-quay:1.1", theme)
    assert snap_compare(app, terminal_size=size, run_before=look(">"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_people(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("characters", "own-the-quay", theme)
    assert snap_compare(app, terminal_size=size, run_before=look("2"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_papers(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("papers", None, theme)
    assert snap_compare(app, terminal_size=size, run_before=look("down"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_a_question(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("quiz", "pg64317", theme)
    app.library.bookmarks.set_choice("quiz-wishes", QuizPreferences(seed=7).to_json())
    assert snap_compare(app, terminal_size=size, run_before=look("enter", "1"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_help(furnished_home: Path, snap_compare: Compare, size: Any, theme: str) -> None:
    app = screens.app("papers", None, theme)
    assert snap_compare(app, terminal_size=size, run_before=look("f1"))


def test_finding_on_a_broad_screen(furnished_home: Path, snap_compare: Compare) -> None:
    request = {"claim": "the letter is burnt", "books": ["own-the-quay"], "mode": "lexical"}
    app = screens.app("find", request)
    assert snap_compare(app, terminal_size=HUGE, run_before=look("enter", "s"))


@pytest.mark.slow
def test_reading_on_a_broad_screen(furnished_home: Path, snap_compare: Compare) -> None:
    app = screens.app("reader", "own-the-quay:1.1")
    assert snap_compare(app, terminal_size=HUGE, run_before=look("v", ">"))


@pytest.mark.slow
def test_people_on_a_broad_screen(furnished_home: Path, snap_compare: Compare) -> None:
    app = screens.app("characters", "own-the-quay")
    assert snap_compare(app, terminal_size=HUGE, run_before=look("2"))
