"""Ablation of the speaker model: each fold is trained without one kind of evidence at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc import pdnc_data, speaker_training
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.pdnc.turn_scorers import KINDS, TurnScorerSettings
from scholar_cli.laboratory.report import Report, Value
from scholar_indexes.attribution.trained import Attributor
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Progress, silent

NOTHING = "nothing"
"""The system trained on all evidence."""

ALL_FOLDS = "all"
"""The split with the quotations of all measured folds."""


def measure(
    data: Path,
    splits: Path,
    settings: TurnScorerSettings,
    *,
    folds: Sequence[int] = (),
    kinds: Sequence[str] = (),
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each fold of PDNC's splits and each omitted kind of evidence, NOTHING
    first, and then one for each kind over all folds.

    A model is trained on the training novels of the fold, without unannotated ones, and tested on
    its test novels; metrics are as in `scholar-lab bench pdnc`. Over all folds, "loss" is "all"
    of NOTHING minus "all" of the model, paired by quotation, with the 95 % interval of a bootstrap
    over novels. The default is all folds and all KINDS. Raises UsageError for an unknown fold or
    kind, and the errors of pdnc.data.read and speaker_training.fit.
    """
    if unknown := set(kinds) - set(KINDS):
        raise UsageError(
            f"unknown kind of evidence: {min(unknown)}; choose from {', '.join(KINDS)}"
        )
    divisions = pdnc.read_folds(splits)
    selected = _select_folds(splits, folds, len(divisions))
    novels = pdnc_data.read(data)
    left_out = [NOTHING, *(kinds or KINDS)]
    by_kind: dict[str, list[Report]] = {kind: [] for kind in left_out}
    for number, fold in enumerate(selected):
        trained_on, tested_on = divisions[fold]
        books = [speaker_training.read(novel) for novel in pdnc.select_novels(novels, trained_on)]
        tested = pdnc.select_novels(novels, tested_on)
        for done, kind in enumerate(left_out, number * len(left_out)):
            progress(f"fold {fold} without {kind}", done, len(selected) * len(left_out))
            without = () if kind == NOTHING else (kind,)
            attributor = Attributor(
                speaker_training.fit(books, replace(settings, without=without)), {}
            )
            by_kind[kind].append(_report(tested, kind, attributor, f"fold {fold}"))
    return [
        *(report for reports in zip(*by_kind.values(), strict=True) for report in reports),
        *_pool([by_kind[kind] for kind in left_out]),
    ]


def _select_folds(splits: Path, folds: Sequence[int], count: int) -> list[int]:
    """Return the folds to measure, by default all; raises UsageError for an unknown one."""
    if missing := set(folds) - set(range(count)):
        raise UsageError(f"{splits} has no fold {min(missing)}; choose from 0 to {count - 1}")
    return list(folds or range(count))


def _report(
    novels: Sequence[AnnotatedNovel], kind: str, attributor: Attributor, split: str
) -> Report:
    """Return the report over all quotations of the novels."""
    reports = pdnc.measure(novels, lambda _: {kind: attributor})
    micro = next(report for report in reports if report.split == "micro")
    return replace(micro, bench="evidence", split=split)


def _pool(reports_by_kind: Sequence[Sequence[Report]]) -> Iterator[Report]:
    """Yield a report over all folds for each kind, NOTHING first."""
    unchanged = _columns(reports_by_kind[0])
    for reports in reports_by_kind:
        columns = _columns(reports)
        answers = [answer for group in pdnc.read_columns(columns).values() for answer in group]
        losses: dict[Value, list[float]] = {}
        for novel, often, right, was_right in zip(
            columns["group"], columns["often"], columns["right"], unchanged["right"], strict=True
        ):
            if often:
                losses.setdefault(novel, []).append(int(was_right) - int(right))
        loss = metrics.bootstrap_groups(list(losses.values()))
        yield replace(
            reports[0],
            split=ALL_FOLDS,
            metrics=pdnc.compute_metrics(answers) | loss.figures("loss"),
            n=len(answers),
            seconds=sum(report.seconds for report in reports),
            queries=columns,
        )


def _columns(reports: Sequence[Report]) -> dict[str, list[Value]]:
    """Return the concatenated quotation columns of several reports."""
    return {
        name: [value for report in reports for value in report.queries[name]]
        for name in reports[0].queries
    }
