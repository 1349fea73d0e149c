"""Commands that meet a fault, and what they must leave, for every call that can fail."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faults import Fault, FaultKind
from forked_commands import ForkedCommands, Hung, Outcome
from torture_libraries import BOOKS, DOCTOR, Command, Libraries, answer_of

INJECTED = tuple(kind for kind in FaultKind if kind is not FaultKind.COUNT)

REFUSALS = (1, 3)
"""The exit codes of a command that met a system error."""

Answers = list[object]


@dataclass(frozen=True, slots=True)
class PointResult:
    """The problems at a fault point, empty if there are none; place is a call and a file."""

    command: str
    fault: Fault
    place: str
    problems: tuple[str, ...]


class FaultPoints:
    """Runs commands with faults and compares the resulting libraries with the expected ones."""

    def __init__(self, libraries: Libraries, forked: ForkedCommands, working: Path) -> None:
        self._libraries = libraries
        self._forked = forked
        self._home = working / "home"
        self._before: dict[str, Answers] = {}
        self._after: dict[str, Answers] = {}
        self._files: dict[str, dict[str, str]] = {}

    def calls(self, command: Command, kind: FaultKind) -> int:
        """Return how many calls of a command may have a kind of fault."""
        home = self._libraries.copy(command.base, self._home)
        [outcome] = self._forked.run(home, command.line, fault=Fault(kind, 0))
        if outcome.exit_code:
            raise RuntimeError(f"without a fault: {outcome.describe()}")
        return self._forked.faults.calls

    def reach(self, command: Command, fault: Fault) -> PointResult:
        """Run a command with a fault, then check that the library is intact."""
        self._learn(command)
        home = self._libraries.copy(command.base, self._home)
        problems: list[str] = []
        place = ""
        try:
            [faulted] = self._forked.run(home, command.line, fault=fault)
            place = self._forked.faults.place
            problems += _refusal_problems(faulted, fault, place)
            problems += self._problems_after(command, home, faulted)
        except Hung as hung:
            problems.append(str(hung))
        return PointResult(command.name, fault, place, tuple(problems))

    def _learn(self, command: Command) -> None:
        """Record the answers before and after a command without a fault, and the files before."""
        if command.name in self._before:
            return
        home = self._libraries.copy(command.base, self._home)
        *before, done = self._forked.run(home, *command.probes, command.line)
        if done.exit_code:
            raise RuntimeError(f"without a fault: {done.describe()}")
        after = self._forked.run(home, *command.probes)
        self._before[command.name] = list(map(answer_of, before))
        self._after[command.name] = list(map(answer_of, after))
        self._files[command.name] = hashes(self._libraries.home(command.base))

    def _problems_after(self, command: Command, home: Path, faulted: Outcome) -> Iterator[str]:
        """Yield the problems of a library after a fault, and after repeating the command."""
        before, after = self._before[command.name], self._after[command.name]
        yield from self._lost_files(command, home)
        probes = self._forked.run(home, *command.probes)
        yield from tracebacks(probes)
        answers = list(map(answer_of, probes))
        if faulted.exit_code == 0 and answers != after:
            yield f"acknowledged, but not there: {_difference(probes, answers, after)}"
        may_be_between = command.stepwise or "left out of the index" in faulted.stderr
        if answers not in (before, after) and not may_be_between:
            yield f"neither as before nor as after: {_difference(probes, answers, before)}"
        has_to_run = command.repeatable or answers != after
        # Any command that writes cleans up; this one does nothing else.
        line = command.line if has_to_run else ("index", "optimize")
        again, *probes, doctor = self._forked.run(home, line, *command.probes, DOCTOR)
        if again.exit_code:
            yield f"the same command again: {again.describe()}"
        yield from tracebacks([*probes, doctor])
        answers = list(map(answer_of, probes))
        if answers != after:
            yield f"after the same command: {_difference(probes, answers, after)}"
        if doctor.exit_code:
            yield f"after the same command: {doctor.describe()}"
        if BOOKS in command.probes:
            yield from _leftovers(home, probes[command.probes.index(BOOKS)])

    def _lost_files(self, command: Command, home: Path) -> Iterator[str]:
        """Yield the changed files that do not concern the command."""
        now = hashes(home)
        for name, digest in self._files[command.name].items():
            if not name.startswith(command.changes) and now.get(name) != digest:
                yield f"{name} was changed"
            if name.endswith("/text.txt") and name not in now and "remove" not in command.name:
                folder = name.rsplit("/", 2)[-2]
                if "refresh" not in command.name:
                    yield f"the text of {folder} is lost"


REMEDIES = "run|free|change|check|set|move|close|correct|fix|restore|see"
"""Words of an error line that say what to do."""


def hashes(home: Path) -> dict[str, str]:
    """Return the hashes of the files of a home by their paths in it."""
    return {
        path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


def _refusal_problems(outcome: Outcome, fault: Fault, place: str) -> Iterator[str]:
    """Yield the problems with the exit of a command that met a fault."""
    yield from tracebacks([outcome])
    if not place:
        if outcome.exit_code:
            yield f"no fault, and yet {outcome.describe()}"
    elif fault.kind.kills:
        if outcome.exit_code not in (0, -9):
            yield f"not killed: {outcome.describe()}"
    elif outcome.exit_code in REFUSALS or (outcome.exit_code == 2 and "config.toml" in place):
        yield from message_problems(outcome)
        if fault.kind is not FaultKind.BAD_READ and "damaged" in outcome.stderr:
            yield f"called damaged, which it is not: {outcome.stderr}"
    elif outcome.exit_code:
        yield f"an exit code for something else: {outcome.describe()}"


def message_problems(outcome: Outcome) -> Iterator[str]:
    """Yield the problems with the message of a failed command."""
    last = (["", *outcome.stderr.splitlines()])[-1]
    if outcome.stdout.startswith("check") or "left out of the index" in outcome.stderr:
        return  # the table of `doctor` reports it, or the lines of `index rebuild` do
    if not last.startswith("scholar: "):
        yield f"no line that says what to do: {outcome.describe()}"
    elif not re.search(rf"[;:,] .*({REMEDIES})", last):
        yield f"no remedy: {last}"


def tracebacks(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield the outcomes that show a traceback or an unexpected error."""
    for outcome in outcomes:
        if "Traceback" in outcome.stderr or "should not happen" in outcome.stderr:
            yield outcome.describe()


def _difference(outcomes: list[Outcome], answers: Answers, expected: Answers) -> str:
    """Return the first command line with an unexpected answer."""
    for outcome, answer, wanted in zip(outcomes, answers, expected, strict=True):
        if answer != wanted:
            counts = [
                len(value) if isinstance(value, list) else value for value in (answer, wanted)
            ]
            return f"{counts[0]} in place of {counts[1]}; {outcome.describe()}"
    return "nothing"


def _leftovers(home: Path, books: Outcome) -> Iterator[str]:
    """Yield the folders that belong to no listed book, after a command that writes."""
    if books.exit_code:
        return
    listed = {record["id"] for record in books.json}
    folders = [path.name for path in (home / "data" / "books").glob("*")]
    if sorted(name.rpartition(".")[0] for name in folders) != sorted(listed):
        yield f"folders {sorted(folders)} for the books {sorted(listed)}"
