"""Tests of whether memorisation explains attribution accuracy (Michel et al., section 5).

Over the novels that were measured in two runs:

    spearman  the rank correlation of a measure of memorisation with accuracy (Table 2), or with
              how often a corpus has 10-grams of a novel (Table 4; counts as in Chang et al. 2023)
    t-test    Student's, of the accuracy of the five most and the five least memorised novels
    matched   Student's paired test of later novels, whose annotation a model cannot have seen, and
              similarly memorised earlier ones: each has the nearest propensity score (Rosenbaum
              and Rubin 1983), the probability of being a later novel by a logistic regression on
              memorisation and accuracy; of Min-K% (section 5) and of accuracy (appendix E)
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory import json_lines
from scholar_indexes.errors import ConfigError, NotThere, UsageError
from scholar_indexes.guarded import parse_json, read_text, read_unpacked, shown

Floats = NDArray[np.float64]

MEASURES = ("name_cloze", "csg_memorised", "csg_memorised_cloze", "csg_reasoned", "min_k")
ACCURACIES = ("all", "explicit", "other")

COVARIATES = ("csg_memorised", "name_cloze", "min_k")
"""The measures that the propensity score is fitted on, with the accuracy over all quotations."""

GROUP = 5
"""The number of most memorised novels compared with as many least memorised ones."""

LEAST_NOVELS = 4
"""The minimum number of novels that both runs must have."""

NOVEL = "novel"
"""The column of novels, by their folders, in a table of counts."""

SECOND_RELEASE = frozenset(
    (
        "APassageToIndia",
        "HardTimes",
        "MansfieldPark",
        "OliverTwist",
        "WhereAngelsFearToTread",
        "WinnieThePooh",
    )
)
"""The novels added to PDNC in June 2023."""

MAX_BYTES = 16 << 20
"""The largest file of counts that is read."""

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ImpactRow:
    """A test of two figures over n novels or pairs, with the statistic and its p-value, both None
    if undefined because nothing varies."""

    test: str
    measure: str
    accuracy: str
    n: int
    statistic: float | None
    p: float | None
    novels: str = ""

    def row(self) -> dict[str, Any]:
        """Return a row of a table, figures rounded."""
        rounded = {
            name: None if value is None else round(value, 4)
            for name, value in (("statistic", self.statistic), ("p", self.p))
        }
        return {
            "test": self.test,
            "memorisation": self.measure,
            "accuracy": self.accuracy,
            "n": self.n,
            **rounded,
            "novels": self.novels,
        }


def read_run(path: Path, bench: str, system: str | None = None) -> dict[str, Figures]:
    """Return the figures of each novel of a run: the output of `scholar-lab bench ... --json`, or a
    run file of docs/runs.

    Raises NotThere if the file is missing, and UsageError if it contains no such run, or several
    systems and none is chosen.
    """
    by_system = _read_by_system(path, bench)
    systems = ", ".join(by_system)
    if system is None and len(by_system) > 1:
        raise UsageError(f"{path} has the systems {systems}; name one: --system NAME")
    chosen = by_system.get(next(iter(by_system), "") if system is None else system)
    if not chosen:
        there = f"; it has {systems}" if systems else ""
        raise UsageError(f"{path} has no figures of {system or bench} for each novel{there}")
    needed = ACCURACIES if bench == "pdnc" else ()
    return {str(report["split"]): _to_figures(path, report, needed) for report in chosen}


def _read_by_system(path: Path, bench: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return the reports of single novels in a file by their systems, in alphabetical order."""
    by_system: dict[str, list[Mapping[str, Any]]] = {}
    try:
        value = parse_json(read_unpacked(path))
        for report in value["reports"] if isinstance(value, dict) else value:
            if report["bench"] == bench and report["split"] not in ("micro", "macro"):
                by_system.setdefault(str(report["system"]), []).append(report)
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; write it with: scholar-lab bench {bench} ... --json"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read as reports ({shown(str(error))}); write them with: "
            f"scholar-lab bench {bench} ... --json"
        ) from error
    return dict(sorted(by_system.items()))


def _to_figures(path: Path, report: Mapping[str, Any], needed: Sequence[str]) -> Figures:
    metrics = report.get("metrics")
    if not isinstance(metrics, dict) or not all(
        isinstance(value, (int, float)) for value in metrics.values()
    ):
        raise UsageError(f"{path}: the metrics of {shown(report['split'])} are not numbers")
    if missing := [name for name in needed if name not in metrics]:
        raise UsageError(f"{path}: the metrics of {shown(report['split'])} have no {missing[0]}")
    return metrics


def read_counts(path: Path) -> dict[str, dict[str, float]]:
    """Return the counts of each corpus by novel, from a CSV table with a column `novel` and one for
    each corpus; an empty cell is no count.

    Raises NotThere for a missing file, and UsageError naming the line that is not such a row.
    """
    corpora, rows = _read_table(path)
    return {
        corpus: {
            row[NOVEL]: _to_count(where, corpus, row[corpus]) for where, row in rows if row[corpus]
        }
        for corpus in corpora
    }


def _read_table(path: Path) -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
    """Return the corpora of a table of counts, and the location and the cells of each row."""
    try:
        table = csv.DictReader(io.StringIO(read_text(path, MAX_BYTES)))
        columns = list(table.fieldnames or ())
        rows = [(f"{path}, line {table.line_num}", row) for row in table]
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; write one: {NOVEL},CORPUS,...") from None
    except (OSError, ValueError, csv.Error) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    corpora = [name for name in columns if name != NOVEL]
    if NOVEL not in columns or not corpora:
        raise UsageError(f"{path}, line 1: name the columns {NOVEL} and one for each corpus")
    return corpora, rows


def _to_count(where: str, corpus: str, cell: str) -> float:
    try:
        count = float(cell)
    except ValueError:
        count = math.nan
    if not 0 <= count < math.inf:
        raise UsageError(f"{where}: {corpus} is {shown(cell, 30)}, not a count; fix it")
    return count


def correlate_counts(
    memorisation: Mapping[str, Figures], counts: Mapping[str, Mapping[str, float]]
) -> list[ImpactRow]:
    """Return the rank correlation of each measure of memorisation with the counts of each corpus,
    over the novels that have both.

    Raises UsageError if fewer than LEAST_NOVELS have them, and ConfigError without scipy.
    """
    _require_scipy()
    rows = []
    for measure in MEASURES:
        measured = {name: row[measure] for name, row in memorisation.items() if measure in row}
        for corpus, of_corpus in counts.items():
            both = sorted(measured.keys() & of_corpus.keys())
            if len(both) >= LEAST_NOVELS:
                values = {novel: measured[novel] for novel in both}
                row = correlate(measure, "", values, of_corpus)
                rows.append(replace(row, test=f"spearman, {corpus}"))
    if not rows:
        raise UsageError(f"no corpus has counts of {LEAST_NOVELS} measured novels; add some")
    return rows


def compute(
    accuracies: Mapping[str, Figures],
    memorisation: Mapping[str, Figures],
    later: frozenset[str] = SECOND_RELEASE,
) -> list[ImpactRow]:
    """Return all tests over the novels that both runs have.

    A measure that is missing for one of them is omitted. Raises UsageError for fewer than
    LEAST_NOVELS novels or if no measure is left, and ConfigError without scipy.
    """
    _require_scipy()
    novels = sorted(accuracies.keys() & memorisation.keys())
    if len(novels) < LEAST_NOVELS:
        raise UsageError(
            f"the runs have {len(novels)} novels in common, but the tests need {LEAST_NOVELS}; "
            "measure more"
        )
    if later is not SECOND_RELEASE and (strangers := sorted(later.difference(novels))):
        raise UsageError(
            f"the runs have no novel {strangers[0][:60]!r} in common; choose later ones from "
            f"{', '.join(novels)}"
        )
    measures = [name for name in MEASURES if all(name in memorisation[novel] for novel in novels)]
    if not measures:
        raise UsageError("no measure of memorisation covers every novel; measure them again")
    rows = []
    for measure in measures:
        memorised = {novel: memorisation[novel][measure] for novel in novels}
        for kind in ACCURACIES:
            accuracy = {novel: accuracies[novel][kind] for novel in novels}
            rows += [
                correlate(measure, kind, memorised, accuracy),
                compare_extremes(measure, kind, memorised, accuracy),
            ]
    return [*rows, *_compare_matched(novels, accuracies, memorisation, measures, later)]


def correlate(
    measure: str, kind: str, memorised: Mapping[str, float], accuracy: Mapping[str, float]
) -> ImpactRow:
    """Return Spearman's rank correlation of memorisation and accuracy over novels."""
    from scipy import stats

    values = np.array([[memorised[novel], accuracy[novel]] for novel in memorised]).T
    varies = all(len(np.unique(row)) > 1 for row in values)
    statistic, p = _test(stats.spearmanr, *values, varies=varies)
    return ImpactRow("spearman", measure, kind, len(memorised), statistic, p)


def compare_extremes(
    measure: str, kind: str, memorised: Mapping[str, float], accuracy: Mapping[str, float]
) -> ImpactRow:
    """Return Student's t-test of the accuracy of the most and the least memorised novels, GROUP of
    each, at most half of all novels; ties are ordered by name."""
    from scipy import stats

    size = min(GROUP, len(memorised) // 2)
    order = sorted(memorised, key=lambda novel: (-memorised[novel], novel))
    most, least = order[:size], order[-size:]
    groups = [[accuracy[novel] for novel in group] for group in (most, least)]
    varies = any(np.ptp(group) > 0 for group in groups)
    statistic, p = _test(stats.ttest_ind, *groups, varies=varies)
    novels = f"most: {', '.join(most)}; least: {', '.join(least)}"
    return ImpactRow("t-test", measure, kind, 2 * size, statistic, p, novels)


def _compare_matched(
    novels: Sequence[str],
    accuracies: Mapping[str, Figures],
    memorisation: Mapping[str, Figures],
    measures: Sequence[str],
    later: frozenset[str],
) -> list[ImpactRow]:
    """Return the paired tests of later novels and their matches, none without both; memorisation
    has the measures of every novel."""
    from scipy import stats

    is_later = np.array([novel in later for novel in novels])
    covariates = _columns(novels, memorisation, [name for name in COVARIATES if name in measures])
    if is_later.sum() < 2 or is_later.all() or not covariates:
        return []
    covariates += _columns(novels, accuracies, ["all"])
    scores = propensities(np.array(covariates).T, is_later)
    pairs = match_nearest(scores, is_later)
    named = [f"{novel} ({score:.2f})" for novel, score in zip(novels, scores, strict=True)]
    shown_pairs = ", ".join(f"{named[one]} and {named[other]}" for one, other in pairs)
    outcomes = {"min_k": memorisation} if "min_k" in measures else {}
    rows = []
    for outcome, figures in {**outcomes, "all": accuracies}.items():
        values = np.array(_columns(novels, figures, [outcome])[0])[np.array(pairs)]
        varies = bool(np.ptp(values[:, 0] - values[:, 1]) > 0)
        statistic, p = _test(stats.ttest_rel, *values.T, varies=varies)
        names = ("", outcome) if outcome == "all" else (outcome, "")
        rows.append(ImpactRow("matched", *names, len(pairs), statistic, p, shown_pairs))
    return rows


def _columns(
    novels: Sequence[str], figures: Mapping[str, Figures], names: Sequence[str]
) -> list[list[float]]:
    """Return the values of each figure for the novels, in their order."""
    return [[figures[novel][name] for novel in novels] for name in names]


def _test(
    test: Callable[..., Any], *samples: Any, varies: bool
) -> tuple[float | None, float | None]:
    """Return the statistic and the p-value of a scipy test, None if nothing varies."""
    if not varies:
        return None, None
    result = test(*samples)
    return float(result.statistic), float(result.pvalue)


def propensities(covariates: Floats, is_later: NDArray[np.bool_]) -> Floats:
    """Return the probability that each row is a later novel: a logistic regression on standardized
    covariates (n, d). Without its ridge penalty of 1 the weights could diverge, because so few
    novels are separable by almost any covariates."""
    from scipy import optimize, special

    spread = covariates.std(axis=0)
    standardized = (covariates - covariates.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    design = np.column_stack([standardized, np.ones(len(standardized))])

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = design @ weights
        slopes = np.append(weights[:-1], 0.0)
        value = np.logaddexp(0, logits).sum() - logits[is_later].sum() + slopes @ slopes / 2
        return float(value), design.T @ (special.expit(logits) - is_later) + slopes

    weights = optimize.minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS").x
    scores: Floats = special.expit(design @ weights)
    return scores


def match_nearest(scores: Floats, is_later: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return for each later novel its index and the index of the earlier novel with the nearest
    score; an earlier one may match several."""
    earlier = np.flatnonzero(~is_later)
    return [
        (int(index), int(earlier[np.abs(scores[earlier] - scores[index]).argmin()]))
        for index in np.flatnonzero(is_later)
    ]


def _require_scipy() -> None:
    try:
        import scipy  # noqa: F401
    except ImportError:
        raise ConfigError("these tests need scipy; run: pip install 'scholar-cli[lab]'") from None
