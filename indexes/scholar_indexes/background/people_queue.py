"""The books whose people are found in the background, one at a time, while questions are answered.

A process of low priority does the work (people_process), so that no answer waits for it and it can
be stopped at once. A book that could not be read, or that the user stopped, is not retried by the
same program.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from scholar_indexes import guarded
from scholar_indexes.background import people_process
from scholar_indexes.errors import ScholarError

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.types import Book

COMMAND = (sys.executable, "-P", "-m", people_process.__name__)
"""The command line for a book; with -P no module of the working folder is imported."""

ENDS_WITHIN_S = 1.0
"""Seconds that the process has to end when told to, before it is killed."""


class Stage(Enum):
    """The stages of finding the people of a book."""

    FINDING = auto()
    FOUND = auto()
    FAILED = auto()
    STOPPED = auto()


@dataclass(frozen=True, slots=True)
class PeopleNews:
    """Progress, success or failure of finding the people of a book."""

    book: Book
    stage: Stage
    label: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""


class PeopleQueue:
    """Finds the people of books, one book at a time, the latest request first.

    `tell` is called with the news in a thread of the queue.
    """

    def __init__(self, library: Library, tell: Callable[[PeopleNews], None]) -> None:
        self._library = library
        self._tell = tell
        self._lock = threading.Lock()
        self._waiting: list[Book] = []
        self._current: Book | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._given_up: set[str] = set()
        """The hashes of the texts of books that are not retried."""
        self._is_closed = False

    @property
    def is_working(self) -> bool:
        """Return True while the people of a book are being found."""
        return self._current is not None

    def find(self, book: Book) -> None:
        """Find the people of a book next, unless that is in progress or was given up; returns at
        once."""
        with self._lock:
            if self._is_closed or book.sha256 in self._given_up or book == self._current:
                return
            with suppress(ValueError):
                self._waiting.remove(book)
            self._waiting.append(book)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="people", daemon=True)
                self._thread.start()

    def stop(self) -> bool:
        """Give up the current book and all waiting ones, and return True if there were any."""
        with self._lock:
            given_up = [*self._waiting, *filter(None, [self._current])]
            self._given_up |= {book.sha256 for book in given_up}
            self._waiting.clear()
            self._end_process()
        return bool(given_up)

    def close(self) -> None:
        """Stop for good; returns when the process has ended."""
        with self._lock:
            self._is_closed = True
            thread = self._thread
        self.stop()
        if thread is None:
            return
        thread.join(ENDS_WITHIN_S)
        with self._lock:
            if self._process is not None:
                self._process.kill()
        thread.join(ENDS_WITHIN_S / 2)

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def _work(self) -> None:
        """Find the people of all waiting books."""
        while (book := self._take()) is not None:
            news = self._find(book)
            with self._lock:
                if news.stage is not Stage.FOUND:
                    self._given_up.add(book.sha256)
                self._current = None
            self._tell(news)

    def _take(self) -> Book | None:
        """Take the book that was requested last; None ends the thread."""
        with self._lock:
            self._current = self._waiting.pop() if self._waiting else None
            if self._current is None:
                self._thread = None
            return self._current

    def _find(self, book: Book) -> PeopleNews:
        """Find the people of a book if they are not known, and return the outcome."""
        try:
            if self._library.search.knows_people(book.id):
                return PeopleNews(book, Stage.FOUND)
            reason = self._run(book)
            if book.sha256 in self._given_up:
                return PeopleNews(book, Stage.STOPPED)
            if not reason and self._library.search.knows_people(book.id):
                return PeopleNews(book, Stage.FOUND)
        except (ScholarError, OSError) as failure:
            reason = str(failure)
        return PeopleNews(book, Stage.FAILED, reason=reason or "nothing was stored")

    def _run(self, book: Book) -> str:
        """Run the process for a book; return why it failed, empty if it did not."""
        with self._lock:
            if self._is_closed or book.sha256 in self._given_up:
                return ""
            process = self._process = _start()
        reason = ""
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):  # it has ended, and its exit code says so
                process.stdin.write(people_process.write_request(self._library.places, book.id))
                process.stdin.flush()
            for record in _read_records(process):
                reason = str(record.get("error", reason))
                if label := record.get("label"):
                    done, total = record.get("done"), record.get("total")
                    self._tell(
                        PeopleNews(book, Stage.FINDING, str(label), int(done or 0), int(total or 0))
                    )
            code = process.wait()
        finally:
            with self._lock:
                self._process = None
            with suppress(BrokenPipeError), process:  # closes its pipes, and waits for it
                process.kill()
        return reason or (_describe_end(code) if code else "")


def _start() -> subprocess.Popen[bytes]:
    """Start the process, which gets no signals from the terminal."""
    options: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        flags = ("CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS")
        options = {"creationflags": sum(getattr(subprocess, flag) for flag in flags)}
    return subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **options,
    )


def _read_records(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the records that the process writes until it ends; other output is ignored."""
    assert process.stdout is not None
    while line := process.stdout.readline(people_process.MAX_LINE_BYTES):
        with suppress(ValueError):
            record = guarded.parse_json(line)
            if isinstance(record, dict):
                yield record


def _describe_end(code: int) -> str:
    """Return a description of the end of a process that gave no reason."""
    if code < 0:
        return f"the process was killed by signal {-code}; there may be too little memory"
    return f"the process ended with exit code {code}"
