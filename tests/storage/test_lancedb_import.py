"""The import of LanceDB."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from scholar_indexes.storage.lancedb_import import MALLOC_ARENAS

COUNT_HEAPS = """
import ctypes, sys, threading
from scholar_indexes.storage.lancedb_import import load_lancedb

load_lancedb()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
all_have_allocated = threading.Barrier(9)

def allocate():
    libc.malloc(1000)
    all_have_allocated.wait()

for _ in range(8):
    threading.Thread(target=allocate).start()
all_have_allocated.wait()
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc has heaps of threads"
)


def count_heaps(tmp_path: Path, **variables: str) -> int:
    """Return the number of heaps that the threads of a process with LanceDB have."""
    environment = {name: value for name, value in os.environ.items() if "MALLOC" not in name}
    subprocess.run(
        [sys.executable, "-c", COUNT_HEAPS, str(tmp_path / "heaps.xml")],
        env={**environment, **variables},
        check=True,
    )
    return (tmp_path / "heaps.xml").read_text("utf-8").count("<heap ")


def test_threads_share_a_few_heaps(tmp_path: Path) -> None:
    assert count_heaps(tmp_path) <= MALLOC_ARENAS


def test_the_user_says_how_many_heaps_there_are(tmp_path: Path) -> None:
    assert count_heaps(tmp_path, MALLOC_ARENA_MAX="5") == 5
