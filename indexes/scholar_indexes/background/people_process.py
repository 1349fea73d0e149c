"""The process that finds the people of a book: `python -m` this module, which PeopleQueue starts.

It reads one JSON line from standard input, the folders of a library and the id of a book, and
writes its progress and its error as JSON lines to standard output. It ends when standard input is
closed, so that it never outlives its caller. What it writes to the library is either complete or
absent.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from scholar_indexes import guarded
from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import exclusive_lock
from scholar_indexes.paths import Paths
from scholar_indexes.sanitize import one_line

NICENESS = 10
"""The nice value of the process: it gets a tenth of the processor time of a normal one."""

MAX_LINE_BYTES = 64 << 10
"""The longest line that either side reads."""

GIVEN_UP = 3
"""The exit code after the caller has closed standard input."""

_WAITING = "waiting for another scholar that is finding people"


def write_request(places: Paths, book_id: str) -> bytes:
    """Return the line that requests the people of a book."""
    folders = {name: str(getattr(places, name)) for name in ("data", "cache", "config")}
    return json.dumps({"places": folders, "book": book_id}).encode() + b"\n"


def find(places: Paths, book_id: str) -> None:
    """Find the people of a book if they are not known, and store them with it; only one process at
    a time does so in a library."""
    from scholar_indexes.library import Library
    from scholar_indexes.settings import load

    settings, _ = load(places.config)
    report = _Reporter()
    with exclusive_lock(places.people_lock, math.inf, lambda: report(_WAITING, 0, 0)):
        Library(places, settings).index.read_people([book_id], report)


class _Reporter:
    """Writes progress as JSON lines without repeats: the steps of a book come in thousandths."""

    def __init__(self) -> None:
        self._last: tuple[str, int, int] | None = None

    def __call__(self, label: str, done: int, total: int) -> None:
        if (label, done, total) != self._last:
            self._last = label, done, total
            _write({"label": label, "done": done, "total": total})


def _write(record: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _end_with_caller() -> None:
    """End this process when its standard input is closed."""
    # A thread that waits in sys.stdin holds its lock, on which Python would abort when it exits.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(GIVEN_UP)


def main() -> None:
    """Answer the request on standard input; the exit code is 1 after an error."""
    if hasattr(os, "nice"):  # on Windows the caller starts the process with a low priority
        os.nice(NICENESS)
    request = guarded.parse_json(sys.stdin.buffer.readline(MAX_LINE_BYTES))
    threading.Thread(target=_end_with_caller, daemon=True).start()
    places = Paths(**{name: Path(folder) for name, folder in request["places"].items()})
    try:
        find(places, request["book"])
    except ScholarError as refusal:
        _write({"error": str(refusal)})
        sys.exit(1)
    except Exception as failure:
        _write({"error": f"{type(failure).__name__}: {one_line(str(failure), 300)}"})
        sys.exit(1)


if __name__ == "__main__":
    main()
