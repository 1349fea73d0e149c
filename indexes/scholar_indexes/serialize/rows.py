"""Lists of records as JSON, CSV, Markdown and plain text.

Text is untrusted: control characters are stripped, and markup in it is escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scholar_indexes.emphasis import Run
from scholar_indexes.sanitize import escape_formula, one_line, sanitize_values
from scholar_indexes.serialize.markdown import escape_markdown, markdown_line

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StyledCell:
    """A cell with text of a book, as a line of styled runs."""

    runs: Sequence[Run]


def to_json(records: Iterable[Record]) -> str:
    """Return records as a JSON array, indented."""
    return json_text(list(records), indent=2)


def to_jsonl(records: Iterable[Record]) -> str:
    """Return records as JSON, one on each line."""
    return "".join(map(json_text, records))


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON with a line break at its end."""
    return json.dumps(sanitize_values(value), ensure_ascii=False, indent=indent) + "\n"


def to_csv(records: Iterable[Record], columns: Sequence[str], headings: bool = True) -> str:
    """Return records as CSV, with each cell on one line and formulas escaped."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if headings:
        writer.writerow(columns)
    for record in records:
        writer.writerow([escape_formula(_line(record.get(column))) for column in columns])
    return out.getvalue()


def to_markdown(records: Iterable[Record], columns: Sequence[str], headings: bool = True) -> str:
    """Return records as a Markdown table."""
    heading = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines = heading if headings else []
    for record in records:
        cells = [_markdown_cell(record.get(column)) for column in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "".join(f"{line}\n" for line in lines)


def to_plain(records: Iterable[Record], columns: Sequence[str], headings: bool = True) -> str:
    """Return records as lines of cells with tabs between them, without headings."""
    del headings
    return "".join(
        "\t".join(_line(record.get(column)) for column in columns) + "\n" for record in records
    )


def cell_text(value: Any) -> str:
    """Return a value as the text of a cell, lists with commas."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(cell_text, value))
    return str(value)


def _line(value: Any) -> str:
    return one_line(cell_text(value))


def _markdown_cell(value: Any) -> str:
    if isinstance(value, StyledCell):
        return markdown_line(value.runs)
    return escape_markdown(_line(value))
