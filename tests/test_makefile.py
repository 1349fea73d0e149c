"""The commands that `make` would run, without running them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("home", "used"),
    [
        pytest.param({}, str(ROOT / "build" / "demo"), id="of its own"),
        pytest.param({"SCHOLAR_HOME": "/named"}, "/named", id="that was named"),
    ],
)
def test_the_demo_uses_a_library(home: dict[str, str], used: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    others = {name: value for name, value in os.environ.items() if name != "SCHOLAR_HOME"}
    done = subprocess.run(
        ["make", "-n", "demo"],
        cwd=ROOT,
        env={**others, **home},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'SCHOLAR_HOME="{used}" ' in done.stdout
