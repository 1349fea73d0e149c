"""A user's own descriptions read from files, and files that are refused."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbour_bank import ADA, BESS, BOOK, HARBOUR, HEAD, answer
from scholar_indexes import sanitize
from scholar_indexes.characters.descriptions import bank as banks
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.bank_format import bank_to_jsonl
from scholar_indexes.characters.quiz.bank_import import import_banks, read_banks
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.serialize.quiz import (
    banks_to_csv,
    banks_to_json,
)
from scholar_indexes.types import Gender


@pytest.fixture
def put(tmp_path: Path) -> Any:
    """Return a function that writes a file and returns its path."""

    def write(content: str | bytes, name: str = "mine.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "is empty", id="nothing"),
        pytest.param("\n , ,\n", "is empty", id="blanks"),
        pytest.param(HEAD, "has no descriptions", id="headings alone"),
        pytest.param(
            "name,text\nAda,the cook", "line 1: there is no column 'character'", id="other headings"
        ),
        pytest.param(HEAD + "\n,1,the cook", "line 2: it names no character", id="no character"),
        pytest.param(HEAD + "\nAda,1,", "line 2: it has no description", id="no description"),
        pytest.param(HEAD + "\nAda", "line 2: it has no description", id="a short row"),
        pytest.param(HEAD + "\nAda,3,the cook", "line 2: level '3'; write 1 or 2", id="level 3"),
        pytest.param(HEAD + "\nAda,,the cook", "line 2: level ''", id="no level"),
        pytest.param(
            HEAD + "\n\n\nAda,1,the {Bess} cook",
            "line 4: a description has",
            id="a name at level 1",
        ),
        pytest.param(
            HEAD + "\nAda,2,the cook", "line 2: a description has", id="no name at level 2"
        ),
        pytest.param(
            HEAD + "\nAda,2,the cook of {Bess}",
            "line 2: 'Bess' is not another",
            id="an unknown name",
        ),
        pytest.param(
            HEAD + "\nAda,2,the cook of {Ada}", "line 2: 'Ada' is not another", id="the own name"
        ),
        pytest.param(
            HEAD + ",gender\nAda,1,the cook,cook", "line 2: gender 'cook'", id="no gender"
        ),
        pytest.param(
            HEAD + ",gender\nAda,1,the cook,male\nAda,1,the maid,female",
            "line 3: Ada was male",
            id="two genders",
        ),
        pytest.param(
            HEAD + ",locator\nAda,1,the cook,x:1", "line 2: a passage needs", id="half a passage"
        ),
        pytest.param(
            HEAD + ",book\nAda,1,the cook,../../etc",
            "line 2: '../../etc' is not a book id",
            id="a path",
        ),
        pytest.param(HEAD + '\n"Ada\n,1,the cook\n', "line 2: ", id="a quotation mark left open"),
        pytest.param(HEAD + '\n"Ada"x,1,the cook\n', "line 2: ", id="words after a quotation mark"),
        pytest.param(
            HEAD + "\nAda,1," + "x" * 200_000, "line 2: field larger", id="a cell without end"
        ),
        pytest.param(
            HEAD + "\nAda,1,a\nBess,4,b\nCora,5,c\nDora,,d",
            r"line 3: level '4'; write 1 or 2, the others are composed; fix that line "
            r"\(2 more lines are wrong\)",
            id="several lines",
        ),
        pytest.param(
            '{"name": "Ada"}\n{"name": 3}', "line 1: 'descriptions' is missing", id="a bank's line"
        ),
        pytest.param(bank_to_jsonl([ADA, BESS]) + "{", "line 3: ", id="a bank cut off"),
        pytest.param("[1]", "own-x, character 1: ", id="a list of numbers"),
        pytest.param("[" * 100_000, "line 1: ", id="nested without end"),
        pytest.param('{"books": 3}', "has no books in it", id="books that are a number"),
        pytest.param('{"books": {"own-x": {}}}', "there is no list of characters", id="no list"),
        pytest.param('{"books": {"a/b": []}}', "'a/b' is not a book id", id="a path in JSON"),
        pytest.param('{"books": {}}', "has no descriptions", id="no books"),
        pytest.param(
            json.dumps([json.loads(bank_to_jsonl([BESS])), {"name": "Ada", "descriptions": []}]),
            "character 2: Ada has no descriptions",
            id="an undescribed character",
        ),
        pytest.param(b"\xff\xfe" + HEAD.encode("utf-16-le"), "is not UTF-8", id="UTF-16"),
        pytest.param(HEAD.encode() + b"\nAda,1,caf\xe9", "is not UTF-8", id="Latin-1"),
    ],
)
def test_an_invalid_file_is_one_error_line_and_nothing_is_written(
    put: Any, tmp_path: Path, content: str | bytes, message: str
) -> None:
    folder = tmp_path / "own"
    with pytest.raises(Damaged, match=message) as raised:
        import_banks(put(content), folder, "own-x")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600
    assert not folder.exists()


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no file .*check its name"):
        import_banks(tmp_path / "none.csv", tmp_path)
    with pytest.raises(ScholarError, match="cannot be read"):
        import_banks(tmp_path, tmp_path)


def test_a_file_too_large_is_refused_unread(put: Any, tmp_path: Path) -> None:
    path = put(HEAD)
    os.truncate(path, banks.MAX_BYTES + 1)
    with pytest.raises(Damaged, match="larger than 16 MiB; split it"):
        import_banks(path, tmp_path / "own", "own-x")


@pytest.mark.parametrize(
    "content",
    [HEAD + "\nAda,1,the cook", bank_to_jsonl([BESS]), "[]"],
    ids=["csv", "a bank", "an array"],
)
def test_a_book_must_be_named(put: Any, tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError, match="does not say which book"):
        import_banks(put(content), tmp_path / "own")


@pytest.mark.parametrize("book", ["", "../up", "a b", "/etc", "x" * 101, "-x"])
def test_a_book_that_is_no_id_is_refused(put: Any, tmp_path: Path, book: str) -> None:
    with pytest.raises(UsageError, match="is not a book id"):
        import_banks(put(HEAD + "\nAda,1,the cook"), tmp_path / "own", book)


def test_existing_descriptions_are_replaced_only_on_request(put: Any, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    import_banks(put(banks_to_csv(HARBOUR)), folder)
    before = (folder / f"{BOOK}.jsonl").read_bytes()
    path = put(banks_to_csv({"own-b": [BESS], BOOK: [BESS]}))
    with pytest.raises(UsageError, match=r"in .*own-harbour\.jsonl; replace them with --replace,"):
        import_banks(path, folder)
    assert [file.name for file in folder.glob("*.jsonl")] == [f"{BOOK}.jsonl"]
    assert (folder / f"{BOOK}.jsonl").read_bytes() == before
    import_banks(path, folder, replace=True)
    assert sorted(file.name for file in folder.glob("*.jsonl")) == ["own-b.jsonl", f"{BOOK}.jsonl"]
    assert banks.load_file(folder / f"{BOOK}.jsonl") == [BESS]


def test_a_book_by_two_names_is_refused(put: Any, tmp_path: Path) -> None:
    path = put(banks_to_csv({"own-b": [BESS], BOOK: [BESS]}))
    with pytest.raises(UsageError, match="use own-b in all rows"):
        import_banks(path, tmp_path / "own", find_book=lambda named: "own-b")
    assert not (tmp_path / "own").exists()


def test_an_import_that_cannot_be_written_leaves_what_was(put: Any, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "own-b.jsonl").mkdir(parents=True)
    with pytest.raises(ScholarError, match=r"\A[^\n]*\Z"):
        import_banks(put(banks_to_csv({"own-b": [BESS]})), folder, replace=True)
    assert [path.name for path in folder.glob("*.jsonl")] == ["own-b.jsonl"]
    put("in the way", "file")
    with pytest.raises(ScholarError, match=r"\A[^\n]*\Z"):
        import_banks(put(banks_to_csv(HARBOUR)), tmp_path / "file")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(banks_to_csv(HARBOUR), "mine.csv", id="csv"),
        pytest.param(
            "\ufeff" + banks_to_csv(HARBOUR).replace("\n", "\r\n"),
            "mine.csv",
            id="a spreadsheet's csv",
        ),
        pytest.param(banks_to_json(HARBOUR, [answer()]), "mine.json", id="json"),
        pytest.param(
            json.dumps(json.loads(banks_to_json(HARBOUR))["books"][BOOK]),
            "mine.json",
            id="an array",
        ),
        pytest.param(bank_to_jsonl(HARBOUR[BOOK]), "mine.jsonl", id="a bank"),
    ],
)
def test_exported_descriptions_are_imported_unchanged(
    put: Any, tmp_path: Path, content: str, name: str
) -> None:
    (brought,) = import_banks(put(content, name), tmp_path / "own", BOOK)
    assert (brought.book_id, brought.characters, brought.descriptions) == (BOOK, 2, 3)
    assert banks.load_file(brought.path) == HARBOUR[BOOK]


@pytest.mark.parametrize("between", [",", ";", "\t"], ids=["commas", "semicolons", "tabs"])
def test_a_small_table_is_enough(put: Any, tmp_path: Path, between: str) -> None:
    rows = [
        ["Description", "CHARACTER", "Level", "note"],
        ["the cook", "Ada", "1", "!"],
        ["the maid of {Ada}", "Bess", "2"],
    ]
    path = put("\n".join(between.join(row) for row in rows))
    assert read_banks(path, "own-x") == {
        "own-x": [
            DescribedCharacter("Ada", (), Gender.UNKNOWN, (Description(1, "the cook"),)),
            DescribedCharacter("Bess", (), Gender.UNKNOWN, (Description(2, "the maid of {Ada}"),)),
        ]
    }


def test_several_books_come_apart(put: Any, tmp_path: Path) -> None:
    both = {BOOK: [ADA, BESS], "pg1": [BESS]}
    assert (
        read_banks(put(banks_to_csv(both)))
        == read_banks(put(banks_to_json(both), "b.json"))
        == both
    )
    assert [bank.book_id for bank in import_banks(put(banks_to_csv(both)), tmp_path / "own")] == [
        BOOK,
        "pg1",
    ]


def test_control_characters_are_not_brought(put: Any) -> None:
    line = {"name": "Ada\x1b[2J", "descriptions": [{"level": 1, "text": "the\u202e co\ud800ok"}]}
    for content in (json.dumps(line), json.dumps([line]), HEAD + "\nAda\x1b[2J,1,the\u202e cook"):
        (character,) = read_banks(put(content), "own-x")["own-x"]
        assert (character.name, character.descriptions[0].text) == ("Ada[2J", "the cook")


_TEXT = (
    st.text(
        st.characters(exclude_categories=["C", "Z"], exclude_characters=";{}") | st.just(" "),
        min_size=1,
        max_size=12,
    )
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and sanitize.one_line(text) == text)
)


_PROOF = st.builds(DescriptionEvidence, _TEXT, _TEXT)


_DESCRIPTION = st.builds(
    lambda text, proofs: Description(1, text, tuple(proofs)), _TEXT, st.lists(_PROOF, max_size=2)
)


_PERSON = st.builds(
    lambda name, aliases, gender, descriptions: DescribedCharacter(
        name, tuple(aliases), gender, tuple(descriptions)
    ),
    _TEXT,
    st.lists(_TEXT, max_size=2, unique=True),
    st.sampled_from([*Gender]),
    st.lists(_DESCRIPTION, min_size=1, max_size=3, unique_by=lambda description: description.text),
)


@pytest.mark.slow
@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,8}", fullmatch=True),
        st.lists(_PERSON, min_size=1, max_size=3, unique_by=lambda character: character.name),
        min_size=1,
        max_size=2,
    )
)
def test_every_bank_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, books: dict[str, list[DescribedCharacter]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round"
    for text in (banks_to_csv(books), banks_to_json(books)):
        path.write_text(text, "utf-8", newline="")
        assert read_banks(path) == books


@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: f"{HEAD}\n{text}".encode("utf-8", "replace"))
)
def test_no_file_does_harm(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "harm"
    path.write_bytes(content)
    with suppress(ScholarError):
        assert read_banks(path, "own-x")
