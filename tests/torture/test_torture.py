"""A small part of `make torture`: a few faults and damaged files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from faults import why_impossible

TORTURE = Path(__file__).with_name("torture.py")


def torture(*options: str) -> str:
    """Run a part of the torture in its own process and return its output."""
    if reason := why_impossible():
        pytest.skip(reason)
    done = subprocess.run(
        [sys.executable, str(TORTURE), "--minutes", "5", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_commands_survive_some_faults() -> None:
    commands = ("collection add", "quiz import")
    only = [word for name in commands for word in ("--only", name)]
    printed = torture("--part", "commands", "--points", "3", *only)
    assert "3 points reached, 0 failed" in printed
    assert re.search(r"^collection add +[0-9]", printed, re.MULTILINE)


@pytest.mark.slow
def test_an_error_in_the_harness_is_no_success(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TORTURE), "--part", "nothing"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
