"""scholar who, as a user runs it, and what it stores for a book."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from command_line import Scholar, error_line, invoke_in_home, succeeded
from libraries import add_book, build_once
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.solver import book_characters, cache
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.presence import PresenceMatrix
from scholar_indexes.characters.solver.solver import Solver
from scholar_indexes.characters.solver.weights import FEATURES
from scholar_indexes.types import Character, Gender, Span

TEXT = """
Chapter 1

“The hives came through the frost,” said Anna Hartwell. Anna Hartwell kept bees behind the mill, and
sold honey to the whole village. She wore a veil of black net when she opened a hive.

“You will be stung one day,” said Peter Holcroft. He was a clerk, and wrote a beautiful hand.

“Bees know who is honest, Mr. Holcroft,” said Anna. “Smoke keeps them quiet.”

“Then I had better stand back,” said Peter Holcroft, and he laughed without any pleasure.

Clara Dunmore taught the children to sing. “They have no ear,” said Clara Dunmore to Anna. “I teach
the choir the same hymn every week, and every week they sing it flat.”

“Give them honey,” said Anna Hartwell. “Honey mends a throat.”

Chapter 2

At night Peter Holcroft forged the signature of the old squire upon a cheque. He held the paper to
the lamp, and traced each letter, and forged it again. “Nobody will know,” said Peter Holcroft.

“I know,” said George Tansley at the door. “You have robbed the squire.”

“Be silent, Tansley!” cried Peter Holcroft.

George Tansley walked home by the weir. In the dark George Tansley slipped, and was drowned at the
weir before the miller could reach him.

“They have drawn poor George Tansley out of the water,” said Clara Dunmore. “He is drowned.”

“The bees were told this morning,” said Anna Hartwell. “I tied crape upon each hive.”

“Tansley was an honest man,” said Clara Dunmore, and the children sang for him.

Chapter 3

“The bank has sent back the cheque,” said Clara Dunmore. “The signature was forged.”

“I never touched it,” said Peter Holcroft. “Ask George Tansley. You cannot ask him, Miss Dunmore.”

“No,” said Anna Hartwell, “for he is drowned; but he wrote to me the night he died.”

Peter Holcroft sat down. Anna Hartwell laid the letter of George Tansley upon the table.

“Sing something, Clara,” said Anna. Clara Dunmore sang, and the children sang with her.
"""

BANK = [
    {
        "name": "Anna Hartwell",
        "aliases": ["the beekeeper", "Clara"],
        "gender": "female",
        "descriptions": [{"level": 1, "text": "the woman who keeps bees"}],
    },
    {
        "name": "Miss Abigail Nobody",
        "gender": "female",
        "descriptions": [{"level": 1, "text": "the woman who is not there"}],
    },
]


@pytest.fixture(scope="session")
def weir_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with one small book whose characters are known, to be copied."""

    def build(folder: Path) -> None:
        add_book(folder / "home", folder / "weir.txt", TEXT, "The Weir")
        succeeded(invoke_in_home(folder / "home", "who", "the woman who keeps bees", "-b", "weir"))

    return build_once(tmp_path_factory, "weir", build) / "home"


@pytest.fixture
def weir_home(weir_library: Path, home: Path) -> Path:
    """Return this test's home with that book."""
    shutil.copytree(weir_library, home)
    return home


def folder_of(home: Path) -> Path:
    (folder,) = (home / "data" / "books").glob("own-the-weir.*")
    return folder


def add(scholar: Scholar, path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    succeeded(scholar("add", str(path), "--language", "en"))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        pytest.param("", "describes nobody", id="empty"),
        pytest.param("  \n\t ", "describes nobody", id="blank"),
        pytest.param("of the and to", "describes nobody", id="function words"),
        pytest.param("the woman who", "describes nobody", id="anybody"),
        pytest.param("1815 !?", "describes nobody", id="no words"),
        pytest.param("\x1b[31m\x00", "describes nobody", id="control characters"),
        pytest.param("Mr. Holcroft", "scholar describe 'Peter Holcroft'", id="a name"),
    ],
)
def test_an_empty_description_is_one_error_line(
    scholar: Scholar, weir_home: Path, description: str, message: str
) -> None:
    assert message in error_line(scholar("who", description, "-b", "weir"), 2)


def test_a_missing_book_is_an_error(scholar: Scholar, weir_home: Path) -> None:
    assert "no book is called" in error_line(scholar("who", "the singer", "-b", "emma"), 4)


def test_with_several_books_one_must_be_named(
    scholar: Scholar, weir_home: Path, tmp_path: Path
) -> None:
    add(scholar, tmp_path / "silence.txt", "Chapter 1\n\n" + "It rained on the sea. " * 40)
    message = error_line(scholar("who", "the woman who keeps bees"), 2)
    assert "there are 2 books" in message
    assert "own-the-weir The Weir" in message


def test_a_book_in_which_nobody_speaks_says_so(scholar: Scholar, tmp_path: Path) -> None:
    add(scholar, tmp_path / "silence.txt", "Chapter 1\n\n" + "It rained on the sea. " * 40)
    assert "nobody speaks" in error_line(scholar("who", "the singer"), 5)


def test_a_book_without_characters_says_what_to_do(scholar: Scholar, tmp_path: Path) -> None:
    talk = "“It rains,” said somebody. “It rains on the sea again.” The sea was grey.\n\n"
    add(scholar, tmp_path / "nobody.txt", "Chapter 1\n\n" + talk * 5)
    assert "scholar find" in error_line(scholar("who", "the singer"), 5)


def test_a_book_outside_the_index_says_what_to_do(scholar: Scholar, weir_home: Path) -> None:
    (folder_of(weir_home) / cache.FILE).unlink()
    shutil.rmtree(weir_home / "data" / "index.lance")
    message = error_line(scholar("who", "the woman who keeps bees"), 4)
    assert "scholar index rebuild" in message


@pytest.mark.parametrize(
    ("description", "name", "words"),
    [
        pytest.param("the woman who keeps bees", "Anna Hartwell", "bees", id="bees"),
        pytest.param("the clerk who forges a signature", "Peter Holcroft", "forged", id="forger"),
        pytest.param("the man who is drowned", "George Tansley", "drowned", id="drowned"),
        pytest.param("the teacher of a choir", "Clara Dunmore", "choir", id="choir"),
    ],
)
def test_the_likeliest_character_comes_first_with_passages_that_say_so(
    scholar: Scholar, weir_home: Path, description: str, name: str, words: str
) -> None:
    candidates = succeeded(scholar("who", description, "--json")).json
    assert [candidate["rank"] for candidate in candidates] == list(range(1, len(candidates) + 1))
    assert candidates[0]["name"] == name
    assert any(words in passage["quote"] for passage in candidates[0]["passages"])
    assert sum(candidate["probability"] for candidate in candidates) == pytest.approx(1, abs=0.01)
    assert candidates == sorted(candidates, key=lambda candidate: -candidate["probability"])


def test_an_answer_to_a_description_without_a_word_of_the_book_is_labelled_a_guess(
    scholar: Scholar, weir_home: Path
) -> None:
    assert "may be a guess" in succeeded(scholar("who", "zzqx vfgr", "-b", "weir")).stderr
    assert "guess" not in succeeded(scholar("who", "she keeps bees", "-b", "weir")).stderr


def test_passages_are_at_their_locators_in_the_book(scholar: Scholar, weir_home: Path) -> None:
    text = (folder_of(weir_home) / "text.txt").read_text("utf-8")
    for candidate in succeeded(scholar("who", "the woman who keeps bees", "--json")).json:
        for passage in candidate["passages"]:
            stored = text[passage["start"] : passage["end"]]
            assert " ".join(stored.split()) == passage["quote"]
            shown = succeeded(scholar("show", passage["locator"], "--json")).json
            assert shown["locator"] == passage["locator"]


def test_characters_whom_a_description_names_come_last(scholar: Scholar, weir_home: Path) -> None:
    candidates = succeeded(
        scholar("who", "the man who robs the squire and scolds Tansley", "--json")
    ).json
    assert candidates[0]["name"] == "Peter Holcroft"
    assert candidates[-1]["name"] == "George Tansley"
    assert candidates[-1]["probability"] < 0.01


def test_a_description_comes_from_stdin_too(scholar: Scholar, weir_home: Path) -> None:
    result = succeeded(scholar("who", "-", "-n", "1", "--json", stdin=b"keeps \xff bees\n"))
    assert [candidate["name"] for candidate in result.json] == ["Anna Hartwell"]


def test_reasons_are_given_where_they_are_asked_for(scholar: Scholar, weir_home: Path) -> None:
    plain = succeeded(scholar("who", "the woman who keeps bees", "--json")).json
    assert "explain" not in plain[0]
    explained = succeeded(scholar("who", "the woman who keeps bees", "--json", "--explain")).json
    weights = [feature["weight"] for feature in explained[0]["explain"]]
    assert weights == sorted(weights, key=lambda weight: -abs(weight))
    assert len(weights) == len(FEATURES) + 2
    genders = {
        candidate["name"]: next(
            why["weight"] for why in candidate["explain"] if "gender" in why["why"]
        )
        for candidate in explained
    }
    assert genders["Anna Hartwell"] > genders["Peter Holcroft"]


@pytest.mark.parametrize(
    ("format", "line"),
    [
        pytest.param("table", " 1  Anna Hartwell  ", id="table"),
        pytest.param("plain", "Anna Hartwell\t", id="plain"),
        pytest.param("csv", "rank,probability,name,quote,locator", id="csv"),
        pytest.param("md", "1. **Anna Hartwell**, ", id="markdown"),
        pytest.param("jsonl", '{"schema_version": 1, "rank": 1, ', id="json lines"),
    ],
)
def test_every_format_begins_with_the_likeliest(
    scholar: Scholar, weir_home: Path, format: str, line: str
) -> None:
    result = succeeded(scholar("who", "the woman who keeps bees", "--explain", "--format", format))
    assert result.lines[0].startswith(line)
    assert "own-the-weir:1." in result.stdout


def test_a_second_question_needs_neither_index_nor_dialogue(
    scholar: Scholar, weir_home: Path
) -> None:
    before = succeeded(scholar("who", "the man who is drowned", "--json")).json
    shutil.rmtree(weir_home / "data" / "index.lance")
    (folder_of(weir_home) / "dialogue-trained.json").unlink()
    assert succeeded(scholar("who", "the man who is drowned", "--json")).json == before


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(bytes(data))


def _rewritten(path: Path, **changes: object) -> None:
    with np.load(path) as arrays:
        there = dict(arrays)
    head = json.loads(there["head"].tobytes())
    head.update({name: value for name, value in changes.items() if name in head})
    there.update({name: value for name, value in changes.items() if name in there})
    there["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(path, **there)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: path.unlink(), id="gone"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"PK\x03\x04 not a file"), id="no file"),
        pytest.param(_cut, id="cut"),
        pytest.param(_spoil, id="one byte"),
        pytest.param(lambda path: _rewritten(path, made_by="another"), id="of another making"),
        pytest.param(lambda path: _rewritten(path, schema_version=0), id="an older form"),
        pytest.param(lambda path: _rewritten(path, people=[["a"]]), id="people of no form"),
        pytest.param(lambda path: _rewritten(path, people=[]), id="fewer people than rows"),
        pytest.param(
            lambda path: _rewritten(path, weights=np.ones(2, np.float32)), id="fewer weights"
        ),
        pytest.param(
            lambda path: _rewritten(path, rows=np.array([10**6], np.int32)), id="rows outside"
        ),
    ],
)
def test_wrong_derived_data_are_silently_built_again(
    scholar: Scholar, weir_home: Path, spoil: Callable[[Path], None]
) -> None:
    before = succeeded(scholar("who", "the man who is drowned", "--json")).json
    path = folder_of(weir_home) / cache.FILE
    whole = path.stat().st_size
    spoil(path)
    result = succeeded(scholar("who", "the man who is drowned", "--json"))
    assert result.json == before
    assert result.stderr == ""
    assert path.stat().st_size == whole
    assert not list(folder_of(weir_home).glob(".who-*"))


def test_names_of_a_persons_own_bank_are_found_too(scholar: Scholar, weir_home: Path) -> None:
    own = weir_home / "data" / "descriptions" / "own-the-weir.jsonl"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("\n".join(map(json.dumps, BANK)), "utf-8")
    candidates = {
        candidate["name"]: candidate
        for candidate in succeeded(scholar("who", "bees", "--json", "-n", "9")).json
    }
    assert "the beekeeper" in candidates["Anna Hartwell"]["aliases"]
    assert "Clara" not in candidates["Anna Hartwell"]["aliases"]
    assert candidates["Anna Hartwell"]["id"] == "anna-hartwell"
    assert "Miss Abigail Nobody" in candidates


def test_without_speech_characters_of_a_bank_can_still_be_meant(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    paragraph = (
        "Anna Hartwell opened the hives. Miss Abigail Nobody rowed across the cold lake.\n\n"
    )
    add(scholar, tmp_path / "lake.txt", "Chapter 1\n\n" + paragraph * 6)
    own = home / "data" / "descriptions" / "own-lake.jsonl"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("\n".join(map(json.dumps, BANK)), "utf-8")
    candidates = succeeded(scholar("who", "the rower on a lake", "--json")).json
    assert {candidate["name"] for candidate in candidates} == {
        "Miss Abigail Nobody",
        "Anna Hartwell",
    }
    assert all(candidate["passages"] for candidate in candidates)


def test_a_damaged_bank_is_reported_and_skipped(scholar: Scholar, weir_home: Path) -> None:
    own = weir_home / "data" / "descriptions" / "own-the-weir.jsonl"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("{", "utf-8")
    result = succeeded(scholar("who", "the woman who keeps bees", "-n", "1", "--json"))
    assert result.json[0]["name"] == "Anna Hartwell"
    assert "line 1" in result.stderr
    assert own.read_text("utf-8") == "{"


ANNA = Character("anna", "Anna", ("Anna", "Anna Hartwell"), Gender.FEMALE)
MISS = Character("miss-hartwell", "Miss Hartwell", ("Miss Hartwell",), Gender.FEMALE)
PETER = Character("peter", "Peter Holcroft", ("Peter Holcroft", "Peter"), Gender.MALE)


def described(*records: dict[str, object]) -> list[DescribedCharacter]:
    return list(bank.parse("\n".join(map(json.dumps, records)), "people"))


def of_book(text: str, cast: list[Character], known: list[DescribedCharacter]) -> list[Character]:
    return list(book_characters.select_characters(text, Dialogue(tuple(cast), (), ()), known))


def test_rare_characters_are_left_out_unless_a_bank_describes_them() -> None:
    text = "Anna saw Peter. " * book_characters.MIN_OCCURRENCES + "Anna saw Miss Hartwell. "
    cast = [PETER, ANNA, MISS]
    assert [character.id for character in of_book(text, cast, [])] == ["anna", "peter"]
    rare = described({"name": "Miss Hartwell", "descriptions": [{"level": 1, "text": "her"}]})
    assert [character.id for character in of_book(text, cast, rare)] == [
        "anna",
        "peter",
        "miss-hartwell",
    ]


def test_one_in_the_bank_who_is_two_in_the_cast_becomes_one() -> None:
    characters = of_book("Anna saw Miss Hartwell. " * 9, [MISS, ANNA, PETER], described(BANK[0]))
    assert [character.name for character in characters] == ["Anna Hartwell"]
    assert {"Anna", "Miss Hartwell", "the beekeeper"} <= set(characters[0].aliases)
    assert characters[0].id in ("anna", "miss-hartwell")


def test_a_character_who_shares_a_surname_with_the_bank_is_another() -> None:
    wife = Character("mrs-hartwell", "Mrs. Hartwell", ("Mrs. Hartwell",), Gender.FEMALE)
    known = described({"name": "Mrs. Hartwell", "descriptions": [{"level": 1, "text": "her"}]})
    characters = of_book("Anna saw Mrs. Hartwell. " * 9, [ANNA, wife], known)
    assert {character.id: character.aliases for character in characters} == {
        "anna": ANNA.aliases,
        "mrs-hartwell": wife.aliases,
    }


def test_spans_equal_the_rows_at_every_index() -> None:
    rows = np.array([(1, 1, 0, 4), (1, 1, 5, 9), (1, 2, 11, 12)], np.int32)
    spans = cache.Spans(rows)
    assert [*spans] == [Span(0, 4), Span(5, 9), Span(11, 12)]
    assert spans[-1] == Span(11, 12)
    assert spans[1:] == [Span(5, 9), Span(11, 12)]


def test_derived_data_are_read_back_unchanged(tmp_path: Path) -> None:
    chance = np.random.default_rng(7)
    text = "Anna saw Peter. " * 12
    rows = np.array([(1 + at // 6, 1, 16 * at, 16 * at + 15) for at in range(12)], np.int32)
    vectors = chance.normal(size=(12, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    class Stored:
        weights = np.ones(12, np.float32)

        def __len__(self) -> int:
            return 12

    Stored.vectors = vectors
    dialogue = Dialogue((ANNA, PETER), (), ())
    made = cache.build(text, rows, Stored(), dialogue, [], Drawn(8))
    cache.save(tmp_path, "here", made)
    assert cache.load(tmp_path, "there", text, rows) is None
    again = cache.load(tmp_path, "here", text, rows)
    assert again is not None
    assert again.characters == made.characters
    assert again.index.stems.index.terms == made.index.stems.index.terms
    pairs = [
        (getattr(one.index.presence, field.name) for field in fields(PresenceMatrix))
        for one in (made, again)
    ]
    for one, other in zip(*pairs, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(made.sentences.vectors, again.sentences.vectors)
    descriptions = ["who saw Anna", "the one whom Peter saw"]
    tables = [
        Solver(
            one.sentences,
            list(map(Candidate.from_character, one.characters)),
            None,
            Drawn(8),
            one.index,
        ).scores(descriptions)
        for one in (made, again)
    ]
    np.testing.assert_array_equal(*tables)


class Drawn:
    """An encoder with a random vector for each text, the same every time."""

    space = "drawn"

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = np.random.default_rng(list(text.encode())).normal(size=self.dimensions)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_claims = encode

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self.encode(sentences), np.ones(len(sentences), np.float32)
