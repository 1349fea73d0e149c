"""scholar describe, and scholar quiz on a book without written descriptions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command_line import Scholar, error_line, invoke_in_home, succeeded
from libraries import add_book, build_once

TEXT = """
Chapter 1

“The tide is out,” said Anna Hartwell. Anna Hartwell was a tall, silent woman of forty. She had a
wooden leg.

“You will be drowned one day,” said Peter Holcroft. Peter Holcroft forged banknotes in the cellar.

“Then I shall be drowned,” said Anna. Anna had married Peter Holcroft.

“The sea is patient,” said Rose. There stood Rose, the daughter of Anna Hartwell, in the door. A
rose grew there, and a rose lay on the table.

Chapter 2

“Who is there?” asked Mr. Tansley. Mr. Tansley, the clergyman, buried the sailors of the village.

“It is Grace,” said Grace. Grace inherited a mill on the moor.

“Grace!” cried Mr. Tansley. “Come in, Grace. The lamp is lit.”

“Peter Holcroft is here,” said Grace. “Peter Holcroft is not to be trusted, Mr. Tansley.”

“I am here,” said Peter Holcroft, and Rose laughed.

“We are all here,” said Rose. “Anna is here too.”
"""


@pytest.fixture(scope="session")
def tide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a small book with few characters, and one with none, to be copied."""
    silence = "Chapter 1\n\n" + "It rained on the sea. " * 40

    def build(folder: Path) -> None:
        add_book(folder / "home", folder / "tide.txt", TEXT, "The Tide")
        add_book(folder / "home", folder / "silence.txt", silence, "Silence")
        succeeded(invoke_in_home(folder / "home", "describe", "Anna", "-b", "tide"))

    return build_once(tmp_path_factory, "tide", build) / "home"


@pytest.fixture
def book(tide: Path, home: Path) -> Path:
    """Return this test's home with those books."""
    shutil.copytree(tide, home)
    return home


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["Zebedee", "-b", "tide"], 4, "the first are ", id="nobody of that name"),
        pytest.param(["Peter Holcraft", "-b", "tide"], 4, "perhaps Peter", id="nearly a name"),
        pytest.param(["", "-b", "tide"], 4, "no character is called", id="no name"),
        pytest.param(["Anna", "-b", "emma"], 4, "no book is called", id="no such book"),
        pytest.param(["Anna"], 2, "name one at the end", id="which of two books"),
        pytest.param(["Anna", "-b", "silence"], 5, "nobody speaks", id="a book of nobody"),
        pytest.param(["Anna", "-b", "tide", "-n", "0"], 2, "-n", id="no descriptions"),
    ],
)
def test_an_impossible_description_is_one_clear_line(
    scholar: Scholar, book: Path, arguments: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("describe", *arguments), code)


def test_descriptions_are_of_the_character_and_marked_automatic(
    scholar: Scholar, book: Path
) -> None:
    result = succeeded(scholar("describe", "Anna", "-b", "tide", "--json"))
    assert "may be wrong" in result.stderr
    assert {
        ("trait", "the tall, silent woman of forty"),
        ("trait", "the one who had a wooden leg"),
        ("deed", "the one who had married Peter Holcroft"),
    } <= {(description["kind"], description["text"]) for description in result.json}
    for description in result.json:
        assert description["schema_version"] == 1
        assert description["character"]["name"] == "Anna Hartwell"
        assert description["automatic"] is True
        assert "Anna" not in description["text"]


def test_the_passages_of_descriptions_are_verbatim(scholar: Scholar, book: Path) -> None:
    result = succeeded(scholar("describe", "Anna", "-b", "tide", "--json"))
    passages = [passage for description in result.json for passage in description["passages"]]
    assert passages
    for passage in passages:
        shown = succeeded(scholar("show", passage["locator"], "--json")).json
        assert passage["quote"] == " ".join(shown["exact"].split())
        assert "Anna" in passage["quote"]


def test_a_table_shows_the_name_what_is_automatic_and_every_locator(
    scholar: Scholar, book: Path
) -> None:
    shown = succeeded(scholar("describe", "Mr. Tansley", "-b", "tide")).stdout
    assert shown.startswith("Mr. Tansley\n")
    assert "the clergyman  (calling, automatic)" in shown
    assert "[own-the-tide:2.1:" in shown


@pytest.mark.parametrize("format", ["plain", "csv", "md", "jsonl"])
def test_other_formats_say_what_is_automatic(scholar: Scholar, book: Path, format: str) -> None:
    shown = succeeded(scholar("describe", "Mr. Tansley", "-b", "tide", "--format", format)).stdout
    assert "automatic" in shown
    assert "the clergyman" in shown


def test_fewer_can_be_asked_for(scholar: Scholar, book: Path) -> None:
    assert len(succeeded(scholar("describe", "Anna", "-b", "tide", "-n", "1", "--json")).json) == 1


def test_a_name_that_is_a_word_means_the_character(scholar: Scholar, book: Path) -> None:
    texts = [
        description["text"]
        for description in succeeded(scholar("describe", "Rose", "-b", "tide", "--json")).json
    ]
    assert texts == ["the daughter of Anna Hartwell"]
    grace = succeeded(scholar("describe", "Grace", "-b", "tide", "--json")).json
    assert [description["text"] for description in grace] == [
        "the one who inherited a mill on the moor"
    ]


def test_damaged_descriptions_are_rebuilt(scholar: Scholar, book: Path) -> None:
    before = succeeded(scholar("describe", "Anna", "-b", "tide", "--json")).stdout
    (cached,) = book.rglob("described.json")
    cached.write_text("{", "utf-8")
    assert succeeded(scholar("describe", "Anna", "-b", "tide", "--json")).stdout == before
    assert json.loads(cached.read_text("utf-8"))["schema_version"] == 3


def test_written_descriptions_come_before_automatic_ones(
    scholar: Scholar, book: Path, tmp_path: Path
) -> None:
    bank = [
        {
            "name": "Anna Hartwell",
            "aliases": ["Anna"],
            "gender": "female",
            "descriptions": [
                {
                    "level": 1,
                    "text": "the one who limps",
                    "evidence": [
                        {"locator": "own-the-tide:1.1:80-105", "quote": "She had a wooden leg."}
                    ],
                },
                {"level": 2, "text": "the wife of {Peter Holcroft}"},
            ],
        },
        {"name": "Peter Holcroft", "descriptions": [{"level": 1, "text": "the forger"}]},
    ]
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps(entry) + "\n" for entry in bank), "utf-8")
    succeeded(scholar("quiz", "import", str(mine), "-b", "own-the-tide"))
    rows = succeeded(scholar("describe", "Anna", "-b", "tide", "--json")).json
    assert [(row["kind"], row["text"]) for row in rows[:2]] == [
        ("description", "the one who limps"),
        ("description", "the wife of Peter Holcroft"),
    ]
    assert [row["automatic"] for row in rows] == [False] * 2 + [True] * (len(rows) - 2)
    assert len(rows) > 3
    (passage,) = rows[0]["passages"]
    assert " ".join(passage["quote"].split()) == "She had a wooden leg."
    assert rows[1]["passages"] == []


def test_questions_about_a_book_that_nobody_described_have_fewer_choices(
    scholar: Scholar, book: Path
) -> None:
    result = succeeded(scholar("quiz", "-b", "tide", "-n", "5", "--seed", "1", "--json"))
    assert "extracted by a program and may be wrong" in result.stderr
    assert "instead of 10" in result.stderr
    assert result.json
    for question in result.json:
        assert question["automatic"] is True
        assert question["book"] == "own-the-tide"
        assert question["evidence"][0]["locator"].startswith("own-the-tide:")


def test_levels_show_whether_others_are_named(scholar: Scholar, book: Path) -> None:
    for level in ("1", "2"):
        rows = succeeded(
            scholar(
                "quiz",
                "-b",
                "tide",
                "--level",
                level,
                "--kind",
                "desc2name",
                "--seed",
                "1",
                "--json",
            )
        ).json
        named = [any(name.split()[0] in row["text"] for name in row["names"]) for row in rows]
        assert named == [level == "2"] * len(rows)
        assert rows


def test_automatic_questions_can_be_graded(scholar: Scholar, book: Path, tmp_path: Path) -> None:
    rows = succeeded(scholar("quiz", "-b", "tide", "-n", "1", "--seed", "1", "--json")).json
    (tmp_path / "q.json").write_text(json.dumps(rows), "utf-8")
    answer = {"question_id": rows[0]["question_id"], "answer": rows[0]["answer"]}
    graded = scholar("quiz", "grade", str(tmp_path / "q.json"), "--json", stdin=json.dumps(answer))
    assert succeeded(graded).json[0]["right"] is True


def test_a_book_of_no_characters_is_one_clear_line(scholar: Scholar, book: Path) -> None:
    message = error_line(scholar("quiz", "-b", "silence"), 5, after_progress=True)
    assert "nobody speaks" in message


def test_packaged_questions_are_not_marked_automatic(scholar: Scholar, book: Path) -> None:
    result = succeeded(scholar("quiz", "-b", "emma", "-n", "2", "--seed", "1", "--json"))
    assert not any("automatic" in question for question in result.json)
    assert result.stderr == ""


def test_books_that_would_be_automatic_are_listed_and_marked(scholar: Scholar, book: Path) -> None:
    listed = {
        listing["id"]: listing for listing in succeeded(scholar("quiz", "books", "--json")).json
    }
    assert listed["own-the-tide"]["automatic"] == "yes"
    assert listed["own-the-tide"]["characters"] is None
    assert listed["pg158"]["automatic"] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--to", "html"], "add --sheet", id="a format of no sheet"),
        pytest.param(["--sheet", "--json"], "--to", id="a sheet as JSON"),
    ],
)
def test_a_sheet_of_characters_that_cannot_be_is_one_clear_line(
    book: Path, scholar: Scholar, arguments: list[str], message: str
) -> None:
    assert message in error_line(scholar("characters", "tide", *arguments), 2)


def test_a_sheet_describes_the_main_characters_in_one_document(
    book: Path, scholar: Scholar, tmp_path: Path
) -> None:
    printed = succeeded(scholar("characters", "tide", "--sheet", "-n", "2")).stdout
    assert printed.startswith("# The characters of Ann Example, The Tide\n")
    assert printed.count("\n## ") == 2
    for line in ("- Also called: ", "- Gender: ", "- Says: ", "- First: Chapter 1 "):
        assert line in printed, line
    assert "automatic)" in printed
    assert "may be wrong" in printed
    out = tmp_path / "tide.html"
    written = scholar("characters", "tide", "--sheet", "--to", "html", "--out", str(out))
    assert "characters in" in succeeded(written).stderr
    again = scholar("characters", "tide", "--sheet", "--out", str(out))
    assert "tide.html already exists" in error_line(again, 2)
    page = out.read_text("utf-8")
    assert "<h2>Peter Holcroft</h2>" in page
    assert page.rstrip().endswith("</html>")
    succeeded(scholar("characters", "tide", "--sheet", "--out", str(out), "--force"))
    assert out.read_text("utf-8").startswith("# The characters")
