"""The pictures of the first ten minutes, drawn by docs/first_minutes.py for docs/screen.md."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import screens
from screens import settled

DOCS = Path(__file__).parents[2] / "docs"
LARGEST_BYTES = 100_000


@pytest.fixture(scope="module")
def story() -> ModuleType:
    spec = importlib.util.spec_from_file_location("first_minutes", DOCS / "first_minutes.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["first_minutes"] = module  # dataclasses look up their module there
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_every_picture_in_order(story: ModuleType) -> None:
    page = (DOCS / "screen.md").read_text("utf-8")
    shown = re.findall(r"\(screens/first/(\w+)\.svg\)", page)
    assert shown == [frame.name for frame in story.STORY]


def test_every_picture_is_there_small_and_loads_nothing_from_elsewhere(story: ModuleType) -> None:
    for frame in story.STORY:
        picture = (story.FRAMES / f"{frame.name}.svg").read_text("utf-8")
        assert len(picture.encode()) < LARGEST_BYTES
        assert "url(http" not in picture
        assert "@font-face" not in picture


async def test_a_frame_is_drawn_of_the_running_program(
    story: ModuleType, two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, "FRAMES", tmp_path)
    app: Any = screens.app()
    async with app.run_test(size=story.SIZE, notifications=True) as pilot:
        await settled(pilot)
        frame = story.Frame("chapters", ("i",))
        await story.draw(app, pilot, frame, two_books)
    picture = (tmp_path / "chapters.svg").read_text("utf-8")
    assert "Lamplighter" in picture
    assert str(two_books) not in picture
