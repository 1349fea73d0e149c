"""Locks between processes, and clear messages for reads and writes that the system refuses."""

from __future__ import annotations

import errno
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import Busy, RetryLater, ScholarError, is_disk_full

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from filelock import FileLock

_FIRST_WAIT_S = 1.0
"""The user is told about a wait for a lock only after this time."""

_POLL_S = 0.25


def full_disk(folder: Path) -> ScholarError:
    """Return the error for a full disk, given a folder on it."""
    return ScholarError(
        f"the disk that holds {folder} is full; nothing was added. Free some space, "
        "or set SCHOLAR_HOME to a folder elsewhere, and run the same command again"
    )


@contextmanager
def explain_write_errors(folder: Path) -> Iterator[None]:
    """Raise ScholarError for a full or failing disk, a missing permission, or a file in place of a
    folder.

    The message is one line that says what to do. Every other OSError passes unchanged.
    """
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise full_disk(folder) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise ScholarError(
                f"no permission to write {error.filename or folder}; change its permissions "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from error
        if error.errno == errno.EIO:
            raise ScholarError(
                f"the disk that holds {folder} reports an error ({error.strerror}); check the "
                "disk and run the same command again"
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST):
            raise ScholarError(
                f"{error.filename or folder} is in the way of a folder; move it elsewhere "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from error
        raise


@contextmanager
def explain_read_errors(path: Path) -> Iterator[None]:
    """Raise ScholarError if a file that may be intact cannot be read: for a missing permission, or
    too few system resources.

    Every other OSError passes unchanged: the file is missing, or the disk cannot read it.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            raise ScholarError(
                f"no permission to read {error.filename or path}; change its permissions, or its "
                "folder's, and run the same command again"
            ) from error
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EINTR):
            raise RetryLater(
                f"{error.filename or path} cannot be read now ({error.strerror}); close other "
                "programs and run the same command again"
            ) from error
        raise


@contextmanager
def exclusive_lock(
    lock_file: Path,
    wait_s: float,
    on_wait: Callable[[], None],
    on_poll: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Hold a lock between processes; the operating system releases the lock of a killed one.

    on_wait is called once when another process holds the lock, and on_poll repeatedly after that;
    an exception from either ends the wait. Raises Busy after wait_s.
    """
    from filelock import FileLock, Timeout

    with explain_write_errors(lock_file.parent):
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(lock_file)
        try:
            lock.acquire(timeout=min(_FIRST_WAIT_S, wait_s))
        except Timeout:
            on_wait()
            try:
                _poll(lock, wait_s, on_poll)
            except Timeout:
                raise Busy(
                    "another scholar process has been writing all this time; run the same command "
                    "again when it has finished"
                ) from None
    try:
        yield
    finally:
        lock.release()


def _poll(lock: FileLock, wait_s: float, on_poll: Callable[[], None]) -> None:
    """Acquire a lock, in attempts of _POLL_S each; raises Timeout after wait_s."""
    from filelock import Timeout

    deadline = time.monotonic() + wait_s
    while True:
        on_poll()
        left = deadline - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(_POLL_S, left)))
        except Timeout:
            if left <= _POLL_S:
                raise
        else:
            return
