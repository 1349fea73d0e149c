"""Contrast sets ranked as by `scholar papers similar`, scored by correctly ordered pairs.

All papers of a part are added to a separate library in a temporary folder, which splits, labels and
indexes their abstracts like a user's. A pair of a like and an unlike paper is in the right order if
the like one is ranked first.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.contrast.contrast_data import ContrastSet
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import UsageError
from scholar_indexes.library import Library
from scholar_indexes.papers.paper_service import PaperLibrary
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.types import QUERY_FACETS, Progress, silent

ALL = "all"
"""The split of all sets; the other splits are the facets."""

System = Callable[[Sequence[ContrastSet], Progress], list[list[str]]]
"""A function from contrast sets to the ranked titles of each, best first."""


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A contrast set, and whether each pair of a like and an unlike paper is in order."""

    contrast: ContrastSet
    ordered: tuple[bool, ...]


def rank_with_library(places: Paths, settings: Settings) -> System:
    """Return the system that adds the papers to an empty library and searches for similar ones.

    Only models are read from places, and nothing is written there.
    """

    def rank(sets: Sequence[ContrastSet], progress: Progress) -> list[list[str]]:
        with tempfile.TemporaryDirectory(prefix="scholar-bench-") as folder:
            own = Paths(Path(folder, "data"), places.cache, Path(folder, "config.toml"))
            papers = Library(own, settings).papers
            source = Path(folder, "papers.jsonl")
            source.write_text(_paper_lines(sets), "utf-8")
            added = papers.add(str(source), progress=progress)
            return [_rank_set(papers, contrast, added.added) for contrast in sets]

    return rank


def run(
    sets: Sequence[ContrastSet],
    system: System,
    *,
    model: str = "",
    data_sha256: str = "",
    progress: Progress = silent,
) -> tuple[list[Report], list[ScoredSet]]:
    """Return a report for each part and facet, and for each part over all facets, and the sets.

    Raises UsageError without sets.
    """
    if not sets:
        raise UsageError("no contrast sets in this part; choose dev or test")
    reports, scored_sets = [], []
    for part in dict.fromkeys(contrast.part for contrast in sets):
        chosen = [contrast for contrast in sets if contrast.part == part]
        start = time.perf_counter()
        rankings = system(chosen, progress)
        seconds = time.perf_counter() - start
        scored = [score(*pair) for pair in zip(chosen, rankings, strict=True)]
        scored_sets += scored
        for split in (*QUERY_FACETS, ALL):
            rows = [row for row in scored if split in (ALL, row.contrast.facet)]
            if rows:
                reports.append(_report(f"{part} {split}", rows, seconds, model, data_sha256))
    return reports, scored_sets


def _report(
    split: str, rows: Sequence[ScoredSet], seconds: float, model: str, data_sha256: str
) -> Report:
    return Report(
        bench="contrast",
        split=split,
        system="scholar",
        metrics=summarize(rows),
        n=len(rows),
        seconds=seconds,
        model=model,
        data_sha256=data_sha256,
        commit=commit(),
        queries={
            "group": [row.contrast.name for row in rows for _ in row.ordered],
            "ordered": [float(pair) for row in rows for pair in row.ordered],
        },
    )


def score(contrast: ContrastSet, ranking: Sequence[str]) -> ScoredSet:
    """Return which pairs of a set are in order; unranked papers come last, and pairs of them are
    not in order."""
    rank = {title: place for place, title in enumerate(ranking)}
    last = len(ranking)
    ordered = tuple(
        rank.get(like.title, last) < rank.get(unlike.title, last)
        for like in contrast.like
        for unlike in contrast.unlike
    )
    return ScoredSet(contrast, ordered)


def summarize(rows: Sequence[ScoredSet]) -> dict[str, float]:
    """Return the share of pairs in order with its 95 % interval over sets, and the pair count."""
    interval = metrics.bootstrap_groups([[float(pair) for pair in row.ordered] for row in rows])
    return interval.figures("ordered") | {"pairs": sum(len(row.ordered) for row in rows)}


def set_rows(scored: Sequence[ScoredSet]) -> list[Mapping[str, str | int]]:
    """Return a table row for each set, with the number of its pairs in order."""
    return [
        {
            "part": row.contrast.part,
            "facet": row.contrast.facet.value,
            "set": row.contrast.name,
            "field": row.contrast.field,
            "ordered": sum(row.ordered),
            "pairs": len(row.ordered),
        }
        for row in scored
    ]


def _rank_set(papers: PaperLibrary, contrast: ContrastSet, count: int) -> list[str]:
    _, hits = papers.similar(_paper_id(contrast, 0), facet=contrast.facet, n=count, or_nearest=True)
    return [hit.item.stored.paper.title for hit in hits]


def _paper_lines(sets: Sequence[ContrastSet]) -> str:
    """Return the papers of sets as JSON lines for `scholar papers add`."""
    return "".join(
        json.dumps(
            {
                "paper_id": _paper_id(contrast, number).removeprefix("key:"),
                "title": paper.title,
                "abstract": paper.abstract,
            },
            ensure_ascii=False,
        )
        + "\n"
        for contrast in sets
        for number, paper in enumerate(contrast.papers)
    )


def _paper_id(contrast: ContrastSet, number: int) -> str:
    return f"key:{contrast.name}-{number}"
