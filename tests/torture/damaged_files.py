"""Commands on a library with a file that is truncated, missing or has a flipped bit."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fault_points import message_problems, tracebacks
from forked_commands import ForkedCommands, Hung, Outcome
from torture_libraries import (
    BOOKS,
    COLLECTION,
    CONFIG,
    CORRECTIONS,
    DOCTOR,
    FIND,
    PAPERS_FIND,
    PAPERS_LIST,
    QUIZ_BOOKS,
    SHOW,
    SPEAKERS,
    STATS,
    Libraries,
    answer_of,
)

PROBES = (
    BOOKS,
    FIND,
    SHOW,
    SPEAKERS,
    COLLECTION,
    CORRECTIONS,
    STATS,
    QUIZ_BOOKS,
    PAPERS_LIST,
    PAPERS_FIND,
    CONFIG,
)

OWN_SOURCE = re.compile(
    r"/text\.txt$|/imprint\.json$|desk\.sqlite$|quiz\.sqlite$|papers\.sqlite$"
    r"|/corrections/|/descriptions/"
)
"""Files that cannot be rebuilt from others, which --repair cannot fix."""

SAYS_SO = re.compile(r"damaged|missing|left out|cannot be read|in the index|continuing without")
"""The messages of a command that answers without a damaged part."""


def cut(content: bytearray, chance: random.Random) -> bytearray:
    return content[: len(content) // 2]


def emptied(content: bytearray, chance: random.Random) -> bytearray:
    return bytearray()


def flipped(content: bytearray, chance: random.Random) -> bytearray:
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return content


def gone(content: bytearray, chance: random.Random) -> None:
    return None


Harm = Callable[[bytearray, random.Random], bytearray | None]
HARMS: tuple[Harm, ...] = (cut, emptied, flipped, gone)


@dataclass(frozen=True, slots=True)
class DamageResult:
    """The problems with a damaged file; empty if there are none."""

    file: str
    harm: str
    problems: tuple[str, ...]


def kind_of(file: str) -> str:
    """Return the path of a file with numbers, hashes and book names replaced by "*"."""
    return re.sub(r"[0-9a-f-]{16,}|\.[0-9]+(?=/)|(?<=/)[0-9]+(?=\.)|own-the-\w+", "*", file)


class DamagedFiles:
    """Damages one file of a filled library at a time and checks the answers of commands."""

    def __init__(self, libraries: Libraries, forked: ForkedCommands, working: Path) -> None:
        self._libraries = libraries
        self._forked = forked
        self._home = working / "damaged"
        home = libraries.home("filled")
        self.files = [
            path.relative_to(home).as_posix()
            for path in sorted((home / "data").rglob("*"))
            if path.is_file() and path.stat().st_size
        ]
        probes = forked.run(libraries.copy("filled", self._home), *PROBES)
        self._truth = list(map(answer_of, probes))

    def reach(self, file: str, harm: Harm, seed: int) -> DamageResult:
        """Damage a file, run all reading commands and the doctor, then repair and rerun all."""
        home = self._libraries.copy("filled", self._home)
        path = home / file
        content = bytearray(path.read_bytes())
        harmed = harm(content, random.Random(seed))
        path.unlink() if harmed is None else path.write_bytes(harmed)
        try:
            problems = tuple(self._problems(home, file))
        except Hung as hung:
            problems = (str(hung),)
        return DamageResult(file, harm.__name__, problems)

    def _problems(self, home: Path, file: str) -> Iterator[str]:
        doctor, *probes = self._forked.run(home, DOCTOR, *PROBES)
        yield from tracebacks([doctor, *probes])
        is_noticed = False
        for outcome, truth in zip(probes, self._truth, strict=True):
            if outcome.exit_code:
                is_noticed = True
                yield from message_problems(outcome)
            elif not is_right(outcome, truth):
                is_noticed = True
                if not SAYS_SO.search(outcome.stderr):
                    yield f"a wrong answer: {outcome.describe()}"
        if is_noticed and not doctor.exit_code:
            yield "the doctor names nothing"
        if OWN_SOURCE.search(file):
            return
        repaired, doctor, *probes = self._forked.run(home, ("doctor", "--repair"), DOCTOR, *PROBES)
        yield from tracebacks([repaired, doctor, *probes])
        if doctor.exit_code:
            yield f"after the repair: {doctor.describe()}"
        for outcome, truth in zip(probes, self._truth, strict=True):
            if outcome.exit_code or not is_right(outcome, truth):
                yield f"after the repair: {outcome.describe()}"


def is_right(outcome: Outcome, truth: object) -> bool:
    """Return True for the right answer; passages may differ if their books are right."""
    answer = answer_of(outcome)
    if outcome.line != FIND:
        return answer == truth
    assert isinstance(answer, list)
    assert isinstance(truth, list)
    return {book_of(hit) for hit in answer} == {book_of(hit) for hit in truth}


def book_of(hit: tuple[str, str]) -> str:
    return hit[0].partition(":")[0]
