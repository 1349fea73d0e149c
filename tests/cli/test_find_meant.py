"""The characters that find reads noun phrases of a claim as, and how the user overrides that."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import Scholar, error_line, invoke_in_home, succeeded
from libraries import add_book, build_once

PARSONAGE = """
Chapter 1

“The gate is shut,” said Anna Bell. Her father, Mr. Bell, had locked it in the evening.

“You shall not go to the fair,” said Mr. Bell. He was angry, and his daughter Anna wept.

“Your father is hard,” said Peter Holt. Peter Holt, the curate, stood by the wall and pitied her.

“Mr. Holt, you must not wait,” said Anna Bell. “My father will see you.”

“Let him see me,” said Peter Holt. The curate was not afraid of anybody in the parish.

Chapter 2

“Where is my daughter?” asked Mr. Bell. He looked for Anna in the garden and in the barn.

“She went with the curate,” said Mrs. Dunn. Mrs. Dunn kept the house, and kept it badly.

“Then she is lost,” said Mr. Bell, and he sat down. He never spoke to Anna Bell again.

“I am sorry for him,” said Anna Bell. She wrote to her father in the winter, and he was silent.

“He will come to us,” said Peter Holt. Anna Bell did not believe it, but she kissed him.
"""

CLAIM = "Anna's father is hard on her"


@pytest.fixture(scope="session")
def parsonage_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with a book of a father, a daughter and a curate, to be copied."""

    def build(folder: Path) -> None:
        home = folder / "home"
        add_book(home, folder / "parsonage.txt", PARSONAGE, "The Parsonage")
        succeeded(invoke_in_home(home, "index", "people"))

    return build_once(tmp_path_factory, "parsonage", build) / "home"


@pytest.fixture
def parsonage(parsonage_home: Path, home: Path) -> Path:
    """Return this test's home with that book."""
    shutil.copytree(parsonage_home, home)
    return home


def test_find_says_whom_it_took_a_phrase_for(scholar: Scholar, parsonage: Path) -> None:
    result = succeeded(scholar("find", CLAIM, "-b", "parsonage", "--json"))
    assert 'read "Anna\'s father" as Mr. Bell; to override this, use --about NAME' in result.stderr
    for hit in result.json:
        assert [(meant["phrase"], meant["name"]) for meant in hit["meant"]] == [
            ("Anna's father", "Mr. Bell")
        ]


def test_the_reader_overrules_whom_a_phrase_means(scholar: Scholar, parsonage: Path) -> None:
    options = ("find", CLAIM, "-b", "parsonage", "--json")
    result = succeeded(scholar(*options, "--about", "Peter Holt"))
    assert 'read "Anna\'s father" as Peter Holt' in result.stderr
    for hit in result.json:
        assert "Peter Holt" in [character["name"] for character in hit["characters"]]


@pytest.mark.parametrize("nobody", ["", "nobody"])
def test_a_phrase_can_be_left_alone(scholar: Scholar, parsonage: Path, nobody: str) -> None:
    result = succeeded(scholar("find", CLAIM, "-b", "parsonage", "--about", nobody, "--json"))
    assert "use --about NAME" not in result.stderr
    assert [hit["meant"] for hit in result.json] == [[] for _ in result.json]


def test_any_of_the_given_characters_is_enough(scholar: Scholar, parsonage: Path) -> None:
    named = ("--about", "Mrs. Dunn", "--about", "Peter Holt")
    hits = succeeded(scholar("find", "the house", "-b", "parsonage", *named, "--json")).json
    quotes = " ".join(hit["quote"] for hit in hits)
    assert "kept it badly" in quotes
    assert "stood by the wall" in quotes
    assert "in the garden" not in quotes


def test_each_of_several_must_be_in_the_book(scholar: Scholar, parsonage: Path) -> None:
    named = ("--about", "Anna", "--about", "Darcy")
    result = scholar("find", "the house", "-b", "parsonage", *named)
    assert "no character is called 'Darcy'" in error_line(result, 4)
