"""The screen in a real terminal, driven by keys end to end, killed and reopened."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from command_line import SCHOLAR, environment, make_book_text, run_process, succeeded
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import Bookmarks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is the terminal of these tests"),
]


class TmuxTerminal:
    """A terminal on its own tmux server, with one pane."""

    def __init__(self, name: str, home: Path) -> None:
        self._name = name
        self._home = home

    def tmux(self, *words: str) -> str:
        around = environment(self._home, TERM="xterm-256color", LANG="C.UTF-8")
        for sized in ("COLUMNS", "LINES"):  # these would override the size of the terminal
            around.pop(sized, None)
        done = subprocess.run(
            ["tmux", "-L", self._name, *words],
            capture_output=True,
            text=True,
            check=False,
            env=around,
        )
        return done.stdout

    def open(self, *command: str, size: tuple[int, int] = (120, 40)) -> None:
        """Type a command at a shell's prompt."""
        width, height = size
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(width),
            "-y",
            str(height),
            "-e",
            f"SCHOLAR_HOME={self._home}",
            "-e",
            "COLORTERM=truecolor",
            "env",
            "PS1=$ ",
            "sh",
        )
        self._type_at_prompt(command)

    def open_again(self, *command: str) -> None:
        """Type a command in a new shell, as after closing a broken window."""
        self.tmux("respawn-pane", "-k", "env", "PS1=$ ", "sh")
        self._type_at_prompt(command)

    def _type_at_prompt(self, command: Sequence[str]) -> None:
        """Type after the prompt appears: earlier input would be echoed in its place."""
        self.wait_for_prompt()
        self.type(shlex.join(command), "Enter")

    def wait_for_prompt(self, seconds: float = 40) -> None:
        """Wait until the last line of the screen is an empty prompt."""
        end = time.monotonic() + seconds
        while not (seen := self.screen).rstrip().endswith("$"):
            assert time.monotonic() < end, f"no prompt appears; the screen shows:\n{seen}"
            time.sleep(0.1)

    def type(self, *keys: str) -> None:
        """Press keys; a string of letters is typed letter by letter."""
        for key in keys:
            self.tmux("send-keys", *(() if key in NAMED else ("-l",)), key)

    @property
    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait_for(self, text: str, seconds: float = 40) -> str:
        """Wait until the screen shows a text; return the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if text in (seen := self.screen):
                return seen
            time.sleep(0.1)
        raise AssertionError(f"{text!r} does not appear; the screen shows:\n{self.screen}")

    def at_rest(self) -> str:
        """Wait until the screen no longer changes; return it."""
        before, seen = "", self.screen
        while before != seen:
            time.sleep(1.5)
            before, seen = seen, self.screen
        return seen

    @property
    def process(self) -> int:
        """Return the process that runs in the shell of the pane."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text("utf-8").split()
        return int(children[0])

    def close(self) -> None:
        self.tmux("kill-server")


NAMED = {
    "Enter",
    "Escape",
    "Tab",
    "Up",
    "Down",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "C-q",
    "PageDown",
    "PageUp",
    "C-e",
    "C-p",
}


@pytest.fixture
def terminal(two_books: Path, tmp_path: Path) -> Iterator[TmuxTerminal]:
    opened = TmuxTerminal(f"scholar-test-{os.getpid()}-{tmp_path.name}", two_books)
    yield opened
    opened.close()


def test_a_saved_hit_and_the_place_in_its_book_survive_a_killed_terminal(
    terminal: TmuxTerminal, two_books: Path
) -> None:
    terminal.open(str(SCHOLAR), "tui")
    terminal.wait_for("The Lamplighter")
    terminal.type("F3")
    terminal.wait_for("claim")
    terminal.type("the lamplighter buried the key")
    terminal.wait_for("buried the key")
    terminal.type("Enter")
    terminal.wait_for("Keep")
    terminal.type("s")
    terminal.wait_for("kept")
    terminal.type("Enter")
    terminal.wait_for("Contents")
    terminal.at_rest()
    bookmarks = Bookmarks(user_paths({"SCHOLAR_HOME": str(two_books)}).bookmarks)
    before = bookmarks.last_position()
    terminal.type("PageUp")
    while bookmarks.last_position() == before:
        time.sleep(0.1)
    place = re.search(r"to the \w+ on day \d of month \d", terminal.at_rest())
    assert place, terminal.screen
    os.kill(terminal.process, signal.SIGKILL)
    terminal.wait_for("Killed")
    terminal.open_again(str(SCHOLAR), "tui")
    terminal.wait_for("The Lamplighter")
    terminal.type("F4")
    terminal.wait_for(place[0])
    terminal.type("F3")
    terminal.wait_for("the lamplighter buried the key")
    terminal.at_rest()
    terminal.type("Enter", "E")
    seen = terminal.wait_for("kept")
    assert "buried the key" in seen
    terminal.type("C-q")
    terminal.wait_for_prompt()


def test_two_screens_and_a_command_work_at_once(
    terminal: TmuxTerminal, two_books: Path, tmp_path: Path
) -> None:
    other = TmuxTerminal(f"{terminal._name}-2", two_books)
    try:
        terminal.open(str(SCHOLAR), "tui")
        other.open(str(SCHOLAR), "tui", "lamplighter", size=(80, 24))
        terminal.wait_for("The Clockmaker")
        other.wait_for("CHAPTER")
        (tmp_path / "third.txt").write_text(make_book_text("ferryman"), "utf-8")
        succeeded(
            run_process(two_books, "add", str(tmp_path / "third.txt"), "--title", "The Ferryman")
        )
        terminal.type("R")
        terminal.wait_for("The Ferryman")
        other.type("F2")
        other.wait_for("The Ferryman")
    finally:
        other.close()


def test_the_terminal_is_as_it_was_after_quitting(terminal: TmuxTerminal) -> None:
    terminal.open("sh", "-c", f"echo before; {SCHOLAR} tui; echo after:$?")
    terminal.wait_for("The Lamplighter")
    terminal.type("C-q")
    seen = terminal.wait_for("after:0")
    assert "before" in seen
    assert "Library" not in seen


def test_text_typed_at_once_with_the_key_of_a_box_is_in_the_box(terminal: TmuxTerminal) -> None:
    terminal.open(str(SCHOLAR), "tui", size=(80, 24))
    terminal.wait_for("The Lamplighter")
    terminal.type("adxdoorbell")  # a adds; d would delete a book, and x and o are keys too
    terminal.wait_for("dxdoorbell")
    terminal.type("Escape", "/dad", "C-q")
    terminal.wait_for_prompt()


def test_a_letter_of_another_screen_does_nothing(terminal: TmuxTerminal) -> None:
    terminal.open(str(SCHOLAR), "tui", size=(80, 24))
    before = terminal.wait_for("The Lamplighter") and terminal.at_rest()
    terminal.type("wktzvlhneg")
    assert terminal.at_rest() == before
    terminal.type("C-q")
    terminal.wait_for_prompt()
