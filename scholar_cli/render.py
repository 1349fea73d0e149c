"""Printing of results: the only module that writes to standard output.

Text from books, papers and the network is untrusted: every string that is printed
is stripped of control characters (in the text of books a sign shows them), and markup in it is
never interpreted.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from scholar_indexes.sanitize import escape_formula, one_line, sanitize_values, visible
from scholar_indexes.serialize.results import escape_markdown


class Format(StrEnum):
    """The formats of `--format`."""

    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MD = "md"


Record = Mapping[str, Any]

MIN_CUT_COLUMN = 12
"""Characters that a column keeps when it is cut to fit the terminal."""


def write(text: str) -> None:
    """Write text to standard output, with ? for what its encoding lacks."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def print_rows(
    records: Sequence[Record],
    format: Format,
    columns: Sequence[str],
    *,
    table: str | None = None,
    headings: bool = True,
) -> None:
    """Print records: JSON has every field, the other formats have the columns.

    `table` is the text for the table format where that is not a table of the columns;
    `headings` says whether CSV and Markdown begin with the names of the columns.
    """
    if format is Format.JSON:
        write(_json(list(records), indent=2))
    elif format is Format.JSONL:
        for record in records:
            write(_json(record))
    elif format is Format.CSV:
        write(_csv(records, columns, headings))
    elif format is Format.MD:
        write(_markdown(records, columns, headings))
    elif format is Format.PLAIN:
        for record in records:
            write("\t".join(one_line(_cell(record.get(column))) for column in columns) + "\n")
    else:
        write(_aligned_columns(records, columns) if table is None else table)


def print_row_groups(
    groups: Iterable[Sequence[Record]], format: Format, columns: Sequence[str]
) -> None:
    """Print groups of records as print_rows prints them all, each group when it comes.

    JSON and the table are printed when the last group has come: one is a single value, the other
    is as wide as its widest row.
    """
    if format in (Format.JSON, Format.TABLE):
        print_rows([record for records in groups for record in records], format, columns)
        return
    headings = True
    for records in groups:
        print_rows(records, format, columns, headings=headings)
        sys.stdout.flush()
        headings = False


def print_record(fields: Record, format: Format) -> None:
    """Print one record: an object in JSON, a line for each field in the other formats."""
    if format in (Format.JSON, Format.JSONL):
        write(_json(fields, indent=2 if format is Format.JSON else None))
        return
    pairs = [{"field": name, "value": _cell(value)} for name, value in fields.items()]
    if format is Format.TABLE:
        width = max((len(name) for name in fields), default=0)
        for pair in pairs:
            write(f"{pair['field'].replace('_', ' '):<{width}}  {one_line(pair['value'])}\n")
    else:
        print_rows(pairs, format, ("field", "value"))


def _json(value: Any, indent: int | None = None) -> str:
    import json

    return json.dumps(sanitize_values(value), ensure_ascii=False, indent=indent) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return str(value)


def _csv(records: Iterable[Record], columns: Sequence[str], headings: bool) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if headings:
        writer.writerow(columns)
    for record in records:
        writer.writerow([escape_formula(one_line(_cell(record.get(column)))) for column in columns])
    return out.getvalue()


def _markdown(records: Iterable[Record], columns: Sequence[str], headings: bool) -> str:
    heading = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines = heading if headings else []
    for record in records:
        cells = [escape_markdown(one_line(_cell(record.get(column)))) for column in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "".join(f"{line}\n" for line in lines)


def _aligned_columns(records: Sequence[Record], columns: Sequence[str]) -> str:
    """Return aligned columns under bold headings, cut to the width of the terminal."""
    if not records:
        return ""
    table = [[one_line(_cell(record.get(column))) for column in columns] for record in records]
    widths = _column_widths([columns, *table])
    headings = (f"{name:<{size}}" for name, size in zip(columns, widths, strict=True))
    lines = [bold("  ".join(headings).rstrip())]
    for row in table:
        cells = (_fit(cell, size) for cell, size in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _column_widths(table: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of columns; on a terminal the widest are cut until a row fits."""
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    if sys.stdout.isatty():
        available = width() - 2 * (len(widths) - 1)
        while sum(widths) > available and max(widths) > MIN_CUT_COLUMN:
            widths[widths.index(max(widths))] -= 1
    return widths


def _fit(text: str, size: int) -> str:
    """Return a text padded or cut to a number of characters."""
    return f"{text:<{size}}" if len(text) <= size else text[: size - 1] + "…"


def width() -> int:
    """Return the columns of the terminal, at most 100 because longer lines are hard to read."""
    return max(40, min(100, shutil.get_terminal_size((80, 24)).columns))


def wrap(text: str, indent: str = "") -> str:
    """Return a text in lines that fit the terminal; its own line breaks stay."""
    import textwrap

    lines = []
    for line in visible(text).split("\n"):
        lines += textwrap.wrap(line, width() - len(indent), break_on_hyphens=False) or [""]
    return "\n".join(indent + line for line in lines).rstrip()


def wrap_with_bold(text: str, indent: str, start: int, end: int) -> str:
    """Return a text in lines that fit the terminal, with the characters [start, end) bold."""
    if not uses_colour():
        return wrap(text, indent)
    first, last = _count_printed(text[:start]), _count_printed(text[:end])
    lines, printed = [], 0
    for line in wrap(text, indent).split("\n"):
        line = line.removeprefix(indent)
        cuts = [_place_of_printed(line, count - printed) for count in (first, last)]
        inside = line[cuts[0] : cuts[1]]
        bold_part = bold(inside.rstrip()) + inside[len(inside.rstrip()) :] if inside else ""
        lines.append(f"{indent}{line[: cuts[0]]}{bold_part}{line[cuts[1] :]}")
        printed += _count_printed(line)
    return "\n".join(lines)


def _count_printed(text: str) -> int:
    """Return the number of characters that are no white space, which wrapping leaves alone."""
    return sum(map(len, visible(text).split()))


def _place_of_printed(line: str, count: int) -> int:
    """Return where the character after so many that are no white space stands in a line."""
    for place, character in enumerate(line):
        if character.isspace():
            continue
        if count <= 0:
            return place
        count -= 1
    return len(line)


def uses_colour() -> bool:
    """Return True if standard output is a terminal that shows colours."""
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") not in (None, "", "dumb")
    )


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if uses_colour() else text


def dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if uses_colour() else text
