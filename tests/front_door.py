"""The command as a person meets it: what was typed, what came back, and small books to read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHOLAR = Path(sys.executable).with_name("scholar")
"""The installed command, beside the interpreter that runs the tests."""


@dataclass(frozen=True)
class Said:
    """What a command put on its two outputs, and how it ended."""

    code: int
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
        """The books of a --json answer."""
        return [each["id"] for each in self.json]


def well(said: Said) -> Said:
    """The command succeeded."""
    assert said.code == 0, said
    assert "Traceback" not in said.stderr
    return said


def complaint(said: Said, code: int, *, after_talk: bool = False) -> str:
    """The one line of a failure, without "scholar: "; nothing else may be on stderr.

    after_talk allows lines before it that tell what is being done.
    """
    lines = said.stderr.splitlines()
    assert said.code == code, said
    assert lines, said
    assert after_talk or len(lines) == 1, said
    assert [line.startswith("scholar: ") for line in lines] == [False] * (len(lines) - 1) + [True]
    assert "Traceback" not in said.stderr
    assert "should not happen" not in said.stderr
    assert said.stderr.endswith("\n")
    return lines[-1].removeprefix("scholar: ")


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a process needs to be that person's scholar, quietly beside other tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCHOLAR_")}
    return {**kept, "SCHOLAR_HOME": str(home), "SCHOLAR_PAUSE_S": "0", "TERM": "dumb", **more}


def start(home: Path, *args: str, **more: Any) -> subprocess.Popen[bytes]:
    """A running command."""
    return subprocess.Popen(
        [SCHOLAR, *args],
        env=environment(home, **more.pop("env", {})),
        stdin=more.pop("stdin", subprocess.DEVNULL),
        stdout=more.pop("stdout", subprocess.PIPE),
        stderr=more.pop("stderr", subprocess.PIPE),
        **more,
    )


def finish(
    process: subprocess.Popen[bytes], stdin: bytes | None = None, encoding: str = "utf-8"
) -> Said:
    """Wait for a running command."""
    out, err = process.communicate(stdin, timeout=120)
    return Said(process.returncode, (out or b"").decode(encoding), (err or b"").decode(encoding))


def scholar_process(
    home: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    encoding: str = "utf-8",
) -> Said:
    """Run the installed command to its end."""
    pipe = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    return finish(start(home, *args, env=dict(env or {}), stdin=pipe), stdin, encoding)


def prose(subject: str, chapters: int = 3, paragraphs: int = 10) -> str:
    """A small book: headings, and paragraphs of four sentences that all differ."""
    places = ("harbour", "orchard", "attic", "market", "chapel", "quarry", "library", "kitchen",
              "mill", "garden")  # fmt: skip
    deeds = (
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
            deed = deeds[(3 * number + chapter) % len(deeds)]
            lines.append(
                f"The {subject} walked to the {place} on day {number} of month {chapter} and "
                f"{deed}.\nNobody in the {place} had seen such a thing before. “What is it?” "
                f"asked the widow; and the {subject} said nothing about the {deed.split()[-1]}."
            )
    return "\n\n".join(lines) + "\n"


TALK = """
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
"""A small book of much talk."""
