"""What a benchmark says: one report per system and split, one line of JSON each."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Report:
    """How one system did on one split.

    metrics are means over n queries, with bounds and costs beside them; seconds is what
    the ranking of all queries took. data_sha256 names texts and queries; commit is
    empty where the code is not in a checkout.
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

    def record(self) -> dict[str, Any]:
        """The report with everything in it, as JSON has it."""
        return asdict(self)

    def line(self) -> str:
        """The report as one line of JSON."""
        return json.dumps(self.record(), ensure_ascii=False)

    def row(self) -> dict[str, Value]:
        """The report for a table: one cell per metric, figures rounded."""
        figures = {name: round(value, 4) for name, value in self.metrics.items()}
        return {
            "bench": self.bench, "split": self.split, "system": self.system, **figures,
            "n": self.n, "seconds": round(self.seconds, 2), "model": self.model,
            "data_sha256": self.data_sha256, "commit": self.commit,
        }  # fmt: skip


@cache
def commit() -> str:
    """The commit of the checkout this code runs from, marked when it was changed since."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        said = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"],
            capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
