"""Statistics of a collection in CSFCube's form (Mysore et al. 2021): Table 1 and Figure 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.csfcube import csfcube_data
from scholar_cli.laboratory.csfcube.csfcube_bench import ALL
from scholar_cli.laboratory.csfcube.csfcube_data import CsfcubeCollection, FacetQuery
from scholar_cli.laboratory.csfcube.faceted_metrics import MIN_RELEVANT_GRADE
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.types import QUERY_FACETS

BENCH = "csfcube statistics"


def describe(folder: Path) -> list[Report]:
    """Return a report for each facet, for all of them, and for each paper queried in two facets.

    The last ones count the candidates that are relevant in each facet and in both, and the
    candidates with each pair of grades. Raises as load_collection.
    """
    collection = csfcube_data.load_collection(folder)
    parts = {
        facet.value: [query for query in collection.queries if query.facet == facet]
        for facet in QUERY_FACETS
    }
    parts[ALL] = list(collection.queries)
    reports = [
        _report(collection, part, len(queries), _figures(queries), {})
        for part, queries in parts.items()
        if queries
    ]
    pairs = [
        (one, other)
        for one, other in combinations(collection.queries, 2)
        if one.paper_id == other.paper_id
    ]
    return [*reports, *(_report_pair(collection, one, other) for one, other in pairs)]


def _report_pair(collection: CsfcubeCollection, one: FacetQuery, other: FacetQuery) -> Report:
    both = [(one.grades[name], other.grades[name]) for name in one.grades if name in other.grades]
    figures = {
        f"relevant_{one.facet}": _count_relevant(one),
        f"relevant_{other.facet}": _count_relevant(other),
        "relevant_in_both": sum(
            _is_relevant(first) and _is_relevant(second) for first, second in both
        ),
    }
    counts = Counter(f"{one.facet} {first}, {other.facet} {second}" for first, second in both)
    listed: dict[str, Sequence[Value]] = {
        "id": sorted(counts),
        "count": [counts[pair] for pair in sorted(counts)],
    }
    return _report(collection, one.paper_id, len(both), figures, listed)


def _report(
    collection: CsfcubeCollection,
    part: str,
    n: int,
    figures: Mapping[str, float],
    listed: Mapping[str, Sequence[Value]],
) -> Report:
    return Report(BENCH, part, "", figures, n, 0.0, "", collection.sha256, commit(), listed)


def _figures(queries: Sequence[FacetQuery]) -> dict[str, float]:
    """Return the statistics of at least one query."""
    pools = [len(query.grades) for query in queries]
    related = [list(query.grades.values()).count(1) for query in queries]
    relevant = [_count_relevant(query) for query in queries]
    return {
        "queries": len(queries),
        "query_papers": len({query.paper_id for query in queries}),
        "pool": metrics.mean(pools),
        "graded_pairs": sum(pools),
        "rated_1_min": min(related),
        "rated_1_max": max(related),
        "rated_1": metrics.mean(related),
        "rated_2_or_3_min": min(relevant),
        "rated_2_or_3_max": max(relevant),
        "rated_2_or_3": metrics.mean(relevant),
    }


def _count_relevant(query: FacetQuery) -> int:
    return sum(map(_is_relevant, query.grades.values()))


def _is_relevant(grade: int) -> bool:
    return grade >= MIN_RELEVANT_GRADE
