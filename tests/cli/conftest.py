"""Fixtures of the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import make_book_text


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "the_ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path
