"""Fixtures of the tests of the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import make_book_text


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "the_ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path


@pytest.fixture
def own_sample(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the home with the bundled sample, to be written to."""
    copy = tmp_path / "own"
    shutil.copytree(sample, copy)
    monkeypatch.setenv("SCHOLAR_HOME", str(copy))
    return copy
