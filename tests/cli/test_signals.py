"""Signals that arrive when an exception would leave something broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

OPTIONAL_MODULE = """
import os, signal

os.kill(os.getpid(), signal.{stop})
for _ in range(1000):
    pass
"""

COMMAND = """
import sys, time
from scholar_cli import signals

signals.stop_on_signals()
try:
    try:
        import optional
    except BaseException:
        print("the import was interrupted")
    time.sleep(60)
except KeyboardInterrupt:
    print("optional" in sys.modules, signals.exit_code())
"""


@pytest.mark.parametrize(("stop", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_during_an_import_stops_the_command_once_the_import_is_over(
    tmp_path: Path, stop: str, code: int
) -> None:
    (tmp_path / "optional.py").write_text(OPTIONAL_MODULE.format(stop=stop), "utf-8")
    result = subprocess.run(
        [sys.executable, "-c", COMMAND], cwd=tmp_path, capture_output=True, text=True, timeout=50
    )
    assert (result.stdout, result.stderr) == (f"True {code}\n", "")


def test_a_command_that_ends_before_its_import_is_not_killed() -> None:
    command = (
        "import os, signal; from scholar_cli import signals\n"
        "signals._IMPORT_CHECK_S = 0.0001; signals._is_importing = lambda frame: True\n"
        "signals.stop_on_signals(); os.kill(os.getpid(), signal.SIGTERM); print('done')"
    )
    result = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, timeout=50
    )
    assert (result.stdout, result.stderr, result.returncode) == ("done\n", "", 0)


def test_a_signal_during_an_import_gets_the_handler_that_a_server_sets_meanwhile(
    tmp_path: Path,
) -> None:
    (tmp_path / "optional.py").write_text(OPTIONAL_MODULE.format(stop="SIGTERM"), "utf-8")
    command = (
        "import time; from scholar_cli import signals; from scholar_cli.server import serving\n"
        "signals.stop_on_signals(); import optional; serving.end_at_once_on_signals()\n"
        "try: time.sleep(60)\n"
        "finally: print('unwound')"
    )
    result = subprocess.run(
        [sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=50
    )
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 143)


def test_signals_that_the_caller_ignores_stay_ignored(tmp_path: Path) -> None:
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, signal; from scholar_cli import signals\n"
            "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
            "signals.stop_on_signals(); os.kill(os.getpid(), signal.SIGHUP); print('still here')",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert (result.stdout, result.stderr) == ("still here\n", "")
