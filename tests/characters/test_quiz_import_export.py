"""Banks and histories to other programs, and a person's own descriptions from files."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.characters.descriptions import bank as banks
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.bank_format import COLUMNS, bank_to_jsonl
from scholar_indexes.characters.quiz.bank_import import import_banks, read_banks
from scholar_indexes.characters.quiz.records import Card, QuizAnswer
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.serialize.quiz import (
    ANSWER_COLUMNS,
    answers_to_csv,
    banks_to_csv,
    banks_to_json,
    write_apkg,
)
from scholar_indexes.types import Gender

NOON = datetime(2024, 2, 28, 12, tzinfo=UTC)
BOOK = "own-harbour"
ADA = DescribedCharacter(
    "Ada Finch",
    ("Ada", "Mrs. Finch"),
    Gender.FEMALE,
    (
        Description(
            1,
            "the one who keeps the lamp",
            (
                DescriptionEvidence(f"{BOOK}:1.2:0-9", "“Ada, the lamp!”"),
                DescriptionEvidence(f"{BOOK}:3.1:4-9", "lit, by Ada"),
            ),
        ),
        Description(2, "the neighbour of {Bess Carr}"),
    ),
)
BESS = DescribedCharacter(
    "Bess Carr",
    (),
    Gender.UNKNOWN,
    (
        Description(
            1,
            '=HYPERLINK("http://x.example","the cook")',
            (DescriptionEvidence(BOOK, "-2+3, said Bess"),),
        ),
    ),
)
HARBOUR = {BOOK: [ADA, BESS]}
HEAD = "character,level,description"


def answer(**change: Any) -> QuizAnswer:
    given = {
        "at": NOON,
        "book_id": BOOK,
        "character": "Ada Finch",
        "description": "the lamp keeper",
        "level": 1,
        "kind": "desc2name",
        "question_id": "q",
        "chosen": "=Bess",
        "right": False,
    }
    return QuizAnswer(**{**given, **change})


def card(character: str, description: str, *, knew: bool) -> Card:
    return Card(BOOK, character, description, 3, NOON, 2, 1, knew)


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
        pytest.param(HEAD, "describes nobody", id="headings alone"),
        pytest.param(
            "name,text\nAda,the cook", "line 1: there is no column 'character'", id="other headings"
        ),
        pytest.param(HEAD + "\n,1,the cook", "line 2: it names no character", id="no character"),
        pytest.param(HEAD + "\nAda,1,", "line 2: it has no description", id="no description"),
        pytest.param(HEAD + "\nAda", "line 2: it has no description", id="a short row"),
        pytest.param(HEAD + "\nAda,3,the cook", "line 2: level '3'; write 1 or 2", id="level 3"),
        pytest.param(HEAD + "\nAda,,the cook", "line 2: level ''", id="no level"),
        pytest.param(
            HEAD + "\n\n\nAda,1,the {Bess} cook", "line 4: at level 1", id="a name at level 1"
        ),
        pytest.param(HEAD + "\nAda,2,the cook", "line 2: at level 1", id="no name at level 2"),
        pytest.param(
            HEAD + "\nAda,2,the cook of {Bess}", "line 2: 'Bess' is no other", id="an unknown name"
        ),
        pytest.param(
            HEAD + "\nAda,2,the cook of {Ada}", "line 2: 'Ada' is no other", id="the own name"
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
            HEAD + ",locator\nAda,1,the cook,x:1", "line 2: a passage has", id="half a passage"
        ),
        pytest.param(
            HEAD + ",book\nAda,1,the cook,../../etc",
            "line 2: '../../etc' is no book's id",
            id="a path",
        ),
        pytest.param(HEAD + '\n"Ada\n,1,the cook\n', "line 2: ", id="a quotation mark left open"),
        pytest.param(HEAD + '\n"Ada"x,1,the cook\n', "line 2: ", id="words after a quotation mark"),
        pytest.param(
            HEAD + "\nAda,1," + "x" * 200_000, "line 2: field larger", id="a cell without end"
        ),
        pytest.param(
            HEAD + "\nAda,1,a\nBess,4,b\nCora,5,c\nDora,,d",
            r"line 3: level '4'; write 1 or 2, the others are composed; mend that line "
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
        pytest.param('{"books": {"a/b": []}}', "'a/b' is no book's id", id="a path in JSON"),
        pytest.param('{"books": {}}', "describes nobody", id="no books"),
        pytest.param(
            json.dumps([json.loads(bank_to_jsonl([BESS])), {"name": "Ada", "descriptions": []}]),
            "character 2: Ada has no descriptions",
            id="an undescribed character",
        ),
        pytest.param(b"\xff\xfe" + HEAD.encode("utf-16-le"), "is not UTF-8", id="UTF-16"),
        pytest.param(HEAD.encode() + b"\nAda,1,caf\xe9", "is not UTF-8", id="Latin-1"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
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
    with pytest.raises(UsageError, match="no book's id"):
        import_banks(put(HEAD + "\nAda,1,the cook"), tmp_path / "own", book)


def test_what_is_there_is_replaced_only_when_allowed(put: Any, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    import_banks(put(banks_to_csv(HARBOUR)), folder)
    before = (folder / f"{BOOK}.jsonl").read_bytes()
    path = put(banks_to_csv({"own-b": [BESS], BOOK: [BESS]}))
    with pytest.raises(UsageError, match=r"already, in .*own-harbour\.jsonl"):
        import_banks(path, folder)
    assert [file.name for file in folder.iterdir()] == [f"{BOOK}.jsonl"]
    assert (folder / f"{BOOK}.jsonl").read_bytes() == before
    import_banks(path, folder, replace=True)
    assert sorted(file.name for file in folder.iterdir()) == ["own-b.jsonl", f"{BOOK}.jsonl"]
    assert banks.load_file(folder / f"{BOOK}.jsonl") == [BESS]


def test_an_import_that_cannot_be_written_leaves_what_was(put: Any, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "own-b.jsonl").mkdir(parents=True)
    with pytest.raises(ScholarError, match=r"\A[^\n]*\Z"):
        import_banks(put(banks_to_csv({"own-b": [BESS]})), folder, replace=True)
    assert [path.name for path in folder.iterdir()] == ["own-b.jsonl"]
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
def test_what_was_exported_is_brought_back(
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


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        pytest.param("=1+1", "'=1+1", id="equals"),
        pytest.param("+1+1", "'+1+1", id="plus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at"),
        pytest.param("-2+3", "'-2+3", id="minus"),
        pytest.param("\t=1", "'=1", id="after a tab"),
        pytest.param("'=1", "''=1", id="defused before"),
        pytest.param("- said he", "- said he", id="a dash"),
        pytest.param("-1.5", "-1.5", id="a number"),
        pytest.param("’tis", "’tis", id="an apostrophe"),
    ],
)
def test_a_spreadsheet_calculates_nothing(cell: str, written: str) -> None:
    bank = {BOOK: [DescribedCharacter(cell, (cell,), Gender.UNKNOWN, (Description(1, cell),))]}
    row = list(csv.reader(io.StringIO(banks_to_csv(bank))))[1]
    assert [row[COLUMNS.index(column)] for column in ("character", "aliases", "description")] == [
        written
    ] * 3
    answers = list(csv.reader(io.StringIO(answers_to_csv([answer(chosen=cell)]))))[1]
    assert answers[ANSWER_COLUMNS.index("chosen")] == written


def test_a_history_is_a_table_and_a_list(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(answers_to_csv([answer(), answer(chosen=None)]))))
    assert tuple(rows[0]) == ANSWER_COLUMNS
    assert [row["chosen"] for row in rows] == ["'=Bess", ""]
    assert (rows[0]["at"], rows[0]["right"]) == ("2024-02-28T12:00:00+00:00", "no")
    whole = json.loads(banks_to_json({}, [answer(right=True)]))
    assert (whole["schema"], whole["version"], whole["books"]) == ("scholar-quiz", 1, {})
    assert whole["history"][0]["right"] is True
    assert whole["history"][0]["question_id"] == "q"


_TEXT = (
    st.text(
        st.characters(exclude_categories=["C", "Z"], exclude_characters=";{}") | st.just(" "),
        min_size=1,
        max_size=12,
    )
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
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


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: f"{HEAD}\n{text}".encode("utf-8", "replace"))
)
def test_no_file_does_harm(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "harm"
    path.write_bytes(content)
    with suppress(ScholarError):
        assert read_banks(path, "own-x")


def _notes(path: Path, folder: Path) -> list[tuple[str, str, list[str]]]:
    """Return identity, tags and fields of the notes of a package."""
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["collection.anki2", "media"]
        assert archive.read("media") == b"{}"
        archive.extract("collection.anki2", folder)
    with closing(sqlite3.connect(folder / "collection.anki2")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert (
            db.execute("SELECT count(*) FROM cards").fetchone()
            == db.execute("SELECT count(*) FROM notes").fetchone()
        )
        rows = db.execute("SELECT guid, tags, flds FROM notes ORDER BY id").fetchall()
    return [(guid, tags, fields.split("\x1f")) for guid, tags, fields in rows]


def test_a_deck_has_a_card_for_every_description(tmp_path: Path) -> None:
    path = tmp_path / "out.apkg"
    assert write_apkg(path, HARBOUR, NOON, {BOOK: "The Harbour & Co"}) == 3
    notes = _notes(path, tmp_path)
    first = notes[0][2]
    assert first[:2] == ["the one who keeps the lamp", "Ada Finch"]
    assert "“Ada, the lamp!”" in first[2]
    assert f"{BOOK}:1.2:0-9" in first[2]
    assert first[3] == "The Harbour &amp; Co"
    assert notes[1][2][0] == "the neighbour of Bess Carr"
    assert notes[0][1].split() == ["scholar", "level-1", BOOK]
    assert not list(tmp_path.glob(".out*"))


def test_a_deck_made_again_is_the_same_and_renews_the_old_one(tmp_path: Path) -> None:
    one, two, later = (tmp_path / f"{at}.apkg" for at in range(3))
    for path in (one, two):
        write_apkg(path, HARBOUR, NOON)
    assert one.read_bytes() == two.read_bytes()
    changed = DescribedCharacter(
        ADA.name, (), ADA.gender, (Description(1, ADA.descriptions[0].text),)
    )
    write_apkg(later, {BOOK: [changed]}, datetime(2025, 1, 1, tzinfo=UTC))
    assert _notes(later, tmp_path)[0][0] == _notes(one, tmp_path)[0][0]


def test_cards_of_the_history_are_tagged_and_added(tmp_path: Path) -> None:
    path = tmp_path / "out.apkg"
    cards = [
        card("Ada Finch", "the one who keeps the lamp", knew=False),
        card("Ada Finch", "the neighbour of the cook", knew=True),
    ]
    assert write_apkg(path, HARBOUR, NOON, cards=cards) == 4
    tags = {fields[0]: tags.split()[3:] for _, tags, fields in _notes(path, tmp_path)}
    assert tags["the one who keeps the lamp"] == ["missed"]
    assert tags["the neighbour of the cook"] == ["known"]
    assert tags["the neighbour of Bess Carr"] == []


@pytest.mark.parametrize(
    ("text", "field"),
    [
        pytest.param(
            "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;", id="markup"
        ),
        pytest.param(
            "[latex]\\input{/etc/passwd}[/latex]",
            "&#91;latex]\\input&#123;/etc/passwd}&#91;/latex]",
            id="LaTeX",
        ),
        pytest.param("[sound:x.mp3]", "&#91;sound:x.mp3]", id="a sound"),
        pytest.param("{{Character}}", "&#123;&#123;Character}}", id="a field"),
        pytest.param("a\x1fb\x00c", "abc", id="the separator of fields"),
    ],
)
def test_text_is_only_text_to_anki(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "out.apkg"
    cards = [card(text, text, knew=False)]
    description = Description(1, "the cook", (DescriptionEvidence(text, text),))
    write_apkg(
        path,
        {BOOK: [DescribedCharacter("Ada", (), Gender.UNKNOWN, (description,))]},
        NOON,
        {BOOK: text},
        cards,
    )
    first, second = (fields for _, _, fields in _notes(path, tmp_path))
    assert first[2].count(field) == 2
    assert second[:2] == [field, field]
    assert len(first) == len(second) == 4


def test_a_deck_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to export"):
        write_apkg(tmp_path / "out.apkg", {BOOK: []}, NOON)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["missing/out.apkg", "folder", "file/out.apkg"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ScholarError, match=r"\A[^\n]*\Z"):
        write_apkg(tmp_path / place, HARBOUR, NOON)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_nothing_is_left_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    write_apkg(tmp_path / "out.apkg", HARBOUR, NOON)
    assert list(folder.iterdir()) == []


def test_a_cell_has_a_limit_whatever_another_reader_allows(tmp_path: Path) -> None:
    """The limit of csv itself is one for the whole process, and papers need a larger one."""
    (tmp_path / "long.csv").write_text(HEAD + "\nAda,1," + "x" * 200_000, "utf-8")
    before = csv.field_size_limit(10_000_000)
    try:
        with pytest.raises(Damaged, match="line 2: field larger"):
            import_banks(tmp_path / "long.csv", tmp_path / "own", "own-x")
    finally:
        csv.field_size_limit(before)
