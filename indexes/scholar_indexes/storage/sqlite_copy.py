"""Reading a SQLite file of another program, which may be running and may have it locked.

A copy is read. Opening the file itself would wait for the lock of the other program (Zotero keeps
its library locked while it runs), and opening it as immutable would ignore the pages that are
still in its write-ahead log and see a half-written transaction. The log, or the rollback journal,
is copied too, so SQLite itself brings the copy to the last committed transaction.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from scholar_indexes.errors import Busy, Damaged, NotThere, ScholarError, is_disk_full
from scholar_indexes.guarded import open_file
from scholar_indexes.sanitize import one_line

MAGIC = b"SQLite format 3\0"
"""The first bytes of a SQLite file."""

SIDE_FILES = ("-wal", "-journal")
"""The suffixes of the files next to a SQLite file that contain what is not in it yet, or not final.

The index of the log ("-shm") is rebuilt from the log."""

_TRIES = 5
_PAUSE_S = 0.3


@contextmanager
def open_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a copy of a SQLite file, which is deleted after the block.

    Raises NotThere if it is missing, Busy if it is written all the time, Damaged if SQLite cannot
    read it (in the block too), and ScholarError if it cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix="scholar-") as folder:
        copy = Path(folder, "copy.sqlite")
        try:
            _copy(path, copy)
            with closing(sqlite3.connect(copy)) as db:
                db.execute("PRAGMA query_only = ON")
                db.text_factory = _decode
                yield db
        except OSError as failure:
            raise _refusal(path, folder, failure) from failure
        except sqlite3.Error as failure:
            raise Damaged(
                f"{path} is damaged ({one_line(str(failure), 100)}); open it in the program that "
                "wrote it, which may repair it, or use its backup"
            ) from failure


def is_sqlite(path: Path) -> bool:
    """Return True if a file begins like a SQLite file; False if it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _copy(path: Path, copy: Path) -> None:
    """Copy a file with its log or journal; repeat if another program wrote meanwhile."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        before = _state(path)
        for suffix in ("", *SIDE_FILES):
            target = copy.with_name(copy.name + suffix)
            target.unlink(missing_ok=True)
            with suppress(FileNotFoundError) if suffix else nullcontext():
                shutil.copyfile(path.with_name(path.name + suffix), target)
        if _state(path) == before:
            return
    raise Busy(f"{path} is being written by another program; run the same command again")


def _refusal(path: Path, folder: str, failure: OSError) -> ScholarError:
    """Return the error for a file that cannot be copied into a folder."""
    if isinstance(failure, FileNotFoundError):
        return NotThere(f"there is no file {path}; check its name")
    if is_disk_full(failure):
        return ScholarError(
            f"there is no room for a copy of {path} in {Path(folder).parent}; free some space, or "
            "set TMPDIR to a folder elsewhere, and run the same command again"
        )
    return ScholarError(f"{path} cannot be read ({failure.strerror}); check its permissions")


def _state(path: Path) -> list[tuple[int, int] | None]:
    """Return the size and the modification time of a file and of its side files."""
    states: list[tuple[int, int] | None] = []
    for suffix in ("", *SIDE_FILES):
        try:
            status = path.with_name(path.name + suffix).stat()
            states.append((status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            states.append(None)
    return states


def _decode(value: bytes) -> str:
    return value.decode("utf-8", "replace")
