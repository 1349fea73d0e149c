"""Processes whose connections and changed files are recorded by a preloaded library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("observed_calls.c")

KEPT = ("LANG", "LC_ALL", "OMP_NUM_THREADS", "PATH")
"""The environment variables that a process keeps. Variables that reveal tests or continuous
integration make some libraries quieter than they are for a user."""


def why_impossible() -> str:
    """Return why nothing can be observed on this machine, or an empty string."""
    if sys.platform != "linux":
        return "calls are observed by a preloaded library, on Linux only"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc)"
    return ""


def compiled(folder: Path) -> Path:
    """Compile the library into a folder and return its path."""
    library = folder / "observed_calls.so"
    options = ("-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(library))
    subprocess.run(["cc", *options, str(SOURCE), "-ldl"], check=True)
    return library


@dataclass(frozen=True)
class Observation:
    """The actions of processes that are started with `variables`.

    They have their own home and temporary folder, both empty at first.
    """

    folder: Path
    library: Path

    @property
    def user(self) -> Path:
        """The home folder of the user, not the home of scholar."""
        return self._made("user")

    @property
    def temporary(self) -> Path:
        return self._made("temporary")

    @property
    def out(self) -> Path:
        """The folder for the output files of commands."""
        return self._made("out")

    def _made(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    @property
    def variables(self) -> Mapping[str, str]:
        return {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "HOME": str(self.user),
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OBSERVED_CALLS": str(self.folder / "calls"),
            "LD_PRELOAD": str(self.library),
        }

    def calls(self, kind: str) -> list[str]:
        """Return the observed calls of a kind: "outside" (connections to other machines and name
        lookups) or "changed" (paths of files and folders)."""
        path = self.folder / "calls"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        calls = (line.partition("\t") for line in lines)
        return [what for name, _, what in calls if name == kind]

    def changed_outside(self, *folders: Path) -> set[str]:
        """Return the changed paths outside these folders that are neither temporary nor devices."""
        inside = tuple(f"{folder}/" for folder in (*folders, self.out, self.temporary))
        return {
            path
            for path in self.calls("changed")
            if not f"{os.path.normpath(path)}/".startswith((*inside, "/dev/", "/proc/"))
        }

    def left_over(self) -> list[str]:
        """Return the files and folders in the user's home and in the temporary folder."""
        left = (*self.user.rglob("*"), *self.temporary.rglob("*"))
        return [str(path.relative_to(self.folder)) for path in left]
