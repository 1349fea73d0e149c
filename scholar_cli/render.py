"""Results to text: the only writer to standard output.

Text from books, papers and the network is untrusted: every string that leaves here has
its control characters taken out, and markup in it is never interpreted.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from scholar_indexes.records import markdown_escaped
from scholar_indexes.untrusted import one_line, safe


class Format(StrEnum):
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MD = "md"


Row = Mapping[str, Any]


def cleaned(value: Any) -> Any:
    """A value for JSON with every text in it made safe."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, Mapping):
        return {key: cleaned(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(each) for each in value]
    return value


def write(text: str) -> None:
    """Put text on standard output, whatever encoding it has."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def rows(
    records: Sequence[Row], format: Format, columns: Sequence[str], *, table: str | None = None
) -> None:
    """Print records in a format. Machine formats carry everything, the others the columns.

    table is the text for the table format where it is not just columns.
    """
    if format is Format.JSON:
        write(_json(list(records), indent=2))
    elif format is Format.JSONL:
        for record in records:
            write(_json(record))
    elif format is Format.CSV:
        write(_csv(records, columns))
    elif format is Format.MD:
        write(_markdown(records, columns))
    elif format is Format.PLAIN:
        for record in records:
            write("\t".join(one_line(_cell(record.get(column))) for column in columns) + "\n")
    else:
        write(_columns(records, columns) if table is None else table)


def record(fields: Row, format: Format) -> None:
    """Print one thing: JSON as an object, everything else as a line per field."""
    if format in (Format.JSON, Format.JSONL):
        write(_json(fields, indent=2 if format is Format.JSON else None))
        return
    pairs = [{"field": name, "value": _cell(value)} for name, value in fields.items()]
    if format is Format.TABLE:
        width = max((len(name) for name in fields), default=0)
        for pair in pairs:
            write(f"{pair['field'].replace('_', ' '):<{width}}  {one_line(pair['value'])}\n")
    else:
        rows(pairs, format, ("field", "value"))


def _json(value: Any, indent: int | None = None) -> str:
    import json

    return json.dumps(cleaned(value), ensure_ascii=False, indent=indent) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return str(value)


def _csv(records: Iterable[Row], columns: Sequence[str]) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for each in records:
        writer.writerow([_uncalculated(one_line(_cell(each.get(column)))) for column in columns])
    return out.getvalue()


def _uncalculated(cell: str) -> str:
    """A spreadsheet takes a cell that begins like this for a formula; a number may."""
    if not re.match(r"[=+@]|-[\w(@=+]", cell) or re.fullmatch(r"-?[\d.]+", cell):
        return cell
    return f"'{cell}"


def _markdown(records: Iterable[Row], columns: Sequence[str]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for each in records:
        cells = [markdown_escaped(one_line(_cell(each.get(column)))) for column in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _columns(records: Sequence[Row], columns: Sequence[str]) -> str:
    """Aligned columns under bold headings, cut to the width of the terminal."""
    if not records:
        return ""
    table = [[one_line(_cell(each.get(column))) for column in columns] for each in records]
    widths = [max(len(name), *(len(row[at]) for row in table)) for at, name in enumerate(columns)]
    if sys.stdout.isatty():
        room = width() - 2 * (len(columns) - 1)
        while sum(widths) > room and max(widths) > 12:
            widths[widths.index(max(widths))] -= 1
    lines = [
        bold(
            "  ".join(
                f"{name:<{wide}}" for name, wide in zip(columns, widths, strict=True)
            ).rstrip()
        )
    ]
    for row in table:
        cells = (_cut(cell, wide) for cell, wide in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _cut(text: str, wide: int) -> str:
    return f"{text:<{wide}}" if len(text) <= wide else text[: wide - 1] + "…"


def width() -> int:
    """Columns of the terminal, at most 100 because longer lines are hard to read."""
    return max(40, min(100, shutil.get_terminal_size((80, 24)).columns))


def wrapped(text: str, indent: str = "") -> str:
    """Text in lines that fit the terminal; its own line breaks stay."""
    import textwrap

    lines = []
    for line in safe(text).split("\n"):
        lines += textwrap.wrap(line, width() - len(indent), break_on_hyphens=False) or [""]
    return "\n".join(indent + line for line in lines).rstrip()


def coloured() -> bool:
    """Whether standard output is a terminal that wants colours."""
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") not in (None, "", "dumb")
    )


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if coloured() else text


def dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if coloured() else text
