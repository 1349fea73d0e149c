"""Torture libraries of small books: faults at system calls, damaged files, many processes.

    python tests/torture/torture.py [--minutes 10] [--seed 1] [--only NAME] [--kind KIND]
    python tests/torture/torture.py --share 1/3 &       a third of the points; also run 2/3 and 3/3

Prints the number of points reached, by command and kind of fault, and the problems found; exits
with 1 if there were any.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from damaged_files import HARMS, DamagedFiles, DamageResult, Harm, kind_of
from fault_points import INJECTED, FaultPoints, PointResult
from faults import Fault, Faults, compiled, why_impossible
from forked_commands import ForkedCommands
from many_processes import ManyProcesses, counts
from torture_libraries import Command, Libraries

T = TypeVar("T")

PROGRESS_POINTS = 25
"""The number of points between progress lines."""


def run_with_faults(working: Path) -> int:
    """Run this program again, with the fault library and one thread per model, and return its
    exit code."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("SCHOLAR_")
    }
    environment |= {
        "LD_PRELOAD": str(compiled(working)),
        "OMP_NUM_THREADS": "1",
        "SCHOLAR_THREADS": "1",
        "SCHOLAR_TORTURE_FOLDER": str(working),
        "TERM": "dumb",
    }
    return subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode


def points(
    tortured: FaultPoints, commands: list[Command], kinds: list[str], seed: int
) -> Iterator[tuple[Command, Fault]]:
    """Yield every point once, in an order in which any part contains all commands and kinds."""
    remaining = []
    for command in commands:
        for kind in INJECTED:
            if kinds and kind.label not in kinds:
                continue
            calls = list(range(1, tortured.calls(command, kind) + 1))
            # Its own seed, since LanceDB does not make the same number of calls each time.
            random.Random(f"{seed} {command.name} {kind.label}").shuffle(calls)
            remaining.append((command, kind, calls))
    total = sum(len(calls) for _, _, calls in remaining)
    print(f"{total} points of {len(commands)} commands", flush=True)
    chance = random.Random(seed)
    while remaining:
        chance.shuffle(remaining)
        for command, kind, calls in remaining:
            yield command, Fault(kind, calls.pop())
        remaining = [entry for entry in remaining if entry[2]]


def share_of(entries: Iterable[T], share: str) -> Iterator[T]:
    """Yield every n-th entry from the k-th, for a share "k/n"."""
    first, _, step = share.partition("/")
    return islice(entries, int(first) - 1, None, int(step))


def report(results: list[PointResult]) -> None:
    """Print the numbers of reached and failed points, by command and kind of fault."""
    reached = Counter((result.command, result.fault.kind) for result in results)
    failed = Counter((result.command, result.fault.kind) for result in results if result.problems)
    width = max((len(name) for name, _ in reached), default=0)
    print(f"{'':{width}}" + "".join(f"{kind.label:>16}" for kind in INJECTED))
    for name in dict.fromkeys(result.command for result in results):
        cells = [
            f"{reached[name, kind]}"
            + (f" ({failed[name, kind]} failed)" if failed[name, kind] else "")
            for kind in INJECTED
        ]
        print(f"{name:{width}}" + "".join(f"{cell:>16}" for cell in cells))
    print(f"{len(results)} points reached, {sum(failed.values())} failed")


def torture_commands(
    libraries: Libraries, forked: ForkedCommands, working: Path, options: argparse.Namespace
) -> bool:
    """Run commands with faults until the time is up; print and return if all went well."""
    deadline = time.monotonic() + 60 * options.minutes
    tortured = FaultPoints(libraries, forked, working)
    commands = [
        command
        for command in libraries.commands()
        if not options.only or command.name in options.only
    ]
    results: list[PointResult] = []
    for command, fault in share_of(
        points(tortured, commands, options.kind, options.seed), options.share
    ):
        if time.monotonic() > deadline or len(results) >= options.points:
            break
        results.append(tortured.reach(command, fault))
        place = f"{fault.kind.label} {fault.call} ({results[-1].place})"
        for problem in results[-1].problems:
            print(f"{command.name}, {place}: {problem}", flush=True)
        if len(results) % PROGRESS_POINTS == 0:
            print(f"{len(results)} points reached", flush=True)
    report(results)
    return not any(result.problems for result in results)


def torture_files(
    libraries: Libraries, forked: ForkedCommands, working: Path, options: argparse.Namespace
) -> bool:
    """Damage files until the time is up; print and return if all went well."""
    deadline = time.monotonic() + 60 * options.minutes
    chance = random.Random(options.seed)
    damaged = DamagedFiles(libraries, forked, working)
    pairs = list(share_of(damages(damaged.files, chance), options.share))
    results: list[DamageResult] = []
    for file, harm in pairs:
        if time.monotonic() > deadline or len(results) >= options.points:
            break
        results.append(damaged.reach(file, harm, chance.randrange(1 << 30)))
        for problem in results[-1].problems:
            print(f"{file}, {harm.__name__}: {problem}", flush=True)
    failed = Counter(kind_of(result.file) for result in results if result.problems)
    for kind, count in sorted(Counter(kind_of(result.file) for result in results).items()):
        print(f"{count:4}  {kind}" + (f" ({failed[kind]} failed)" if failed[kind] else ""))
    print(
        f"{len(results)} damaged files of {len(pairs)}, {sum(failed.values())} failed", flush=True
    )
    return not failed


def damages(files: list[str], chance: random.Random) -> list[tuple[str, Harm]]:
    """Return every file with every harm, in an order in which any part has all kinds of files."""
    by_kind: dict[str, list[tuple[str, Harm]]] = defaultdict(list)
    for file in files:
        by_kind[kind_of(file)].extend((file, harm) for harm in HARMS)
    for pairs in by_kind.values():
        chance.shuffle(pairs)
    rounds = zip_longest(*by_kind.values())
    return [pair for pairs in rounds for pair in pairs if pair is not None]


def torture_processes(
    libraries: Libraries, forked: ForkedCommands, working: Path, options: argparse.Namespace
) -> bool:
    """Let eight processes use one library until the time is up; print and return if all went
    well."""
    processes = ManyProcesses(libraries, forked, working)
    runs, problems, sizes = processes.run(60 * options.minutes, options.seed)
    for problem in problems:
        print(f"eight processes: {problem}", flush=True)
    for (command, code), count in sorted(counts(runs).items()):
        print(f"{count:5}  {command}" + (f", exit code {code}" if code else ""))
    print(
        f"{len(runs)} commands of eight processes, {len(problems)} problems; megabytes at the "
        "beginning, at most in each half, at the end: "
        + ", ".join(f"{size / 1e6:.1f}" for size in sizes),
        flush=True,
    )
    return not problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--points", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", default="1/1")
    parser.add_argument("--part", action="append", choices=["commands", "files", "processes"])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--kind", action="append", default=[])
    options = parser.parse_args()
    if reason := why_impossible():
        print(f"no faults can be injected: {reason}", file=sys.stderr)
        return 2
    if not Faults.are_loaded():
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # nothing to wait for there
        with tempfile.TemporaryDirectory(prefix="scholar-torture-", dir=memory) as folder:
            return run_with_faults(Path(folder))
    working = Path(os.environ.pop("SCHOLAR_TORTURE_FOLDER"))
    began = time.monotonic()
    forked = ForkedCommands(working)
    libraries = Libraries(working / "made", forked)
    parts = {
        "commands": torture_commands,
        "files": torture_files,
        "processes": torture_processes,
    }
    chosen = options.part or list(parts)
    options.minutes /= len(chosen)
    went_well = [parts[name](libraries, forked, working, options) for name in chosen]
    print(f"{time.monotonic() - began:.0f} s, of which {time.process_time():.0f}")
    return int(not all(went_well))


if __name__ == "__main__":
    raise SystemExit(main())
