"""Three probes of whether a language model has memorised a novel.

Corrupted-speaker guessing (Michel et al., "Evaluating LLMs for Quotation Attribution in
Literary Texts", section 5 and appendix B): around a quotation its speaker gets another name
throughout. A model that reads says the new name, one that remembers says the old one, which
the passage no longer holds.

Name cloze (Chang, Cramer, Soni and Bamman 2023, "Speak, Memory"): who is the one named
character of a short passage, now masked?

Min-K% (min_k) is of the annotation, and only of a model on this machine: a server does not say how
likely a given text is.

In the papers a model answers freely. Here it chooses among names, which it is not shown: all
of the cast that matters and those of the stand-in. So every answer can be read, and guessing
is rewarded a little more; a server that takes no schema answers freely here too.
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
from scholar_cli.laboratory.pdnc import data as pdnc_data
from scholar_cli.laboratory.pdnc import min_k
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc.data import AnnotatedNovel
from scholar_cli.laboratory.pdnc.memorisation_items import (
    MOST,
    ClozeItem,
    Meant,
    make_cloze_items,
    make_corrupted_items,
)
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.attribution.llm.attributor import parse_answer
from scholar_indexes.attribution.llm.backend import Backend
from scholar_indexes.attribution.llm.local_model import LocalModel
from scholar_indexes.coreference import mentions
from scholar_indexes.errors import NoMatch
from scholar_indexes.sanitize import unescape_formula
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class ClozeScore:
    """Of the passages asked, the shares answered with the true name and the stand-in's."""

    asked: int
    memorised: float
    reasoned: float


@dataclass(frozen=True, slots=True)
class Guessing:
    """Corrupted-speaker guessing, by kind of quotation; kinds without a passage are left out."""

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
    """The share of the names asked that was known, and the share known by random guessing."""

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
    """Return a report for each novel in PDNC's form that such passages can be drawn from.

    k is that of Min-K%, in percent, and its instances are at most ten times `most`. Titles and
    authors are those of index.csv beside the novels or above them, else the names of the
    folders. Raises what pdnc.data.read raises, and NoMatch where no novel has such a passage.
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
        raise NoMatch(f"no novel of {data} names its speakers near a quotation; take others")
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
    """Return a folder's name in words: "HardTimes" is Hard Times."""
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

    Raises NoMatch where no quotation has its speaker named near it, and what
    backend.complete raises.
    """
    items = make_corrupted_items(novel, title=title, author=author, seed=seed, most=most)
    total = sum(map(len, items.values()))
    if not total:
        raise NoMatch(f"{novel.name} names no speaker near a quotation; take another novel")
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

    Any name of the right character counts.

    Raises NoMatch where the novel has no such passage, and what backend.complete raises.
    """
    items = make_cloze_items(novel, seed=seed, most=most)
    if not items:
        raise NoMatch(f"{novel.name} has no passage with one name in it; take another novel")
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
    """Return the mean Min-K% of instances of annotation that were written out in words."""
    values = []
    for done, instance in enumerate(instances):
        progress("reading the annotation", done, len(instances))
        values.append(min_k.min_k(model.token_log_probabilities(instance), k))
    progress("reading the annotation", len(instances), len(instances))
    return metrics.mean(values)


def ask(item: ClozeItem, backend: Backend) -> Meant | None:
    """Return what a model's answer means, None for one that cannot be read or is no name."""
    names = list(item.names)
    answer = backend.complete([{"role": "user", "content": item.question}], ["1"], names)
    name = parse_answer(answer, ["1"]).get("1")
    if name is None:
        return None
    folded = {mentions.name_words(known): meant for known, meant in item.names.items()}
    return item.names.get(name) or folded.get(mentions.name_words(name))
