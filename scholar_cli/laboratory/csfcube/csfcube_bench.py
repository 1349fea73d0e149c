"""The CSFCube benchmark of faceted paper search (Mysore et al. 2021, section 5).

A query is a paper and a facet of it; a system ranks the papers that experts graded for it,
or the whole collection, whose unjudged papers are dropped before scoring. A ranking depends only
on texts and facets, not on ids, years or the order of a file. Measures follow the official
script (faceted_metrics). Figures are means over all queries of the folder; the published ones are
means of two folds, which are added if a file of folds is given (folds).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.csfcube import csfcube_data, csfcube_systems, faceted_metrics
from scholar_cli.laboratory.csfcube import folds as csfcube_folds
from scholar_cli.laboratory.csfcube.csfcube_data import CsfcubeCollection, FacetQuery, Labeller
from scholar_cli.laboratory.csfcube.csfcube_systems import SYSTEMS, AskedSentences, FacetSystem
from scholar_cli.laboratory.csfcube.folds import FoldPart, mean_of_folds
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.errors import UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.storage import atomic
from scholar_indexes.types import QUERY_FACETS, Progress, silent

ALL = "all"
"""The split of all queries; the other splits are the facets."""

Measured = Mapping[str, float]


class Rankings(NamedTuple):
    """The ranked ids of each query, in the order of the queries, and the seconds per query."""

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
    by_sentences: bool = False,
    whole: bool = False,
    folds: Path | None = None,
    paired_with: str = "",
    out: Path | None = None,
    say: Callable[[str], object] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each system and facet, and for each system over all facets.

    systems are from SYSTEMS, expanded over models as in expand_names; load returns the encoder of
    a model. label predicts facets to use instead of those in the data. by_sentences gives systems
    the sentences labelled with the facet of a query, without the label: Definition 2 of the paper
    instead of Definition 1. whole ranks all papers instead of the judged ones. folds is a file of
    folds, which adds reports for its parts; say is called with messages about missing queries.
    paired_with is a system of this run to compare the others with, query by query. The rankings of
    the first system are written to out as lines of {"query_id", "facet", "ranking": [ids]}. The
    seconds of a report are for ranking, without encoding. Raises UsageError for an unknown system
    or an out that cannot be written, and what load_collection, read_folds and load raise.
    """
    names = csfcube_systems.expand_names(systems, models)
    if not names:
        raise UsageError(f"no system to measure; choose from: {', '.join(SYSTEMS)}")
    baseline = csfcube_systems.resolve_name(paired_with, names) if paired_with else ""
    _check_is_file(out)
    parts = csfcube_folds.read_folds(folds) if folds is not None else ()
    collection = csfcube_data.load_collection(data)
    for sentence in csfcube_folds.missing_queries(parts, map(_name, collection.queries)):
        say(sentence)
    given = collection
    if label is not None:
        collection = csfcube_data.relabel(collection, label, ranked_paper_ids(collection, whole))
    elif by_sentences:
        collection = csfcube_data.without_labels(collection)
    asked = ask_sentences(given if by_sentences else collection, labelled=not by_sentences)
    built = csfcube_systems.build_systems(names, list(collection.papers.values()), load)
    rankings = {}
    for name, system in built.items():
        rankings[name] = rank_queries(collection, asked, system, whole=whole, progress=progress)
        if out is not None and name == names[0]:
            write_rankings(out, collection.queries, rankings[name].ids)
    bench = _name_variant(whole=whole, sentences=by_sentences, predicted=label is not None)
    return _build_reports(bench, collection, built, rankings, baseline, parts)


def _check_is_file(out: Path | None) -> None:
    if out is not None and out.is_dir():
        raise UsageError(f"{out} is a folder; give a file for the rankings")


def _name_variant(**settings: bool) -> str:
    """Return the name of the benchmark with the settings that are not its usual ones."""
    return " ".join(["csfcube", *(name for name, is_set in settings.items() if is_set)])


def _name(query: FacetQuery) -> csfcube_folds.QueryName:
    return query.paper_id, query.facet


def ask_sentences(
    collection: CsfcubeCollection, *, labelled: bool = True
) -> tuple[AskedSentences, ...]:
    """Return the sentences of each query that are labelled with its facet; the facet itself is
    included only if labelled."""
    return tuple(
        csfcube_systems.ask_facet(collection.papers[query.paper_id], query.facet, labelled=labelled)
        for query in collection.queries
    )


def _build_reports(
    bench: str,
    collection: CsfcubeCollection,
    systems: Mapping[str, FacetSystem],
    rankings: Mapping[str, Rankings],
    baseline: str,
    parts: Sequence[FoldPart],
) -> list[Report]:
    measured = {name: _measure(collection.queries, ranking) for name, ranking in rankings.items()}
    query_ids = [csfcube_folds.query_id(_name(query)) for query in collection.queries]
    reports = []
    revision = commit()
    for name, system in systems.items():
        compared = None if baseline in ("", name) else measured[baseline]
        for split, folds in _rows_of_splits(collection, parts).items():
            rows = [row for rows in folds for row in rows]
            columns: dict[str, Sequence[Value]] = {"id": [query_ids[row] for row in rows]}
            if len(folds) == 1:  # a mean over folds is not a mean over queries
                columns |= metrics.columns([measured[name][row] for row in rows])
            reports.append(
                Report(
                    bench,
                    split,
                    name,
                    _summarize_folds(folds, measured[name], compared),
                    len(rows),
                    sum(rankings[name].seconds[row] for row in rows),
                    system.model,
                    collection.sha256,
                    revision,
                    columns,
                )
            )
    return reports


def _measure(queries: Sequence[FacetQuery], rankings: Rankings) -> list[Measured]:
    return [
        faceted_metrics.compute_measures(faceted_metrics.grade_ranking(ids, query.grades))
        for query, ids in zip(queries, rankings.ids, strict=True)
    ]


def _summarize_folds(
    folds: Sequence[Sequence[int]],
    measured: Sequence[Measured],
    compared: Sequence[Measured] | None,
) -> dict[str, float]:
    """Return the means over folds of the queries with these rows, and the differences from the
    measures of another system if there is one."""
    figures = summarize([[measured[row] for row in rows] for rows in folds])
    if compared is not None:
        figures |= compare([[(measured[row], compared[row]) for row in rows] for rows in folds])
    return figures


def _rows_of_splits(
    collection: CsfcubeCollection, parts: Sequence[FoldPart]
) -> dict[str, list[list[int]]]:
    """Return the queries of each split as rows of the collection: one list for a facet or all, and
    for their queries in each part of a fold; for the folds one list per complete test part."""
    splits: dict[str, list[list[int]]] = {}
    for split in (*QUERY_FACETS, ALL):
        rows = {
            _name(query): row
            for row, query in enumerate(collection.queries)
            if split in (ALL, query.facet)
        }
        if rows:
            splits[str(split)] = [list(rows.values())]
            splits |= _rows_of_parts(split, rows, parts)
    return splits


def _rows_of_parts(
    split: str, rows: Mapping[csfcube_folds.QueryName, int], parts: Sequence[FoldPart]
) -> dict[str, list[list[int]]]:
    """Return the rows of a split in each part of a fold, and in all test parts."""
    splits: dict[str, list[list[int]]] = {}
    tests = []
    for part in parts:
        wanted = [query for query in part.queries if split in (ALL, query[1])]
        given = sorted(rows[query] for query in wanted if query in rows)
        if given:
            splits[f"{split} {part.name}"] = [given]
        if part.part == "test":
            tests.append(given if len(given) == len(wanted) else [])
    if len(tests) > 1 and all(tests):
        splits[f"{split} folds"] = tests
    return splits


def ranked_paper_ids(collection: CsfcubeCollection, whole: bool = False) -> list[str]:
    """Return the ids of the query papers and candidates, in the order of the collection."""
    judged = {
        paper_id for query in collection.queries for paper_id in (query.paper_id, *query.grades)
    }
    return [paper_id for paper_id in collection.papers if whole or paper_id in judged]


def rank_queries(
    collection: CsfcubeCollection,
    asked: Sequence[AskedSentences],
    system: FacetSystem,
    *,
    whole: bool = False,
    progress: Progress = silent,
) -> Rankings:
    """Rank the candidates of every query by its asked sentences, best first: the whole collection
    or the papers judged for it, without the query paper."""
    papers = collection.papers
    system.prepare([papers[paper_id] for paper_id in ranked_paper_ids(collection, whole)], progress)
    ids, seconds = [], []
    for done, (query, sentences) in enumerate(zip(collection.queries, asked, strict=True)):
        progress("ranking papers", done, len(collection.queries))
        pool = papers if whole else query.grades
        candidates = {paper_id: papers[paper_id] for paper_id in pool if paper_id != query.paper_id}
        example = papers[query.paper_id]
        start = time.perf_counter()
        order = csfcube_systems.rank_candidates(system.score, example, sentences, candidates)
        seconds.append(time.perf_counter() - start)
        ids.append(tuple(order))
    return Rankings(tuple(ids), tuple(seconds))


def summarize(folds: Sequence[Sequence[Measured]]) -> dict[str, float]:
    """Return the mean of every measure over queries, or for several folds the mean of their means,
    with its bootstrap interval."""
    return {
        name: value
        for measure in folds[0][0]
        for name, value in mean_of_folds([[row[measure] for row in rows] for rows in folds])
        .figures(measure)
        .items()
    }


def compare(folds: Sequence[Sequence[tuple[Measured, Measured]]]) -> dict[str, float]:
    """Return the gain of the first over the second in every measure, with its paired bootstrap
    interval, in the form of summarize."""
    return summarize(
        [
            [{f"gain {name}": one[name] - other[name] for name in one} for one, other in rows]
            for rows in folds
        ]
    )


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
        raise UsageError(f"{out} cannot be written ({refusal}); give another file") from refusal


def table_row(report: Report) -> dict[str, Value]:
    """Return a report as a row of the paper's Table 3, in percent, with bounds for the main
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
