"""How soon the screen is there: on a real terminal, against an empty Textual application."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from scholar_cli.bench.speed import Figure
from scholar_indexes.errors import ScholarError

TITLE = "Frankenstein"
"""A word that the screen shows once the shelf is on it."""

_EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""

PATIENCE_S = 60.0


def run(runs: int = 5) -> Iterator[Figure]:
    """Measure the start of the screen, with the bundled books on the shelf."""
    with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
        home = Path(working)
        scholar = str(Path(sys.executable).with_name("scholar"))
        done = subprocess.run(
            [scholar, "demo"], env={**os.environ, "SCHOLAR_HOME": working}, check=False,
            capture_output=True,
        )  # fmt: skip
        if done.returncode:
            raise ScholarError(f"scholar demo failed while measured: {done.stderr[-200:]!r}")
        empty = [sys.executable, "-c", _EMPTY]
        first_sight(empty, b"ready", home), first_sight([scholar, "tui"], TITLE.encode(), home)
        plain, full = [], []
        for _ in range(runs):
            plain.append(first_sight(empty, b"ready", home))
            full.append(first_sight([scholar, "tui"], TITLE.encode(), home))
        shutil.rmtree(home, ignore_errors=True)
    yield Figure("scholar tui, to its first sight of the shelf", median(full), "s", "", None)
    ratio = median(full) / median(plain)
    yield Figure("it against an empty Textual application", ratio, "x", "at most 3", ratio <= 3)


def first_sight(command: Sequence[str], wanted: bytes, home: Path) -> float:
    """Seconds until a program has drawn some text on a terminal of 120 by 40."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {
        **os.environ, "SCHOLAR_HOME": str(home), "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }  # fmt: skip
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    try:
        while wanted not in seen:
            left = start + PATIENCE_S - time.perf_counter()
            if left <= 0 or not select.select([ours], [], [], left)[0]:
                raise ScholarError(f"{command[0]} drew no {wanted!r} in {PATIENCE_S:.0f} s")
            seen += os.read(ours, 65_536)
        return time.perf_counter() - start
    except OSError as ended:  # a pty ends this way when the program has gone
        raise ScholarError(f"{' '.join(command[:2])} ended early: {seen[-300:]!r}") from ended
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)
