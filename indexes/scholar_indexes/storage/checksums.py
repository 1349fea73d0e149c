"""A checksum next to a SQLite file, which reveals a changed byte, or that the file is lost.

SQLite checks only the form of its pages. After a change, the CRC-32 of the whole file is written
next to it, with the change counter that SQLite keeps in the file; both are compared when the file
is opened. If the counter differs, the last change was made by another program, or by a process
that was killed before it wrote the checksum, and the file is not compared until the next change.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import suppress
from pathlib import Path

from scholar_indexes.guarded import read_bytes
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import write_bytes

MAX_BYTES = 64 << 20
"""The largest file that has a checksum; it is read in a twentieth of a second."""

_COUNTER = slice(24, 28)
"""The bytes of the change counter (www.sqlite.org/fileformat.html)."""

_CRC = "crc32"

_compared: dict[Path, tuple[int, int, int]] = {}
"""The state of each file when this process last compared it."""


def checksum_path(path: Path) -> Path:
    """Return the path of the checksum of a file."""
    return path.with_name(f"{path.name}.sum")


def write(db: sqlite3.Connection, path: Path) -> None:
    """Write the checksum of a changed file, if possible; without one it is not compared."""
    with suppress(OSError, sqlite3.Error):
        record = _record(db, path)
        # SQLite serializes a page that it cannot read as zeros, so two readings must agree.
        if record == _record(db, path) and (_CRC in record or not checksum_path(path).exists()):
            write_bytes(checksum_path(path), sealed_json.dump(record))


def is_as_written(db: sqlite3.Connection, path: Path) -> bool:
    """Return False if a file does not match the checksum written after its last change."""
    state = _state(path)
    if _compared.get(path) == state:
        return True
    try:
        written = sealed_json.load(read_bytes(checksum_path(path)))
        counter, crc = written["counter"], written[_CRC]
    except (OSError, ValueError, KeyError, TypeError):
        return True
    record = _record(db, path)
    if record["counter"] == counter and record.get(_CRC, crc) != crc:
        return False
    _compared[path] = state
    return True


def is_emptied(path: Path) -> bool:
    """Return True for an empty file that had content: SQLite treats it as a new one."""
    with suppress(OSError):
        return path.stat().st_size == 0 and checksum_path(path).exists()
    return False


def is_lost(path: Path) -> bool:
    """Return True for a missing file that has a checksum."""
    return checksum_path(path).exists() and not path.exists()


def forget(path: Path) -> None:
    """Delete the checksum of a file that no longer exists."""
    with suppress(OSError):
        checksum_path(path).unlink(missing_ok=True)


def _record(db: sqlite3.Connection, path: Path) -> dict[str, int]:
    """Return the change counter and the CRC-32 of a file; for a file that is too large, only a
    record that it exists."""
    if path.stat().st_size > MAX_BYTES or not hasattr(db, "serialize"):
        return {"counter": 0}  # some builds of SQLite cannot serialize
    content = db.serialize()
    return {"counter": int.from_bytes(content[_COUNTER], "big"), _CRC: zlib.crc32(content)}


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino
