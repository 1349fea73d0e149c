"""Atomic writes: a file or folder is written completely, or the old one remains.

The new content is written to a temporary path in the same folder, flushed to the disk and then
moved to its path in one step. A reader therefore never sees half of it, whatever interrupts
the writer.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

LEFTOVER_AGE_S = 24 * 3600.0
"""The age from which a temporary file is treated as left by a killed process."""

_ENDING = ".part"


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, with its line ends unchanged."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path`."""
    write_files({path: data})


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write every file of `files`; no path changes until all contents are written."""
    with ExitStack() as moves:
        for path, data in files.items():
            moves.enter_context(atomic_file(path)).write_bytes(data)


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield the path of an empty temporary file, which is moved to `path` after the block.

    An exception in the block deletes the temporary file and leaves `path` as it was. An OSError
    about the temporary file names `path` instead.
    """
    # In the same folder, since a file moves in one step only within a file system.
    temporary = path.with_name(f".{path.name[:40]}.{os.urandom(6).hex()}{_ENDING}")
    try:
        temporary.open("xb").close()
        yield temporary
        move_file(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and str(error.filename) == str(temporary):
            error.filename = str(path)
            del error.filename2
        raise


def discard_leftovers(folder: Path) -> None:
    """Delete the temporary files of killed processes in a folder, as far as possible: the files
    last written more than LEFTOVER_AGE_S ago."""
    for temporary in folder.glob(f".*{_ENDING}"):
        with suppress(OSError):
            if time.time() - temporary.stat().st_mtime > LEFTOVER_AGE_S:
                temporary.unlink()


def clear_leftovers(path: Path) -> None:
    """Delete the temporary files of killed processes that were writing `path`; no process may be
    writing it now."""
    name = re.compile(rf"\.{re.escape(path.name[:40])}\.[0-9a-f]{{12}}\.part")
    for leftover in path.parent.iterdir():
        if name.fullmatch(leftover.name):
            leftover.unlink(missing_ok=True)


def move_file(source: Path, path: Path) -> None:
    """Flush a finished file to the disk and move it to `path`, replacing an existing file."""
    with source.open("r+b") as file:
        # Otherwise a crash may leave the new name with no content.
        os.fsync(file.fileno())
    os.replace(source, path)


@contextmanager
def atomic_folder(path: Path, prefix: str) -> Iterator[Path]:
    """Yield an empty temporary folder, which replaces the folder `path` after the block.

    The name of the temporary folder starts with `prefix`, so that the leftovers of a killed
    process can be found. Missing parents of `path` are created. The umask of the process decides
    who may read the folder.
    """
    import shutil

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f"{prefix}{os.urandom(6).hex()}"
    temporary.mkdir()
    try:
        yield temporary
        if path.exists():
            shutil.rmtree(path)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
