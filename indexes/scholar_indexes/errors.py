"""The exceptions of scholar. Every message says what to do next.

    ScholarError                1   it failed
    ├── UsageError              2   an invalid command or value
    ├── ConfigError             2   the configuration is not usable
    ├── RetryLater              3   the network or a lock; the same command may work later
    │   ├── Offline             3   a download was needed and forbidden or impossible
    │   └── Busy                3   another scholar is writing
    ├── NotThere                4   no such book, model or passage
    │   └── NotIndexed          4   the book exists, its passages are not indexed
    ├── NoMatch                 5   a match was required, and nothing matches
    ├── NotABook                1   the source cannot be read as a book
    ├── NoPapers                1   the source contains no readable paper
    └── Damaged                 1   a file is incomplete, or differs from what was written

The number is the exit code of the command line (after a signal it is 128 + signal).
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import TypeGuard


class ScholarError(Exception):
    """An error that is shown to the user; its message is one line that says what to do next."""

    exit_code = 1


class UsageError(ScholarError):
    exit_code = 2


class ConfigError(ScholarError):
    exit_code = 2


class RetryLater(ScholarError):
    exit_code = 3


class Offline(RetryLater):
    pass


class Busy(RetryLater):
    pass


class NotThere(ScholarError):
    exit_code = 4


class NotIndexed(NotThere):
    pass


class NoMatch(ScholarError):
    exit_code = 5


class NotABook(ScholarError):
    pass


class NoPapers(ScholarError):
    pass


class Damaged(ScholarError):
    pass


def causes(failure: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and then its chain of causes."""
    while failure is not None:
        yield failure
        failure = failure.__cause__ or failure.__context__


def is_disk_full(failure: BaseException) -> TypeGuard[OSError]:
    """Return True if an exception means that a disk, or the user's quota on it, is full."""
    return isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT)


def is_interrupt(failure: BaseException) -> bool:
    """Return True if Ctrl-C caused an exception: while an extension module is imported, it
    becomes an ImportError."""
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes(failure))
