"""Bibliographies with broken records: reported, and the rest are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibliographies import entries, good, titles
from scholar_indexes.errors import NoPapers
from scholar_indexes.papers import formats, ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl, tables


def broken(source: str | bytes, name: str = "source") -> list[UnreadableEntry]:
    return [entry for entry in entries(source, name) if isinstance(entry, UnreadableEntry)]


@pytest.mark.parametrize(
    ("source", "line", "expected"),
    [
        pytest.param(
            "@article{a, title={A}}\n\n@article{b, title={B\n@article{c, title={C}}",
            3,
            ["A", "C"],
            id="bibtex: a brace is not closed",
        ),
        pytest.param(
            '@article{a, title={A}}\n@article{b, title="B\n@article{c, title={C}}',
            2,
            ["A", "C"],
            id="bibtex: a quotation mark is not closed",
        ),
        pytest.param(
            "@article{a, title={A}}\n@article{b\ntitle={B}}\n@article{c, title={C}}",
            2,
            ["A", "C"],
            id="bibtex: a comma is missing",
        ),
        pytest.param(
            "@article{a, title={A}}\n@article b, title={B}}\n@article{c, title={C}}",
            2,
            ["A", "C"],
            id="bibtex: a brace is missing",
        ),
        pytest.param(
            "@article{a, title={A}}\n@article{b, year=2019}\n@article{c, title={C}}",
            2,
            ["A", "C"],
            id="bibtex: no title",
        ),
        pytest.param(
            "TY  - JOUR\nTI  - A\nER  - \nTY  - JOUR\nER  - \nTY  - JOUR\nTI  - C",
            4,
            ["A", "C"],
            id="ris: no title",
        ),
        pytest.param(
            "TY  - JOUR\nTI  - A\nER  - \nTI  - B\nTY  - JOUR\nTI  - C\nER  -",
            4,
            ["A", "C"],
            id="ris: outside a record",
        ),
        pytest.param(
            '[{"title": "A"},\n{"title": "B", author: [{"family": "x"}, {"given": "y"}]},\n'
            '{"title": "C"}]',
            2,
            ["A", "C"],
            id="csl: a key without quotation marks",
        ),
        pytest.param(
            '[{"title": "A"},\n{"title": "B},\n{"title": "C"}]',
            2,
            ["A", "C"],
            id="csl: a string is not closed",
        ),
        pytest.param('[{"title": "A"}\n, 7, {"title": "C"}]', 2, ["A", "C"], id="csl: a number"),
        pytest.param(
            '{"title": "A"}\n{"title": "B"\n{"title": "C"}',
            2,
            ["A", "C"],
            id="json lines: half a line",
        ),
        pytest.param(
            '{"title": "A"}\n{"title": ' + "[" * 100_000 + '\n{"title": "C"}',
            2,
            ["A", "C"],
            id="json lines: nested deeply",
        ),
        pytest.param(
            '{"title": "A"}\n{"title": "B", "year": ' + "1" * 5_000 + '}\n{"title": "C"}',
            2,
            ["A", "C"],
            id="json lines: an endless number",
        ),
        pytest.param(
            'title,year\nA,2019\n"B,2019\nC,2019\n',
            3,
            ["A", "C"],
            id="csv: a quotation mark is not closed",
        ),
        pytest.param(
            "title,year\nA,2019\nB,b,2019\nC,2019\n", 3, ["A", "C"], id="csv: too many columns"
        ),
        pytest.param(
            'title,year\nA,2019\n"B"x,2019\nC,2019\n',
            3,
            ["A", "C"],
            id="csv: text behind a quotation mark",
        ),
    ],
)
def test_a_broken_record_is_reported_with_its_line_and_the_rest_are_read(
    source: str, line: int, expected: list[str]
) -> None:
    assert [entry.line for entry in broken(source)] == [line]
    assert titles(source) == expected


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(
            "@article{moths,\n title={Of {moths},\n year=2001\n}", id="a brace of a title"
        ),
        pytest.param("@article{moths,\n title={Moths},\n year=2001", id="the last brace"),
        pytest.param("@article{moths,\n title={Moths},", id="the last brace after a comma"),
        pytest.param("@article(moths,\n title={Moths}", id="the last parenthesis"),
        pytest.param('@article{moths,\n title="Moths,\n year=2001\n}', id="a quotation mark"),
        pytest.param("@string{moths = {Moths}", id="a string"),
    ],
)
@pytest.mark.parametrize("rest", ["\n@article{tides, title={Tides}}\n", ""], ids=["more", "end"])
def test_a_bibtex_entry_that_is_not_closed_is_named_at_its_own_line(entry: str, rest: str) -> None:
    (unreadable,) = broken(f"@book{{fens, title={{Fens}}}}\r\n\r\n{entry}\n{rest}", "a.bib")
    assert unreadable.line == 3
    assert unreadable.reason.startswith("moths is not closed: a brace")


def test_a_bibtex_entry_without_a_comma_is_named() -> None:
    (unreadable,) = broken("@article{moths\n title={Moths}}\n@article{tides, title={Tides}}")
    assert unreadable.reason == ("moths is not BibTeX: Expected comma after entry key, but found =")


def test_a_ris_record_without_its_end_is_read_and_named() -> None:
    source = "TY  - JOUR\nTI  - A\nTY  - JOUR\nTI  - B\nER  - \nTY  - JOUR\nTI  - C\n"
    assert titles(source) == ["A", "B", "C"]
    assert broken(source) == [
        UnreadableEntry(3, "the record of line 1 has no ER; add one before this line", "", False)
    ]
    assert broken(source.replace("ER  - \n", "")) == []


@pytest.mark.parametrize("begin", ["", "\n\n", "Exported in 2020\n", "\ufeff\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_table_may_begin_with_other_lines(begin: str, line_end: str) -> None:
    table = f"{begin}Title,Year\nOaks,1999\n\nElms,1998\n".replace("\n", line_end)
    assert titles(table, "x.csv") == ["Oaks", "Elms"]


@pytest.mark.slow
def test_one_broken_entry_among_two_thousand() -> None:
    template = "@article{{k{0},\n title = {{Tree {0}}},\n year = 2019\n}}\n"
    source = [template.format(n) for n in range(2_000)]
    source[1_000] = "@article{k1000,\n title = {Tree,\n year = 2019\n\n"
    read = entries("".join(source))
    assert [n for n, e in enumerate(read) if isinstance(e, UnreadableEntry)] == [1_000]
    assert read[1_000].line == 4_001
    assert len(read) == 2_000


def test_the_same_key_or_field_twice_is_no_reason_to_lose_a_paper() -> None:
    source = "@article{a, title={A}, title={B}}\n@article{a, title={C}}"
    assert titles(source) == ["A", "C"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "@article{a, title={" + "{" * 50_000 + "A" + "}" * 50_000 + "}}",
            ["A"],
            id="deep braces",
        ),
        pytest.param(
            "@article{a, title={A \\input{/etc/passwd}\\include{x}}}", ["A"], id="a file is named"
        ),
        pytest.param(
            "@article{a, title={A}, abstract={" + "word" * 250_000 + "}}",
            ["A"],
            id="a line of a megabyte",
        ),
        pytest.param(
            '@preamble{"\\newcommand{\\x}{\\x}"}@article{a, title={A}}', ["A"], id="a preamble"
        ),
        pytest.param("@string{s = s # s}@article{a, title = s}", ["ss"], id="a string of itself"),
        pytest.param(
            "@article{a, title={A}, author={" + "}" * 1_000 + " and " * 1_000 + "}}",
            ["A"],
            id="authors of braces",
        ),
        pytest.param("@article{a, title={A}}" + "@" * 10_000 + "{" * 10_000, ["A"], id="junk"),
    ],
)
def test_hostile_bibtex_is_read_and_not_obeyed(source: str, expected: list[str]) -> None:
    assert titles(source)[:1] == expected


def test_strings_that_double_each_other_do_not_fill_the_memory() -> None:
    doubled = "".join(f"@string{{s{n + 1} = s{n} # s{n}}}\n" for n in range(60))
    source = (
        f"@string{{s0 = {{lol}}}}\n{doubled}@article{{a, title = s60}}\n@article{{b, title={{B}}}}"
    )
    read = entries(source)
    assert isinstance(read[0], UnreadableEntry)
    assert "@string" in read[0].reason
    assert isinstance(read[-1], Entry)
    assert read[-1].csl["title"] == "B"


def test_no_file_is_opened_for_what_a_bibliography_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text("the secret", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    source = "@article{a, crossref={secret}, title={A \\input{secret} \\verbatiminput{secret.tex}}}"
    assert "the secret" not in repr(entries(source))


@pytest.mark.parametrize("abstract", ["", "   ", "<p></p>", [], [""], None, 7, {"a": 1}])
def test_an_empty_abstract_is_no_sentences(abstract: object) -> None:
    line = json.dumps({"paper_id": "1", "title": "Oaks", "abstract": abstract})
    assert good(line)[0].sentences == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "title",
                    "id",
                    "type",
                    "author",
                    "issued",
                    "date-parts",
                    "family",
                    "given",
                    "literal",
                    "abstract",
                    "DOI",
                    "URL",
                    "custom",
                    "archive",
                    "archive_location",
                    "paper_id",
                    "text",
                    "facet",
                    "year",
                    "authors",
                    "page",
                    "raw",
                    "ids",
                    "number",
                    "items",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "title",
                "author",
                "issued",
                "abstract",
                "id",
                "DOI",
                "URL",
                "custom",
                "ids",
                "paper_id",
                "type",
            ]
        ),
        JSON,
    )
)
def test_any_json_value_is_an_entry_or_unreadable(value: dict[str, object]) -> None:
    record = tables.parse_record(value, 3)
    assert record.line == 3
    if isinstance(record, Entry):
        assert record.ids
        assert all(ids.canonical_id(item_id) == item_id for item_id in record.ids)
        assert csl.normalize(record.csl, tex=False) == record.csl
        json.dumps(dict(record.csl)).encode()


@given(
    st.sampled_from(
        [
            "@article{a, title={A},\n",
            "TY  - JOUR\nTI  - A\n",
            '[{"title": "A"},\n',
            '{"title": "A"}\n',
            "title,year\n",
        ]
    ),
    st.lists(
        st.sampled_from(
            [
                "@article{",
                "{",
                "}",
                '"',
                ",",
                "=",
                "#",
                "@string{a=",
                "\n",
                "x",
                "ER  - \n",
                "TY  - JOUR\n",
                "AU  - ",
                "[",
                "]",
                ":",
                "\\",
                "é",
                "1",
                "author",
                " and ",
                "\x00",
                "\ud800",
            ]
        ),
        max_size=40,
    ),
)
def test_any_damage_to_any_format_is_survived(head: str, pieces: list[str]) -> None:
    source = (head + "".join(pieces)).encode("utf-8", "replace")
    last = source.count(b"\n") + 1
    assert all(0 <= entry.line <= last for entry in entries(source))


@given(st.binary(max_size=300), st.sampled_from(["a.bib", "a.ris", "a.json", "a.csv", "a.jsonl"]))
def test_bytes_of_any_kind_raise_nothing_but_no_papers(data: bytes, name: str) -> None:
    try:
        read = list(formats.read(data, name))
    except NoPapers:
        return
    assert all(isinstance(entry, Entry | UnreadableEntry) for entry in read)
