"""Fuzz the readers of untrusted input, with their coverage as the guide.

    python tests/fuzz/fuzz.py [TARGET ...] [--minutes N] [--list]

N minutes of processor time are divided among the targets (by default all) by their weights. Each
runs in its own process under atheris; then parts of inputs are repeated, to find inputs that take
more than linear time; then the smallest inputs that cover every line are kept in corpus/. Findings
are in build/fuzz/TARGET/findings: an input, and its result next to it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from targets import Target

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

WORK = ROOT / "build" / "fuzz"
INSTRUMENTED = ["scholar_indexes", "scholar_cli", "bibtexparser", "rispy", "tomllib"]
MAX_INPUT_BYTES = 16_384
MAX_RSS_MB = 1_500
SLOW_S = 2.0
"""The processor time that an input may take while its lines are traced, in seconds."""

ENDLESS_S = 300
"""The wall-clock time after which an input is abandoned; long, for a busy machine."""

REPEATED_BYTES = (16_384, 65_536)
MAX_GROWTH = 9.0
"""The largest growth of the time from the first to the second of REPEATED_BYTES: 4 is linear, 16
quadratic."""

GROWN_S = 0.5
"""Growth is ignored if the larger of the two inputs takes less than this."""

SHARE_OF_REPEATS = 0.15
KEPT_BYTES, KEPT_BYTES_BY_WEIGHT = 1_500, 2_000
MAX_RESTARTS = 20
MOST_OTHERS = 8
"""The number of extra inputs kept, since a regular expression is one line whatever it does."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="by default all")
    parser.add_argument("--minutes", type=float, default=10.0, help="of processor time, in all")
    parser.add_argument("--list", action="store_true", help="list the targets and end")
    parser.add_argument("--inside", choices=("fuzz", "finish"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    seconds = 60 * options.minutes
    if options.inside == "fuzz":
        fuzz(options.targets[0], seconds)
    if not (options.list or options.inside or find_spec("atheris")):
        parser.error("atheris is not installed; run: pip install -e '.[fuzz]'")

    from targets import TARGETS

    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"there is no target {unknown[0]!r}; list them with --list")
    names = options.targets or list(TARGETS)
    if options.list:
        print("\n".join(names))
        return 0
    if options.inside == "finish":
        return finish(names[0], seconds)
    return run_all(names, seconds)


def run_all(names: Sequence[str], seconds: float) -> int:
    """Fuzz the targets for this much processor time in total; return 1 if there were findings."""
    from targets import TARGETS

    whole = sum(TARGETS[name].weight for name in names)
    totals = [0, 0.0, 0]
    print(f"{'target':36} {'inputs':>9} {'CPU s':>7} {'edges':>6} {'kept':>5} findings", flush=True)
    for name in names:
        row = run_target(name, seconds * TARGETS[name].weight / whole)
        for n, key in enumerate(("inputs", "cpu_s", "findings")):
            totals[n] += row[key]
        print(
            f"{name:36} {row['inputs']:9,} {row['cpu_s']:7.0f} {row['edges']:6} {row['kept']:5} "
            f"{row['findings']}",
            flush=True,
        )
    print(f"{len(names)} targets, {totals[0]:,} inputs, {totals[1]:,.0f} s, {totals[2]} findings")
    return 1 if totals[2] else 0


def run_target(name: str, seconds: float) -> dict[str, Any]:
    """Fuzz one target; return the results."""
    from corpus import kept_inputs, slug
    from seeds import seeds

    work = WORK / slug(name)
    inputs, findings, stats = work / "inputs", work / "findings", work / "stats.json"
    for folder in (inputs, findings):
        folder.mkdir(parents=True, exist_ok=True)
    for data in (*seeds(name), *kept_inputs(name)):
        (inputs / hashlib.sha1(data).hexdigest()).write_bytes(data)
    before = set(findings.iterdir())
    row: dict[str, Any] = {"inputs": 0, "cpu_s": 0.0, "edges": 0}
    left = seconds * (1 - SHARE_OF_REPEATS)
    for _ in range(MAX_RESTARTS):
        stats.unlink(missing_ok=True)
        log = _run_inside("fuzz", name, left, work)
        counted = json.loads(stats.read_text()) if stats.exists() else {"inputs": 0, "cpu_s": left}
        row["inputs"] += counted["inputs"]
        row["cpu_s"] += counted["cpu_s"]
        edges = [int(number) for number in re.findall(r"\bcov: (\d+)", log)]
        row["edges"] = max([row["edges"], *edges])
        left -= max(1.0, counted["cpu_s"])
        if left <= 0:
            break
    used = os.times()
    _run_inside("finish", name, seconds * SHARE_OF_REPEATS, work)
    row["cpu_s"] += os.times().children_user - used.children_user
    row["kept"] = len(kept_inputs(name))
    new = set(findings.iterdir()) - before
    row["findings"] = sum(path.suffix != ".txt" for path in new)
    return row


def _run_inside(step: str, name: str, seconds: float, work: Path) -> str:
    """Run a step of a target in its own process; return what it printed."""
    command = [sys.executable, __file__, name, "--inside", step, "--minutes", str(seconds / 60)]
    with (work / f"{step}.log").open("w+", errors="replace") as log:
        done = subprocess.run(command, stdout=log, stderr=log, cwd=ROOT, check=False)
        log.write(f"\nexit status {done.returncode}\n")
        log.seek(0)
        return log.read()


def fuzz(name: str, seconds: float) -> NoReturn:
    """Run a target under atheris until this process has used this many processor seconds."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        fuzz_instrumented(name, seconds)
    raise SystemExit(0)


def fuzz_instrumented(name: str, seconds: float) -> None:
    """Run the fuzzer; modules are instrumented as they are imported."""
    import atheris

    from corpus import slug
    from targets import TARGETS, run

    work, target = WORK / slug(name), TARGETS[name]
    known = {path.name.partition("-")[0] for path in (work / "findings").iterdir()}
    count, begun = 0, time.process_time()

    def try_input(data: bytes) -> None:
        nonlocal count
        start = time.process_time()
        try:
            run(target, data)
        except Exception as error:
            _save(work, known, _signature(error), data, traceback.format_exc())
        now = time.process_time()
        if now - start > SLOW_S:
            _save(work, known, f"slow{len(data).bit_length()}", data, f"{now - start:.1f} s")
        count, used = count + 1, now - begun
        if count % 256 == 0 or used > seconds or now - start > SLOW_S:
            (work / "stats.json").write_text(json.dumps({"inputs": count, "cpu_s": used}))
        if used > seconds:
            sys.stderr.flush()
            os._exit(0)

    options = [
        f"-max_len={MAX_INPUT_BYTES}",
        f"-rss_limit_mb={MAX_RSS_MB}",
        f"-timeout={ENDLESS_S}",
        f"-artifact_prefix={work / 'findings'}{os.sep}",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(work / "inputs")], try_input)
    atheris.Fuzz()


def finish(name: str, seconds: float) -> int:
    """Look for inputs whose time grows faster than their size, and keep the smallest cover."""
    from corpus import keep, slug, smallest_cover
    from targets import TARGETS, run

    work, target = WORK / slug(name), TARGETS[name]
    inputs = {path.read_bytes() for path in (work / "inputs").iterdir()}
    cover = list(smallest_cover(target, inputs))
    others = sorted(inputs - set(cover), key=lambda data: (len(data), data))
    others = others[:: 1 + len(others) // MOST_OTHERS]
    keep(name, [*cover, *others], KEPT_BYTES + KEPT_BYTES_BY_WEIGHT * target.weight)
    known = {path.name.partition("-")[0] for path in (work / "findings").iterdir()}
    end = time.process_time() + seconds
    for small, large in _repeated(cover):
        if time.process_time() > end:
            break
        times = []
        for data in (small, large):
            start = time.process_time()
            try:
                run(target, data)
            except Exception as error:
                _save(work, known, _signature(error), data, traceback.format_exc())
            times.append(time.process_time() - start)
        if times[1] > max(GROWN_S, MAX_GROWTH * times[0]):
            told = f"{len(small)} bytes {times[0]:.2f} s, {len(large)} bytes {times[1]:.2f} s"
            _save(work, known, "growth", large, told)
    _forget_false_timeouts(work / "findings", target)
    return 0


def _forget_false_timeouts(findings: Path, target: Target) -> None:
    """Remove inputs that took long only by the clock, because the machine or process was paused.

    An input that never ends terminates this process, and is kept.
    """
    from targets import run

    signal.setitimer(signal.ITIMER_PROF, ENDLESS_S)
    for path in (*findings.glob("timeout-*"), *findings.glob("slow-unit-*")):
        start = time.process_time()
        with suppress(Exception):
            run(target, path.read_bytes())
        if time.process_time() - start < SLOW_S:
            path.unlink()


def _repeated(inputs: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield inputs with a part repeated until they reach the sizes of REPEATED_BYTES."""
    chance = random.Random(len(inputs))
    for _ in range(50):
        for data in chance.sample(inputs, len(inputs)):
            if not data:
                continue
            start = chance.choice((0, chance.randrange(len(data))))
            end = chance.choice((len(data), start + 1, chance.randrange(start, len(data)) + 1))
            part = data[start:end]
            small, large = (
                data[:start] + part * (size // len(part)) + data[end:] for size in REPEATED_BYTES
            )
            yield small, large


def _signature(error: Exception) -> str:
    """Return the type of an error and the last line of scholar in its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    last = next((frame for frame in reversed(own) if "scholar_" in frame.filename), own[-1])
    place = f"{type(error).__name__}_{Path(last.filename).stem}_{last.name}_{last.lineno}"
    return re.sub(r"\W", "_", place)


def _save(work: Path, known: set[str], signature: str, data: bytes, told: str) -> None:
    """Save the first finding of a signature."""
    if signature not in known:
        known.add(signature)
        path = work / "findings" / f"{signature}-{hashlib.sha1(data).hexdigest()[:8]}"
        path.write_bytes(data)
        path.with_name(path.name + ".txt").write_text(told, "utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
