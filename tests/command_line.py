"""Run the command line in tests, check its exit code and outputs, and write small books."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

SCHOLAR = Path(sys.executable).with_name("scholar")
"""The path of the installed command, next to the interpreter that runs the tests."""


@dataclass(frozen=True)
class CommandResult:
    """The exit code and the two outputs of a finished command."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[str]:
        return self.stdout.splitlines()

    @property
    def ids(self) -> list[str]:
        """Return the identifiers of the books in a --json answer."""
        return [book["id"] for book in self.json]


Scholar = Callable[..., CommandResult]
"""Runs a command line: scholar("find", "a claim", stdin="...")."""


def succeeded(result: CommandResult) -> CommandResult:
    """Assert that the command exited with 0 and without a traceback, and return its result."""
    assert result.exit_code == 0, result
    assert "Traceback" not in result.stderr
    return result


def error_line(result: CommandResult, exit_code: int, *, after_progress: bool = False) -> str:
    """Assert that the command failed with one error line, and return it without the program's name.

    Nothing else may be on stderr, except lines that report progress before it if
    after_progress is set.
    """
    lines = result.stderr.splitlines()
    assert result.exit_code == exit_code, result
    assert lines, result
    assert after_progress or len(lines) == 1, result
    are_errors = [re.match("scholar(-lab)?: ", line) is not None for line in lines]
    assert are_errors == [False] * (len(lines) - 1) + [True]
    assert "Traceback" not in result.stderr
    assert "should not happen" not in result.stderr
    assert result.stderr.endswith("\n")
    return lines[-1].partition(": ")[2]


def environment(home: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a scholar process with this home and no pauses between requests."""
    outer = {name: value for name, value in os.environ.items() if not name.startswith("SCHOLAR_")}
    return {
        **outer,
        "SCHOLAR_HOME": str(home),
        "SCHOLAR_PAUSE_S": "0",
        "TERM": "dumb",
        **variables,
    }


def start(home: Path, *args: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start the installed command; `options` go to Popen."""
    return subprocess.Popen(
        [SCHOLAR, *args],
        env=environment(home, **options.pop("env", {})),
        stdin=options.pop("stdin", subprocess.DEVNULL),
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE),
        **options,
    )


def finish(
    process: subprocess.Popen[bytes], stdin: bytes | None = None, encoding: str = "utf-8"
) -> CommandResult:
    """Wait for a started command to end."""
    out, err = process.communicate(stdin, timeout=300)
    return CommandResult(
        process.returncode, (out or b"").decode(encoding), (err or b"").decode(encoding)
    )


def run_process(
    home: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    encoding: str = "utf-8",
) -> CommandResult:
    """Run the installed command in a process of its own."""
    pipe = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    return finish(start(home, *args, env=dict(env or {}), stdin=pipe), stdin, encoding)


def invoke(*args: str, stdin: str | bytes | None = None) -> CommandResult:
    """Run a command line in this process, with the environment as it is."""
    from scholar_cli.main import app

    return _invoke(app, "scholar", args, stdin)


def invoke_lab(*args: str, stdin: str | bytes | None = None) -> CommandResult:
    """Run a command line of the laboratory in this process, with the environment as it is."""
    from scholar_cli.laboratory.main import app

    return _invoke(app, "scholar-lab", args, stdin)


def _invoke(
    app: typer.Typer, program: str, args: Sequence[str], stdin: str | bytes | None
) -> CommandResult:
    from typer.testing import CliRunner

    handler = signal.getsignal(signal.SIGINT)
    result = CliRunner().invoke(app, args, input=stdin, prog_name=program)
    # An interrupted command makes its process ignore Ctrl-C, which later tests would inherit.
    if signal.getsignal(signal.SIGINT) is not handler:
        signal.signal(signal.SIGINT, handler)
    return CommandResult(
        result.exit_code, result.stdout_bytes.decode(), result.stderr_bytes.decode()
    )


def invoke_in_home(home: Path, *args: str) -> CommandResult:
    """Run a command line in this process for this home: no interpreter is started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHOLAR_HOME", str(home))
        return invoke(*args)


def make_book_text(subject: str, chapters: int = 3, paragraphs: int = 10) -> str:
    """Return a small book: headings, and paragraphs of four sentences that all differ."""
    places = (
        "harbour",
        "orchard",
        "attic",
        "market",
        "chapel",
        "quarry",
        "library",
        "kitchen",
        "mill",
        "garden",
    )
    actions = (
        "counted the coins",
        "wrote a letter",
        "mended the clock",
        "buried the key",
        "fed the horses",
        "forgave his brother",
        "burned the map",
        "sang to the child",
    )
    lines = []
    for chapter in range(1, chapters + 1):
        lines.append(f"CHAPTER {chapter}")
        for number in range(paragraphs):
            place = places[(number + 3 * chapter) % len(places)]
            action = actions[(3 * number + chapter) % len(actions)]
            lines.append(
                f"The {subject} walked to the {place} on day {number} of month {chapter} and "
                f"{action}.\nNobody in the {place} had seen such a thing before. “What is it?” "
                f"asked the widow; and the {subject} said nothing about the {action.split()[-1]}."
            )
    return "\n\n".join(lines) + "\n"


DIALOGUE_BOOK = """
Chapter 1

“It was raining when the ship left,” said Elizabeth Marsh. “I stood on the quay all night.”

“Why did you stay?” asked Mr. Hale. He had put down his hat, and looked at her with some pity.

“Because nobody had told me to go home, Mr. Hale, and I had nowhere else to be,” said Elizabeth.

“You might have come to my house,” said Mr. Hale. “The lamp is always lit.”

Elizabeth Marsh turned to the window. Mr. Hale took up his hat again.

Chapter 2

“The letter is burnt,” said Mr. Hale in the morning. “I burnt it, and I do not repent.”

“Then we are both free,” said Elizabeth Marsh, and she laughed until she wept.

“Hush,” he said. “The house is full of people who listen at doors.”

“Let them listen!” cried Elizabeth.
"""
"""The text of a small book that is mostly dialogue."""
