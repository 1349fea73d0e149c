"""scholar export: passages as files for the programs in which people write."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import docx
import pytest
from citeproc import (
    Citation,
    CitationItem,
    CitationStylesBibliography,
    CitationStylesStyle,
    formatter,
)
from citeproc.source.json import CiteProcJSON
from lxml import etree, html
from markdown_it import MarkdownIt

from command_line import Scholar, error_line, succeeded
from scholar_indexes.papers.formats import bibtex

LIGHT, LETTER = "pg64317:9.162:0-152", "pg84:1.3:0-60"

STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
 <info><title>Small</title><id>small</id><updated>2026-01-01T00:00:00+00:00</updated></info>
 <citation><layout><names variable="author"/></layout></citation>
 <bibliography><layout suffix="."><group delimiter=". ">
  <names variable="author"><name name-as-sort-order="all"/></names>
  <text variable="title" font-style="italic"/>
  <group delimiter=", "><text variable="publisher"/>
   <date variable="issued"><date-part name="year"/></date></group>
 </group></layout></bibliography>
</style>
"""
"""A style made for the tests, in the language that Zotero and others read."""


@pytest.fixture
def gathered(scholar: Scholar, own_sample: Path) -> Path:
    """Return a home with a collection of two passages."""
    claim = ("--claim", "light is hope")
    succeeded(scholar("collection", "add", "hope", LIGHT, *claim, "--note", "One.\n\nTwo."))
    succeeded(scholar("collection", "add", "hope", LETTER, "--claim", "letters deceive"))
    for name in ("ho:pe", "ho/pe"):
        succeeded(scholar("collection", "add", name, LETTER))
    return own_sample


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "message"),
    [
        ((), None, 2, "give a file, -"),
        (("-", "-c", "hope"), "", 2, "give a file, -"),
        (("-",), "", 5, "no passages"),
        (("-",), '{"locator": "x y"}', 2, "is not a locator"),
        (("-",), "plain words", 2, "line 1 is not JSON"),
        (("nothing.json",), None, 4, "there is no nothing.json"),
        (("-c", "none"), None, 4, "no collection 'none'"),
        (("-c", "hope", "--to", "odt"), None, 2, "odt"),
        (("-c", "hope", "--tei-pointers"), None, 2, "add --to json"),
        (("-c", "hope", "--out", "/nowhere/at/all.md"), None, 2, "there is no folder"),
        (("-c", "hope", "-c", "ho:pe", "-c", "ho/pe", "--out", "."), None, 2, "the same file name"),
    ],
)
def test_an_impossible_export_is_an_error(
    scholar: Scholar,
    gathered: Path,
    arguments: tuple[str, ...],
    stdin: str | None,
    code: int,
    message: str,
) -> None:
    assert message in error_line(scholar("export", *arguments, stdin=stdin), code)


def test_a_folder_that_is_named_with_a_slash_is_made(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    succeeded(scholar("collection", "add", "hope", "own-the-lamplighter:1.1"))
    vault = tmp_path / "vault"
    export = ("export", "-c", "hope", "--to", "obsidian", "--out")
    succeeded(scholar(*export, f"{vault}/"))
    assert [path.name for path in vault.iterdir()] == ["hope.md"]
    # a vault needs no slash; another format makes a file of the same name
    succeeded(scholar(*export, f"{tmp_path}/notes"))
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["hope.md"]
    succeeded(scholar("export", "-c", "hope", "--to", "md", "--out", f"{tmp_path}/plain"))
    assert (tmp_path / "plain").is_file()
    assert "already exists" in error_line(scholar(*export, f"{vault}/"), 2)
    assert "cannot be created" in error_line(scholar(*export, f"{vault}/hope.md/"), 2)
    assert "there is no folder" in error_line(scholar(*export, f"{vault}/a/b/"), 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("quiz", "export", "--to", "apkg", "lamplighter", "--out"),
        ("quiz", "export", "--to", "md", "lamplighter", "--out"),
        ("characters", "lamplighter", "--sheet", "--out"),
        ("speakers", "lamplighter", "--format", "parquet", "--out"),
        ("backup",),
    ],
    ids=" ".join,
)
def test_a_folder_is_not_taken_for_the_file_to_write(
    scholar: Scholar, two_books: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    refusal = error_line(scholar(*arguments, f"{tmp_path}/vault/"), 2)
    assert "vault/ is a folder; name a file in it" in refusal
    assert not (tmp_path / "vault").exists()


def test_a_file_is_written_over_only_when_asked(
    scholar: Scholar, gathered: Path, tmp_path: Path
) -> None:
    out = tmp_path / "hope.md"
    out.write_text("my own text")
    export = ("export", "-c", "hope", "--out", str(out))
    assert "already exists" in error_line(scholar(*export), 2)
    assert out.read_text() == "my own text"
    succeeded(scholar(*export, "--force"))
    assert out.read_text("utf-8").startswith("# hope\n")


def test_markdown_has_claims_passages_notes_and_works(scholar: Scholar, gathered: Path) -> None:
    text = succeeded(scholar("export", "-c", "hope", "--title", "Hope & light")).stdout
    page = html.fromstring(f"<div>{MarkdownIt().render(text)}</div>")
    assert page.xpath("//h1/text()") == ["Hope & light"]
    assert page.xpath("//h2/text()") == ["light is hope", "letters deceive", "Works Cited"]
    first, second = page.xpath("//blockquote")
    assert first.xpath("p[2]/text()")[0].strip() == "(Fitzgerald, ch. 9)"
    assert second.xpath(".//code/text()") == [LETTER]
    assert "One." in page.xpath("//p/text()")
    assert "2 passages from 2 books" in text
    assert page.xpath("//em/text()")[0] == "The Great Gatsby"


def test_an_obsidian_vault_gets_a_note_for_each_collection(
    scholar: Scholar, gathered: Path, tmp_path: Path
) -> None:
    succeeded(scholar("collection", "add", "a/b: c?", LIGHT))
    export = ("export", "-c", "hope", "-c", "a/b: c?", "--to", "obsidian", "--out", str(tmp_path))
    succeeded(scholar(*export))
    assert (tmp_path / "a b c.md").exists()
    note = (tmp_path / "hope.md").read_text("utf-8")
    properties = note.split("---")[1]
    assert 'aliases: ["hope", "light is hope", "letters deceive"]' in properties
    assert "\n\n^pg64317-9-162-0-152\n\n" in note
    assert "> [!quote] (Fitzgerald, ch. 9) [[The Great Gatsby]]\n> And as I sat" in note


def test_word_reads_the_document_back(scholar: Scholar, gathered: Path, tmp_path: Path) -> None:
    out = tmp_path / "hope.docx"
    succeeded(scholar("export", "-c", "hope", "--to", "docx", "--out", str(out)))
    document = docx.Document(str(out))
    quotes = [part for part in document.paragraphs if part.style.name == "Quote"]
    assert quotes[0].text.endswith("Daisy’s dock. (Fitzgerald, ch. 9)")
    assert [run.italic for run in quotes[0].runs if run.text.strip()] == [True, False]
    texts = [part.text for part in document.paragraphs]
    assert texts[texts.index("One.") + 1] == "Two."
    title = document.paragraphs[-2].runs[1]
    assert (title.text, title.italic) == ("The Great Gatsby", True)


def test_reference_managers_read_the_works(
    scholar: Scholar, gathered: Path, tmp_path: Path
) -> None:
    def works(format: str) -> str:
        return succeeded(scholar("export", "-c", "hope", "--to", format)).stdout

    items = json.loads(works("csl-json"))
    (tmp_path / "small.csl").write_text(STYLE)
    style = CitationStylesStyle(str(tmp_path / "small.csl"), validate=False)
    bibliography = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
    for item in items:
        bibliography.register(Citation([CitationItem(item["id"])]))
    entries = [str(entry) for entry in bibliography.bibliography()]
    assert entries[0] == "Fitzgerald, F. Scott. The Great Gatsby. Project Gutenberg, 2021."
    titles = [entry.csl["title"] for entry in bibtex.read(works("bibtex").encode(), "x")]
    assert titles == [item["title"] for item in items]
    assert works("ris").count("TY  - BOOK") == 2
    assert [item["chapter-number"] for item in items] == ["9", "letter 1"]


def test_tables_and_records_have_places_and_context(scholar: Scholar, gathered: Path) -> None:
    table = succeeded(scholar("export", "-c", "hope", "--to", "csv", "--style", "apa")).stdout
    first, _ = csv.DictReader(io.StringIO(table))
    assert first["in_text"] == "(Fitzgerald, 2021, Chapter 9)"
    assert first["after"].startswith("He had come a long way")
    records: list[dict[str, Any]] = json.loads(
        succeeded(scholar("export", "-c", "hope", "--to", "json")).stdout
    )
    shown = succeeded(scholar("show", LIGHT, "--json")).json
    assert (records[0]["start"], records[0]["end"]) == (shown["start"], shown["end"])
    assert records[0]["selector"]["exact"] == shown["exact"]
    assert records[1]["note"] == ""


def test_hits_of_a_pipe_are_exported_and_lost_books_are_cited_as_they_were(
    scholar: Scholar, own_sample: Path
) -> None:
    hits = succeeded(scholar("find", "the green light", "-n", "2", "--format", "jsonl")).stdout
    shown = succeeded(scholar("show", LIGHT, "--json")).stdout
    assert "> And as I sat there" in succeeded(scholar("export", "-", stdin=shown)).stdout
    lost = {"locator": "pg999:1.2:3-8", "quote": "lost words", "book": {"title": "Lost"}}
    changed = {"locator": LIGHT, "quote": "other words than the book's"}
    gone = {"locator": "pg64317:9.999", "quote": "no such paragraph"}
    claims = json.dumps({"claim": "a claim", "hits": [lost, changed, gone]})
    result = succeeded(scholar("export", "-", stdin=f"{hits}{claims}\n"))
    assert "5 passages" in result.stdout
    assert "*The Great Gatsby*. Project Gutenberg, 2021" in result.stdout
    assert "## a claim" in result.stdout
    assert "> lost words\n>\n> Lost `pg999:1.2:3-8`" in result.stdout
    assert "pg999 is not in the library" in result.stderr
    assert f"{LIGHT} has different text now" in result.stderr


def test_a_speech_in_pieces_is_exported_with_the_words_between_them(
    scholar: Scholar, quay: Path
) -> None:
    speeches = succeeded(scholar("speakers", "quay", "--format", "jsonl")).lines
    spoken = next(json.loads(line) for line in speeches if len(json.loads(line)["pieces"]) > 1)
    result = succeeded(scholar("export", "-", "--to", "csv", stdin=json.dumps(spoken)))
    [row] = csv.DictReader(io.StringIO(result.stdout))
    first, last = spoken["pieces"][0], spoken["pieces"][-1]
    assert len(row["quote"]) == last[1] - first[0]
    assert spoken["quote"] not in row["quote"]
    assert "other words" not in result.stderr


def test_a_chapter_has_one_name_in_a_table_however_its_passage_was_added(
    scholar: Scholar, gathered: Path
) -> None:
    shown = succeeded(scholar("show", LIGHT, "--json")).stdout
    kept = succeeded(scholar("collection", "show", "hope", "--format", "jsonl")).stdout
    tables = [
        succeeded(scholar("export", *options, "--to", "csv", stdin=stdin)).stdout
        for options, stdin in ((("-",), shown), (("-",), kept), (("-c", "hope"), ""))
    ]
    chapters = [next(csv.DictReader(io.StringIO(table)))["chapter"] for table in tables]
    assert chapters == ["ch. IX"] * 3


_STRING_RANGE = re.compile(r"#string-range\(([\w.]+),(\d+),(\d+)\)")
_RANGE = re.compile(r"#range\(string-index\(([\w.]+),(\d+)\),string-index\(([\w.]+),(\d+)\)\)")


def resolved(document: bytes, pointer: str) -> str:
    """Return the text that a TEI pointer points to."""
    root = etree.fromstring(document)
    paragraphs = {
        element.get("{http://www.w3.org/XML/1998/namespace}id"): "".join(element.itertext())
        for element in root.iterfind(".//{*}p[@n]")
    }
    if match := _STRING_RANGE.fullmatch(pointer):
        start = int(match[2])
        return paragraphs[match[1]][start : start + int(match[3])]
    first, start, last, end = _RANGE.fullmatch(pointer).groups()
    ids = list(paragraphs)
    between = [paragraphs[id] for id in ids[ids.index(first) : ids.index(last) + 1]]
    between[-1] = between[-1][: int(end)]
    between[0] = between[0][int(start) :]
    return " ".join(between)


def test_tei_pointers_lead_to_the_passages_in_the_document_of_their_book(
    scholar: Scholar, own_sample: Path
) -> None:
    locators = (LIGHT, "pg64317:9.162", "pg64317:3.20:5-290")
    succeeded(scholar("collection", "add", "light", *locators))
    document = succeeded(scholar("speakers", "pg64317", "--to", "tei")).stdout.encode()
    export = ("export", "-c", "light", "--to", "json")
    assert "tei_pointer" not in succeeded(scholar(*export)).stdout
    records = json.loads(succeeded(scholar(*export, "--tei-pointers")).stdout)
    pointers = [record["tei_pointer"] for record in records]
    assert any("#range(" in pointer for pointer in pointers)
    assert any("#string-range(" in pointer for pointer in pointers)
    for record in records:
        there = resolved(document, record["tei_pointer"])
        assert there.split() == record["selector"]["exact"].split()
