"""The exceptions of scholar. Every message says what to do next.

    ScholarError                1   it failed
    ├── UsageError              2   a command or value that makes no sense
    ├── ConfigError             2   the configuration is not usable
    ├── RetryLater              3   the network or a lock; the same command may work later
    │   ├── Offline             3   a download was needed and forbidden or impossible
    │   └── Busy                3   another scholar is writing
    ├── NotThere                4   no such book, model or place
    │   └── NotIndexed          4   the book is there, its passages are not
    ├── NoMatch                 5   nothing matches where a match was asked for
    ├── NotABook                1   the source is not something that can be read as a book
    ├── NoPapers                1   the source has nothing that can be read as a paper
    └── Damaged                 1   stored data is not what was written

The number is the exit code of the command line (128 + signal aside).
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
    """Yield an exception and those that led to it, one after another."""
    while failure is not None:
        yield failure
        failure = failure.__cause__ or failure.__context__


def is_disk_full(failure: BaseException) -> TypeGuard[OSError]:
    """Return True for an exception that says that a disk, or a user's share of it, is full."""
    return isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT)


def is_interrupt(failure: BaseException) -> bool:
    """Return True for an exception that Ctrl-C led to: in the import of an extension module it
    becomes an ImportError."""
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes(failure))
