"""Change the core modules in small ways, one at a time, and report changes that no test notices.

    python tests/mutants/mutants.py [AREA ...] [--only PATTERN] [--minutes N] [--seed N]
                                    [--sample N] [--list]

mutmut makes the changes in a copy of the packages in build/mutants, and runs the tests that reach
the changed function. A sample of each module's mutants is drawn with the seed. Survivors are
printed as diffs, followed by the number of survivors of each module with 95 % intervals. Code
outside functions, or in decorated functions, is not changed.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

from core_modules import AREAS, Area

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
WORK = ROOT / "build" / "mutants"

COPIED = {
    "indexes/scholar_indexes": "scholar_indexes",
    "tui/scholar_tui": "scholar_tui",
    "scholar_cli": "scholar_cli",
    "tests": "tests",
}
"""The folders of the checkout and their paths in the copy: mutmut names modules by path."""

SETTINGS = """
[tool.mutmut]
source_paths = ["scholar_indexes"]
also_copy = ["scholar_cli", "scholar_tui", "tests", "pyproject.toml"]
only_mutate = {modules}
pytest_add_cli_args = [
    "-m", "not slow and not shared", "-p", "quick_tests", "-p", "no:cacheprovider",
    "--hypothesis-profile", "mutants",
]
pytest_add_cli_args_test_selection = {tests}
timeout_constant = 2.0
timeout_multiplier = 8.0
use_git_change_detection = false
on_dependency_change = "ignore"
"""

SURVIVED, NO_TESTS = 0, (5, 33)
INTERRUPTED, TIMEOUTS = 2, (24, 36, 152, 255, -24)
"""Exit codes of mutants in mutmut's files; None means not run, any other code means killed."""

SHOW = """
import sys
from mutmut.__main__ import show
for name in sys.argv[1:]:
    show.callback(name)
    print()
"""

Z = 1.959964
"""The quantile of the normal distribution for 95 % intervals."""


@dataclass(frozen=True)
class ModuleResult:
    """The mutants of a module: their number, how many of the sample ran, how many timed out
    (which counts as noticed), and the names of the survivors."""

    module: str
    mutants: int
    ran: int
    timeouts: int
    survivors: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help="by default all")
    parser.add_argument("--minutes", type=float, default=10.0, help="by the clock, in all")
    parser.add_argument("--seed", type=int, default=1, help="of the samples")
    parser.add_argument("--sample", type=int, default=20, help="mutants of each module")
    parser.add_argument("--only", default="*", help="modules, as *solver/features.py")
    parser.add_argument("--list", action="store_true", help="list the areas and end")
    options = parser.parse_args()
    if unknown := [name for name in options.areas if name not in AREAS]:
        parser.error(f"there is no area {unknown[0]!r}; list them with --list")
    if options.list:
        print("\n".join(AREAS))
        return 0
    if not find_spec("mutmut"):
        parser.error("mutmut is not installed; run: pip install -e '.[dev]'")
    end = time.monotonic() + 60 * options.minutes
    results: list[ModuleResult] = []
    counts = {
        name: count
        for name in options.areas or AREAS
        if (count := count_modules(AREAS[name], options.only))
    }
    if not counts:
        parser.error(f"these areas have no module {options.only!r}")
    for number, name in enumerate(counts):
        share = counts[name] / sum(list(counts.values())[number:])
        seconds = max(0.0, end - time.monotonic()) * share
        print(f"{name}: {seconds:.0f} s at most", flush=True)
        work = WORK / name
        lay_out(work, ROOT, AREAS[name], COPIED)
        results += run_area(work, options.seed, options.sample, seconds, options.only)
    print(table(results))
    return 0


def count_modules(area: Area, only: str) -> int:
    """Return the number of an area's modules that match a pattern."""
    package = ROOT / "indexes" / "scholar_indexes"
    files = [path.as_posix() for pattern in area.modules for path in package.glob(pattern)]
    return len(fnmatch.filter(files, only))


def lay_out(work: Path, root: Path, area: Area, copied: Mapping[str, str]) -> None:
    """Copy folders of `root` to a new folder `work`, with the settings of mutmut for an area."""
    if work.exists():
        shutil.rmtree(work)
    work.mkdir(parents=True)
    for source, target in copied.items():
        shutil.copytree(
            root / source, work / target, ignore=shutil.ignore_patterns("__pycache__", "build")
        )
    tests = [f"tests/{name}" for name in area.tests]
    settings = SETTINGS.format(
        modules=json.dumps([f"scholar_indexes/{name}" for name in area.modules]),
        tests=json.dumps(tests),
    )
    own = (root / "pyproject.toml").read_text("utf-8")
    (work / "pyproject.toml").write_text(own + settings, "utf-8")


def run_area(
    work: Path, seed: int, size: int, seconds: float, only: str = "*"
) -> list[ModuleResult]:
    """Run a sample of the mutants of each module that matches `only`, within a time, and print
    the survivors.

    Raises SystemExit with the output of mutmut if it could not make mutants or if the tests fail
    without them.
    """
    end = time.monotonic() + seconds
    mutmut(work, "run", "--max-children", "1", "none of them", seconds=seconds)
    by_module = {name: list(codes) for name, codes in exit_codes(work).items()}
    if not by_module or not (work / "mutants" / "mutmut-stats.json").exists():
        if time.monotonic() < end:
            raise SystemExit(f"mutmut made no mutants:\n{printed(work)}")
        print("no time was left for it; give it more --minutes")
        return []
    drawn = sample({name: by_module[name] for name in fnmatch.filter(by_module, only)}, seed, size)
    chosen = [name for names in drawn.values() for name in names]
    mutmut(work, "run", "--max-children", "1", *chosen, seconds=end - time.monotonic())
    log = printed(work)
    if time.monotonic() < end and "Running mutation testing" not in log:
        raise SystemExit(f"its tests fail without a change, or mutmut did:\n{log}")
    results = read_results(exit_codes(work), drawn)
    print_diffs(work, [name for result in results for name in result.survivors])
    return results


def mutmut(work: Path, *arguments: str, seconds: float) -> None:
    """Run mutmut in a folder for at most `seconds`; its output goes to the file `log`."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(FOLDER),
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-m", "mutmut", *arguments]
    with (work / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=work, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            process.wait(max(1.0, seconds))
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, KeyboardInterrupt):
                raise


def printed(work: Path) -> str:
    """Return the last output of mutmut, without its progress lines."""
    lines = (work / "log").read_text("utf-8").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def exit_codes(work: Path) -> dict[str, dict[str, int | None]]:
    """Return the exit code of every mutant, by module and name."""
    codes: dict[str, dict[str, int | None]] = {}
    made = work / "mutants"
    for path in sorted(made.rglob("*.meta")):
        module = path.relative_to(made).with_suffix("").as_posix()
        if by_name := json.loads(path.read_text("utf-8"))["exit_code_by_key"]:
            codes[module] = by_name
    return codes


def sample(
    by_module: Mapping[str, Sequence[str]], seed: int, size: int
) -> dict[str, tuple[str, ...]]:
    """Return `size` mutants of each module, or all if there are fewer; the sample of a module
    depends only on the seed and the module."""
    return {
        module: tuple(
            random.Random(f"{seed} {module}").sample(sorted(names), min(size, len(names)))
        )
        for module, names in by_module.items()
    }


def read_results(
    codes: Mapping[str, Mapping[str, int | None]], drawn: Mapping[str, Sequence[str]]
) -> list[ModuleResult]:
    """Return the results of the sampled mutants; mutants that no test reaches survive."""
    results = []
    for module, names in drawn.items():
        ran = [name for name in names if codes[module][name] not in (None, INTERRUPTED)]
        survivors = [name for name in ran if codes[module][name] in (SURVIVED, *NO_TESTS)]
        timeouts = sum(codes[module][name] in TIMEOUTS for name in ran)
        results.append(
            ModuleResult(module, len(codes[module]), len(ran), timeouts, tuple(survivors))
        )
    return results


def print_diffs(work: Path, names: Sequence[str]) -> None:
    """Print the names and diffs of mutants, as `mutmut show` does for one."""
    if names:
        done = subprocess.run(
            [sys.executable, "-c", SHOW, *names],
            cwd=work,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout or done.stderr, flush=True)


def interval(survived: int, ran: int) -> tuple[float, float]:
    """Return the bounds of Wilson's 95 % interval of a share; 0 to 1 if no mutant ran."""
    if not ran:
        return 0.0, 1.0
    share, z2 = survived / ran, Z * Z
    middle = (share + z2 / (2 * ran)) / (1 + z2 / ran)
    half = Z / (1 + z2 / ran) * sqrt(share * (1 - share) / ran + z2 / (4 * ran * ran))
    return max(0.0, middle - half), min(1.0, middle + half)


def table(results: Sequence[ModuleResult]) -> str:
    """Return a line for each module, for each package and for all: the numbers of mutants, of
    runs and of survivors, and the share of survivors with its interval.

    The share of a package or of all counts every mutant that ran once, whatever its module.
    """
    lines = [f"{'module':42} {'mutants':>7} {'ran':>5} {'too long':>8} {'survived':>8}   share"]
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        totals[result.module] = Counter(
            mutants=result.mutants,
            ran=result.ran,
            timeouts=result.timeouts,
            survived=len(result.survivors),
        )
    for result in results:
        totals[result.module.rpartition("/")[0] + "/"] += totals[result.module]
    for result in results:
        totals["all"] += totals[result.module]
    for name, counts in totals.items():
        survived, ran = counts["survived"], counts["ran"]
        low, high = interval(survived, ran)
        share = f"{survived / ran:7.0%}" if ran else "      -"
        shown = name.removeprefix("scholar_indexes/") or name
        lines.append(
            f"{shown:42} {counts['mutants']:7,} {ran:5} "
            f"{counts['timeouts']:8} {survived:8} {share} ({low:.0%} to {high:.0%})"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
