"""Command lines in forked children of a process that has already loaded everything.

A child starts in milliseconds, since it inherits modules and models from its parent. The parent
has imported LanceDB but never used it: its threads would not survive in a child.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from faults import Fault, Faults
from libraries import load_models_once

LATE_IMPORTS = (
    "fsrs",
    "lancedb.remote.table",
    "numpy.ma",
    "pyarrow.dataset",
    "safetensors.numpy",
    "scholar_cli.main",
    "tomllib",
)
"""Modules that commands import lazily."""

PATIENCE_S = 120.0
"""A child that runs longer counts as hung."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a command line: its exit code (-9 if it was killed) and its output."""

    line: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    def describe(self) -> str:
        """Return the command, its exit code and the end of its output, on one line."""
        printed = " | ".join((self.stdout[-200:] + self.stderr[-400:]).splitlines())
        return f"`{' '.join(self.line)}` ended with {self.exit_code}: {printed}"


class Hung(Exception):
    """A child did not end in time."""


class ForkedCommands:
    """Runs command lines in forked children."""

    def __init__(self, working: Path) -> None:
        self._working = working
        self.faults = Faults()
        self._load_everything()

    def run(
        self,
        home: Path,
        *lines: Sequence[str],
        stdin: str = "",
        fault: Fault | None = None,
    ) -> list[Outcome]:
        """Run command lines one after another in one child, with a home and at most one fault.

        No command runs after one that was killed. Raises Hung.
        """
        with tempfile.TemporaryDirectory(dir=self._working) as outputs:
            folder = Path(outputs)
            (folder / "stdin").write_text(stdin, "utf-8")
            child = os.fork()
            if child == 0:
                self._run_in_child(folder, home, lines, fault)
            status = _wait(child)
            outcomes = []
            for number, line in enumerate(lines):
                if not (folder / f"{number}.out").exists():
                    break
                ended = folder / f"{number}.code"
                outcomes.append(
                    Outcome(
                        tuple(line),
                        int(ended.read_text()) if ended.exists() else _exit_code(status),
                        (folder / f"{number}.out").read_text("utf-8", "replace"),
                        (folder / f"{number}.err").read_text("utf-8", "replace"),
                    )
                )
            return outcomes

    def _run_in_child(
        self, folder: Path, home: Path, lines: Sequence[Sequence[str]], fault: Fault | None
    ) -> None:
        """Run the lines with their output in files, and end the process."""
        code = 1
        try:
            os.environ["SCHOLAR_HOME"] = str(home)
            for number, line in enumerate(lines):
                redirect(folder, str(number))
                if fault is not None:
                    self.faults.arm(home, fault)
                code = run_here(line)
                self.faults.disarm()
                (folder / f"{number}.code").write_text(str(code))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    @staticmethod
    def _load_everything() -> None:
        """Import the modules of the commands, and load their models."""
        warnings.simplefilter("ignore", RuntimeWarning)  # LanceDB warns that forks are experimental
        load_models_once(setattr)
        import scholar_indexes
        from scholar_cli import commands
        from scholar_indexes.models.model_service import ModelService

        # Faults do not affect the packaged models; hashing them takes most of the time of `doctor`.
        verified = ModelService.verify
        known: list[Any] = []

        def verify_once(service: ModelService, *names: Any, **options: Any) -> Any:
            if not known:
                known.append(verified(service, *names, **options))
            return known[0]

        setattr(ModelService, "verify", verify_once)  # noqa: B010
        from scholar_indexes.books.adding import ingest
        from scholar_indexes.library import Library
        from scholar_indexes.models import cross_encoder, onnx_encoder, registry
        from scholar_indexes.settings import (
            DEFAULT_MODEL,
            DEFAULT_PAPERS_MODEL,
            DEFAULT_RERANKER,
        )
        from scholar_indexes.storage.lancedb_import import load_lancedb

        load_lancedb()
        for name in LATE_IMPORTS:
            import_module(name)
        for package in (scholar_indexes, commands):
            for module in walk_packages(package.__path__, f"{package.__name__}."):
                import_module(module.name)

        packaged = registry.PACKAGED
        for name in (DEFAULT_MODEL, DEFAULT_PAPERS_MODEL):
            onnx_encoder.load(registry.find(name, packaged), 1)
        cross_encoder.load(registry.find(DEFAULT_RERANKER, packaged), 1)
        text = b"Chapter 1\n\nIt was a long winter, and nothing much was done but talk. " * 20
        ingest.parse_draft(ingest.BookSource(text, "a text", None), title="A Text")
        Library.of_user().models.verify()


def redirect(folder: Path, name: str) -> None:
    """Redirect output to NAME.out and NAME.err in a folder, and input from `stdin` there."""
    for descriptor, ending in ((1, "out"), (2, "err")):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        file = os.open(folder / f"{name}.{ending}", flags, 0o600)
        os.dup2(file, descriptor)
        os.close(file)
    given = os.open(folder / "stdin", os.O_RDONLY)
    os.dup2(given, 0)
    os.close(given)


def run_here(line: Sequence[str]) -> int:
    """Run a command line in this process and return its exit code."""
    from scholar_cli.main import app

    code: Any = 0
    try:
        app(list(line), prog_name="scholar")
    except SystemExit as ending:
        code = ending.code or 0
    except BaseException:
        traceback.print_exc()
        code = 70
    for output in (sys.stdout, sys.stderr):
        output.flush()
    return code if isinstance(code, int) else 1


def _wait(child: int) -> int:
    """Return the exit status of a child; kill it if it hangs."""
    deadline = time.monotonic() + PATIENCE_S
    pause_s = 0.001
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise Hung(f"a child ran longer than {PATIENCE_S:.0f} s")
        time.sleep(pause_s)
        pause_s = min(0.02, pause_s * 1.5)


def _exit_code(status: int) -> int:
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
