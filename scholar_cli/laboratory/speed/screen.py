"""Measurement of the start of the screen on a terminal, against an empty Textual application."""

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

from scholar_cli.laboratory.speed.command_speed import SpeedFigure
from scholar_indexes.errors import ScholarError

TITLE = "Frankenstein"
"""A word that the screen shows once it lists the books."""

_EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""

PATIENCE_S = 60.0


def run(runs: int = 5) -> Iterator[SpeedFigure]:
    """Measure the start of the screen, with the bundled books in the library."""
    with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
        home = Path(working)
        scholar = str(Path(sys.executable).with_name("scholar"))
        done = subprocess.run(
            [scholar, "demo"],
            env={**os.environ, "SCHOLAR_HOME": working},
            check=False,
            capture_output=True,
        )
        if done.returncode:
            raise ScholarError(f"scholar demo failed while measured: {done.stderr[-200:]!r}")
        empty = [sys.executable, "-c", _EMPTY]
        seconds_until(empty, b"ready", home), seconds_until([scholar, "tui"], TITLE.encode(), home)
        plain, full = [], []
        for _ in range(runs):
            plain.append(seconds_until(empty, b"ready", home))
            full.append(seconds_until([scholar, "tui"], TITLE.encode(), home))
        shutil.rmtree(home, ignore_errors=True)
    yield SpeedFigure("scholar tui, until it lists the books", median(full), "s", "", None)
    ratio = median(full) / median(plain)
    yield SpeedFigure(
        "that, against an empty Textual application", ratio, "x", "at most 3", ratio <= 3
    )


def seconds_until(command: Sequence[str], wanted: bytes, home: Path) -> float:
    """Return the seconds until a program has drawn a text on a terminal of 120 by 40.

    Raises ScholarError if it ends, or does not draw the text within PATIENCE_S.
    """
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {
        **os.environ,
        "SCHOLAR_HOME": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
    )
    os.close(terminal)
    output = b""
    try:
        while wanted not in output:
            left = start + PATIENCE_S - time.perf_counter()
            if left <= 0 or not select.select([controller], [], [], left)[0]:
                raise ScholarError(f"{command[0]} did not draw {wanted!r} in {PATIENCE_S:.0f} s")
            output += os.read(controller, 65_536)
        return time.perf_counter() - start
    except OSError as ended:  # reading a pty raises it when the program has ended
        raise ScholarError(f"{' '.join(command[:2])} ended early: {output[-300:]!r}") from ended
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(controller)
