"""Commands run at a pseudo-terminal, as a user runs them."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from command_line import SCHOLAR, environment

FULL = 3_500
"""The minimum of unread bytes when a pseudo-terminal of Linux takes no more."""


def _take_the_terminal() -> None:
    """Make the terminal control the process, so that Ctrl-C reaches it as a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """A command at a pseudo-terminal: its output is read and keys are sent."""

    def __init__(
        self, home: Path, *args: str, is_controlling: bool = True, **variables: str
    ) -> None:
        """Start the command; it gets the signals of its terminal if that `is_controlling`."""
        self._master, side = pty.openpty()
        self.process = subprocess.Popen(
            [SCHOLAR, *args],
            env=environment(home, **variables),
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
            preexec_fn=_take_the_terminal if is_controlling else None,
        )
        os.close(side)
        self.shown = ""

    def until(self, text: str, times: int = 1) -> str:
        """Read until a text has been shown this often."""
        assert self._shows(text, times, 60), self.shown
        return self.shown

    def leave(self, keys: str, last: str, seconds: int = 10) -> None:
        """Type keys until a text is shown: a Ctrl-C that arrives after Python has written its
        prompt but before it reads is noticed only at the next key."""
        for _ in range(60 // seconds):
            self.type(keys)
            if self._shows(last, 1, seconds):
                return
        raise AssertionError(self.shown)

    def _shows(self, text: str, times: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.shown.count(text) < times and time.monotonic() < deadline:
            if select.select([self._master], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self._master, 65_536).decode("utf-8", "replace")
                except OSError:  # Linux raises this when the other side is closed
                    break
        return self.shown.count(text) >= times

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def fill(self, keys: str) -> None:
        """Type keys repeatedly without reading, until the output no longer fits."""
        for _ in range(60):
            self.type(keys)
            waiting = struct.unpack("i", fcntl.ioctl(self._master, termios.FIONREAD, bytes(4)))[0]
            if waiting >= FULL:
                return
            time.sleep(0.5)
        raise AssertionError("the command draws nothing")

    def close(self) -> int:
        """Wait until the command has ended and return its exit code."""
        code = self.process.wait(30)
        os.close(self._master)
        return code

    def close_window(self) -> int:
        """Close the terminal as its window does, which sends a hang-up, and return the exit code
        of the command."""
        os.close(self._master)
        return self.process.wait(30)
