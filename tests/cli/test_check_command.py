"""scholar check: the quotations of an essay against the books of the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded

RIGHT = (
    'She hopes for "a beautiful little fool", and he ends: "So we beat on, boats against … into '
    'the past."\n\nThe word "hope" and “Pride and Prejudice” are none, "old sport" is one.\n'
)
WRONG = (
    RIGHT
    + "\n> It is a truth universally acknowledged, that a single woman\n> in possession of a good "
    'fortune\n\nHe never said "call me Ishmael or whatever you like".\n\n'
    "Nor “this is never closed\n"
)


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    path = tmp_path / "essay.md"
    path.write_text(WRONG, "utf-8")
    return path


def test_an_essay_that_is_right_says_so(scholar: Scholar, sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "right.md"
    path.write_text(RIGHT, "utf-8")
    result = succeeded(scholar("check", str(path)))
    assert "3 quotations, none wrong" in result.stderr
    assert [line.split()[0:2] for line in result.lines if line[0].isdigit()] == [
        ["1:16", "verbatim"],
        ["1:56", "elided"],
        ["3:54", "verbatim"],
    ]


def test_wrong_quotations_are_listed_with_their_positions(
    scholar: Scholar, sample: Path, essay: Path
) -> None:
    result = scholar("check", str(essay), "--wrong", "--json")
    assert "3 of 6 quotations are altered, absent or not closed" in error_line(result, 5)
    altered, absent, unclosed = result.json
    assert (altered["line"], altered["status"], altered["block"]) == (5, "altered", True)
    assert [(change["quoted"], change["original"]) for change in altered["changes"]] == [
        ("woman", "man")
    ]
    assert (absent["line"], absent["status"]) == (8, "absent")
    assert (unclosed["line"], unclosed["closed"], unclosed["right"]) == (10, False, False)


def test_the_end_of_a_very_long_quotation_is_named_as_not_compared(
    scholar: Scholar, sample: Path
) -> None:
    [text] = sample.glob("**/pg64317.*/text.txt")
    words = text.read_text("utf-8").replace("“", "").replace("”", "").split()
    essay = f"> {' '.join(words[500:1700])}\n"
    result = scholar("check", "-", "--as", "markdown", "--json", stdin=essay)
    assert "1 of 1" in error_line(result, 5)
    change = result.json[0]["changes"][-1]
    assert change["kind"] == "unread"
    assert change["quoted"].split()[-1] == words[1699]


def test_quotations_of_other_books_may_be_allowed(scholar: Scholar, sample: Path) -> None:
    essay = 'He never said "call me Ishmael or whatever you like", did he?'
    assert "1 of 1" in error_line(scholar("check", "-", stdin=essay), 5)
    assert (
        succeeded(scholar("check", "-", "--allow-absent", stdin=essay)).lines[0] == "1:16  absent"
    )


def test_sarif_has_a_result_for_each_fault(scholar: Scholar, sample: Path, essay: Path) -> None:
    result = scholar("check", str(essay), "--format", "sarif")
    assert result.exit_code == 5
    log = json.loads(result.stdout)
    [run] = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert log["version"] == "2.1.0"
    assert [fault["ruleId"] for fault in run["results"]] == ["altered", "absent", "open"]
    assert {fault["ruleId"] for fault in run["results"]} <= rules
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 5, "startColumn": 3}
    assert place["artifactLocation"]["uri"].endswith("essay.md")


def test_quotations_of_an_included_file_are_listed_with_its_name(
    scholar: Scholar, sample: Path, tmp_path: Path
) -> None:
    (tmp_path / "essay.tex").write_text("\\input{parts/one}\\input{parts/two}", "utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_text("x\n``we beat on, ships against the current''")
    result = scholar("check", str(tmp_path / "essay.tex"))
    assert result.lines[0].startswith("parts/one.tex:2:3  altered")
    assert "not read: parts/two (it does not exist)" in result.stderr.splitlines()
    [run] = json.loads(scholar("check", str(tmp_path / "essay.tex"), "--format", "sarif").stdout)[
        "runs"
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].endswith("/parts/one.tex")
    assert (
        scholar("check", str(tmp_path / "essay.tex"), "--json").json[0]["file"] == "parts/one.tex"
    )


@pytest.mark.parametrize("format", ["table", "plain", "jsonl", "csv", "md"])
def test_every_format_has_every_quotation(
    scholar: Scholar, sample: Path, essay: Path, format: str
) -> None:
    result = scholar("check", str(essay), "--format", format)
    assert result.exit_code == 5
    assert result.stdout.count("altered") >= 1
    assert "boats against" in result.stdout


@pytest.mark.parametrize(
    ("name", "blocks"),
    [("essay.txt", "indented"), ("essay.md", "after >"), ("essay.tex", "csquotes")],
)
def test_an_essay_without_quotations_says_what_was_looked_for(
    scholar: Scholar, sample: Path, tmp_path: Path, name: str, blocks: str
) -> None:
    essay = tmp_path / name
    essay.write_text("Not a word is quoted.")
    result = succeeded(scholar("check", str(essay)))
    assert result.stdout == ""
    assert "no quotations were found; looked for text in quotation marks" in result.stderr
    assert blocks in result.stderr


def test_a_misquotation_of_a_page_is_not_missed(
    scholar: Scholar, sample: Path, tmp_path: Path
) -> None:
    page = tmp_path / "essay.html"
    page.write_text(
        "<p>She says\n&ldquo;that&rsquo;s the best thing a girl can be in this world, a "
        "beautiful clever fool&rdquo;.\n"
        "<blockquote>So we beat on, boats against the wind</blockquote>",
        "utf-8",
    )
    result = scholar("check", str(page), "--json")
    assert "2 of 2 quotations are altered, absent or not closed" in error_line(result, 5)
    assert [(record["line"], record["status"], record["block"]) for record in result.json] == [
        (2, "altered", False),
        (3, "altered", True),
    ]


def test_an_essay_of_a_format_that_is_not_read_is_refused(
    scholar: Scholar, sample: Path, tmp_path: Path
) -> None:
    essay = tmp_path / "essay.rtf"
    essay.write_bytes(b"{\\rtf1 She hopes for \\ldblquote a clever fool\\rdblquote .}")
    assert "is an RTF document; save it as docx" in error_line(scholar("check", str(essay)), 2)


def test_an_essay_that_is_not_there_is_an_error(scholar: Scholar, sample: Path) -> None:
    assert "name an essay" in error_line(scholar("check", "none.md"), 4)


def test_latex_on_stdin_is_named(scholar: Scholar, sample: Path) -> None:
    essay = "She hopes for ``a \\emph{beautiful} little fool''."
    result = succeeded(scholar("check", "-", "--as", "latex", "--json", stdin=essay))
    [quotation] = result.json
    assert (quotation["status"], quotation["quote"]) == ("verbatim", "a beautiful little fool")
