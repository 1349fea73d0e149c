"""Cache files of a book: saved under a version and a key, absent under any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.derived import (
    DerivedFile,
    character_record,
    parse_character,
    text_array,
)
from scholar_indexes.types import Character, Gender

RECORD = {"names": ["Éva", "“X”"]}


def names(record: Mapping[str, Any]) -> list[str]:
    return list(record["names"])


def names_and_sum(record: Mapping[str, Any], arrays: Mapping[str, Any]) -> tuple[list[str], int]:
    return names(record), int(arrays["numbers"].sum())


@pytest.fixture
def json_file(tmp_path: Path) -> DerivedFile:
    file = DerivedFile(tmp_path / "names.json", 2, "rules 1")
    file.save_record(RECORD)
    return file


@pytest.fixture
def archive(tmp_path: Path) -> DerivedFile:
    file = DerivedFile(tmp_path / "names.npz", 2, "rules 1")
    file.save_arrays(RECORD, {"numbers": np.arange(4)})
    return file


def test_a_record_is_loaded_as_it_was_saved(json_file: DerivedFile) -> None:
    assert json_file.load_record(names) == RECORD["names"]


def test_a_record_is_json_with_its_version_and_key_first(json_file: DerivedFile) -> None:
    stored = json.loads(json_file.path.read_text("utf-8"))
    assert len(stored.pop("sha256")) == 64
    assert list(stored.items()) == [
        ("schema_version", 2),
        ("made_by", "rules 1"),
        *RECORD.items(),
    ]


def test_arrays_are_loaded_as_they_were_saved(archive: DerivedFile) -> None:
    assert archive.load_arrays(names_and_sum) == (RECORD["names"], 6)


@pytest.mark.parametrize(("version", "key"), [(1, "rules 1"), (2, "rules 2")])
def test_another_version_or_key_counts_as_absent(
    json_file: DerivedFile, archive: DerivedFile, version: int, key: str
) -> None:
    assert DerivedFile(json_file.path, version, key).load_record(names) is None
    assert DerivedFile(archive.path, version, key).load_arrays(names_and_sum) is None


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut"),
        pytest.param(lambda content: b"[" * 100_000, id="deeply nested"),
        pytest.param(lambda content: b"[1, 2]", id="a list"),
        pytest.param(lambda content: b"\xff\xfe", id="no text"),
    ],
)
def test_a_damaged_file_counts_as_absent(
    json_file: DerivedFile, archive: DerivedFile, damage: Callable[[bytes], bytes]
) -> None:
    for file in (json_file, archive):
        file.path.write_bytes(damage(file.path.read_bytes()))
    assert json_file.load_record(names) is None
    assert archive.load_arrays(names_and_sum) is None


def test_a_file_that_is_not_there_counts_as_absent(tmp_path: Path) -> None:
    file = DerivedFile(tmp_path / "file", 1, "key")
    assert file.load_record(names) is None
    assert file.load_arrays(names_and_sum) is None


@pytest.mark.parametrize("error", [KeyError, IndexError, OverflowError, ValueError])
def test_a_record_that_cannot_be_parsed_counts_as_absent(
    json_file: DerivedFile, error: type[Exception]
) -> None:
    def parse(record: Mapping[str, Any]) -> None:
        raise error

    assert json_file.load_record(parse) is None


def test_a_file_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("", "utf-8")
    file = DerivedFile(tmp_path / "folder" / "file", 1, "key")
    with pytest.raises(ScholarError, match="is in the way of a folder"):
        file.save_record(RECORD)


@pytest.mark.parametrize("gender", Gender)
def test_a_character_comes_back_from_its_record(gender: Gender) -> None:
    character = Character("eva", "Éva", ("Éva", "Eve"), gender, narrator=True)
    assert parse_character(json.loads(json.dumps(character_record(character)))) == character


def test_the_text_of_an_array_is_utf_8() -> None:
    assert text_array("é\ud800").tobytes() == "é?".encode()


def test_a_record_with_a_changed_name_counts_as_absent(json_file: DerivedFile) -> None:
    stored = json_file.path.read_text("utf-8")
    assert "Éva" in stored
    json_file.path.write_text(stored.replace("Éva", "Eva"), "utf-8")
    assert json_file.load_record(names) is None


def test_a_record_from_before_there_were_hashes_is_loaded(json_file: DerivedFile) -> None:
    stored = json.loads(json_file.path.read_text("utf-8"))
    del stored["sha256"]
    json_file.path.write_text(json.dumps(stored), "utf-8")
    assert json_file.load_record(names) == RECORD["names"]
