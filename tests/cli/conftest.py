"""Fixtures of the tests of the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kept_things
from command_line import make_book_text
from libraries import build_once


@pytest.fixture(scope="session")
def library_of_everything(
    spoken: Path, dozen_papers: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Build a home with data of every stored kind, to be copied."""

    def build(folder: Path) -> None:
        shutil.copytree(spoken, folder / "home")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SCHOLAR_HOME", str(folder / "home"))
            kept_things.fill(folder / "home", dozen_papers, folder)

    return build_once(tmp_path_factory, "everything", build) / "home"


@pytest.fixture
def everything(library_of_everything: Path, home: Path) -> Path:
    """Return this test's home with data of every stored kind."""
    shutil.copytree(library_of_everything, home)
    return home


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "the_ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path
