"""Who says each quotation of a novel, as PDNC measures it.

A system is given the text, the quotations and the characters, and names a speaker for each
quotation (Vishnubhotla et al. 2022; Michel et al. 2024). Right is who is the annotated
character, by whatever name. Counted are whole quotations, of characters who have ten or
more of them, and of all.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scholar_cli.bench import metrics, pdnc_form
from scholar_cli.bench.pdnc_form import Novel
from scholar_cli.bench.report import Report, commit
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Attribution, Character, Progress, Quotation, silent

System = Callable[[str, Sequence[Quotation], Sequence[Character]], Sequence[Attribution]]
"""Text, quotations and characters to one attribution for each quotation."""

KINDS = ("Explicit", "Anaphoric", "Implicit")
BINS = 10
"""Equal widths of confidence that calibration is measured in."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a system said of one quotation, beside what is annotated.

    pieces counts the parts of the quotation, often says whether its speaker has OFTEN.
    """

    right: bool
    kind: str
    often: bool
    pieces: int
    confidence: float


def run(
    data: Path,
    systems: Callable[[str], Mapping[str, System]],
    *,
    only: Sequence[str] = (),
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """A report for each system and novel, and for each system over all of them: micro, where
    every quotation counts the same, and macro, where every novel does.

    systems gives the systems for a novel by its name; only names the novels to measure;
    out gets the answers of the first system as JSON lines. Raises NotThere and UsageError
    as pdnc_form.read does.
    """
    novels = chosen(pdnc_form.read(data), only)
    answers: dict[str, dict[str, list[Answered]]] = {}
    seconds: dict[str, dict[str, float]] = {}
    lines: list[str] = []
    for done, novel in enumerate(novels):
        for at, (name, system) in enumerate(systems(novel.name).items()):
            progress(f"{novel.name}, {name}", done, len(novels))
            start = time.perf_counter()
            said = system(novel.text, novel.quotations, novel.cast)
            seconds.setdefault(name, {})[novel.name] = time.perf_counter() - start
            answers.setdefault(name, {})[novel.name] = answered(novel, said)
            if not at:
                lines += _lines(novel, said)
    if out is not None:
        unfinished = out.with_name(f"{out.name}.part")
        unfinished.write_text("".join(lines), "utf-8")
        os.replace(unfinished, out)
    sha256, reports = pdnc_form.sha256(novels), []
    for name, by_novel in answers.items():
        figures = {novel: measured(each) for novel, each in by_novel.items()}
        everything = [each for several in by_novel.values() for each in several]
        means = {
            key: metrics.mean([each[key] for each in figures.values() if key in each])
            for key in measured(everything)
        }
        rows = [*figures.items(), ("micro", measured(everything)), ("macro", means)]
        for split, row in rows:
            spent = seconds[name].get(split, sum(seconds[name].values()))
            count = len(by_novel.get(split, everything))
            reports.append(Report("pdnc", split, name, row, count, spent, "", sha256, commit()))
    return reports


def chosen(novels: Sequence[Novel], only: Sequence[str]) -> list[Novel]:
    """The novels of some names, all by default; raises NotThere for a name that is none."""
    there = {each.name: each for each in novels}
    missing = [name for name in only if name not in there]
    if missing:
        raise NotThere(f"there is no novel {missing[0]!r}; there are {', '.join(there)}")
    return [each for each in novels if not only or each.name in only]


def answered(novel: Novel, said: Sequence[Attribution]) -> list[Answered]:
    """What was said beside what is annotated, quotation by quotation."""
    places = {id(each): at for at, each in enumerate(novel.cast)}
    return [
        Answered(
            each.speaker is not None and places.get(id(each.speaker), -2) == who, kind,
            who in novel.often, len(quotation.pieces), each.confidence,
        )
        for each, who, kind, quotation in zip(
            said, novel.speakers, novel.kinds, novel.quotations, strict=True
        )
    ]  # fmt: skip


def measured(answers: Sequence[Answered]) -> dict[str, float]:
    """Accuracies of the characters with OFTEN quotations by kind, "other" being all but the
    explicit; of these quotations counted by pieces; of all characters; and how far confidence
    is from being right (ece)."""
    often = [each for each in answers if each.often]
    figures = {"all": _accuracy(often)}
    for kind in KINDS:
        figures[kind.lower()] = _accuracy([each for each in often if each.kind == kind])
    figures["other"] = _accuracy([each for each in often if each.kind != "Explicit"])
    pieces = sum(each.pieces for each in often)
    figures["pieces"] = sum(each.pieces for each in often if each.right) / pieces if pieces else 0.0
    figures["everyone"] = _accuracy(answers)
    figures["ece"] = calibration_error(answers)
    return figures


def calibration_error(answers: Sequence[Answered]) -> float:
    """The expected calibration error: the mean distance between confidence and the share that
    is right, over BINS widths of confidence (Naeini et al. 2015)."""
    if not answers:
        return 0.0
    confidence = np.array([each.confidence for each in answers])
    right = np.array([each.right for each in answers], float)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(right[bins == each].mean() - confidence[bins == each].mean())
            * (bins == each).mean()
            for each in np.unique(bins)
        )
    )


def folds(path: Path) -> list[tuple[list[str], list[str]]]:
    """The novels to train on and to test on of each fold of a file as PDNC's splits.json;
    raises UsageError for one that is broken."""
    try:
        read = json.loads(path.read_text("utf-8"))
        found = [
            ([str(name) for name in fold["train_dev"]], [str(name) for name in fold["test"]])
            for fold in read["folds"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as broken:
        raise UsageError(f"{path} cannot be read as folds of novels ({broken})") from broken
    if not found or any(set(train) & set(test) for train, test in found):
        raise UsageError(f"{path} has no folds, or one that tests what it trains on; mend it")
    return found


def _accuracy(answers: Sequence[Answered]) -> float:
    return metrics.mean([float(each.right) for each in answers])


def _lines(novel: Novel, said: Sequence[Attribution]) -> Iterator[str]:
    for quote_id, each in zip(novel.ids, said, strict=True):
        speaker = each.speaker.name if each.speaker else None
        line = {"novel": novel.name, "quote_id": quote_id, "speaker": speaker}
        yield json.dumps(line, ensure_ascii=False) + "\n"
