"""Three probes of whether a language model has memorised a novel.

Corrupted-speaker guessing (Michel et al., "Evaluating LLMs for Quotation Attribution in
Literary Texts", section 5 and appendix B): the speaker of a quotation is renamed throughout the
passage around it. A model that reads answers with the new name, a model that remembers with the old
one, which is no longer in the passage.

Name cloze (Chang, Cramer, Soni and Bamman 2023, "Speak, Memory"): the model names the only
character named in a short passage, who is masked.

Min-K% (min_k) of the annotation, only for a model on this machine: a server does not report the
likelihood of a given text.

In the papers a model answers freely. Here its answer is restricted to the names of the important
characters and of the stand-in, which it is not shown. So every answer can be parsed, and guessing
is rewarded a little more; with a server that accepts no schema the model answers freely here too.
"""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.pdnc import min_k, pdnc_data
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc.memorisation_items import (
    MOST,
    ClozeItem,
    Meant,
    make_cloze_items,
    make_corrupted_items,
)
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.coreference import mentions
from scholar_indexes.errors import NoMatch
from scholar_indexes.llm.backend import Backend, parse_answer
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.sanitize import unescape_formula
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class ClozeScore:
    """The number of passages, and the shares answered with the true and the stand-in name."""

    asked: int
    memorised: float
    reasoned: float


@dataclass(frozen=True, slots=True)
class Guessing:
    """Corrupted-speaker guessing by kind of quotation, without kinds that have no passage."""

    kinds: Mapping[str, ClozeScore]

    @property
    def memorisation(self) -> float:
        """Return the mean over the kinds (CSG-Memorization)."""
        return sum(kind.memorised for kind in self.kinds.values()) / len(self.kinds)

    @property
    def reasoning(self) -> float:
        """Return the mean over the kinds (CSG-Reasoning)."""
        return sum(kind.reasoned for kind in self.kinds.values()) / len(self.kinds)


@dataclass(frozen=True, slots=True)
class Cloze:
    """The number of names, the share known, and the share known by random guessing."""

    asked: int
    known: float
    by_chance: float


def run(
    data: Path,
    backend: Backend,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    most: int = MOST,
    k: float = min_k.K,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each novel in PDNC's format that has suitable passages.

    k is the percentage of Min-K%, and its instances are at most ten times `most`. Titles and
    authors are from index.csv next to the novels or one folder up; otherwise the folder name is
    the title. Raises the errors of pdnc.data.read, and NoMatch if no novel has such a passage.
    """
    novels = pdnc.select_novels(pdnc_data.read(data), only)
    titles_and_authors = _read_index(data)
    sha256, reports = pdnc_data.sha256(novels), []
    for novel in novels:
        title, author = titles_and_authors.get(novel.name) or (
            _title_from_folder(novel.name),
            "an unnamed author",
        )
        start = time.perf_counter()
        figures: dict[str, float] = {}
        with suppress(NoMatch):
            guessed = guess_speakers(
                novel, backend, title=title, author=author, seed=seed, most=most, progress=progress
            )
            figures |= {"csg_memorised": guessed.memorisation, "csg_reasoned": guessed.reasoning}
            if explicit := guessed.kinds.get("Explicit"):
                figures["csg_memorised_cloze"] = explicit.memorised
        with suppress(NoMatch):
            cloze = fill_names(novel, backend, seed=seed, most=most, progress=progress)
            figures |= {"name_cloze": cloze.known, "name_cloze_by_chance": cloze.by_chance}
        if isinstance(backend, LocalModel):
            instances = min_k.draw_instances(
                novel, title=title, author=author, seed=seed, most=10 * most
            )
            if instances:
                figures["min_k"] = measure_min_k(instances, backend, k=k, progress=progress)
        if figures:
            reports.append(
                Report(
                    "memorisation",
                    novel.name,
                    "llm",
                    figures,
                    len(novel.quotations),
                    time.perf_counter() - start,
                    backend.name,
                    sha256,
                    commit(),
                )
            )
    if not reports:
        raise NoMatch(f"no novel of {data} names its speakers near a quotation; choose others")
    return reports


def _read_index(data: Path) -> dict[str, tuple[str, str]]:
    """Return titles and authors by folder, from the index (folder, title, author) if it exists."""
    for path in (data / pdnc_data.INDEX, data.parent / pdnc_data.INDEX):
        with (
            suppress(OSError, ValueError, csv.Error, KeyError),
            path.open(encoding="utf-8-sig", newline="") as file,
        ):
            columns = ("folder", "title", "author")
            rows = [
                [unescape_formula(row[name]) for name in columns] for row in csv.DictReader(file)
            ]
            return {folder: (title, author) for folder, title, author in rows}
    return {}


def _title_from_folder(name: str) -> str:
    """Return a folder's name as words: "HardTimes" becomes "Hard Times"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def guess_speakers(
    novel: AnnotatedNovel,
    backend: Backend,
    *,
    title: str,
    author: str,
    seed: int = 0,
    most: int = MOST,
    progress: Progress = silent,
) -> Guessing:
    """Return the scores of corrupted-speaker guessing on at most `most` quotations of each kind.

    Raises NoMatch if no quotation has its speaker named near it, and the errors of
    backend.complete.
    """
    items = make_corrupted_items(novel, title=title, author=author, seed=seed, most=most)
    total = sum(map(len, items.values()))
    if not total:
        raise NoMatch(f"{novel.name} names no speaker near a quotation; choose another novel")
    kinds = {}
    done = 0
    for kind, kind_items in items.items():
        answers = []
        for item in kind_items:
            progress("guessing speakers", done, total)
            answers.append(ask(item, backend))
            done += 1
        if answers:
            count = len(answers)
            kinds[kind] = ClozeScore(
                count, answers.count(Meant.TRUE) / count, answers.count(Meant.STAND_IN) / count
            )
    progress("guessing speakers", total, total)
    return Guessing(kinds)


def fill_names(
    novel: AnnotatedNovel,
    backend: Backend,
    *,
    seed: int = 0,
    most: int = MOST,
    progress: Progress = silent,
) -> Cloze:
    """Return the score of name cloze on at most `most` passages.

    Any name of the right character counts. Raises NoMatch if the novel has no such passage, and
    the errors of backend.complete.
    """
    items = make_cloze_items(novel, seed=seed, most=most)
    if not items:
        raise NoMatch(f"{novel.name} has no passage with exactly one name; choose another novel")
    known = 0
    for done, item in enumerate(items):
        progress("filling in names", done, len(items))
        known += ask(item, backend) is Meant.TRUE
    progress("filling in names", len(items), len(items))
    chances = [list(item.names.values()).count(Meant.TRUE) / len(item.names) for item in items]
    return Cloze(len(items), known / len(items), sum(chances) / len(items))


def measure_min_k(
    instances: Sequence[str], model: LocalModel, *, k: float, progress: Progress = silent
) -> float:
    """Return the mean Min-K% of verbalized instances of annotation."""
    values = []
    for done, instance in enumerate(instances):
        progress("reading the annotation", done, len(instances))
        values.append(min_k.min_k(model.token_log_probabilities(instance), k))
    progress("reading the annotation", len(instances), len(instances))
    return metrics.mean(values)


def ask(item: ClozeItem, backend: Backend) -> Meant | None:
    """Return the meaning of a model's answer, None if it cannot be parsed or is unknown."""
    names = list(item.names)
    answer = backend.complete([{"role": "user", "content": item.question}], ["1"], names)
    name = parse_answer(answer, ["1"]).get("1")
    if name is None:
        return None
    folded = {mentions.name_words(known): meant for known, meant in item.names.items()}
    return item.names.get(name) or folded.get(mentions.name_words(name))
