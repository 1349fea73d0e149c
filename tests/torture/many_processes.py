"""Eight processes that add, remove, rebuild and search one library at the same time."""

from __future__ import annotations

import json
import os
import random
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from command_line import make_book_text
from fault_points import tracebacks
from forked_commands import ForkedCommands, Outcome, redirect, run_here
from torture_libraries import (
    BOOKS,
    COLLECTION,
    CORRECTIONS,
    DOCTOR,
    FIND,
    PAPERS_FIND,
    PAPERS_LIST,
    SHOW,
    STATS,
    Libraries,
    Line,
)

RETENTION_S = 20
"""Seconds for which obsolete files are kept for readers; the program waits longer."""

LONG_S = 120
"""Seconds after which the size of a library should no longer grow."""

BUSY = 3

READING: tuple[Line, ...] = (BOOKS, FIND, SHOW, COLLECTION, CORRECTIONS, PAPERS_FIND, STATS)

STABLE = frozenset({"own-the-quay", "own-the-lamp"})
"""The books that no process removes."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command of one of the processes."""

    process: int
    outcome: Outcome


class ManyProcesses:
    """Runs eight processes on one library and checks their results and the library."""

    def __init__(self, libraries: Libraries, forked: ForkedCommands, working: Path) -> None:
        self._libraries = libraries
        self._forked = forked
        self._working = working / "many"
        self._working.mkdir()
        self._home = working / "shared-home"

    def run(self, seconds: float, seed: int) -> tuple[list[Run], list[str], list[int]]:
        """Return the commands that ran, the problems, and the size of the library in bytes: at the
        beginning, the maximum in each half of the time, and at the end."""
        home = self._libraries.copy("filled", self._home)
        roles = (*map(self._write, range(4)), self._rebuild, self._gather, self._read, self._read)
        began = _size(home)
        deadline = time.monotonic() + seconds
        children = [self._start(number, role, deadline, seed) for number, role in enumerate(roles)]
        halves: list[int] = [0, 0]
        while children:
            half = int(time.monotonic() > deadline - seconds / 2)
            halves[half] = max(halves[half], _size(home))
            time.sleep(0.5)
            children = [child for child in children if not os.waitpid(child, os.WNOHANG)[0]]
        runs = list(self._read_logs())
        problems = [*self._problems(runs), *self._problems_at_the_end(runs)]
        if seconds >= LONG_S and halves[1] > 2 * halves[0]:
            problems.append(f"the library grows: at most {halves} bytes in each half of the time")
        return runs, problems, [began, *halves, _size(home)]

    def _start(self, number: int, role: object, deadline: float, seed: int) -> int:
        """Start a process that plays a role until the deadline, and return its id."""
        folder = self._working / str(number)
        folder.mkdir()
        (folder / "stdin").touch()
        child = os.fork()
        if child:
            return child
        try:
            _shorten_retention()
            os.environ |= {"SCHOLAR_HOME": str(self._home), "SCHOLAR_LOCK_WAIT_S": "60"}
            chance = random.Random(seed * 100 + number)
            with (folder / "log").open("w", encoding="utf-8") as log:
                while time.monotonic() < deadline:
                    for line in role(chance):  # type: ignore[operator]
                        redirect(folder, "now")
                        code = run_here(line)
                        texts = [
                            (folder / f"now.{end}").read_text("utf-8") for end in ("out", "err")
                        ]
                        log.write(json.dumps([line, code, *texts]) + "\n")
                        log.flush()
            os._exit(0)
        except BaseException:
            (folder / "failure").write_text(traceback.format_exc())
            os._exit(1)

    def _write(self, number: int) -> object:
        """Return the role that adds, replaces and removes two books."""
        titles = [f"Book {letter} of {number}" for letter in "AB"]
        texts = [make_book_text(f"sailor{number}{letter}", 1, 3) for letter in "ABC"]
        sources = [self._working / f"{number}{letter}.txt" for letter in "ABC"]
        for source, text in zip(sources, texts, strict=True):
            source.write_text(text, "utf-8")

        def role(chance: random.Random) -> Iterator[Line]:
            which = chance.randrange(2)
            source = sources[chance.choice([which, 2])]
            yield ("add", str(source), "--title", titles[which], "--refresh", "--json")
            yield BOOKS
            if chance.random() < 0.6:
                yield ("books", "remove", f"own-book-{'ab'[which]}-of-{number}")

        return role

    @staticmethod
    def _rebuild(chance: random.Random) -> Iterator[Line]:
        yield ("index", *chance.choice([("rebuild", "--afresh"), ("rebuild",), ("optimize",)]))

    def _gather(self, chance: random.Random) -> Iterator[Line]:
        """Yield commands that change everything except books."""
        source = self._libraries.sources
        yield chance.choice(
            [
                ("collection", "add", "hope", f"own-the-lamp:1.{chance.randrange(1, 5)}:0-20"),
                ("papers", "add", str(source / "more.jsonl")),
                ("papers", "remove", "key:1004"),
                (
                    "characters",
                    "quay",
                    "--import",
                    str(source / chance.choice(["merged.toml", "renamed.toml"])),
                ),
                ("quiz", "grade", str(source / "questions.json"), str(source / "second.jsonl")),
                ("speakers", "lamp", "--json"),
            ]
        )

    @staticmethod
    def _read(chance: random.Random) -> Iterator[Line]:
        yield chance.choice(READING)

    def _read_logs(self) -> Iterator[Run]:
        for folder in sorted(self._working.glob("[0-9]")):
            for record in (folder / "log").read_text("utf-8").splitlines():
                line, code, out, err = json.loads(record)
                yield Run(int(folder.name), Outcome(tuple(line), code, out, err))

    def _problems(self, runs: list[Run]) -> Iterator[str]:
        for failure in sorted(self._working.glob("*/failure")):
            yield failure.read_text()
        for run in runs:
            outcome = run.outcome
            yield from tracebacks([outcome])
            if outcome.exit_code == 0:
                yield from _wrong_answer(outcome)
            elif outcome.line in READING or not _may_be_refused(outcome):
                yield outcome.describe()

    def _problems_at_the_end(self, runs: list[Run]) -> Iterator[str]:
        """Yield the problems of the library: lost books, unexpected books, damage."""
        expected = set(STABLE)
        for run in runs:
            line = run.outcome.line
            if run.outcome.exit_code == 0 and line[0] == "add":
                expected.add(run.outcome.json[0]["id"])
            elif run.outcome.exit_code == 0 and line[:2] == ("books", "remove"):
                expected.discard(line[2])
        listed, searched, doctor, papers = self._forked.run(
            self._home, BOOKS, FIND, DOCTOR, PAPERS_LIST
        )
        ids = {book["id"] for book in listed.json} if not listed.exit_code else set()
        if ids != expected:
            yield f"lost: {sorted(expected - ids)}, not expected: {sorted(ids - expected)}"
        for outcome in (searched, doctor, papers):
            if outcome.exit_code:
                yield f"at the end: {outcome.describe()}"


def _may_be_refused(outcome: Outcome) -> bool:
    """Return True for a command that was told to retry, or found nothing to remove."""
    return outcome.exit_code == BUSY or (outcome.exit_code == 4 and "remove" in outcome.line)


def _wrong_answer(outcome: Outcome) -> Iterator[str]:
    if outcome.line == BOOKS and not {book["id"] for book in outcome.json} >= STABLE:
        yield f"a book is missing: {outcome.describe()}"
    if outcome.line == FIND and not {hit["book"]["id"] for hit in outcome.json}:
        yield f"nothing is found: {outcome.describe()}"


def _shorten_retention() -> None:
    from scholar_indexes.books.adding import passage_index
    from scholar_indexes.storage import lance_table

    lance_table.VERSION_RETENTION = timedelta(seconds=RETENTION_S)
    passage_index.SUPERSEDED_FOR_S = float(RETENTION_S)


def _size(home: Path) -> int:
    total = 0
    for folder, _, names in os.walk(home):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                continue
    return total


def counts(runs: list[Run]) -> Counter[tuple[str, int]]:
    """Return how often each command ended with each exit code."""
    return Counter((" ".join(run.outcome.line[:2])[:24], run.outcome.exit_code) for run in runs)
