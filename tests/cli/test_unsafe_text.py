"""Claims with any text, and the text of books, which never controls a terminal."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from command_line import Scholar, error_line, invoke_in_home, make_book_text, succeeded
from libraries import build_once

UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\u200b-\u200d\u2060-\u2064\U000e0000-\U000e007f]"
)
"""Characters that must never reach a terminal."""


@pytest.mark.parametrize(
    "claim",
    ["", " \n\t ", "?!… —", "[MASK]", "\x1b[\x07", "\u202e\u200f", "%", "\\"],
    ids=["empty", "white space", "dots", "a mask", "escapes", "bidi", "percent", "backslash"],
)
def test_a_claim_without_words_is_refused(scholar: Scholar, two_books: Path, claim: str) -> None:
    assert "claim is empty" in error_line(scholar("find", claim), 2)
    assert "claim is empty" in error_line(scholar("find", "-", stdin=claim), 2)


CLAIMS = {
    "stop words": "the of and to",
    "one letter": "x",
    "ten thousand words": "the widow " * 5_000,
    "one word of fifty thousand letters": "w" * 50_000,
    "SQL that drops": "'; DROP TABLE editions; --",
    "SQL that is always true": "widow' OR 1=1 OR 'a'='a",
    "odd quotation marks": '"the "widow" said',
    "query syntax": "+widow -clock AND NOT (key OR *) ~2 ^3 field:x",
    "backslashes": "widow\\ \\' \\\" %s %00 {0} {{",
    "Rich markup": "[bold red]widow[/] [link=http://x]y[/link]",
    "terminal escapes": "\x1b]0;title\x07\x1b[2Jwidow\x9b31m",
    "a zero": "widow\x00key",
    "other scripts": "寡婦 вдова 🗝 ﷽",
    "heaps of accents": "w\u0301\u0302\u0303" * 500,
    "several masks": "[MASK] the widow [masked sentence] key [MASK]",
    "what looks like options": "--help me --format",
}


def test_any_words_are_a_claim(scholar: Scholar, two_books: Path) -> None:
    every = [(name, "--rerank", "none") for name in CLAIMS]
    lexical = [(name, "--mode", "lexical") for name in CLAIMS]
    dense = [("stop words", "--mode", "dense"), ("query syntax", "--mode", "dense")]
    with_second_stage = [(name,) for name in CLAIMS if "thousand" in name or "mask" in name]
    for name, *options in every + lexical + dense + with_second_stage:
        line = ("find", "-", "--json", "-n", "5", *options)
        result = scholar(*line, stdin=CLAIMS[name])
        assert result.exit_code == 0, (name, options, result)
        assert len(result.json) <= 5, (name, options)
        assert not UNSAFE.search(result.stdout + result.stderr), (name, options)
    assert len(succeeded(scholar("books", "list", "--json")).json) == 2


def test_a_claim_that_is_no_text_is_still_one_line(scholar: Scholar, two_books: Path) -> None:
    assert succeeded(scholar("find", "-", "--json", stdin=b"\xff\xfe widow \x80")).json


@pytest.mark.parametrize(
    "line",
    [
        ["books", "info", "\x1b[31mred\x1b[0m\nsecond line"],
        ["show", "\x1b]0;x\x07\u202e"],
        ["find", "x", "-b", "[bold]\x9b1m"],
        ["find", "x", "--author", "\x1b[5mB\u202eA"],
        ["find", "x", "--chapter", "\x1b[1m"],
        ["add", "no\x1b[31mfile\nhere.txt"],
        ["add", "http://\x1b[31mx"],
        ["find", "x", "--model", "\x1b[31m/\n/"],
        ["find", "x", "--format", "\x1b[31m\n"],
        ["find", "x", "--\x1b[31m\n"],
        ["\x1b[31m\n"],
        ["models", "pull", "\x1b[31m\n"],
    ],
    ids=lambda line: " ".join(line).encode("unicode_escape").decode(),
)
def test_an_error_repeats_no_control_sequence_of_its_input(
    scholar: Scholar, two_books: Path, line: list[str]
) -> None:
    result = scholar(*line)
    assert result.exit_code in (2, 4)
    error_line(result, result.exit_code)
    assert not UNSAFE.search(result.stderr)


HOSTILE = (
    "un\u200dseen\U000e0069\U000e0067 "
    "\x1b[31mred\x1b[0m \x9b2J\u202eevil\u202c \x07[bold]x[/bold] =cmd|' /C calc'!A0 | <b>\\"
)


@pytest.fixture(scope="session")
def hostile_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a library with a book whose every part holds controls, markup and formulas."""
    text = (
        make_book_text("joker")
        .replace("widow", f"widow {HOSTILE}")
        .replace("CHAPTER 2", "CHAPTER 2\x1b[5m")
    )

    def build(folder: Path) -> None:
        path = folder / "a\x1b[31m\u202eb.txt"
        path.write_text(f"Title: =T\x1b[31m{HOSTILE}\nAuthor: @A{HOSTILE}\n\n\n{text}", "utf-8")
        names = ("--title", f"=T{HOSTILE}", "--author", f"@A{HOSTILE}")
        output = succeeded(invoke_in_home(folder / "home", "add", str(path), *names))
        assert not UNSAFE.search(output.stdout + output.stderr)

    return build_once(tmp_path_factory, "hostile", build) / "home"


@pytest.fixture
def hostile_home(hostile_library: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home with that book; do not write to it."""
    monkeypatch.setenv("SCHOLAR_HOME", str(hostile_library))
    return hostile_library


@pytest.mark.parametrize("format", ["table", "plain", "json", "jsonl", "csv", "md"])
@pytest.mark.parametrize(
    "line",
    [
        ["find", "the widow asked", "--context", "2", "--explain"],
        ["show", "BOOK:1"],
        ["books", "list"],
        ["books", "info", "BOOK"],
    ],
    ids=lambda line: " ".join(line[:2]),
)
def test_controls_in_a_book_never_reach_the_terminal(
    scholar: Scholar, hostile_home: Path, line: list[str], format: str
) -> None:
    [book] = succeeded(scholar("books", "list", "--json")).ids
    result = succeeded(scholar(*[part.replace("BOOK", book) for part in line], "--format", format))
    assert result.stdout
    assert not UNSAFE.search(result.stdout + result.stderr)
    if format == "csv":
        for row in csv.reader(io.StringIO(result.stdout)):
            assert not [cell for cell in row if re.match(r"[=+@\t\r]|-(?![\d.]+$)", cell)]
    elif format == "md":
        assert not re.search(r"(?<!\\)<b>", result.stdout)


def test_markup_in_a_book_is_printed_unchanged(scholar: Scholar, hostile_home: Path) -> None:
    [hit] = succeeded(scholar("find", "widow evil", "-n", "1", "--json")).json
    assert "[bold]x[/bold]" in hit["quote"]
    assert "[bold]x[/bold]" in succeeded(scholar("find", "widow evil", "-n", "1")).stdout


def test_the_text_of_a_hit_is_the_stored_text_with_signs_for_its_controls(
    scholar: Scholar, hostile_home: Path
) -> None:
    [folder] = (hostile_home / "data" / "books").iterdir()
    text = (folder / "text.txt").read_bytes().decode()
    for hit in succeeded(scholar("find", "the widow asked", "--json")).json:
        assert UNSAFE.sub("�", text[hit["start"] : hit["end"]]) == hit["selector"]["exact"]
        assert len(hit["selector"]["exact"]) == hit["end"] - hit["start"]


def test_invisible_characters_of_a_book_are_shown_as_signs(
    scholar: Scholar, hostile_home: Path
) -> None:
    assert "un�seen��" in succeeded(scholar("find", "widow evil", "-n", "1")).stdout
    [book] = succeeded(scholar("books", "list", "--json")).ids
    assert "un�seen��" in succeeded(scholar("show", f"{book}:1")).stdout
