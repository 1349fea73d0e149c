"""scholar describe, and scholar quiz about a book that nobody has described."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from front_door import Said, complaint, scholar_process, well

Scholar = Callable[..., Said]

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
    """A home with a small book of few characters, and one of none, to be copied."""
    folder = tmp_path_factory.mktemp("tide")
    (folder / "tide.txt").write_text(TEXT, "utf-8")
    (folder / "silence.txt").write_text("Chapter 1\n\n" + "It rained on the sea. " * 40)
    for name, title in (("tide", "The Tide"), ("silence", "Silence")):
        well(scholar_process(
            folder / "home", "add", str(folder / f"{name}.txt"), "--title", title,
            "--author", "Ann Example", "--language", "en",
        ))  # fmt: skip
    well(scholar_process(folder / "home", "describe", "Anna", "-b", "tide"))
    return folder / "home"


@pytest.fixture
def book(tide: Path, home: Path) -> Path:
    """This test's home with those books."""
    shutil.copytree(tide, home)
    return home


# -- what cannot be done -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["Zebedee", "-b", "tide"], 4, "there are ", id="nobody of that name"),
        pytest.param(["Peter Holcraft", "-b", "tide"], 4, "perhaps Peter", id="nearly a name"),
        pytest.param(["", "-b", "tide"], 4, "no character is called", id="no name"),
        pytest.param(["Anna", "-b", "emma"], 4, "no book is called", id="no such book"),
        pytest.param(["Anna"], 2, "-b BOOK", id="which of two books"),
        pytest.param(["Anna", "-b", "silence"], 5, "nobody speaks", id="a book of nobody"),
        pytest.param(["Anna", "-b", "tide", "-n", "0"], 2, "-n", id="no descriptions"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    scholar: Scholar, book: Path, arguments: list[str], code: int, said: str
) -> None:
    assert said in complaint(scholar("describe", *arguments), code)


# -- what is told --------------------------------------------------------------------------


def test_descriptions_come_with_verbatim_passages_and_are_marked_automatic(
    scholar: Scholar, book: Path
) -> None:
    said = well(scholar("describe", "Anna", "-b", "tide", "--json"))
    assert "may be wrong" in said.stderr
    told = {(each["kind"], each["text"]) for each in said.json}
    assert ("trait", "the tall, silent woman of forty") in told
    assert ("trait", "the one who had a wooden leg") in told
    assert ("deed", "the one who had married Peter Holcroft") in told
    for each in said.json:
        assert each["schema_version"] == 1
        assert each["character"]["name"] == "Anna Hartwell"
        assert each["automatic"] is True
        assert "Anna" not in each["text"]
        for passage in each["passages"]:
            shown = well(scholar("show", passage["locator"], "--json")).json
            assert passage["quote"] == " ".join(shown["exact"].split())
            assert "Anna" in passage["quote"]


def test_a_table_shows_the_name_what_is_automatic_and_every_locator(
    scholar: Scholar, book: Path
) -> None:
    shown = well(scholar("describe", "Mr. Tansley", "-b", "tide")).stdout
    assert shown.startswith("Mr. Tansley\n")
    assert "the clergyman  (calling, automatic)" in shown
    assert "[own-the-tide:2.1:" in shown


@pytest.mark.parametrize("format", ["plain", "csv", "md", "jsonl"])
def test_other_formats_say_what_is_automatic(scholar: Scholar, book: Path, format: str) -> None:
    shown = well(scholar("describe", "Mr. Tansley", "-b", "tide", "--format", format)).stdout
    assert "automatic" in shown
    assert "the clergyman" in shown


def test_fewer_can_be_asked_for(scholar: Scholar, book: Path) -> None:
    assert len(well(scholar("describe", "Anna", "-b", "tide", "-n", "1", "--json")).json) == 1


def test_a_name_that_is_a_word_means_the_character(scholar: Scholar, book: Path) -> None:
    told = [each["text"] for each in well(scholar("describe", "Rose", "-b", "tide", "--json")).json]
    assert told == ["the daughter of Anna Hartwell"]
    grace = well(scholar("describe", "Grace", "-b", "tide", "--json")).json
    assert [each["text"] for each in grace] == ["the one who inherited a mill on the moor"]


def test_what_was_damaged_is_made_anew(scholar: Scholar, book: Path) -> None:
    before = well(scholar("describe", "Anna", "-b", "tide", "--json")).stdout
    (kept,) = book.rglob("described.json")
    kept.write_text("{", "utf-8")
    assert well(scholar("describe", "Anna", "-b", "tide", "--json")).stdout == before
    assert json.loads(kept.read_text("utf-8"))["schema_version"] == 1


def test_what_people_wrote_comes_before_what_a_program_read(
    scholar: Scholar, book: Path, tmp_path: Path
) -> None:
    bank = [
        {"name": "Anna Hartwell", "aliases": ["Anna"], "gender": "female", "descriptions": [
            {"level": 1, "text": "the one who limps", "evidence": [
                {"locator": "own-the-tide:1.1:80-105", "quote": "She had a wooden leg."}]},
            {"level": 2, "text": "the wife of {Peter Holcroft}"}]},
        {"name": "Peter Holcroft", "descriptions": [{"level": 1, "text": "the forger"}]},
    ]  # fmt: skip
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps(each) + "\n" for each in bank), "utf-8")
    well(scholar("quiz", "import", str(mine), "-b", "own-the-tide"))
    said = well(scholar("describe", "Anna", "-b", "tide", "--json")).json
    assert [(each["kind"], each["text"]) for each in said[:2]] == [
        ("description", "the one who limps"), ("description", "the wife of Peter Holcroft"),
    ]  # fmt: skip
    assert [each["automatic"] for each in said] == [False] * 2 + [True] * (len(said) - 2)
    assert len(said) > 3
    (passage,) = said[0]["passages"]
    assert " ".join(passage["quote"].split()) == "She had a wooden leg."
    assert said[1]["passages"] == []


# -- quizzes -------------------------------------------------------------------------------


def test_a_book_that_nobody_described_is_asked_about_with_fewer_choices(
    scholar: Scholar, book: Path
) -> None:
    said = well(scholar("quiz", "-b", "tide", "-n", "5", "--seed", "1", "--json"))
    assert "read from the book by a program and may be wrong" in said.stderr
    assert "instead of 10" in said.stderr
    assert said.json
    for each in said.json:
        assert each["automatic"] is True
        assert each["book"] == "own-the-tide"
        assert each["evidence"][0]["locator"].startswith("own-the-tide:")


def test_levels_tell_whether_others_are_named(scholar: Scholar, book: Path) -> None:
    for level in ("1", "2"):
        asked = well(scholar("quiz", "-b", "tide", "--level", level, "--kind", "desc2name",
                             "--seed", "1", "--json")).json  # fmt: skip
        named = [any(name.split()[0] in each["text"] for name in each["names"]) for each in asked]
        assert named == [level == "2"] * len(asked)
        assert asked


def test_automatic_questions_can_be_graded(scholar: Scholar, book: Path, tmp_path: Path) -> None:
    asked = well(scholar("quiz", "-b", "tide", "-n", "1", "--seed", "1", "--json")).json
    (tmp_path / "q.json").write_text(json.dumps(asked), "utf-8")
    answer = {"question_id": asked[0]["question_id"], "answer": asked[0]["answer"]}
    graded = scholar("quiz", "grade", str(tmp_path / "q.json"), "--json", stdin=json.dumps(answer))
    assert well(graded).json[0]["right"] is True


def test_a_book_of_no_characters_is_one_clear_line(scholar: Scholar, book: Path) -> None:
    said = complaint(scholar("quiz", "-b", "silence"), 5, after_talk=True)
    assert "nobody speaks" in said


def test_packaged_questions_are_not_marked_automatic(scholar: Scholar, book: Path) -> None:
    said = well(scholar("quiz", "-b", "emma", "-n", "2", "--seed", "1", "--json"))
    assert not any("automatic" in each for each in said.json)
    assert said.stderr == ""


def test_books_that_would_be_automatic_are_listed_and_marked(scholar: Scholar, book: Path) -> None:
    listed = {each["id"]: each for each in well(scholar("quiz", "books", "--json")).json}
    assert listed["own-the-tide"]["automatic"] == "yes"
    assert listed["own-the-tide"]["characters"] is None
    assert listed["pg158"]["automatic"] == ""
