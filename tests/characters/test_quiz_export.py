"""Banks and histories written for other programs: tables, lists, Anki."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harbour_bank import ADA, BOOK, HARBOUR, HEAD, NOON, answer
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.bank_format import COLUMNS, write_files
from scholar_indexes.characters.quiz.bank_import import import_banks
from scholar_indexes.characters.quiz.quiz_records import Card
from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.sanitize import safe, visible
from scholar_indexes.serialize.quiz import (
    ANSWER_COLUMNS,
    answers_to_csv,
    banks_to_apkg,
    banks_to_csv,
    banks_to_json,
)
from scholar_indexes.types import Gender


def card(character: str, description: str, *, knew: bool) -> Card:
    return Card(BOOK, character, description, 3, NOON, 2, 1, knew)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        pytest.param("=1+1", "'=1+1", id="equals"),
        pytest.param("+1+1", "'+1+1", id="plus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at"),
        pytest.param("-2+3", "'-2+3", id="minus"),
        pytest.param("\t=1", "'=1", id="after a tab"),
        pytest.param("'=1", "''=1", id="defused before"),
        pytest.param("- said he", "'- said he", id="a dash and a blank"),
        pytest.param("-", "-", id="a dash"),
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
    path.write_bytes(banks_to_apkg(HARBOUR, NOON, {BOOK: "The Harbour & Co"}))
    notes = _notes(path, tmp_path)
    assert len(notes) == 3
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
        path.write_bytes(banks_to_apkg(HARBOUR, NOON))
    assert one.read_bytes() == two.read_bytes()
    changed = DescribedCharacter(
        ADA.name, (), ADA.gender, (Description(1, ADA.descriptions[0].text),)
    )
    later.write_bytes(banks_to_apkg({BOOK: [changed]}, datetime(2025, 1, 1, tzinfo=UTC)))
    assert _notes(later, tmp_path)[0][0] == _notes(one, tmp_path)[0][0]


def test_cards_of_the_history_are_tagged_and_added(tmp_path: Path) -> None:
    path = tmp_path / "out.apkg"
    cards = [
        card("Ada Finch", "the one who keeps the lamp", knew=False),
        card("Ada Finch", "the neighbour of the cook", knew=True),
    ]
    path.write_bytes(banks_to_apkg(HARBOUR, NOON, cards=cards))
    assert len(_notes(path, tmp_path)) == 4
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
    bank = [DescribedCharacter("Ada", (), Gender.UNKNOWN, (description,))]
    path.write_bytes(banks_to_apkg({BOOK: bank}, NOON, {BOOK: text}, cards))
    first, second = (fields for _, _, fields in _notes(path, tmp_path))
    passage = field if safe(text) == text else visible(text)
    assert first[2].startswith(f"<blockquote>{passage}<")
    assert first[2].count(field) == (2 if passage == field else 1)
    assert second[:2] == [field, field]
    assert len(first) == len(second) == 4


def test_anki_shows_the_italics_of_a_passage(tmp_path: Path) -> None:
    path = tmp_path / "out.apkg"
    proof = DescriptionEvidence("own-harbour:1.1:0-9", "He _did_ {go}")
    description = Description(1, "the cook", (proof,))
    bank = [DescribedCharacter("Ada", (), Gender.UNKNOWN, (description,))]
    path.write_bytes(banks_to_apkg({BOOK: bank}, NOON))
    ((_, _, fields),) = _notes(path, tmp_path)
    assert "<blockquote>He <em>did</em> &#123;go}<br>" in fields[2]


def test_a_deck_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to export"):
        banks_to_apkg({BOOK: []}, NOON)


@pytest.mark.parametrize("place", ["missing/out.apkg", "folder", "file/out.apkg"])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    path = tmp_path / place
    with pytest.raises(ScholarError, match=r"\A[^\n]*\Z"):
        write_files(path.parent, {path: banks_to_apkg(HARBOUR, NOON)})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_nothing_is_left_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    banks_to_apkg(HARBOUR, NOON)
    assert list(folder.iterdir()) == []


def test_a_cell_has_a_limit_whatever_another_reader_allows(tmp_path: Path) -> None:
    """The field limit of the csv module is global to the process, and papers need a larger one."""
    (tmp_path / "long.csv").write_text(HEAD + "\nAda,1," + "x" * 200_000, "utf-8")
    before = csv.field_size_limit(10_000_000)
    try:
        with pytest.raises(Damaged, match="line 2: field larger"):
            import_banks(tmp_path / "long.csv", tmp_path / "own", "own-x")
    finally:
        csv.field_size_limit(before)
