"""Lines of a file or standard input, from which commands read many claims or quotations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from scholar_cli.commands import common
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.guarded import MAX_BYTES, NotAFile, open_file

MAX_LINE_BYTES = 100_000
"""The bytes of a line that are read; a longer line is cut."""


def open_lines(source: str, what: str) -> Any:
    """Return a file opened for reading, or standard input for "-", as a context manager.

    Raises NotThere or UsageError if the file cannot be read; `what` names its expected content.
    """
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open_file(Path(source))
    except FileNotFoundError:
        raise NotThere(f"there is no {source}; name a file of {what}, or - for stdin") from None
    except OSError as refusal:
        raise UsageError(f"{source} cannot be read ({refusal.strerror})") from refusal


def read_lines(file: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[str]:
    """Yield the lines of a file as they arrive, each cut to `limit` bytes."""
    try:
        while line := file.readline(limit):
            rest, skipped = line, 0
            while not rest.endswith(b"\n") and (rest := file.readline(limit)):
                skipped += len(rest)
                if skipped > MAX_BYTES:
                    raise UsageError(
                        f"a line is longer than {MAX_BYTES >> 20} MiB; give one at a time"
                    )
            yield line.decode("utf-8-sig", "replace")
    except NotAFile as refusal:
        raise UsageError(f"{refusal.filename} cannot be read ({refusal}); name a file") from refusal


def report_unanswered(codes: Sequence[int], lines: int, answer: str) -> int:
    """Report how many lines have an "error" instead of an answer, if any; `codes` has the exit code
    of each. Returns the code that they share, 1 if they differ, 0 if there are none."""
    if not codes:
        return 0
    common.say(
        f'scholar: {len(codes)} of {lines} lines could not be answered; each has an "error" '
        f"instead of {answer}"
    )
    return codes[0] if len(set(codes)) == 1 else ScholarError.exit_code
