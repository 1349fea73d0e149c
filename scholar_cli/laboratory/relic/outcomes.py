"""Ranks of missing quotations, and the figures of RELiC's Table 3 that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic.relic_systems import Scores, best_candidates
from scholar_cli.laboratory.report import Report, Value

CUTS = (1, 3, 5, 10, 50, 100)
"""The ranks of recall in Table 3."""

RIVALS = 2
"""Wrong answers in the proxy task."""


class TiedRank(NamedTuple):
    """The number of candidates that score better than the quotation, and the number that score the
    same, itself included. Equal scores have no order, so all figures are expectations over random
    orders."""

    better: int
    equal: int

    @property
    def mean(self) -> float:
        """The mean of the best and the worst possible rank."""
        return self.better + (self.equal + 1) / 2

    def recall(self, k: int) -> float:
        """Return the probability that the quotation is among the first k."""
        return min(max((k - self.better) / self.equal, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class QuotationOutcome:
    """The rank of one quotation in one system, and its score in the proxy task."""

    size: int
    candidates: int
    rank: TiedRank
    proxy: float


def rank_candidate(scores: Scores, gold: int) -> TiedRank:
    """Return the rank of the candidate numbered gold."""
    return TiedRank(int((scores > scores[gold]).sum()), int((scores == scores[gold]).sum()))


def rivals(scores: Scores, gold: int, text: Callable[[int], str]) -> list[int]:
    """Return the best other candidates; equal scores are ordered by a hash of their text."""
    best = best_candidates(scores, RIVALS + 1, text)
    return [candidate for candidate in best if candidate != gold][:RIVALS]


def measures(outcomes: Sequence[QuotationOutcome], *, proxy: bool = True) -> dict[str, float]:
    """Return the columns of Table 3, shares from 0 to 1.

    Without proxy for BM25, whose own best answers are the wrong answers of that task.
    """
    figures: dict[str, float] = {}
    for k in CUTS:
        figures |= metrics.bootstrap(_recalls(outcomes, k)).figures(f"recall@{k}")
    figures["mean_rank"] = metrics.mean([outcome.rank.mean for outcome in outcomes])
    figures["candidates"] = metrics.mean([outcome.candidates for outcome in outcomes])
    if proxy:
        figures |= metrics.bootstrap([outcome.proxy for outcome in outcomes]).figures("proxy")
    return figures


def query_columns(
    outcomes: Sequence[QuotationOutcome], *, proxy: bool = True
) -> dict[str, list[float]]:
    """Return the values of each quotation for the figures that are means over quotations."""
    columns = {f"recall@{k}": _recalls(outcomes, k) for k in CUTS}
    columns["mean_rank"] = [outcome.rank.mean for outcome in outcomes]
    columns["candidates"] = [outcome.candidates for outcome in outcomes]
    return columns | ({"proxy": [outcome.proxy for outcome in outcomes]} if proxy else {})


def compare(
    outcomes: Sequence[QuotationOutcome], others: Sequence[QuotationOutcome]
) -> dict[str, float]:
    """Return gain@k over the others with its interval, and touch@k: 1 if the two intervals of
    recall@k overlap."""
    figures: dict[str, float] = {}
    for k in CUTS:
        recalls, other_recalls = _recalls(outcomes, k), _recalls(others, k)
        own, other = metrics.bootstrap(recalls), metrics.bootstrap(other_recalls)
        figures |= metrics.difference(recalls, other_recalls).figures(f"gain@{k}")
        figures[f"touch@{k}"] = float(own.low <= other.high and other.low <= own.high)
    return figures


def _recalls(outcomes: Sequence[QuotationOutcome], k: int) -> list[float]:
    return [outcome.rank.recall(k) for outcome in outcomes]


def table_row(report: Report) -> dict[str, Value]:
    """Return a row of Table 3: percent, bounds in brackets, and whether the intervals of a gain
    touch or are apart."""
    figures = report.metrics

    def percent(name: str, sign: str = "") -> str:
        low, high = (f"{100 * figures[f'{name}_{bound}']:.1f}" for bound in ("low", "high"))
        return f"{100 * figures[name]:{sign}.1f} ({low} to {high})"

    cells: dict[str, Value] = {
        "L/R": report.bench.removeprefix("relic "),
        "system": report.system,
        **{f"R@{k}": percent(f"recall@{k}") for k in CUTS},
        "rank": round(figures["mean_rank"], 1),
        "of": round(figures["candidates"], 1),
        "proxy": percent("proxy") if "proxy" in figures else "",
        "n": report.n,
        "seconds": round(report.seconds, 1),
    }
    for k in CUTS:
        if f"gain@{k}" in figures:
            apart = "touch" if figures[f"touch@{k}"] else "apart"
            cells[f"gain@{k}"] = f"{percent(f'gain@{k}', '+')}, {apart}"
    return cells
