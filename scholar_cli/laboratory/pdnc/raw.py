"""Quotation attribution from the raw text: the loss at each step of the pipeline.

    given      annotated quotations and characters, as in the published figures
    spans      detected quotations, annotated characters
    raw        detected quotations and detected characters: what a user gets

An annotated quotation is matched to the detected quotation that shares most of its text, at least
half; an annotated character to the detected character with which it shares most mentions.
Letters, signs, verse and mentioned words are excluded; thoughts are not: PDNC annotates thinkers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.pdnc import casts, pdnc_data, spans
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc.pdnc_bench import System
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.attribution.forms.form_detection import find_forms, with_forms
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.attribution.unnamed_speakers import add_unnamed
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.types import Attribution, Character, Progress, Quotation, silent


def run(
    data: Path,
    systems: Callable[[str], Mapping[str, System]],
    *,
    only: Sequence[str] = (),
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each system and novel and for each system over all novels (micro).

    seconds include detection in the raw text. Raises the errors of pdnc_bench.run.
    """
    novels = pdnc.select_novels(pdnc_data.read(data), only)
    rows: dict[str, list[_Row]] = {}
    for done, novel in enumerate(novels):
        start = time.perf_counter()
        quotations = find_quotations(novel.text)
        cast = add_unnamed(novel.text, quotations, detect_cast(novel.text, quotations))
        detection_seconds = time.perf_counter() - start
        for name, system in systems(novel.name).items():
            progress(f"{novel.name}, {name}", done, len(novels))
            start = time.perf_counter()
            figures = compute_metrics(novel, quotations, cast, system)
            seconds = (time.perf_counter() - start) / len(_SETTINGS) + detection_seconds
            weight = sum(speaker in novel.often for speaker in novel.speakers)
            rows.setdefault(name, []).append(
                _Row(novel.name, figures, seconds, len(novel.quotations), weight)
            )
    sha256 = pdnc_data.sha256(novels)
    return [
        Report(
            "pdnc-raw",
            row.split,
            name,
            row.figures,
            row.quotations,
            row.seconds,
            "",
            sha256,
            commit(),
        )
        for name, novel_rows in rows.items()
        for row in [*novel_rows, _micro_average(novel_rows)]
    ]


class _Row(NamedTuple):
    """The figures of a system for a novel; weight is the number of quotations they average."""

    split: str
    figures: Mapping[str, float]
    seconds: float
    quotations: int
    weight: int


def _micro_average(rows: Sequence[_Row]) -> _Row:
    weight = sum(row.weight for row in rows)
    figures = {
        key: sum(row.weight * row.figures[key] for row in rows) / max(1, weight)
        for key in rows[0].figures
    }
    seconds = sum(row.seconds for row in rows)
    return _Row("micro", figures, seconds, sum(row.quotations for row in rows), weight)


_SETTINGS = ("given", "spans", "raw")


def compute_metrics(
    novel: AnnotatedNovel,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    system: System,
) -> dict[str, float]:
    """Return the accuracy in each of the three settings, the loss from one to the next, and scores
    for finding quotations and characters.

    The accuracies are over the quotations of characters with OFTEN quotations.
    """
    given = pdnc.compare_with_annotation(novel, system(novel.text, novel.quotations, novel.cast))
    matching = list(spans.match_quotations(novel.quotations, quotations))
    forms = find_forms(novel.text, quotations)
    by_spans, raw = (
        _speaker_indexes(with_forms(system(novel.text, quotations, characters), forms), characters)
        for characters in (novel.cast, cast)
    )
    match = casts.match(novel, cast)
    right: dict[str, list[float]] = {name: [] for name in _SETTINGS}
    for index, speaker in enumerate(novel.speakers):
        if speaker not in novel.often:
            continue
        own = matching[index]
        is_spans_right = own is not None and by_spans[own] == speaker
        is_raw_right = own is not None and raw[own] >= 0 and raw[own] == match.get(speaker, -2)
        right["given"].append(float(given[index].right))
        right["spans"].append(float(is_spans_right))
        right["raw"].append(float(is_raw_right))
    shares = {name: metrics.mean(values) for name, values in right.items()}
    counts = spans.compare(
        [quotation for quotation, form in zip(quotations, forms, strict=True) if form.has_speaker],
        novel,
    )
    cast_score = casts.measure(novel, cast)
    return {
        **shares,
        "lost_spans": shares["given"] - shares["spans"],
        "lost_characters": shares["spans"] - shares["raw"],
        "piece_precision": counts["piece"].precision,
        "piece_recall": counts["piece"].recall,
        "piece_f1": counts["piece"].f1,
        "speakers_found": cast_score.speakers,
        "said_by_found": cast_score.said,
    }


def _speaker_indexes(attributions: Sequence[Attribution], cast: Sequence[Character]) -> list[int]:
    """Return the cast index of the speaker of each attribution, -1 for none."""
    indexes = {id(character): index for index, character in enumerate(cast)}
    return [indexes.get(id(attribution.speaker), -1) for attribution in attributions]
