"""Papers alike in one respect, as CSFCube measures it (Mysore et al. 2021, section 5).

A query is a paper and a facet of it; a system ranks the papers that experts graded for it,
or the whole collection, of which what is not judged is dropped before the rest is measured.
A ranking follows from texts and facets alone: ids, years and the order of a file count for
nothing. Measures are those of the official script (faceted_metrics); the published figures
are means of two folds, these are means over all queries of the folder.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scholar_cli.bench import csfcube_form, csfcube_systems, faceted_metrics, metrics
from scholar_cli.bench.csfcube_form import ASKED, Collection, Labeller, Query
from scholar_cli.bench.csfcube_systems import SYSTEMS, System
from scholar_cli.bench.report import Report, Value, commit
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Progress, silent

ALL = "all"
"""The split of every query; the others are the facets."""

Measured = Mapping[str, float]


class Rankings(NamedTuple):
    """What a system made of every query, in their order, and the seconds each took."""

    ids: tuple[tuple[str, ...], ...]
    seconds: tuple[float, ...]


def predicted(encoder: Encoder) -> Labeller:
    """Facets as the product gives them, by the packaged model for an encoder's vectors."""
    from scholar_indexes import models
    from scholar_indexes.papers import facets
    from scholar_indexes.settings import DEFAULT_FACET_MODEL

    model = facets.load(models.find(DEFAULT_FACET_MODEL, models.PACKAGED), encoder.space)
    return lambda texts: facets.label(encoder.encode(texts), texts, model)[0]


def run(
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
    """A report for each system and facet, and for each system over all facets.

    systems are of SYSTEMS; those that encode stand for one of each of models, and may name
    theirs (fused:model); load finds a model. label predicts facets, which otherwise are
    the data's own. whole ranks all papers instead of those that are judged. paired_with
    is a system of this run that the others are compared with, query by query. out gets
    the rankings of the first system as lines of {"query_id", "facet", "ranking": [ids]}.
    A report's seconds are for ranking, with all papers' vectors at hand. Raises
    UsageError for a system that is none or an out that cannot be written, and what
    csfcube_form.read and load raise.
    """
    names = csfcube_systems.named(systems, models)
    if not names:
        raise UsageError(f"there is no system to measure; choose from: {', '.join(SYSTEMS)}")
    against = csfcube_systems.meant(paired_with, names) if paired_with else ""
    if out is not None and out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write the rankings to")
    collection = csfcube_form.read(data)
    if label is not None:
        collection = csfcube_form.relabelled(collection, label, needed(collection, whole))
    known = csfcube_systems.built(names, list(collection.papers.values()), load)
    rankings = {}
    for name, system in known.items():
        rankings[name] = rank(collection, system, whole=whole, progress=progress)
        if out is not None and name == names[0]:
            write(out, collection.queries, rankings[name].ids)
    bench = "csfcube" + (" whole" if whole else "") + (" predicted" if label is not None else "")
    return _reports(bench, collection, known, rankings, against)


def _reports(
    bench: str,
    collection: Collection,
    systems: Mapping[str, System],
    rankings: Mapping[str, Rankings],
    against: str,
) -> list[Report]:
    measured = {
        name: [
            faceted_metrics.measures(faceted_metrics.graded(ids, query.grades))
            for query, ids in zip(collection.queries, each.ids, strict=True)
        ]
        for name, each in rankings.items()
    }
    reports = []
    for name, system in systems.items():
        for split in (*ASKED, ALL):
            those = [at for at, each in enumerate(collection.queries) if split in (ALL, each.facet)]
            if not those:
                continue
            figures = summary([measured[name][at] for at in those])
            if against not in ("", name):
                figures |= compared([(measured[name][at], measured[against][at]) for at in those])
            seconds = sum(rankings[name].seconds[at] for at in those)
            reports.append(
                Report(bench, str(split), name, figures, len(those), seconds, system.model,
                       collection.sha256, commit())
            )  # fmt: skip
    return reports


def needed(collection: Collection, whole: bool = False) -> list[str]:
    """The ids of the papers that are ranked or ranked for, in the collection's order."""
    judged = {each for query in collection.queries for each in (query.paper_id, *query.grades)}
    return [each for each in collection.papers if whole or each in judged]


def rank(
    collection: Collection, system: System, *, whole: bool = False, progress: Progress = silent
) -> Rankings:
    """Every query's candidates, best first: the whole collection or what is judged for it,
    without the query's own paper."""
    papers = collection.papers
    system.prepare([papers[each] for each in needed(collection, whole)], progress)
    ids, seconds = [], []
    for done, query in enumerate(collection.queries):
        progress("ranking papers", done, len(collection.queries))
        pool = papers if whole else query.grades
        candidates = {each: papers[each] for each in pool if each != query.paper_id}
        example = papers[query.paper_id]
        start = time.perf_counter()
        order = csfcube_systems.ranked(system.score, example, query.facet, candidates)
        seconds.append(time.perf_counter() - start)
        ids.append(tuple(order))
    return Rankings(tuple(ids), tuple(seconds))


def summary(rows: Sequence[Measured]) -> dict[str, float]:
    """The mean of every measure over queries, with its bootstrap interval."""
    figures: dict[str, float] = {}
    for name in rows[0]:
        figures |= _bounded(name, metrics.bootstrap([row[name] for row in rows]))
    return figures


def compared(pairs: Sequence[tuple[Measured, Measured]]) -> dict[str, float]:
    """The gain of the first over the second in every measure, with its paired bootstrap
    interval over queries."""
    figures: dict[str, float] = {}
    for name in pairs[0][0]:
        mine, theirs = [own[name] for own, _ in pairs], [other[name] for _, other in pairs]
        figures |= _bounded(f"gain {name}", metrics.difference(mine, theirs))
    return figures


def write(out: Path, queries: Sequence[Query], rankings: Sequence[Sequence[str]]) -> None:
    """Write a run, whole or not at all; raises UsageError where that is not possible."""
    lines = [
        json.dumps(
            {"query_id": query.paper_id, "facet": query.facet.value, "ranking": list(ids)},
            ensure_ascii=False,
        ) + "\n"
        for query, ids in zip(queries, rankings, strict=True)
    ]  # fmt: skip
    unfinished = out.with_name(f"{out.name}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text("".join(lines), "utf-8", newline="\n")
        os.replace(unfinished, out)
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{out} cannot be written ({refusal}); name another file") from refusal


def row(report: Report) -> dict[str, Value]:
    """A report as the paper's Table 3 has it: percent, with bounds for the one measure that
    systems are compared by."""
    had = report.metrics

    def percent(name: str, sign: str = "") -> str:
        low, high = (f"{100 * had[f'{name}_{end}']:.1f}" for end in ("low", "high"))
        return f"{100 * had[name]:{sign}.2f} ({low} to {high})"

    cells: dict[str, Value] = {"facet": report.split, "system": report.system}
    for name in faceted_metrics.MEASURES:
        cells[name] = percent(name) if name == "NDCG%20" else f"{100 * had[name]:.2f}"
    if "gain NDCG%20" in had:
        cells["gain NDCG%20"] = percent("gain NDCG%20", "+")
    return cells | {"n": report.n, "seconds": round(report.seconds, 2)}


def _bounded(name: str, interval: metrics.Interval) -> dict[str, float]:
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
