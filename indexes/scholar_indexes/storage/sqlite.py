"""A SQLite file of scholar's own, created on first use, with its errors as one clear line each."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from scholar_indexes.errors import Busy, Damaged, ScholarError
from scholar_indexes.locks import exclusive_lock, explain_write_errors
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import checksums


class DamagedFile(Damaged):
    """The error for a damaged SQLite file; `how` is the damage in a few words."""

    def __init__(self, message: str, how: str) -> None:
        super().__init__(message)
        self.how = how


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A file with a schema and its version.

    `what` names the file in a sentence ("the list of books"), and `remedy` says what to do if it
    is damaged or lost. `timeout_s` is how long to wait for other programs; `upgrades` has the
    statements that lead from each version to the next.
    """

    path: Path
    schema: Sequence[str]
    version: int
    what: str
    remedy: str = (
        "restore it from a backup, or, to keep it under another name and start a new one, "
        "run: scholar doctor --repair"
    )
    timeout_s: float = 30.0
    upgrades: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def is_begun(self) -> bool:
        """True for a file that exists or existed; a lost one raises Damaged when opened."""
        return self.path.exists() or self.is_lost

    @property
    def is_lost(self) -> bool:
        """True for a file that is missing and was not set aside."""
        return checksums.is_lost(self.path)

    @contextmanager
    def connection(self, *, change: bool = False) -> Iterator[sqlite3.Connection]:
        """Yield a connection in one transaction, which takes effect completely or not at all.

        change locks the file for writing at once. Raises the errors of open and transaction.
        """
        with self.transaction(self.open(change=change)) as db:
            yield db

    def open(self, *, change: bool = False) -> sqlite3.Connection:
        """Return a connection to a file of the schema, in a new transaction.

        Raises Busy if another program locks it for too long, Damaged if it is damaged or another
        program's, ScholarError if it cannot be used or was written by a newer scholar.
        """
        with explain_write_errors(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.is_lost:
            raise self.damage("it is missing")
        if checksums.is_emptied(self.path):
            raise self.damage("it is empty")
        try:
            db = sqlite3.connect(self.path, timeout=self.timeout_s, isolation_level=None)
        except sqlite3.Error as refusal:
            raise ScholarError(
                f"{self.path} cannot be opened ({refusal}); check the folder's permissions "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from refusal
        try:
            db.execute("PRAGMA foreign_keys = ON")
            if db.execute("PRAGMA user_version").fetchone()[0] != self.version:
                self._make(db)
            # After a plain BEGIN, a change may fail at once, without waiting for another program.
            db.execute("BEGIN IMMEDIATE" if change else "BEGIN")
            if not checksums.is_as_written(db, self.path):
                raise self.damage("it does not match its checksum")
        except sqlite3.Error as refusal:
            db.close()
            raise self.refusal(refusal) from refusal
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def transaction(self, db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        """Commit what open began, and close; raises SQLite's errors as refusal returns them."""
        try:
            yield db
            db.execute("COMMIT")
            if db.total_changes:
                checksums.write(db, self.path)
        except sqlite3.Error as refusal:
            raise self.refusal(refusal) from refusal
        finally:
            db.close()

    def refusal(self, failure: Exception) -> ScholarError:
        """Return the ScholarError for an error of SQLite: one line that says what to do."""
        message = str(failure)
        if isinstance(failure, sqlite3.OperationalError):
            if "locked" in message or "busy" in message:
                return Busy(f"another program has locked {self.what}; run the same command again")
            if "full" in message:
                return ScholarError(
                    f"the disk that holds {self.path} is full; free some space "
                    "and run the same command again"
                )
            if "readonly" in message or "unable to open" in message:
                return ScholarError(
                    f"no permission to write {self.path}; change its permissions "
                    "or set SCHOLAR_HOME to a folder of your own"
                )
            if "disk I/O" in message:
                return ScholarError(
                    f"the disk that holds {self.path} reports an error; check that it has free "
                    "space, is writable and sound, and run the same command again"
                )
        return self.damage(message)

    def check(self) -> None:
        """Read the whole file, if it exists; raises Damaged if it is inconsistent, and the errors
        of connection."""
        if self.is_begun:
            with self.connection() as db:
                (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise self.damage(str(verdict))

    def damage(self, how: str) -> DamagedFile:
        """Return the error for a damaged file."""
        how = one_line(how, 100)
        return DamagedFile(f"{self.what} {self.path} is damaged ({how}); {self.remedy}", how)

    def replace_if_damaged(self, check: Callable[[], object]) -> str:
        """Set the file aside if `check` finds that it is damaged, so that a new one is started.

        Return a line that says so, or an empty one if the file is intact, for example because
        another program did the same.
        """
        lock = self.path.with_name(f"{self.path.name}.lock")
        # Two programs at once would set aside the new file of the other.
        with exclusive_lock(lock, self.timeout_s, lambda: None):
            try:
                check()
                return ""
            except DamagedFile as damage:
                how = damage.how
            is_lost, aside = self.is_lost, self._set_aside()
        kept = "starting a new one" if is_lost else f"kept as {aside}, starting a new one"
        return f"{self.what} was damaged ({how}); {kept}"

    def _set_aside(self) -> Path:
        """Rename the file in its folder, and return its new path."""
        aside = _free_name(self.path)
        with explain_write_errors(self.path.parent):
            # A journal belongs to its database: it is moved first, or it would be played back
            # into the new one.
            checksums.forget(self.path)
            for suffix in ("-journal", "-wal", "-shm", ""):
                old = self.path.with_name(self.path.name + suffix)
                if old.exists():
                    old.rename(aside.with_name(aside.name + suffix))
        return aside

    def _make(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        # Read again under the lock: another program may have made or upgraded the file.
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > self.version:
            raise ScholarError(
                f"{self.path} was written by a newer scholar; upgrade with: "
                "pip install -U scholar-cli"
            )
        if version == 0:
            if db.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise self.damage("it belongs to another program")
            statements = list(self.schema)
        else:
            older = range(version, self.version)
            statements = [line for number in older for line in self.upgrades.get(number, ())]
        for statement in statements:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {self.version}")
        db.execute("COMMIT")


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    return next(name for name in names if not name.exists())
