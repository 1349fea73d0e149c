"""The benchmark of typed descriptions, and the packaged descriptions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.metrics import bootstrap_groups
from scholar_cli.laboratory.who import who_bench, who_data
from scholar_cli.laboratory.who.who_bench import ScoredDescription
from scholar_cli.laboratory.who.who_data import TypedDescription
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Character, Gender

NOVEL = """
Chapter 1

“The hives came through the frost,” said Anna Hartwell. Anna Hartwell kept bees behind the mill, and
sold honey to the whole village. She wore a veil of black net when she opened a hive.

“You will be stung one day,” said Peter Holcroft. He was a clerk, and wrote a beautiful hand.

“Bees know who is honest, Mr. Holcroft,” said Anna Hartwell. “Smoke keeps them quiet.”

“Then I had better stand back,” said Peter Holcroft, and he laughed without any pleasure.

Chapter 2

At night Peter Holcroft forged the signature of the old squire upon a cheque. He held the paper to
the lamp, and traced each letter, and forged it again. “Nobody will know,” said Peter Holcroft.

“The bees were told this morning,” said Anna Hartwell. “I tied crape upon each hive.”

“I never touched it,” said Peter Holcroft, and the ferryman rowed him over the water.

“He goes, and the honey is not sold,” said Anna Hartwell, among her bees.
"""

BEEKEEPER: dict[str, Any] = {
    "book": "pg7",
    "title": "The Hives",
    "description": "the woman who keeps bees",
    "names": ["Miss Hartwell", "Anna Hartwell"],
    "called": "",
    "level": "main",
}
FORGER = {
    **BEEKEEPER,
    "description": "forges the squire's signature",
    "names": ["Peter Holcroft"],
    "level": "minor",
}
FERRYMAN = {
    **FORGER,
    "description": "the one who rows him over",
    "names": [],
    "called": "the ferryman",
}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a folder of texts with one novel."""
    (tmp_path / "texts" / "primary").mkdir(parents=True)
    (tmp_path / "texts" / "primary" / "7.txt").write_text(NOVEL, "utf-8")
    return tmp_path / "texts"


@pytest.fixture
def descriptions(tmp_path: Path) -> Path:
    """Return a file that describes three people of that novel."""
    return write(tmp_path / "descriptions.jsonl", BEEKEEPER, FORGER, FERRYMAN)


def described(*names: str, called: str = "", level: str = "main") -> TypedDescription:
    return TypedDescription("pg7", "The Hives", "somebody", names, called, level)


def character(name: str, *aliases: str) -> Character:
    return Character("c", name, aliases, Gender.UNKNOWN)


def test_a_folder_that_is_not_there_is_named(
    lab: Scholar, tmp_path: Path, descriptions: Path
) -> None:
    arguments = ("--texts", str(tmp_path / "nowhere"), "--data", str(descriptions))
    message = error_line(lab("bench", "who", *arguments), 4)
    assert "there is no folder" in message
    assert "primary/<number>.txt" in message


def test_a_book_that_is_not_there_is_named_before_any_is_read(
    texts: Path, descriptions: Path
) -> None:
    elsewhere = replace(described("Ann Lee"), book="pg8", title="The Mill")
    folders: list[Path] = []

    def system(path: Path, texts_of_descriptions: Sequence[str]) -> list[list[Character]]:
        folders.append(path)
        return [[] for _ in texts_of_descriptions]

    with pytest.raises(NotThere, match=r"the text of The Mill is missing; put .*8\.txt"):
        who_bench.run(texts, [*who_data.read(descriptions), elsewhere], system)
    assert not folders


def test_a_file_of_descriptions_that_is_not_there_is_named(
    lab: Scholar, texts: Path, tmp_path: Path
) -> None:
    arguments = ("--texts", str(texts), "--data", str(tmp_path / "none.jsonl"))
    assert "give a file of descriptions" in error_line(lab("bench", "who", *arguments), 4)


def test_a_book_of_which_nobody_is_described_is_named(lab: Scholar, texts: Path) -> None:
    result = lab("bench", "who", "--texts", str(texts), "-b", "pg1")
    assert "nobody in 'pg1' is described; choose from pg" in error_line(result, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param({"description": " "}, 'there is no "description"', id="no description"),
        pytest.param({"book": 7}, 'there is no "book"', id="a number for a book"),
        pytest.param({"level": "hero"}, "'hero' is not a level; write main or minor", id="level"),
        pytest.param({"names": "Anna"}, '"names" is not a list of names', id="no list"),
        pytest.param({"names": ["the"]}, '"names" is not a list of names', id="an article"),
        pytest.param({"names": []}, 'person either "names"', id="neither named nor called"),
        pytest.param({"called": "the bee"}, 'person either "names"', id="named and called"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "broken.jsonl", BEEKEEPER, {**BEEKEEPER, **line})
    with pytest.raises(UsageError) as refusal:
        who_data.read(path)
    assert "broken.jsonl, line 2: " in str(refusal.value)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"{", "line 1: this is not JSON", id="no JSON"),
        pytest.param(b"\xff", "it is not UTF-8 text", id="no UTF-8"),
        pytest.param(b"\n", "has no descriptions", id="empty"),
    ],
)
def test_a_file_without_descriptions_is_refused(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "descriptions.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        who_data.read(path)


@pytest.mark.parametrize(
    ("meant", "answered", "is_right"),
    [
        pytest.param(described("Ann Lee"), character("Ann Lee"), True, id="the name"),
        pytest.param(described("Ann Lee"), character("Ann", "Ann Lee"), True, id="an alias"),
        pytest.param(described("Adèle"), character("ADELE"), True, id="accents and capitals"),
        pytest.param(described("Queen"), character("The Queen"), True, id="an article"),
        pytest.param(described("Mrs Joe"), character("Mrs. Joe"), True, id="a full stop"),
        pytest.param(described("Ann Lee"), character("Ann"), False, id="half of a name"),
        pytest.param(described("Ann"), character("Ann Lee"), False, id="a longer name"),
        pytest.param(described(called="the maid"), character("The maid"), True, id="called so"),
        pytest.param(described(called="the maid"), character("Maid Ann"), False, id="another"),
    ],
)
def test_an_answer_is_right_by_any_name_of_the_person(
    meant: TypedDescription, answered: Character, is_right: bool
) -> None:
    assert meant.means(answered) is is_right


def test_named_people_count_by_level_and_the_others_apart() -> None:
    ann, maid = character("Ann Lee"), character("the maid")
    scored = [
        who_bench.score(described("Ann Lee"), [maid, ann]),
        who_bench.score(described("Ann Lee", level="minor"), [ann]),
        who_bench.score(described(called="the maid", level="minor"), []),
    ]
    assert scored == [
        ScoredDescription("main", (False, True)),
        ScoredDescription("minor", (True,)),
        ScoredDescription("unnamed", ()),
    ]
    figures = who_bench.summarize([scored], "all")
    assert figures["top1"] == pytest.approx(1 / 3)
    assert figures["top3"] == pytest.approx(2 / 3)
    assert who_bench.summarize([scored], "unnamed")["top3"] == 0


def test_intervals_are_drawn_over_whole_books() -> None:
    alike = bootstrap_groups([[True] * 5, [False] * 5])
    mixed = bootstrap_groups([[True, False]] * 5)
    assert (alike.low, alike.mean, alike.high) == (0, 0.5, 1)
    assert (mixed.low, mixed.mean, mixed.high) == (0.5, 0.5, 0.5)
    assert bootstrap_groups([]).high == 0


def test_a_novel_is_asked_as_who_asks_and_nothing_of_it_is_kept(
    lab: Scholar, home: Path, texts: Path, descriptions: Path
) -> None:
    result = succeeded(
        lab("bench", "who", "--texts", str(texts), "--data", str(descriptions), "--json")
    )
    everybody, main, minor, unnamed = result.json
    assert [report["split"] for report in result.json] == list(who_bench.SPLITS)
    assert [report["n"] for report in result.json] == [3, 1, 1, 1]
    assert main["metrics"]["top1"] == minor["metrics"]["top3"] == 1
    assert unnamed["metrics"]["top3"] == 0
    assert everybody["metrics"]["top3"] == pytest.approx(2 / 3)
    assert not (home / "data").exists()


def test_a_novel_in_which_nobody_is_found_has_no_right_answer(
    lab: Scholar, texts: Path, descriptions: Path
) -> None:
    (texts / "primary" / "7.txt").write_text("It rained. The river rose.\n" * 50, "utf-8")
    arguments = ("--texts", str(texts), "--data", str(descriptions))
    result = succeeded(lab("bench", "who", *arguments, "--format", "jsonl"))
    assert json.loads(result.lines[0])["metrics"]["top3"] == 0


def test_the_packaged_descriptions_are_two_hundred_of_forty_novels() -> None:
    by_book = who_data.group_by_book(who_data.read())
    assert len(by_book) == 40
    assert {len(described) for described in by_book.values()} == {5}
    assert not set(by_book) & set(bank.packaged_ids())
    assert len({one.text for described in by_book.values() for one in described}) == 200


def test_packaged_descriptions_are_short_in_small_letters_and_without_the_name() -> None:
    for description in who_data.read():
        assert 2 <= len(description.text.split()) <= 12
        assert description.text == description.text.lower()
        for name in (*description.names, description.called):
            assert f" {name.lower()} " not in f" {description.text} "
