"""Changes that are not saved yet, in a file of the library, so that they survive the program.

ChangeQueue -> WaitingChanges.write -> changes-NAME.json, whose lock a running screen holds
a screen that ended -> its file, which is not locked -> adopt -> the next ChangeQueue
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.guarded import read_json
from scholar_indexes.storage import atomic
from scholar_tui.changes import Change, as_record, from_record, quotation_from_record

if TYPE_CHECKING:
    from filelock import FileLock

    from scholar_indexes.paths import Paths
    from scholar_indexes.storage.bookmarks import SavedQuotation

Dropped = Mapping[str, Sequence["SavedQuotation"]]
"""The quotations that screens dropped and can bring back, the latest last; see changes.Desk."""

POLL_S = 0.25
"""Seconds between two checks whether another screen has ended."""


@dataclass(frozen=True, slots=True)
class LeftChanges:
    """The changes that a closed screen left, in order, and the quotations that it had dropped."""

    changes: Sequence[Change]
    dropped: Dropped
    set_aside: Path | None = None
    """A copy of the file if some of it cannot be read."""


class WaitingChanges:
    """The file of the changes of one screen; others leave it alone while this process runs."""

    def __init__(self, places: Paths) -> None:
        self._places = places
        self._path = places.waiting_changes(f"{os.getpid()}-{os.urandom(4).hex()}")
        self._lock: FileLock | None = None

    @property
    def is_there(self) -> bool:
        return self._lock is not None

    def write(self, changes: Sequence[Change], dropped: Dropped) -> None:
        """Write changes, replacing the earlier ones; raises OSError if that fails."""
        if self._lock is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = _lock_of(self._path)
            lock.acquire()
            self._lock = lock
        _write(self._path, changes, dropped)

    def delete(self) -> None:
        """Delete the file: all changes are saved."""
        if self._lock is not None:
            self._path.unlink(missing_ok=True)
            _free(self._lock)
            self._lock = None

    def left(self) -> list[Path]:
        """Return the files of other screens, the oldest first; some may be running."""
        pattern = self._places.waiting_changes("*")
        dated = []
        for path in pattern.parent.glob(pattern.name):
            with suppress(OSError):  # it was deleted meanwhile
                dated.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(dated) if path != self._path]


def adopt(path: Path, take: Callable[[LeftChanges], None], *, waits: bool) -> bool:
    """Pass on the changes that a screen left, and delete its file.

    Returns False if that screen still runs; with `waits`, waits for its end instead. Raises OSError
    if the file cannot be read now.
    """
    from filelock import Timeout

    lock = _lock_of(path)
    try:
        lock.acquire(timeout=-1 if waits else 0, poll_interval=POLL_S)
    except Timeout:
        return False
    try:
        left = _read(path)
        if left is not None:
            take(left)
            path.unlink(missing_ok=True)
    finally:
        _free(lock)
    return True


def set_aside(places: Paths, change: Change, dropped: Dropped) -> Path:
    """Write a refused change to its own file, and return the path of the file."""
    path = _aside(places.waiting_changes(os.urandom(6).hex()))
    _write(path, [change], dropped)
    return path


def _write(path: Path, changes: Sequence[Change], dropped: Dropped) -> None:
    record = {
        "dropped": {name: list(map(asdict, quotations)) for name, quotations in dropped.items()},
        "changes": list(map(as_record, changes)),
    }
    atomic.write_text(path, json.dumps(record))


def _read(path: Path) -> LeftChanges | None:
    """Return the changes in a file, None if it is gone. A file that is not completely readable is
    copied to another name."""
    try:
        record = read_json(path)
    except FileNotFoundError:
        return None
    except ValueError:
        record = None
    changes, problems = _readable(_member(record, "changes", list), from_record)
    dropped = {}
    for name, quotations in _member(record, "dropped", dict).items():
        listed = quotations if isinstance(quotations, list) else [quotations]
        dropped[name], unreadable = _readable(listed, quotation_from_record)
        problems += unreadable
    if not (changes or dropped or problems):
        problems += 1
    if not problems:
        return LeftChanges(changes, dropped)
    aside = _aside(path)
    atomic.write_bytes(aside, path.read_bytes())
    return LeftChanges(changes, dropped, aside)


def _member(record: Any, name: str, kind: type[Any]) -> Any:
    """Return a member of an object; an empty one if it is missing or of another type."""
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, kind) else kind()


def _readable(records: Sequence[Any], read: Callable[[Any], Any]) -> tuple[list[Any], int]:
    """Return the readable records, and the number of unreadable ones."""
    values = []
    for record in records:
        with suppress(ValueError):
            values.append(read(record))
    return values, len(records) - len(values)


def _aside(path: Path) -> Path:
    return path.with_name(f"refused-{path.name}")


def _lock_of(path: Path) -> FileLock:
    from filelock import FileLock

    return FileLock(path.with_suffix(".lock"), thread_local=False)  # two threads write and delete


def _free(lock: FileLock) -> None:
    """Delete and release a lock: the next holder finds no changes under it."""
    with suppress(OSError):  # Windows deletes no file that is open
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()
