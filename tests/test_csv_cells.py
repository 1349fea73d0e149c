"""Tables for spreadsheets: no cell is a formula, whoever wrote it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scholar_cli import render
from scholar_indexes.books.collections.collection_service import PlacedQuotation
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.quiz_records import QuizAnswer
from scholar_indexes.results import CitationStyle, CitedPlace
from scholar_indexes.sanitize import escape_formula, unescape_formula
from scholar_indexes.serialize import export_files, exports
from scholar_indexes.serialize.quiz import answers_to_csv, banks_to_csv
from scholar_indexes.serialize.result_formats import Format
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_indexes.types import Book, Gender, Imprint

PACKAGES = ("indexes", "tui", "scholar_cli")
WRITERS = {
    "rows.py": "serialize",
    "exports.py": "serialize",
    "quiz.py": "serialize",
}
"""The modules that write CSV, and the packages that they are in."""

STARTS = {
    "equals": "=cmd|' /C calc'!A0",
    "plus": "+1+cmd",
    "minus": "-2+3",
    "two dashes": "--cmd|' /C calc'!A0",
    "a dash and a blank": "- A1",
    "at": "@SUM(A1)",
    "a tab": "\t=1",
    "a return": "\r=1",
    "a line break": "\n=1",
    "a blank": " =1",
    "a zero-width space": "\u200b=1",
    "a byte order mark": "\ufeff=1",
    "a direction mark": "\u202e=1",
    "an apostrophe": "'=1",
}


def printed_rows(cell: str) -> str:
    with redirect_stdout(io.StringIO()) as out:
        render.print_rows([{"name": cell, "list": [cell, cell]}], Format.CSV, ("name", "list"))
    return out.getvalue()


def exported_collection(cell: str) -> str:
    saved = SavedQuotation(cell, cell, "own-x", cell, cell, cell, cell, cell)
    book = Book("own-x", cell, cell, "en", "a file", "0" * 64)
    place = CitedPlace(book, Imprint(), None, cell, cell)
    placed = PlacedQuotation(saved, place, before=cell, after=cell)
    export = exports.Export(cell, [placed], CitationStyle.MLA, "2024-01-01")
    return export_files.write(export, Format.CSV).decode()


def exported_bank(cell: str) -> str:
    described = Description(1, cell, (DescriptionEvidence(cell, cell),))
    return banks_to_csv({cell: [DescribedCharacter(cell, (cell,), Gender.UNKNOWN, (described,))]})


def exported_answers(cell: str) -> str:
    now = datetime(2024, 1, 1, tzinfo=UTC)
    return answers_to_csv([QuizAnswer(now, cell, cell, cell, 1, cell, cell, cell, True)])


TABLES: dict[str, Callable[[str], str]] = {
    "rows on standard output": printed_rows,
    "an exported collection": exported_collection,
    "an exported bank": exported_bank,
    "an exported history of the quiz": exported_answers,
}


@pytest.mark.parametrize("cell", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("write", TABLES.values(), ids=TABLES)
def test_no_cell_is_a_formula(write: Callable[[str], str], cell: str) -> None:
    rows = list(csv.reader(io.StringIO(write(cell))))[1:]
    assert any(cell.strip("'\t\r\n \u200b\ufeff\u202e") in written for written in rows[0])
    assert not [written for row in rows for written in row if written[:1] in tuple("=+-@\t\r")]


@pytest.mark.parametrize("cell", ["-", "---", "-12.5", "5", "a=b", "—Go", "’tis", "'quoted'"])
def test_cells_that_are_no_formulas_are_unchanged(cell: str) -> None:
    assert escape_formula(cell) == cell


@pytest.mark.parametrize("cell", [*STARTS.values(), "-5", "'a", "''=1"])
def test_a_cell_that_is_read_again_is_what_it_was(cell: str) -> None:
    assert unescape_formula(escape_formula(cell)) == cell


def test_no_other_module_writes_tables() -> None:
    """A module that does must have its tables tested above."""
    root = Path(__file__).parents[1]
    writers = {
        path.name: path.parent.name
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
        if re.search(r"csv\.(?:writer|DictWriter)", path.read_text("utf-8"))
    }
    assert writers == WRITERS
