"""scholar completion: what shells are given, and that bash completes with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(scholar: Scholar, shell: str) -> None:
    script = succeeded(scholar("completion", "show", shell)).stdout
    assert "_SCHOLAR_COMPLETE" in script
    assert shell in script or "compdef" in script or "complete -o" in script


def test_another_shell_is_a_usage_error(scholar: Scholar) -> None:
    assert "tcsh" in error_line(scholar("completion", "show", "tcsh"), 2)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_once_the_script_is_installed(
    scholar: Scholar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("# my own\n")
    shown = succeeded(scholar("completion", "install", "bash"))
    assert "the next bash that you open" in shown.stderr
    assert (tmp_path / ".bashrc").read_text().startswith("# my own\n")
    asking = """
        source ~/.bashrc
        COMP_WORDS=(scholar col) COMP_CWORD=1
        _scholar_completion scholar
        echo "${COMPREPLY[@]}"
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"HOME": str(tmp_path), "PATH": path, "SCHOLAR_HOME": str(tmp_path / "home")}
    result = subprocess.run(
        ["bash", "--norc", "-c", asking], env=environment, capture_output=True, text=True
    )
    assert result.stdout.split() == ["collection"], result.stderr
