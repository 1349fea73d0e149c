"""Run the CSFCube benchmark of faceted paper search (Mysore et al. 2021, section 5).

A query is a paper and a facet of it; a system ranks the papers that experts graded for it,
or the whole collection, whose unjudged papers are dropped before the rest is measured.
A ranking depends on texts and facets alone, not on ids, years or the order of a file. Measures
are those of the official script (faceted_metrics); the published figures are means of two
folds, these are means over all queries of the folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scholar_cli.bench import metrics
from scholar_cli.bench.csfcube import data as csfcube_data
from scholar_cli.bench.csfcube import faceted_metrics
from scholar_cli.bench.csfcube import systems as csfcube_systems
from scholar_cli.bench.csfcube.data import CsfcubeCollection, FacetQuery, Labeller
from scholar_cli.bench.csfcube.systems import SYSTEMS, FacetSystem
from scholar_cli.bench.report import Report, Value, commit
from scholar_indexes.errors import UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.storage import atomic
from scholar_indexes.types import QUERY_FACETS, Progress, silent

ALL = "all"
"""The split of all queries; the other splits are the facets."""

Measured = Mapping[str, float]


class Rankings(NamedTuple):
    """The ranked ids of each query, in the order of the queries, and the seconds each took."""

    ids: tuple[tuple[str, ...], ...]
    seconds: tuple[float, ...]


def predicted_labeller(encoder: Encoder, facet_model: ModelFiles) -> Labeller:
    """Return the labeller of `scholar papers`: a facet model on an encoder's vectors."""
    from scholar_indexes.papers import facets

    model = facets.load(facet_model, encoder.space)
    return lambda texts: facets.label_abstract(encoder.encode(texts), texts, model)[0]


def run_benchmark(
    data: Path,
    *,
    systems: Sequence[str] = SYSTEMS,
    models: Sequence[str] = (),
    load: Callable[[str], Encoder],
    label: Labeller | None = None,
    whole: bool = False,
    paired_with: str = "",
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each system and facet, and for each system over all facets.

    systems are of SYSTEMS; those that encode stand for one of each of models, and may name
    their own (fused:model); load returns the encoder of a model. label predicts facets in
    place of those of the data. whole ranks all papers instead of the judged ones. paired_with
    is a system of this run that the others are compared with, query by query. out gets
    the rankings of the first system as lines of {"query_id", "facet", "ranking": [ids]}.
    The seconds of a report are for ranking, after all papers are encoded. Raises UsageError
    for an unknown system or an out that cannot be written, and what load_collection and load
    raise.
    """
    names = csfcube_systems.expand_names(systems, models)
    if not names:
        raise UsageError(f"there is no system to measure; choose from: {', '.join(SYSTEMS)}")
    baseline = csfcube_systems.resolve_name(paired_with, names) if paired_with else ""
    if out is not None and out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write the rankings to")
    collection = csfcube_data.load_collection(data)
    if label is not None:
        collection = csfcube_data.relabel(collection, label, ranked_paper_ids(collection, whole))
    built = csfcube_systems.build_systems(names, list(collection.papers.values()), load)
    rankings = {}
    for name, system in built.items():
        rankings[name] = rank_queries(collection, system, whole=whole, progress=progress)
        if out is not None and name == names[0]:
            write_rankings(out, collection.queries, rankings[name].ids)
    bench = "csfcube" + (" whole" if whole else "") + (" predicted" if label is not None else "")
    return _build_reports(bench, collection, built, rankings, baseline)


def _build_reports(
    bench: str,
    collection: CsfcubeCollection,
    systems: Mapping[str, FacetSystem],
    rankings: Mapping[str, Rankings],
    baseline: str,
) -> list[Report]:
    measured = {
        name: [
            faceted_metrics.compute_measures(faceted_metrics.grade_ranking(ids, query.grades))
            for query, ids in zip(collection.queries, ranking.ids, strict=True)
        ]
        for name, ranking in rankings.items()
    }
    reports = []
    revision = commit()
    for name, system in systems.items():
        for split in (*QUERY_FACETS, ALL):
            rows = [
                row for row, query in enumerate(collection.queries) if split in (ALL, query.facet)
            ]
            if not rows:
                continue
            figures = summarize([measured[name][row] for row in rows])
            if baseline not in ("", name):
                figures |= compare([(measured[name][row], measured[baseline][row]) for row in rows])
            seconds = sum(rankings[name].seconds[row] for row in rows)
            reports.append(
                Report(
                    bench,
                    str(split),
                    name,
                    figures,
                    len(rows),
                    seconds,
                    system.model,
                    collection.sha256,
                    revision,
                    metrics.columns([measured[name][row] for row in rows]),
                )
            )
    return reports


def ranked_paper_ids(collection: CsfcubeCollection, whole: bool = False) -> list[str]:
    """Return the ids of the query papers and candidates, in the order of the collection."""
    judged = {
        paper_id for query in collection.queries for paper_id in (query.paper_id, *query.grades)
    }
    return [paper_id for paper_id in collection.papers if whole or paper_id in judged]


def rank_queries(
    collection: CsfcubeCollection,
    system: FacetSystem,
    *,
    whole: bool = False,
    progress: Progress = silent,
) -> Rankings:
    """Rank the candidates of every query, best first: the whole collection or the papers judged
    for it, without the query paper."""
    papers = collection.papers
    system.prepare([papers[paper_id] for paper_id in ranked_paper_ids(collection, whole)], progress)
    ids, seconds = [], []
    for done, query in enumerate(collection.queries):
        progress("ranking papers", done, len(collection.queries))
        pool = papers if whole else query.grades
        candidates = {paper_id: papers[paper_id] for paper_id in pool if paper_id != query.paper_id}
        example = papers[query.paper_id]
        start = time.perf_counter()
        order = csfcube_systems.rank_candidates(system.score, example, query.facet, candidates)
        seconds.append(time.perf_counter() - start)
        ids.append(tuple(order))
    return Rankings(tuple(ids), tuple(seconds))


def summarize(rows: Sequence[Measured]) -> dict[str, float]:
    """Return the mean of every measure over queries, with its bootstrap interval."""
    figures: dict[str, float] = {}
    for name in rows[0]:
        figures |= _bounded(name, metrics.bootstrap([row[name] for row in rows]))
    return figures


def compare(pairs: Sequence[tuple[Measured, Measured]]) -> dict[str, float]:
    """Return the gain of the first over the second in every measure, with its paired bootstrap
    interval over queries."""
    figures: dict[str, float] = {}
    for name in pairs[0][0]:
        first, second = zip(*((left[name], right[name]) for left, right in pairs), strict=True)
        figures |= _bounded(f"gain {name}", metrics.difference(first, second))
    return figures


def write_rankings(
    out: Path, queries: Sequence[FacetQuery], rankings: Sequence[Sequence[str]]
) -> None:
    """Write the rankings of a system atomically; raise UsageError if that is not possible."""
    lines = [
        json.dumps(
            {"query_id": query.paper_id, "facet": query.facet.value, "ranking": list(ids)},
            ensure_ascii=False,
        )
        + "\n"
        for query, ids in zip(queries, rankings, strict=True)
    ]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(out, "".join(lines))
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{out} cannot be written ({refusal}); name another file") from refusal


def table_row(report: Report) -> dict[str, Value]:
    """Return a report as a row of the paper's Table 3: percent, with bounds for the main
    measure."""
    figures = report.metrics

    def percent(name: str, sign: str = "") -> str:
        low, high = (f"{100 * figures[f'{name}_{end}']:.1f}" for end in ("low", "high"))
        return f"{100 * figures[name]:{sign}.2f} ({low} to {high})"

    cells: dict[str, Value] = {"facet": report.split, "system": report.system}
    for name in faceted_metrics.MEASURES:
        cells[name] = percent(name) if name == "NDCG%20" else f"{100 * figures[name]:.2f}"
    if "gain NDCG%20" in figures:
        cells["gain NDCG%20"] = percent("gain NDCG%20", "+")
    return cells | {"n": report.n, "seconds": round(report.seconds, 2)}


def _bounded(name: str, interval: metrics.Interval) -> dict[str, float]:
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
