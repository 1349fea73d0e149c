"""The table of result formats: its rows are what commands offer and write."""

from __future__ import annotations

from typing import Any

import pytest

from command_line import Scholar, error_line
from scholar_cli.commands import common
from scholar_indexes.results import CitationStyle
from scholar_indexes.serialize import export_files, exports, result_formats
from scholar_indexes.serialize.result_formats import PASSAGES, Format, Kind

COMMANDS = {
    "find": "table plain json jsonl csv md",
    "characters": "table plain json jsonl csv md graphml svg",
    "check": "table plain json jsonl csv md sarif",
    "papers list": "table plain json jsonl csv md bibtex csl ris",
    "speakers": "table plain json jsonl csv md parquet",
    "cite --to": "bibtex csl-json ris",
    "characters --to": "md html",
    "speakers --to": "tei",
    "export --to": "json csv md obsidian w3c html docx bibtex csl-json ris",
    "quiz export --to": "json csv md html docx apkg",
}
"""The formats of each command, of --format unless --to is named."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_its_formats_for_an_unknown_one(scholar: Scholar, command: str) -> None:
    option = "" if command.endswith("--to") else "--format"
    line = error_line(scholar(*command.split(), *filter(None, [option]), "scroll"), 2)
    assert f"is not one of {', '.join(map(repr, COMMANDS[command].split()))}" in line


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        pytest.param(format, kind, id=f"{kind.name} as {format}")
        for format in Format
        for kind in format.writers
    ],
)
def test_every_writer_of_the_table_exists(format: Format, kind: Kind[Any]) -> None:
    assert callable(format.writer(kind))


def test_a_row_is_all_that_a_format_of_a_kind_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    export = exports.Export("Title", (), CitationStyle.MLA, "2026-01-02")
    monkeypatch.setitem(Format.PARQUET.writers, PASSAGES, "exports:to_csv")  # type: ignore[arg-type]
    assert "parquet" in common.to_option(PASSAGES, help="").click_type.choices
    assert result_formats.in_words(PASSAGES).endswith("Word or Parquet")
    assert export_files.write(export, Format.PARQUET) == export_files.write(export, Format.CSV)
