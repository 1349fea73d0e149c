"""CSFCube's two folds (Mysore et al. 2021, section 5): half of the queries to develop on, the other
half to test, then the halves swapped; a published figure is the mean of the two tests' means.

A file of folds is JSON as that of the collection's evaluation:

    facet -> {"fold1_dev": ["<paper id>_<facet>", ...], "fold1_test": [...], "fold2_dev": ..., ...}

The queries of all facets are those of the three; a list named "all" is not read.
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
    """Return the id of a query as the collection's own files have it: "<paper id>_<facet>"."""
    paper_id, facet = query
    return f"{paper_id}_{facet.value}"


@dataclass(frozen=True, slots=True)
class FoldPart:
    """The queries that one fold develops on, or tests with."""

    fold: str
    part: str
    queries: Set[QueryName]

    @property
    def name(self) -> str:
        """The name of the part, such as "fold1 test"."""
        return f"{self.fold} {self.part}"


def read_folds(path: Path) -> tuple[FoldPart, ...]:
    """Return the parts of the folds of a file, in order of their names.

    Raises NotThere, or UsageError for a file that is not in the form, a query that a fold both
    develops on and tests with, or one that two folds test with.
    """
    try:
        folds = read_json(path)
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; name a file of folds") from None
    except OSError as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    except ValueError as broken:
        raise UsageError(
            f"{path} cannot be read ({one_line(str(broken), 200)}); name a file of folds, as JSON"
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
    """Return what to say of folds, given the queries that are known: which of a part lack, which
    no part has, and that there is no mean where tests lack some. No parts lack nothing."""
    if not parts:
        return []
    given = set(known)
    sentences = []
    for part in parts:
        if lacking := part.queries - given:
            sentences.append(
                f"{part.name} lacks {len(lacking)} of its {len(part.queries)} queries: "
                f"{_listed(lacking)}"
            )
    if any(part.queries - given for part in parts if part.part == "test"):
        sentences.append("the mean of the folds is left out where one lacks queries")
    if unplaced := given - {query for part in parts for query in part.queries}:
        sentences.append(f"no fold has {len(unplaced)} of the queries: {_listed(unplaced)}")
    return sentences


def mean_of_folds(folds: Sequence[Sequence[float]]) -> Interval:
    """Return the mean of the means of some folds, none empty, with its bootstrap interval over
    queries."""
    n = sum(map(len, folds))
    # A value counts as much as its fold, whatever the number of queries there.
    return metrics.bootstrap(
        [value * (n / (len(folds) * len(fold))) for fold in folds for value in fold]
    )


def _parts(folds: Mapping[str, Any]) -> tuple[FoldPart, ...]:
    queries: dict[tuple[str, str], set[QueryName]] = {}
    for facet in QUERY_FACETS:
        for name, listed in folds.get(facet.value, {}).items():
            match = re.fullmatch(r"(fold\d{1,2})_(dev|test)", name)
            if match is None:
                raise ValueError(f"{shown(name)} is not such as fold1_dev")
            if not isinstance(listed, list):
                raise TypeError(f"{name} is no list")
            part = queries.setdefault((match[1], match[2]), set())
            part |= {_query(query, facet) for query in listed}
    if not any(part == "test" for _, part in queries):
        raise ValueError("no part to test with")
    return tuple(FoldPart(fold, part, queries[fold, part]) for fold, part in sorted(queries))


def _query(name: Any, facet: Facet) -> QueryName:
    ending = f"_{facet.value}"
    if not isinstance(name, str) or not name.endswith(ending):
        raise ValueError(f"{shown(name)} does not end with {ending}")
    return name.removesuffix(ending), facet


def _check(path: Path, parts: Sequence[FoldPart]) -> None:
    """Raise UsageError where a query is tested twice, or developed on and tested in one fold."""
    for one, other in combinations(parts, 2):
        is_apart = one.fold == other.fold or one.part == other.part == "test"
        if is_apart and (both := one.queries & other.queries):
            raise UsageError(
                f"{path}: {one.name} and {other.name} both have {_listed(both, 200)}; leave out "
                "either"
            )


def _listed(queries: Iterable[QueryName], limit: int = 2_000) -> str:
    return one_line(", ".join(sorted(map(query_id, queries))), limit)
