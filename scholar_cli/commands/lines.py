"""Lines of a file or of standard input, as commands read many claims or quotations from them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from scholar_indexes.errors import NotThere, UsageError

MAX_LINE_BYTES = 100_000
"""A longer line is cut."""


def open_lines(source: str, what: str) -> Any:
    """Return a file opened for reading, or standard input for "-", as a context manager.

    Raises NotThere or UsageError for a file that cannot be read; `what` says what it should hold.
    """
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).open("rb")
    except FileNotFoundError:
        raise NotThere(f"there is no {source}; name a file of {what}, or - for stdin") from None
    except OSError as refusal:
        raise UsageError(f"{source} cannot be read ({refusal.strerror})") from refusal


def read_lines(file: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[str]:
    """Yield the lines of a file as they come, each cut to so many bytes."""
    while line := file.readline(limit):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(limit)):
            pass
        yield line.decode("utf-8-sig", "replace")
