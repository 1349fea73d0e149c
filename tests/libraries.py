"""Libraries for the tests, each built once a run and shared by all worker processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from command_line import invoke_in_home, succeeded


def build_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """Return a folder of this name, filled by the first worker that wants it.

    The workers of pytest-xdist have folders of their own beside one another. What is
    built is read by all of them: copy it before writing to it.
    """
    base = factory.getbasetemp()
    run = base.parent if base.name.startswith("popen-") else base
    folder = run / "built" / name
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / ".whole").exists():
            folder.mkdir()
            build(folder)
            (folder / ".whole").touch()
    return folder


def add_book(home: Path, path: Path, text: str, title: str, author: str = "Ann Example") -> None:
    """Write a text in English to a file and add it to the library of a home."""
    path.write_text(text, "utf-8")
    names = ("--title", title, "--author", author, "--language", "en")
    succeeded(invoke_in_home(home, "add", str(path), *names))


def overwrite(path: Path) -> None:
    """Replace the content of a file with bytes of about the same length that mean nothing."""
    path.write_bytes(b"\0garbage" * (path.stat().st_size // 8 + 1))
