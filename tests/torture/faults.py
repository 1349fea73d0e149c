"""Faults of system calls: compiling the library that injects them, and controlling it."""

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
    """The kinds of faults; the numbers are the same as in the C source.

    A process is killed before the call, or after it (after half of a write). A full disk and a
    missing permission last until the process ends; the other errors happen once.
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
    """A fault at a call, numbered from 1 among the eligible calls; 0 only counts them."""

    kind: FaultKind
    call: int


def why_impossible() -> str:
    """Return why no faults can be injected on this machine, or an empty string."""
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
    """The fault library that was preloaded into this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faults_calls.restype = ctypes.c_long
        self._library.faults_fired.restype = ctypes.c_long
        self._library.faults_place.restype = ctypes.c_char_p

    @staticmethod
    def are_loaded() -> bool:
        return hasattr(ctypes.CDLL(None), "faults_arm")

    def arm(self, folder: Path, fault: Fault) -> None:
        """Inject a fault into the following calls of this process that change a folder."""
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
        """The failed call and its file; empty if no call failed."""
        return os.fsdecode(self._library.faults_place())
