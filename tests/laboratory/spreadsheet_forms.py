"""Forms of the laboratory, read and filled in as a spreadsheet program does."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path


def rows_of(form: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(form.read_text("utf-8-sig"))))


def fill_in(
    form: Path,
    name: str,
    answers: Iterable[object],
    *,
    column: str,
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> Path:
    """Write a copy of a form with a column filled in; return the copy, a file next to the form."""
    rows = rows_of(form)
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    table.writeheader()
    for row, answer in zip(rows, answers, strict=True):
        table.writerow({**row, column: answer})
    filled_in = form.parent / name
    filled_in.write_bytes(out.getvalue().encode(encoding))
    return filled_in
