"""Background processes that wait at a gate before they find the people of a book."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from filelock import FileLock

WAIT_S = 600.0
"""Seconds after which a wait fails: a low-priority process takes many of them on a busy machine."""

_PROGRAM = """
import sys, time
from pathlib import Path
from filelock import FileLock
from scholar_indexes.background import people_process as process

folder, find = Path(sys.argv[1]), process.find

def find_later(places, book_id):
    with FileLock(folder / "running.lock", timeout=0):
        (folder / f"begun-{book_id}").touch()
        process._write({"label": "finding mentions", "done": 1, "total": 4})
        while not (folder / "open").exists():
            time.sleep(0.02)
        find(places, book_id)

process.find = find_later
process.NICENESS = 0  # else a busy machine would hold up the tests
process.main()
"""


class Gate:
    """A gate in a folder; a process fails at once if another one is running."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.command = (sys.executable, "-c", _PROGRAM, str(folder))

    @property
    def begun(self) -> list[str]:
        """The ids of the books whose processes have begun."""
        return sorted(path.name.removeprefix("begun-") for path in self._folder.glob("begun-*"))

    def open(self) -> None:
        """Let all processes continue, now and later."""
        (self._folder / "open").touch()

    def wait_for(self, *books: str) -> None:
        """Wait until the processes of the given books have begun."""
        deadline = time.monotonic() + WAIT_S
        while not set(books) <= set(self.begun):
            assert time.monotonic() < deadline, self.begun
            time.sleep(0.02)

    def wait_for_end(self) -> None:
        """Wait until no process is running: a process that ends releases its lock."""
        with FileLock(self._folder / "running.lock", timeout=WAIT_S):
            pass
