"""CSFCube's two folds (Mysore et al. 2021, section 5): half of the queries for development, the
other half for testing, then swapped; a published figure is the mean of the two test means.

A file of folds is JSON in the format of the collection's evaluation:

    facet -> {"fold1_dev": ["<paper id>_<facet>", ...], "fold1_test": [...], "fold2_dev": ..., ...}

The queries over all facets are the queries of the three facets; a list named "all" is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines, metrics
from scholar_cli.laboratory.metrics import Interval
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_json, shown
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import QUERY_FACETS, Facet

QueryName = tuple[str, Facet]
"""The id of a query paper, and its facet."""


def query_id(query: QueryName) -> str:
    """Return the id of a query as in the collection's own files: "<paper id>_<facet>"."""
    paper_id, facet = query
    return f"{paper_id}_{facet.value}"


@dataclass(frozen=True, slots=True)
class FoldPart:
    """The development or test queries of a fold."""

    fold: str
    part: str
    queries: Set[QueryName]

    @property
    def name(self) -> str:
        """The name of the part, such as "fold1 test"."""
        return f"{self.fold} {self.part}"


def read_folds(path: Path) -> tuple[FoldPart, ...]:
    """Return the parts of the folds of a file, in order of their names.

    Raises NotThere for a missing file, and UsageError for a file in another format, or a query in
    both parts of a fold or in two test parts.
    """
    try:
        folds = read_json(path)
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; give a file of folds") from None
    except OSError as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    except ValueError as broken:
        raise UsageError(
            f"{path} cannot be read ({one_line(str(broken), 200)}); give a JSON file of folds"
        ) from None
    try:
        parts = _parts(folds)
    except (KeyError, TypeError, ValueError, AttributeError) as broken:
        raise UsageError(
            f"{path} has no folds ({one_line(str(broken), 200)}); write facet -> "
            '{"fold1_dev": ["<paper id>_<facet>"], "fold1_test": ...}'
        ) from None
    _check(path, parts)
    return parts


def missing_queries(parts: Sequence[FoldPart], known: Iterable[QueryName]) -> list[str]:
    """Return messages about the folds, given the known queries: the queries missing for each part,
    those in no part, and whether the mean of the folds is omitted. Without parts there are none."""
    if not parts:
        return []
    given = set(known)
    sentences = []
    for part in parts:
        if lacking := part.queries - given:
            sentences.append(
                f"{part.name} is missing {len(lacking)} of its {len(part.queries)} queries: "
                f"{_listed(lacking)}"
            )
    if any(part.queries - given for part in parts if part.part == "test"):
        sentences.append("the mean of the folds is omitted where a test part is missing queries")
    if unplaced := given - {query for part in parts for query in part.queries}:
        sentences.append(f"{len(unplaced)} of the queries are in no fold: {_listed(unplaced)}")
    return sentences


def mean_of_folds(folds: Sequence[Sequence[float]]) -> Interval:
    """Return the mean of the means of folds, none of them empty, with its bootstrap interval over
    queries."""
    n = sum(map(len, folds))
    # Weight the values so that every fold counts equally, whatever its number of queries.
    return metrics.bootstrap(
        [value * (n / (len(folds) * len(fold))) for fold in folds for value in fold]
    )


def _parts(folds: Mapping[str, Any]) -> tuple[FoldPart, ...]:
    queries: dict[tuple[str, str], set[QueryName]] = {}
    for facet in QUERY_FACETS:
        for name, listed in folds.get(facet.value, {}).items():
            match = re.fullmatch(r"(fold\d{1,2})_(dev|test)", name)
            if match is None:
                raise ValueError(f"{shown(name)} is not a name like fold1_dev")
            if not isinstance(listed, list):
                raise TypeError(f"{name} is not a list")
            part = queries.setdefault((match[1], match[2]), set())
            part |= {_query(query, facet) for query in listed}
    if not any(part == "test" for _, part in queries):
        raise ValueError("no test part")
    if empty := [f"{fold}_{part}" for (fold, part), listed in queries.items() if not listed]:
        raise ValueError(f"no query in {empty[0]}")
    return tuple(FoldPart(fold, part, queries[fold, part]) for fold, part in sorted(queries))


def _query(name: Any, facet: Facet) -> QueryName:
    ending = f"_{facet.value}"
    if not isinstance(name, str) or not name.endswith(ending):
        raise ValueError(f"{shown(name)} does not end with {ending}")
    return name.removesuffix(ending), facet


def _check(path: Path, parts: Sequence[FoldPart]) -> None:
    """Raise UsageError if a query is in two test parts, or in both parts of a fold."""
    for one, other in combinations(parts, 2):
        is_apart = one.fold == other.fold or one.part == other.part == "test"
        if is_apart and (both := one.queries & other.queries):
            raise UsageError(
                f"{path}: {one.name} and {other.name} both have {_listed(both, 200)}; remove it "
                "from one"
            )


def _listed(queries: Iterable[QueryName], limit: int = 2_000) -> str:
    return one_line(", ".join(sorted(map(query_id, queries))), limit)
