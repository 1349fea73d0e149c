"""Results on standard output, in every format and with any content."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scholar_cli import render
from scholar_indexes.emphasis import plain_text
from scholar_indexes.sanitize import sanitize_values, visible_line
from scholar_indexes.serialize import result_formats
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.result_formats import Format

COLUMNS = ("title", "note")
LIST_FORMATS = (
    Format.TABLE,
    *result_formats.formats(result_formats.RECORDS, result_formats.COLUMNS),
)
TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from('\x1b\x9b\u202e\n\r\t|,"=`'))
VALUES = TEXT | st.none() | st.integers() | st.booleans() | st.lists(TEXT, max_size=3)
RECORDS = st.lists(st.fixed_dictionaries({"title": VALUES, "note": VALUES}), max_size=4)

same_capture = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Capture = pytest.CaptureFixture[str]


def shown(capsys: Capture, records: Any, format: Format, columns: Any = COLUMNS) -> str:
    capsys.readouterr()
    render.print_rows(records, format, columns)
    return capsys.readouterr().out


@pytest.mark.parametrize("format", LIST_FORMATS)
@same_capture
@given(records=RECORDS)
def test_no_control_reaches_the_output_in_any_format(
    capsys: Capture, format: Format, records: list[dict[str, Any]]
) -> None:
    out = shown(capsys, records, format)
    assert not [
        character
        for character in out
        if character not in "\n\t"
        and (ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or character == "\u202e")
    ]
    out.encode("utf-8")


@pytest.mark.parametrize("format", LIST_FORMATS)
@same_capture
@given(fields=st.dictionaries(st.sampled_from(["name", "home", "books"]), VALUES))
def test_one_record_is_as_safe_as_many(
    capsys: Capture, format: Format, fields: dict[str, Any]
) -> None:
    capsys.readouterr()
    render.print_record(fields, format)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        (Format.JSON, "[]\n"),
        (Format.JSONL, ""),
        (Format.CSV, "title,note\n"),
        (Format.PLAIN, ""),
        (Format.TABLE, ""),
        (Format.MD, "| title | note |\n|---|---|\n"),
    ],
)
def test_nothing_found_is_an_empty_result(capsys: Capture, format: Format, expected: str) -> None:
    assert shown(capsys, [], format) == expected


@same_capture
@given(records=RECORDS)
def test_json_reads_back_as_what_was_printed(
    capsys: Capture, records: list[dict[str, Any]]
) -> None:
    expected = sanitize_values(records)
    assert json.loads(shown(capsys, records, Format.JSON)) == expected
    lines = shown(capsys, records, Format.JSONL).split("\n")[:-1]
    assert [json.loads(line) for line in lines] == expected


def test_json_keeps_letters_as_they_are_and_every_field(capsys: Capture) -> None:
    out = shown(capsys, [{"title": "É “x”", "more": {"a": ["\x1b[1m"]}}], Format.JSON)
    assert "É “x”" in out
    assert json.loads(out) == [{"title": "É “x”", "more": {"a": ["[1m"]}}]


@same_capture
@given(records=RECORDS)
def test_csv_has_a_row_for_each_record_and_no_formula(
    capsys: Capture, records: list[dict[str, Any]]
) -> None:
    read = list(csv.reader(io.StringIO(shown(capsys, records, Format.CSV))))
    assert len(read) == 1 + len(records)
    assert all(len(row) == 2 for row in read)
    assert not [cell for row in read for cell in row if cell[:1] in ("=", "+", "@", "\t", "\r")]


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "@SUM(A1)", "-=1", "--A1", "=cmd|' /C calc'!A0", " =1", "\t=1", "\r=1"]
)
def test_a_cell_is_never_a_formula(capsys: Capture, cell: str) -> None:
    read = list(csv.reader(io.StringIO(shown(capsys, [{"title": cell}], Format.CSV))))
    assert read[1][0].startswith("'")


@pytest.mark.parametrize("cell", ["-", "---", "a=b", "5", "-12.5", "—Go"])
def test_a_cell_that_is_no_formula_stays_as_it_is(capsys: Capture, cell: str) -> None:
    read = list(csv.reader(io.StringIO(shown(capsys, [{"title": cell}], Format.CSV))))
    assert read[1][0] == cell


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("_why_ *not*", r"\_why\_ \*not\*"),
        ("[x](y)", r"\[x\](y)"),
        ("<b>", r"\<b\>"),
        ("\\|", r"\\\|"),
        ("`code`", r"\`code\`"),
        ("# one", r"\# one"),
    ],
)
def test_markup_in_a_text_is_text_in_markdown(text: str, expected: str) -> None:
    assert escape_markdown(text) == expected


@same_capture
@given(records=RECORDS)
def test_a_markdown_table_has_a_line_for_each_record(
    capsys: Capture, records: list[dict[str, Any]]
) -> None:
    lines = shown(capsys, records, Format.MD).splitlines()
    assert len(lines) == 2 + len(records)
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines[2:])


def test_a_table_has_aligned_columns_under_their_names(capsys: Capture) -> None:
    out = shown(
        capsys, [{"title": "Emma", "note": 1}, {"title": "Lodore [x]", "note": None}], Format.TABLE
    )
    assert out == "title       note\nEmma        1\nLodore [x]\n"


def test_plain_rows_are_separated_by_tabs_and_hold_no_others(capsys: Capture) -> None:
    assert (
        shown(capsys, [{"title": "a\tb\nc", "note": ["x", "y"]}], Format.PLAIN) == "a b c\tx, y\n"
    )


@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        pytest.param(True, {"TERM": "xterm"}, True, id="a terminal"),
        pytest.param(True, {"TERM": "xterm", "NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param(True, {"TERM": "xterm", "NO_COLOR": ""}, True, id="an empty NO_COLOR"),
        pytest.param(True, {"TERM": "dumb"}, False, id="a dumb terminal"),
        pytest.param(True, {}, False, id="an unknown terminal"),
        pytest.param(False, {"TERM": "xterm"}, False, id="a pipe"),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], expected: bool
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert render.uses_colour() is expected
    assert (render.bold("x") != "x") is expected
    assert (render.dim("x") != "x") is expected


@given(TEXT, st.sampled_from(["", "    "]))
def test_wrapped_text_loses_no_word_and_fits(text: str, indent: str) -> None:
    wrapped = render.wrap(text, indent)
    assert all(len(line) <= render.width() for line in wrapped.split("\n"))
    assert "".join(wrapped.split()) == "".join(visible_line(text).split())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_narrow_output_replaces_what_it_cannot_say(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", out)
    render.write("“É” 🌧\n")
    out.flush()
    assert b"?" in out.buffer.getvalue()


@pytest.mark.parametrize("format", [Format.PLAIN, Format.JSONL, Format.CSV, Format.MD])
def test_lines_are_printed_before_the_next_group_is_asked_for(
    capsys: Capture, format: Format
) -> None:
    def groups() -> Iterator[list[dict[str, str]]]:
        yield [{"title": "first"}]
        assert "first" in capsys.readouterr().out
        yield []
        yield [{"title": "second"}]

    render.print_row_groups(groups(), format, ("title",))
    rest = capsys.readouterr().out
    assert "second" in rest
    assert "title" not in rest or format is Format.JSONL


@pytest.mark.parametrize("format", LIST_FORMATS)
@same_capture
@given(groups=st.lists(RECORDS, max_size=3))
def test_groups_are_printed_as_all_their_rows_are(
    capsys: Capture, format: Format, groups: list[list[dict[str, Any]]]
) -> None:
    whole = shown(capsys, [record for records in groups for record in records], format)
    render.print_row_groups(iter(groups), format, COLUMNS)
    assert capsys.readouterr().out == whole


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **environment}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("columns", [40, 50, 80])
def test_identifiers_are_cut_after_all_other_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, columns: int
) -> None:
    on_a_terminal(monkeypatch, NO_COLOR="1")
    monkeypatch.setattr(render, "width", lambda: columns)
    names = ("id", "year", "authors", "title")
    values = (2015, "Ann Smith, Bob Others, Cara Else", "Counting Ships in Archives & Ledgers")
    short = dict(zip(names, ("doi:10.1000/abc.12", *values), strict=True))
    lines = shown(capsys, [short], Format.TABLE, names).splitlines()
    assert lines[1].startswith("doi:10.1000/abc.12  2015  Ann S")
    assert max(map(len, lines)) == columns
    long = {**short, "id": "doi:10.1000/" + "1" * 90}
    _, row = shown(capsys, [long], Format.TABLE, names).splitlines()
    assert row.endswith("…  2015  Ann S…  Count…")
    assert len(row) == columns


@same_capture
@given(text=TEXT, edges=st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_bold_changes_nothing_but_the_marks(
    monkeypatch: pytest.MonkeyPatch, text: str, edges: tuple[int, int]
) -> None:
    on_a_terminal(monkeypatch)
    shown = render.wrap_quotation(text, "  ", strong=(min(edges), max(edges)))
    plain = re.sub(r"\x1b\[[013;]+m", "", shown)
    assert plain.split() == render.wrap(plain_text(text), "  ").split()


def test_each_line_of_what_is_bold_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch)
    monkeypatch.setattr(render, "width", lambda: 16)
    text = "He slept. The sea was dark and cold. Day."
    shown = render.wrap_quotation(text, "  ", strong=(text.index("The"), text.index(" Day")))
    assert shown.split("\n") == [
        "  He slept. \x1b[1mThe\x1b[0m",
        "  \x1b[1msea was dark\x1b[0m",
        "  \x1b[1mand cold.\x1b[0m Day.",
    ]
