"""Faults of system calls: the library that injects them, compiled and loaded into this process."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

SOURCE = Path(__file__).with_name("faulty_calls.c")


class FaultKind(IntEnum):
    """The kinds of faults; the numbers are those of the C source.

    A killed process has not made the call, or has made it (of a write only half). A disk that is
    full and a permission that is missing stay so until the process ends; the other errors happen
    once.
    """

    COUNT = 0
    KILLED_BEFORE = 1
    KILLED_AFTER = 2
    NO_SPACE = 3
    IO_ERROR = 4
    NO_PERMISSION = 5
    BAD_READ = 6

    @property
    def kills(self) -> bool:
        return self in (FaultKind.KILLED_BEFORE, FaultKind.KILLED_AFTER)

    @property
    def label(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at a call, counted from 1 among those that may have it; 0 only counts."""

    kind: FaultKind
    call: int


def why_impossible() -> str:
    """Return why no faults can be injected on this machine, or an empty text."""
    if sys.platform != "linux":
        return "faults are injected by a preloaded library, on Linux only"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc)"
    return ""


def compiled(folder: Path) -> Path:
    """Compile the library into a folder and return its path."""
    library = folder / "faulty_calls.so"
    options = ("-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(library))
    subprocess.run(["cc", *options, str(SOURCE), "-ldl"], check=True)
    return library


class Faults:
    """The library of faults that was preloaded into this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faults_calls.restype = ctypes.c_long
        self._library.faults_fired.restype = ctypes.c_long
        self._library.faults_place.restype = ctypes.c_char_p

    @staticmethod
    def are_loaded() -> bool:
        return hasattr(ctypes.CDLL(None), "faults_arm")

    def arm(self, folder: Path, fault: Fault) -> None:
        """Inject a fault into the calls of this process, from now on, that change a folder."""
        under = os.fsencode(folder)
        self._library.faults_arm(under, ctypes.c_long(fault.call), int(fault.kind))

    def disarm(self) -> None:
        self._library.faults_disarm()

    @property
    def calls(self) -> int:
        """The calls since a fault was armed, in this process or a child."""
        return int(self._library.faults_calls())

    @property
    def place(self) -> str:
        """The call that had the fault and its file, empty where none had it."""
        return os.fsdecode(self._library.faults_place())
