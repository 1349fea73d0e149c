"""The benchmarks behind the figures of the pages, and how to rerun them."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import run_files
from benchmark_data import PROBES, fill_in, find, run_program
from run_files import ROOT, RunFile

QUOTATIONS = (
    "attribution/quotes/marks.py",
    "attribution/forms/patterns.py",
    "attribution/forms/layout.py",
)
CASTS = (
    *QUOTATIONS,
    "coreference/brides.py",
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
    "speakers-example": Benchmark("scholar speakers -b pride --chapter 56", SPEAKERS, home="DEMO"),
    "who-example": Benchmark(
        'scholar who "the sister who elopes with an officer" pride -n 1', WHO, home="DEMO"
    ),
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
    words = [fill_in(word) for word in shlex.split(benchmark.command)]
    is_bench = words[1] == "bench"
    if is_bench:
        words[2:2] = ["--per-query"]
        words.append("--json")
    start = time.perf_counter()
    printed = run_program(words, find(benchmark.home), dict(benchmark.settings))
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
