"""Emphasis of a book at the command line: styles on a terminal and in exports, the stored marks
in a pipe."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path

import docx
import pytest
from lxml import etree, html

from command_line import Scholar, make_book_text, succeeded
from libraries import add_book, build_once

LETTER = "own-the-ferryman:1.1"
WHO = "own-the-ferryman:1.2"
TEXT = """The ferryman _never_ found the letter of his sister. He wrote, in _mauvaise honte and
despair_, to =Anna Bell= about snake_case and ____.

“_You_ sank the ferry,” said Anna Bell. “I did _not_ sink it,” said Ben Bell.
"""


@pytest.fixture(scope="session")
def emphasized_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def build(folder: Path) -> None:
        first, rest = make_book_text("ferryman").split("\n\n", 1)
        text = f"{first}\n\n{TEXT}\n{rest}"
        add_book(folder / "home", folder / "ferryman.txt", text, "The Ferryman")

    return build_once(tmp_path_factory, "emphasized", build) / "home"


@pytest.fixture
def ferryman(emphasized_library: Path, home: Path) -> Path:
    shutil.copytree(emphasized_library, home)
    return home


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make standard output look like a terminal to the command."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("scholar_cli.render.uses_styles", lambda: True)
    return monkeypatch


@pytest.fixture
def collected(scholar: Scholar, ferryman: Path) -> Path:
    """Return the home with both paragraphs in a collection, the first from its second sentence."""
    start = succeeded(scholar("show", LETTER, "--json")).json["exact"].index("He wrote")
    end = start + len("He wrote, in _mauvaise honte")
    succeeded(scholar("collection", "add", "all", LETTER, f"{LETTER}:{start}-{end}", WHO))
    return ferryman


def find(scholar: Scholar, *options: str) -> str:
    claim = "he never found his sister's letter"
    return succeeded(scholar("find", claim, "-n", "1", "--mode", "lexical", *options)).stdout


@pytest.mark.parametrize("format", ["table", "plain", "csv", "jsonl"])
def test_a_pipe_keeps_the_marks(scholar: Scholar, ferryman: Path, format: str) -> None:
    for command in (("show", LETTER), ("kwic", "found the letter")):
        assert "_never_" in succeeded(scholar(*command, "--format", format)).stdout
    assert "_never_" in find(scholar, "--format", format)


def test_a_terminal_shows_italics_and_bold(
    scholar: Scholar, ferryman: Path, terminal: object
) -> None:
    shown = succeeded(scholar("show", LETTER)).stdout
    assert "ferryman \x1b[3mnever\x1b[0m found" in shown
    assert "\x1b[1mAnna Bell\x1b[0m about" in shown
    assert "snake_case and ____." in shown
    assert "\x1b[1mThe ferryman\x1b[0m \x1b[1;3mnever\x1b[0m \x1b[1mfound the" in find(scholar)
    rows = succeeded(scholar("speakers", "ferryman", "--method", "sieve")).stdout
    assert "\x1b[3mYou\x1b[0m sank the ferry," in rows


def test_italics_are_shown_without_colours(
    scholar: Scholar, ferryman: Path, terminal: pytest.MonkeyPatch
) -> None:
    terminal.setenv("NO_COLOR", "1")
    assert "ferryman \x1b[3mnever\x1b[0m found" in find(scholar)


def test_a_concordance_reads_marks_whose_partners_are_beyond_its_lines(
    scholar: Scholar, ferryman: Path, terminal: object
) -> None:
    line = succeeded(scholar("kwic", "honte", "--window", "1")).stdout
    assert "\x1b[3mmauvaise \x1b[0m\x1b[1;3mhonte\x1b[0m\x1b[3m and\x1b[0m" in line
    table = succeeded(scholar("kwic", "honte", "--window", "1", "--format", "md")).stdout
    assert "| *mauvaise* | *honte* | *and* |" in re.sub(r" +", " ", table)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["show", WHO, "--context", "0"], id="show"),
        pytest.param(["locate", "You sank the ferry"], id="locate"),
        pytest.param(["kwic", "sank the ferry"], id="kwic"),
        pytest.param(["speakers", "ferryman", "--method", "sieve"], id="speakers"),
    ],
)
def test_tables_in_markdown_have_italics(
    scholar: Scholar, ferryman: Path, command: list[str]
) -> None:
    table = succeeded(scholar(*command, "--format", "md")).stdout
    assert "*You*" in table
    assert r"\_You" not in table


def test_find_in_markdown_has_the_sentence_of_the_claim_in_bold(
    scholar: Scholar, ferryman: Path
) -> None:
    bold = re.search(r"\*\*The ferryman \*never\* found [^*]+\*\*", find(scholar, "--format", "md"))
    assert bold is not None


@pytest.mark.parametrize("format", ["md", "obsidian"])
def test_exports_in_markdown_have_italics_even_of_a_passage_that_ends_within_them(
    scholar: Scholar, collected: Path, format: str
) -> None:
    text = succeeded(scholar("export", "-c", "all", "--to", format)).stdout
    assert "The ferryman *never* found" in text
    assert "to **Anna Bell** about" in text
    assert "He wrote, in *mauvaise honte*\n" in text


def test_exports_in_html_and_word_have_italics(
    scholar: Scholar, collected: Path, tmp_path: Path
) -> None:
    page = html.fromstring(succeeded(scholar("export", "-c", "all", "--to", "html")).stdout)
    assert page.xpath("//blockquote//em/text()") == [
        "never",
        "mauvaise honte and despair",
        "mauvaise honte",
        "You",
        "not",
    ]
    assert page.xpath("//blockquote//strong/text()") == ["Anna Bell"]
    out = tmp_path / "all.docx"
    succeeded(scholar("export", "-c", "all", "--to", "docx", "--out", str(out)))
    quotes = [part for part in docx.Document(str(out)).paragraphs if part.style.name == "Quote"]
    upright = [run.text for run in quotes[0].runs if not run.italic]
    assert upright[:2] == ["never", "mauvaise honte and despair"]
    assert [run.text for run in quotes[0].runs if run.bold] == ["Anna Bell"]


def test_exports_as_data_have_the_marks(scholar: Scholar, collected: Path) -> None:
    rows = csv.DictReader(
        io.StringIO(succeeded(scholar("export", "-c", "all", "--to", "csv")).stdout)
    )
    assert "_never_" in next(iter(rows))["quote"]
    records = succeeded(scholar("export", "-c", "all", "--to", "json")).json
    assert "_never_" in records[0]["selector"]["exact"]


def test_tei_has_emphasis_and_pointers_count_without_marks(
    scholar: Scholar, collected: Path
) -> None:
    document = succeeded(scholar("speakers", "ferryman", "--method", "sieve", "--to", "tei")).stdout
    first, second = etree.fromstring(document.encode()).xpath("//*[local-name()='p'][@n<3]")[:2]
    styled = [(part.get("rend"), " ".join(part.text.split())) for part in first.iter("{*}hi")]
    assert styled == [
        ("italic", "never"),
        ("italic", "mauvaise honte and despair"),
        ("bold", "Anna Bell"),
    ]
    assert [part.text for part in second.xpath(".//*[local-name()='said']/*")] == ["You", "not"]
    records = succeeded(scholar("export", "-c", "all", "--to", "json", "--tei-pointers")).json
    pointed = re.fullmatch(r"#string-range\([^,]+,(\d+),(\d+)\)", records[1]["tei_pointer"])
    start, length = map(int, pointed.groups())
    words = "".join(first.itertext())[start : start + length]
    assert words == "He wrote, in mauvaise honte"
