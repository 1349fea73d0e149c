"""Reports of benchmarks: one per system and split, one line of JSON each."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Value = str | int | float

DECIMALS = 5
"""Decimals of the scores of queries in JSON."""

_PAGES = (":!docs", ":!*.md")
"""Files that change when figures are recorded, and that no benchmark depends on."""


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one system on one split.

    metrics are means over n queries, with bounds and costs; seconds is the time of ranking all
    queries. data_sha256 is the hash of texts and queries; commit is empty if the code is not in a
    checkout. queries has columns with one value per query: under the name of a figure, the values
    that it is the mean of; under "id", the query; under "group", the book or other group that
    intervals draw whole.
    """

    bench: str
    split: str
    system: str
    metrics: Mapping[str, float]
    n: int
    seconds: float
    model: str
    data_sha256: str
    commit: str
    queries: Mapping[str, Sequence[Value]] = field(default_factory=dict)

    def record(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return all fields as in JSON; the queries only with `per_query`."""
        fields = asdict(self)
        queries = fields.pop("queries")
        if per_query:
            fields["queries"] = {
                name: [round(v, DECIMALS) if isinstance(v, float) else v for v in values]
                for name, values in queries.items()
            }
        return fields

    def line(self) -> str:
        """Return the report as one line of JSON."""
        return json.dumps(self.record(), ensure_ascii=False)

    def row(self) -> dict[str, Value]:
        """Return a row of a table: one cell per metric, figures rounded."""
        figures = {name: round(value, 4) for name, value in self.metrics.items()}
        return {
            "bench": self.bench,
            "split": self.split,
            "system": self.system,
            **figures,
            "n": self.n,
            "seconds": round(self.seconds, 2),
            "model": self.model,
            "data_sha256": self.data_sha256,
            "commit": self.commit,
        }


@cache
def commit() -> str:
    """Return the commit of the checkout this code runs from, marked "-dirty" if anything but its
    documentation and recorded runs has changed.

    Returns "" if the code is not in a checkout.
    """
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        head = _git(root, "rev-parse", "--short", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *_PAGES)
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{head}-dirty" if changed else head


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()
