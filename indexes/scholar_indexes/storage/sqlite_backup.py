"""Complete copies of scholar's own SQLite files, and the inspection of untrusted copies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import Busy, Damaged, ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import checksums


@dataclass(frozen=True, slots=True)
class Inspection:
    """The schema version of a SQLite file, and the counts of its contents."""

    version: int
    counts: dict[str, int]


def copy_database(source: Path, target: Path, *, change: str = "", timeout_s: float = 30.0) -> None:
    """Copy a SQLite file as its last transaction left it, while other programs use it; `change` is
    a statement to run on the copy.

    Raises Busy if another program locks it for longer than timeout_s, and Damaged for a file that
    SQLite cannot read completely or that does not match its checksum.
    """
    with _explain_errors(source), closing(sqlite3.connect(source, timeout=timeout_s)) as original:
        original.execute("PRAGMA query_only = ON")
        original.execute("BEGIN")
        original.execute("PRAGMA user_version").fetchone()  # raises what comparing checksums cannot
        if not checksums.is_as_written(original, source):
            raise sqlite3.DatabaseError("it does not match its checksum")
        original.execute("COMMIT")
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            original.backup(copy)
            _check(copy)
            if change:
                copy.execute(change)


def inspect(path: Path, counts: Mapping[str, str]) -> Inspection:
    """Return the version and the counts of an untrusted SQLite file.

    Raises Damaged for one that cannot be read completely, or that has views.
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with _explain_errors(path), closing(sqlite3.connect(address, uri=True)) as database:
        # The schema is untrusted too: it may call functions.
        database.execute("PRAGMA trusted_schema = OFF")
        if database.execute("SELECT 1 FROM sqlite_master WHERE type = 'view'").fetchone():
            raise sqlite3.DatabaseError("it has views")
        _check(database)
        (version,) = database.execute("PRAGMA user_version").fetchone()
        numbers = {name: int(database.execute(counts[name]).fetchone()[0]) for name in counts}
        return Inspection(version, numbers)


def write_checksum(path: Path) -> None:
    """Write the checksum of a completely copied SQLite file; see checksums."""
    with _explain_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN")
        checksums.write(database, path)


def _check(database: sqlite3.Connection) -> None:
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(str(verdict))


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as failure:
        message = one_line(str(failure), 100)
        if "locked" in message or "busy" in message:
            raise Busy(
                f"another program has locked {path.name}; run the same command again"
            ) from failure
        if "no such" in message:
            raise _damage(path, failure) from failure
        raise ScholarError(
            f"{path} cannot be copied ({message}); check its permissions and the space on its disk"
        ) from failure
    except sqlite3.Error as failure:
        raise _damage(path, failure) from failure


def _damage(path: Path, failure: Exception) -> Damaged:
    return Damaged(
        f"{path.name} is damaged ({one_line(str(failure), 100)}); to find out what to do, run: "
        "scholar doctor"
    )
