"""Print the reports of benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

from scholar_cli import render
from scholar_indexes.serialize.result_formats import RECORDS, Format

if TYPE_CHECKING:
    from scholar_cli.laboratory.report import Report, Value

with_queries = ContextVar("with_queries", default=False)
"""Set by `scholar-lab bench --per-query`: JSON includes the scores of every query."""


def print_reports(
    reports: Sequence[Report], format: Format, rows: Sequence[Mapping[str, Value]] | None = None
) -> None:
    """Print reports: JSON with all fields, tables with the given rows or else all figures."""
    rows = [report.row() for report in reports] if rows is None else rows
    columns = list(dict.fromkeys(name for row in rows for name in row))
    records = [report.record(per_query=with_queries.get()) for report in reports]
    render.print_rows(records if format.writes(RECORDS) else rows, format, columns)
