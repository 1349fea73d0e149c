"""Printing of results: the only module that writes to standard output.

Text from books, papers and the network is untrusted: control characters are stripped from every
printed string (in book text, replaced by a visible sign), and markup in it is never interpreted.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from scholar_indexes import emphasis
from scholar_indexes.sanitize import one_line, visible
from scholar_indexes.serialize.result_formats import COLUMNS, RECORDS, Format
from scholar_indexes.serialize.rows import Record, StyledCell, cell_text, json_text
from scholar_indexes.verse import slashed_passage

BOLD, FAINT, ITALIC = "1", "2", "3"
"""Terminal codes (ECMA-48, SGR)."""

MIN_CUT_COLUMN, LEAST_CUT_COLUMN = 12, 6
"""Minimum widths of a column that is cut to fit the terminal; the second applies if the first is
not enough."""

IDENTIFIERS = frozenset(("id", "locator"))
"""Columns that other commands take as input, so they are cut last."""


def with_quotations(
    records: Sequence[Record], columns: Sequence[str], format: Format
) -> Sequence[Record]:
    """Return records with the book text in the given columns prepared for a format.

    JSON keeps it unchanged. Other formats have it on one line, verse with slashes, and emphasis as
    styles if the format has them, else as the stored marks.
    """
    if format.writes(RECORDS):
        return records
    cell: Callable[[str], StyledCell | str] = (
        quotation_cell if has_styles(format) else slashed_passage
    )
    return [
        {**record, **{column: cell(cell_text(record.get(column))) for column in columns}}
        for record in records
    ]


def has_styles(format: Format) -> bool:
    """Return True if a format shows the emphasis of book text as styles."""
    return format is Format.MD or (format is Format.TABLE and uses_styles())


def quotation_cell(text: str, before: str = "", after: str = "") -> StyledCell:
    """Return text of a book as a cell, its emphasis as styles; `before` and `after` are passed to
    emphasis.styled_passage."""
    return StyledCell(emphasis.slash_runs(emphasis.styled_passage(text, before, after)))


def write(text: str) -> None:
    """Write text to standard output, with ? for characters that its encoding lacks."""
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

    `table` is the text for the table format, if that is not a table of the columns;
    `headings` starts CSV and Markdown with the names of the columns.
    """
    if format.writes(RECORDS):
        write(format.writer(RECORDS)(records))
    elif format.writes(COLUMNS):
        write(format.writer(COLUMNS)(records, columns, headings))
    else:
        write(_aligned_columns(records, columns) if table is None else table)


def print_row_groups(
    groups: Iterable[Sequence[Record]], format: Format, columns: Sequence[str]
) -> None:
    """Print groups of records like print_rows, each group as it arrives.

    JSON and the table are printed after the last group: JSON is a single value, and the table is
    as wide as its widest row.
    """
    if format in (Format.JSON, Format.TABLE):
        print_rows([record for records in groups for record in records], format, columns)
        return
    headings = True
    for records in groups:
        print_rows(records, format, columns, headings=headings)
        sys.stdout.flush()
        headings = False
    if headings:  # no group came; CSV and Markdown still get their headings
        print_rows((), format, columns)


def print_record(fields: Record, format: Format) -> None:
    """Print one record: an object in JSON, a line for each field in the other formats."""
    if format.writes(RECORDS):
        write(json_text(fields, indent=2 if format is Format.JSON else None))
        return
    pairs = [{"field": name, "value": cell_text(value)} for name, value in fields.items()]
    if format is Format.TABLE:
        width = max((len(name) for name in fields), default=0)
        for pair in pairs:
            write(f"{pair['field'].replace('_', ' '):<{width}}  {one_line(pair['value'])}\n")
    else:
        print_rows(pairs, format, ("field", "value"))


def _aligned_columns(records: Sequence[Record], columns: Sequence[str]) -> str:
    """Return aligned columns under bold headings, cut to the width of the terminal."""
    if not records:
        return ""
    table = [[_cell_runs(record.get(column)) for column in columns] for record in records]
    names = [_cell_runs(name) for name in columns]
    widths = _column_widths([names, *table], columns)
    headings = (_fit(name, size) for name, size in zip(names, widths, strict=True))
    lines = [bold("  ".join(headings).rstrip())]
    for row in table:
        cells = (_fit(cell, size) for cell, size in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _cell_runs(value: Any) -> Sequence[emphasis.Run]:
    if isinstance(value, StyledCell):
        return value.runs
    return [emphasis.Run(one_line(cell_text(value)), 0)]


def _column_widths(
    table: Sequence[Sequence[Sequence[emphasis.Run]]], columns: Sequence[str]
) -> list[int]:
    """Return the widths of columns; on a terminal the widest are cut until a row fits, and
    identifiers only if the others cannot be cut further."""
    widths = [max(map(emphasis.run_length, cells)) for cells in zip(*table, strict=True)]
    if not sys.stdout.isatty():
        return widths
    identifiers = [number for number, name in enumerate(columns) if name in IDENTIFIERS]
    others = [number for number, name in enumerate(columns) if name not in IDENTIFIERS]
    available = width() - 2 * (len(widths) - 1)
    for numbers, least in (
        (others, MIN_CUT_COLUMN),
        (others, LEAST_CUT_COLUMN),
        (identifiers, MIN_CUT_COLUMN),
    ):
        _cut_widest(widths, numbers, least, available)
    return widths


def _cut_widest(widths: list[int], numbers: Sequence[int], least: int, available: int) -> None:
    """Narrow the widest of the given columns, none below `least`, until all fit."""
    while sum(widths) > available and numbers:
        widest = max(numbers, key=widths.__getitem__)
        if widths[widest] <= least:
            return
        widths[widest] -= 1


def _fit(line: Sequence[emphasis.Run], size: int) -> str:
    """Return a line padded or cut to `size` characters."""
    length = emphasis.run_length(line)
    if length <= size:
        return style_runs(line) + " " * (size - length)
    return style_runs(emphasis.slice_runs(line, 0, size - 1)) + "…"


def width() -> int:
    """Return the width of the terminal, at most 100 because longer lines are hard to read."""
    return max(40, min(100, shutil.get_terminal_size((80, 24)).columns))


def wrap(text: str, indent: str = "") -> str:
    """Return a text in lines that fit the terminal; its own line breaks are kept."""
    import textwrap

    lines = []
    for line in visible(text).split("\n"):
        lines += textwrap.wrap(line, width() - len(indent), break_on_hyphens=False) or [""]
    return "\n".join(indent + line for line in lines).rstrip()


def wrap_quotation(
    text: str,
    indent: str = "",
    *,
    before: str = "",
    after: str = "",
    strong: tuple[int, int] | None = None,
    is_faint: bool = False,
) -> str:
    """Return text of a book in lines that fit the terminal, its emphasis as styles, or as marks if
    there are none. `before`, `after` and `strong` are passed to emphasis.styled_runs."""
    if not uses_styles():
        return wrap(text, indent)
    runs = emphasis.styled_runs(text, before, after, strong if uses_colour() else None)
    plain = "".join(run.text for run in runs)
    codes = [
        _codes(run, is_faint=is_faint) for run in runs for _ in "".join(visible(run.text).split())
    ]
    lines, printed = [], 0
    for line in wrap(plain, indent).split("\n"):
        words = line.removeprefix(indent)
        count = sum(map(len, words.split()))
        lines.append(indent + _style_characters(words, codes[printed : printed + count]))
        printed += count
    return "\n".join(lines)


def style_runs(runs: Iterable[emphasis.Run]) -> str:
    """Return runs of safe text with their styles."""
    return "".join(_style(run.text, _codes(run)) for run in runs)


def _style_characters(line: str, codes: Sequence[str]) -> str:
    """Return a line with styles: `codes` has one entry for each character other than white space,
    and white space between two characters of the same style has that style too."""
    printed = (place for place, character in enumerate(line) if not character.isspace())
    parts, at = [], 0
    for code, group in groupby(zip(printed, codes, strict=True), key=itemgetter(1)):
        places = [place for place, _ in group]
        parts += [line[at : places[0]], _style(line[places[0] : places[-1] + 1], code)]
        at = places[-1] + 1
    return "".join((*parts, line[at:]))


def _codes(run: emphasis.Run, *, is_faint: bool = False) -> str:
    """Return the terminal codes for the styles of a run, empty for plain text."""
    styles = ((BOLD, run.bold), (FAINT, is_faint and uses_colour()), (ITALIC, run.italic))
    return ";".join(code for code, is_given in styles if is_given)


def _style(text: str, codes: str) -> str:
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text and uses_styles() else text


def uses_styles() -> bool:
    """Return True if standard output is a terminal that shows bold and italics."""
    return sys.stdout.isatty() and os.environ.get("TERM") not in (None, "", "dumb")


def uses_colour() -> bool:
    """Return True if standard output is a terminal that shows colours, and they are wanted."""
    return uses_styles() and not os.environ.get("NO_COLOR")


def bold(text: str) -> str:
    return _style(text, BOLD) if uses_colour() else text


def dim(text: str) -> str:
    return _style(text, FAINT) if uses_colour() else text
