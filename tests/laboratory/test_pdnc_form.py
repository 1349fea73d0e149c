"""Novels in PDNC's format: as published, with faults, or refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdnc_novels
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Gender


def test_a_folder_that_is_not_there_or_empty_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="no folder"):
        pdnc_data.read(tmp_path / "none")
    with pytest.raises(NotThere, match=r"novel_text\.txt"):
        pdnc_data.read(tmp_path)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        pytest.param("quotation_info.csv", "[[12, ", "[[x, ", "row 1", id="no number"),
        pytest.param("quotation_info.csv", "[[12, 24]", "[[12, 99999]", "row 1", id="outside"),
        pytest.param("quotation_info.csv", "speaker", "who", "no column", id="a column"),
        pytest.param("character_info.csv", "{", "(((", "row 1", id="aliases"),
    ],
)
def test_a_broken_table_is_named_with_its_row(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    folder = pdnc_novels.write(tmp_path / "Novel")
    replace(folder / name, old, new)
    with pytest.raises(UsageError, match=message) as refusal:
        pdnc_data.read(tmp_path)
    assert name in str(refusal.value)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    folder = pdnc_novels.write(tmp_path / "Novel")
    (folder / "character_info.csv").unlink()
    with pytest.raises(UsageError, match=r"character_info\.csv is missing"):
        pdnc_data.read(tmp_path)


def test_a_novel_has_its_characters_and_who_says_what(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel")
    (novel,) = pdnc_data.read(tmp_path)
    assert [character.name for character in novel.cast] == ["Ann Marsh", "Ben Hale", "Cora Finch"]
    assert [character.gender for character in novel.cast] == [
        Gender.FEMALE,
        Gender.MALE,
        Gender.FEMALE,
    ]
    assert novel.cast[0].aliases == ("Ann", "Ann Marsh", "Miss Marsh")
    assert [quotation.of(novel.text) for quotation in novel.quotations] == [
        "It was rain, and the sea.",
        "Why?",
        "The ship left,",
        "Yes,",
    ]
    assert novel.speakers == (0, 1, 0, 2)
    assert novel.kinds == ("Explicit", "Explicit", "Explicit", "Anaphoric")


def test_nobodies_are_no_characters_and_narrators_are(tmp_path: Path) -> None:
    cast = (*pdnc_novels.CAST, ("_narr", ("Narrator",), "X", "minor"))
    quotes = ((("Why?",), "_group", ""), (("The ship left,",), "_narr", "nan"))
    pdnc_novels.write(tmp_path / "Novel", quotes=quotes, cast=cast)
    (novel,) = pdnc_data.read(tmp_path)
    assert novel.speakers == (-1, 3)
    assert novel.kinds == ("", "")
    assert [character.narrator for character in novel.cast] == [False, False, False, True]


def test_white_space_around_pieces_and_names_does_not_count(tmp_path: Path) -> None:
    folder = pdnc_novels.write(tmp_path / "Novel")
    replace(folder / "quotation_info.csv", "[[12, 24]", "[[12, 25], [12, 24]")
    replace(folder / "quotation_info.csv", "Ben,", "Ben ,")
    text = folder / "novel_text.txt"
    text.write_text(text.read_text("utf-8").replace('rain,"', "rain, "), "utf-8")
    (novel,) = pdnc_data.read(tmp_path)
    assert novel.quotations[0].pieces[0].of(novel.text) == "It was rain,"
    assert novel.speakers[1] == 1


def test_frequent_speakers_have_ten_quotations(tmp_path: Path) -> None:
    pdnc_novels.talk(tmp_path / "Novel", seed=1)
    (novel,) = pdnc_data.read(tmp_path)
    counts = {who: novel.speakers.count(who) for who in range(3)}
    assert novel.often == {who for who, count in counts.items() if count >= 10}
    assert novel.often


def test_the_hash_is_of_texts_and_annotation(tmp_path: Path) -> None:
    folder = pdnc_novels.write(tmp_path / "Novel")
    before = pdnc_data.sha256(pdnc_data.read(tmp_path))
    assert before == pdnc_data.sha256(pdnc_data.read(tmp_path))
    replace(folder / "quotation_info.csv", "Anaphoric", "Implicit")
    assert pdnc_data.sha256(pdnc_data.read(tmp_path)) != before
