"""Quotation attribution, measured as in PDNC.

A system is given the text, the quotations and the characters, and returns a speaker for each
quotation (Vishnubhotla et al. 2022; Michel et al. 2025). The annotated character is right, by any
name. Accuracies are over whole quotations: of characters with ten or more, and of all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_cli.laboratory.pdnc.pdnc_data import KINDS, AnnotatedNovel
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_json
from scholar_indexes.storage import atomic
from scholar_indexes.types import Attribution, Character, Progress, Quotation, silent

System = Callable[[str, Sequence[Quotation], Sequence[Character]], Sequence[Attribution]]
"""A function from text, quotations and characters to one attribution per quotation."""

BINS = 10
"""The number of equally wide intervals of confidence in which calibration is measured."""


@dataclass(frozen=True, slots=True)
class AttributedQuotation:
    """A system's answer for one quotation, compared with the annotation.

    pieces is the number of pieces of the quotation; often is True if its speaker has OFTEN or more.
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
    """Return a report for each system and novel, and two for each system over all novels: micro,
    with equal weight for every quotation, and macro, with equal weight for every novel.

    only has the names of the novels to measure; the rest is as in measure. Raises NotThere and
    UsageError as pdnc.data.read does.
    """
    novels = select_novels(pdnc_data.read(data), only)
    return measure(novels, systems, out=out, progress=progress)


def measure(
    novels: Sequence[AnnotatedNovel],
    systems: Callable[[str], Mapping[str, System]],
    *,
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """Return the reports of run for the given novels.

    systems returns the systems for the name of a novel; the answers of the first system are
    written to out as JSON lines.
    """
    answers: dict[str, dict[str, list[AttributedQuotation]]] = {}
    seconds: dict[str, dict[str, float]] = {}
    lines: list[str] = []
    for done, novel in enumerate(novels):
        for index, (name, system) in enumerate(systems(novel.name).items()):
            progress(f"{novel.name}, {name}", done, len(novels))
            start = time.perf_counter()
            attributions = system(novel.text, novel.quotations, novel.cast)
            seconds.setdefault(name, {})[novel.name] = time.perf_counter() - start
            answers.setdefault(name, {})[novel.name] = compare_with_annotation(novel, attributions)
            if not index:
                lines += _json_lines(novel, attributions)
    if out is not None:
        atomic.write_text(out, "".join(lines))
    sha256 = pdnc_data.sha256(novels)
    return [
        report
        for name, by_novel in answers.items()
        for report in _reports(name, by_novel, seconds[name], sha256)
    ]


def _reports(
    system: str,
    answers: Mapping[str, Sequence[AttributedQuotation]],
    seconds: Mapping[str, float],
    sha256: str,
) -> Iterator[Report]:
    """Yield the reports of a system from its answers and seconds by novel."""
    by_novel = {novel: compute_metrics(quotations) for novel, quotations in answers.items()}
    everything = [quotation for quotations in answers.values() for quotation in quotations]
    micro = compute_metrics(everything)
    macro = {
        key: metrics.mean([figures[key] for figures in by_novel.values() if key in figures])
        for key in micro
    }
    for split, row in [*by_novel.items(), ("micro", micro), ("macro", macro)]:
        spent = seconds.get(split, sum(seconds.values()))
        count = len(answers.get(split, everything))
        columns = query_columns(answers) if split == "micro" else {}
        yield Report("pdnc", split, system, row, count, spent, "", sha256, commit(), columns)


def query_columns(
    answers: Mapping[str, Sequence[AttributedQuotation]],
) -> dict[str, list[Value]]:
    """Return columns with a row per quotation: its novel as the group, and its answer compared
    with the annotation."""
    rows = [(novel, answer) for novel, quotations in answers.items() for answer in quotations]
    return {
        "group": [novel for novel, _ in rows],
        "right": [int(answer.right) for _, answer in rows],
        "kind": [answer.kind for _, answer in rows],
        "often": [int(answer.often) for _, answer in rows],
        "pieces": [answer.pieces for _, answer in rows],
        "confidence": [round(answer.confidence, 3) for _, answer in rows],
    }


def read_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[AttributedQuotation]]:
    """Return the answers by novel from the columns of query_columns, with rounded confidence."""
    answers: dict[str, list[AttributedQuotation]] = {}
    names = ("group", "right", "kind", "often", "pieces", "confidence")
    for novel, right, kind, often, pieces, confidence in zip(
        *(columns[name] for name in names), strict=True
    ):
        answers.setdefault(novel, []).append(
            AttributedQuotation(bool(right), kind, bool(often), pieces, confidence)
        )
    return answers


def select_novels(novels: Sequence[AnnotatedNovel], only: Sequence[str]) -> list[AnnotatedNovel]:
    """Return the novels with the given names, all by default; raise NotThere for an unknown one."""
    names = [novel.name for novel in novels]
    missing = [name for name in only if name not in names]
    if missing:
        raise NotThere(f"there is no novel {missing[0]!r}; choose from {', '.join(names)}")
    return [novel for novel in novels if not only or novel.name in only]


def compare_with_annotation(
    novel: AnnotatedNovel, attributions: Sequence[Attribution]
) -> list[AttributedQuotation]:
    """Return the attribution of each quotation compared with its annotation."""
    indexes = {id(character): index for index, character in enumerate(novel.cast)}
    return [
        AttributedQuotation(
            attribution.speaker is not None and indexes.get(id(attribution.speaker), -2) == speaker,
            kind,
            speaker in novel.often,
            len(quotation.pieces),
            attribution.confidence,
        )
        for attribution, speaker, kind, quotation in zip(
            attributions, novel.speakers, novel.kinds, novel.quotations, strict=True
        )
    ]


def compute_metrics(answers: Sequence[AttributedQuotation]) -> dict[str, float]:
    """Return accuracies and the expected calibration error (ece).

    The accuracies are over the characters with OFTEN quotations, in total, by kind ("other" is all
    but explicit) and weighted by pieces; "everyone" is over all characters.
    """
    often = [answer for answer in answers if answer.often]
    figures = {"all": _accuracy(often)}
    for kind in KINDS:
        figures[kind.lower()] = _accuracy([answer for answer in often if answer.kind == kind])
    figures["other"] = _accuracy([answer for answer in often if answer.kind != "Explicit"])
    figures["pieces"] = _piece_accuracy(often)
    figures["everyone"] = _accuracy(answers)
    figures["ece"] = calibration_error(answers)
    return figures


def calibration_error(answers: Sequence[AttributedQuotation]) -> float:
    """Return the expected calibration error: the mean difference between confidence and accuracy
    over BINS intervals of confidence (Naeini et al. 2015)."""
    if not answers:
        return 0.0
    confidence = np.array([answer.confidence for answer in answers])
    right = np.array([answer.right for answer in answers], float)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(right[bins == bin_].mean() - confidence[bins == bin_].mean())
            * (bins == bin_).mean()
            for bin_ in np.unique(bins)
        )
    )


def read_folds(path: Path) -> list[tuple[list[str], list[str]]]:
    """Return the training and test novels of each fold of a file in the format of PDNC's
    splits.json.

    Raises UsageError for a broken file.
    """
    try:
        splits = read_json(path)
        folds = [
            ([str(name) for name in fold["train_dev"]], [str(name) for name in fold["test"]])
            for fold in splits["folds"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read as folds of novels ({error})") from error
    if not folds or any(set(train) & set(test) for train, test in folds):
        raise UsageError(f"{path} has no folds, or one that tests on training novels; fix it")
    return folds


def _accuracy(answers: Sequence[AttributedQuotation]) -> float:
    return metrics.mean([float(answer.right) for answer in answers])


def _piece_accuracy(answers: Sequence[AttributedQuotation]) -> float:
    pieces = sum(answer.pieces for answer in answers)
    return sum(answer.pieces for answer in answers if answer.right) / pieces if pieces else 0.0


def _json_lines(novel: AnnotatedNovel, attributions: Sequence[Attribution]) -> Iterator[str]:
    for quote_id, attribution in zip(novel.ids, attributions, strict=True):
        speaker = attribution.speaker.name if attribution.speaker else None
        line = {"novel": novel.name, "quote_id": quote_id, "speaker": speaker}
        yield json.dumps(line, ensure_ascii=False) + "\n"
