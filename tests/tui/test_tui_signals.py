"""The screen when its terminal closes or the system terminates it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pseudo_terminal import Terminal

ENTERS_THE_SCREEN = "\x1b[?1049h"
LEAVES_THE_SCREEN = "\x1b[?1049l"


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    terminal = Terminal(home, "tui", TERM="xterm-256color")
    terminal.until("Library")
    yield terminal
    if terminal.process.poll() is None:
        terminal.process.kill()
        terminal.process.wait(30)


def at_once(terminal: Terminal) -> None:
    pass


def while_it_starts(terminal: Terminal) -> None:
    terminal.until(ENTERS_THE_SCREEN)


def while_it_searches(terminal: Terminal) -> None:
    terminal.until("Claim")


def with_a_box_open(terminal: Terminal) -> None:
    terminal.until("Claim")
    terminal.leave("\x1bOP", "find support for")


def while_nobody_reads(terminal: Terminal) -> None:
    terminal.until("Claim")
    terminal.fill("\x1bOQ\x1bOR")


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(at_once, marks=pytest.mark.slow),
        pytest.param(while_it_starts, marks=pytest.mark.slow),
        while_it_searches,
        pytest.param(with_a_box_open, marks=pytest.mark.slow),
        while_nobody_reads,
    ],
)
@pytest.mark.parametrize("gets_signals", [True, False], ids=["hang-up", "no signal"])
def test_a_screen_whose_terminal_is_closed_ends(
    two_books: Path, moment: Callable[[Terminal], None], gets_signals: bool
) -> None:
    terminal = Terminal(
        two_books,
        "find",
        "who buried the key in the orchard",
        "--tui",
        is_controlling=gets_signals,
        TERM="xterm-256color",
    )
    try:
        moment(terminal)
        code = terminal.close_window()
    finally:
        terminal.process.kill()
        terminal.process.wait(30)
    # A command without a screen yet exits like any other: by the signal, or because it finds no
    # terminal.
    assert code == 128 + signal.SIGHUP or moment is at_once


def test_a_screen_ends_when_it_is_asked_to_while_nobody_reads(terminal: Terminal) -> None:
    terminal.fill("\x1bOQ\x1bOR")
    terminal.process.terminate()
    assert terminal.close() == 128 + signal.SIGTERM


def test_a_screen_that_is_asked_to_end_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.process.terminate()
    terminal.until(LEAVES_THE_SCREEN)
    assert terminal.close() == 128 + signal.SIGTERM
