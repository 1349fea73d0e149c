"""Statistics of a collection in the form of RELiC, CSFCube or GANDALF, as in their papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scholar_cli.laboratory.csfcube import csfcube_data, csfcube_statistics
from scholar_cli.laboratory.gandalf import gandalf_data, gandalf_statistics
from scholar_cli.laboratory.relic import relic_data, relic_statistics
from scholar_cli.laboratory.report import Report, Value
from scholar_indexes.errors import NotThere, UsageError

FORMS: Mapping[str, Callable[[Path], list[Report]]] = {
    **{f"{split}.json": relic_statistics.describe for split in relic_data.SPLITS},
    csfcube_data.ANNOTATIONS: csfcube_statistics.describe,
    gandalf_data.QUESTIONS: gandalf_statistics.describe,
}
"""The functions that describe a collection, by a file that its folder contains."""


def describe(folder: Path) -> list[Report]:
    """Return the statistics of a collection, a report for each of its parts; counts of single
    items are in the column `count` of a report, by the `id` of the item.

    Raises NotThere for a missing folder, UsageError for a folder in none of the three forms, and
    the errors of the collection's reader.
    """
    if not folder.is_dir():
        raise NotThere(f"there is no folder {folder}; check its name")
    name = next((name for name in FORMS if (folder / name).exists()), "")
    if not name:
        raise UsageError(f"{folder} has none of {', '.join(FORMS)}; give another folder")
    return FORMS[name](folder)


def rows(reports: Sequence[Report]) -> list[dict[str, Value]]:
    """Return a table with a row for each statistic, and a column for each part."""
    table: dict[str, dict[str, Value]] = {}
    for report in reports:
        items = zip(report.queries.get("id", ()), report.queries.get("count", ()), strict=True)
        for name, value in [*report.metrics.items(), *items]:
            row = table.setdefault(str(name), {"statistic": name})
            row[report.split] = round(value, 2) if isinstance(value, float) else value
    return list(table.values())
