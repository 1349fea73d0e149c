"""The screen when its terminal is closed, or when the system asks it to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pseudo_terminal import Terminal

LEAVES_THE_SCREEN = "\x1b[?1049l"


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    terminal = Terminal(home, "tui", TERM="xterm-256color")
    terminal.until("Library")
    yield terminal
    if terminal.process.poll() is None:
        terminal.process.kill()
        terminal.process.wait(30)


@pytest.mark.slow
def test_a_terminal_whose_window_is_closed_ends_the_screen_in_order(terminal: Terminal) -> None:
    assert terminal.close_window() == 128 + signal.SIGHUP


def test_a_screen_that_is_asked_to_end_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.process.terminate()
    terminal.until(LEAVES_THE_SCREEN)
    assert terminal.close() == 128 + signal.SIGTERM
