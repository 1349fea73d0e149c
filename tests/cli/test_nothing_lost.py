"""A file of the library that is damaged or missing: no other book answers in its place, nothing is
forgotten, and no good backup is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandResult, Scholar, error_line, succeeded
from kept_things import ASHORE
from scholar_indexes.health import examine
from scholar_indexes.library import Library

QUAY, PIER = "own-the-quay", "own-the-pier"


def folder_of(home: Path, book: str) -> Path:
    [folder] = (home / "data" / "books").glob(f"{book}.*")
    return folder


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def in_quay(harm: Callable[[Path], None], name: str) -> Callable[[Path], None]:
    return lambda home: harm(folder_of(home, QUAY) / name)


def swapped(name: str) -> Callable[[Path], None]:
    return lambda home: swap(folder_of(home, QUAY) / name, folder_of(home, PIER) / name)


HARMS: Mapping[str, tuple[Callable[[Path], None], set[str]]] = {
    "a bit of the text": (in_quay(flip_a_bit, "text.txt"), {QUAY}),
    "no text": (in_quay(Path.unlink, "text.txt"), {QUAY}),
    "a bit of the chapters": (in_quay(flip_a_bit, "chapters.json"), {QUAY}),
    "no chapters": (in_quay(Path.unlink, "chapters.json"), {QUAY}),
    "a bit of the record": (in_quay(flip_a_bit, "book.json"), {QUAY}),
    "no folder": (in_quay(shutil.rmtree, ""), {QUAY}),
    "texts swapped": (swapped("text.txt"), {QUAY, PIER}),
    "chapters swapped": (swapped("chapters.json"), {QUAY, PIER}),
    "records swapped": (swapped("book.json"), {QUAY, PIER}),
    "folders swapped": (swapped(""), {QUAY, PIER}),
    "a bit of the sentences": (in_quay(flip_a_bit, "sentences.npy"), set()),
    "a bit of the imprint": (in_quay(flip_a_bit, "imprint.json"), set()),
}


@pytest.mark.parametrize("harm", HARMS)
def test_no_other_book_answers_for_one_that_cannot_be_read(
    scholar: Scholar, everything: Path, tmp_path: Path, harm: str
) -> None:
    """The sentence is in both books, but its exact words are only in the quay."""
    damage, unread = HARMS[harm]
    damage(everything)
    essay = tmp_path / "essay.md"
    essay.write_text(f"“{ASHORE}”\n", "utf-8")
    for line in (("locate", ASHORE), ("check", str(essay))):
        answer = scholar(*line, "--json")
        [record] = answer.json
        if not unread:
            assert (answer.exit_code, record["status"]) == (0, "verbatim")
            assert record["book"]["id"] == QUAY
            continue
        assert (answer.exit_code, record["status"], record["book"]) == (1, "unknown", None)
        assert {book["id"] for book in record["not_searched"]} == unread
        assert all(book["title"] and "damaged" in book["reason"] for book in record["not_searched"])
        assert all(f"not searched: {book}" in answer.stderr for book in unread)


def test_a_verbatim_answer_of_a_book_that_can_be_read_stays_one(
    scholar: Scholar, everything: Path
) -> None:
    flip_a_bit(folder_of(everything, QUAY) / "text.txt")
    quoted = ASHORE.replace("nobody had", "no friend had")
    answer = succeeded(scholar("locate", quoted, "--json"))
    [record] = answer.json
    assert (record["status"], record["book"]["id"]) == ("verbatim", PIER)
    assert [book["id"] for book in record["not_searched"]] == [QUAY]
    assert f"not searched: {QUAY}" in answer.stderr
    assert f"not searched: {QUAY}" in succeeded(scholar("locate", quoted)).stderr


def records_of(answer: CommandResult) -> list[dict[str, Any]]:
    try:
        parsed = answer.json
    except ValueError:
        return [json.loads(line) for line in answer.lines]
    return parsed if isinstance(parsed, list) else [parsed]


LISTS = [
    "find --json HERSELF",
    "find --claims CLAIMS",
    "kwic letter --json",
    "kwic said --collocates --json",
    "kwic letter --frequency book --json",
    "speakers --all --json",
    "speakers --all --format jsonl",
]


@pytest.mark.parametrize("line", LISTS)
def test_answers_of_several_books_name_one_that_cannot_be_read(
    scholar: Scholar, everything: Path, tmp_path: Path, line: str
) -> None:
    claims = tmp_path / "claims.txt"
    claims.write_text("somebody burnt a letter\n", "utf-8")
    words = {"HERSELF": "somebody burnt a letter", "CLAIMS": str(claims)}
    arguments = [words.get(word, word) for word in line.split()]
    whole = succeeded(scholar(*arguments))
    assert "not_searched" not in whole.stdout
    flip_a_bit(folder_of(everything, QUAY) / "text.txt")
    answer = scholar(*arguments)
    assert answer.exit_code == 1
    records = records_of(answer)
    assert records
    for record in records:
        assert [book["id"] for book in record["not_searched"]] == [QUAY]
        assert {hit["book"]["id"] for hit in record.get("hits", ())} <= {PIER}
        assert record.get("book", {}).get("id") in (PIER, None)
    assert QUAY in answer.stderr or "--claims" in line


REFUSALS = [
    "find letter -b quay",
    "kwic letter -b quay",
    "speakers quay",
    "cite own-the-quay:1.1",
    "cite own-the-quay",
    "show own-the-quay:1.1",
    "describe Hale -b quay",
    "export -c hope",
]


@pytest.mark.parametrize("line", REFUSALS)
def test_a_question_about_one_book_that_cannot_be_read_is_an_error(
    scholar: Scholar, everything: Path, line: str
) -> None:
    flip_a_bit(folder_of(everything, QUAY) / "text.txt")
    assert QUAY in error_line(scholar(*line.split()), 1)


OWN_FILES = {
    "desk.sqlite": "collections",
    "quiz.sqlite": "quizzes",
    "papers.sqlite": "papers",
    "corrections/own-the-quay.toml": "corrections",
    "corrections/own-the-quay.before.toml": "corrections",
    "descriptions/own-the-quay.jsonl": "quizzes",
}
"""The files that a user made, and the check of the doctor that reads each."""

USES = {
    "desk.sqlite": "collection list",
    "quiz.sqlite": "quiz stats",
    "papers.sqlite": "papers list",
    "corrections/own-the-quay.toml": "characters quay --corrections",
    "descriptions/own-the-quay.jsonl": "quiz export -b quay --to json",
}


def failed_checks(library: Library) -> dict[str, str]:
    return {check.name: check.detail for check in examine(library) if not check.passed}


def content_of(home: Path) -> dict[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in (home / "data").rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


@pytest.mark.parametrize("harm", [Path.unlink, flip_a_bit], ids=["gone", "a bit flipped"])
@pytest.mark.parametrize("name", OWN_FILES)
def test_damage_to_user_data_is_named_and_no_good_backup_is_lost(
    scholar: Scholar,
    everything: Path,
    tmp_path: Path,
    name: str,
    harm: Callable[[Path], None],
) -> None:
    backup = tmp_path / "library.tar.gz"
    succeeded(scholar("backup", str(backup), "--no-index"))
    good = backup.read_bytes()
    path = everything / "data" / name
    harm(path)
    if name.endswith("before.toml") and path.exists():
        return  # nothing reads it, so only its loss is noticed
    before = content_of(everything)
    failed = failed_checks(Library.of_user())
    assert set(failed) == {OWN_FILES[name]}
    assert path.name in failed[OWN_FILES[name]]
    assert content_of(everything) == before  # the doctor only reads
    refused = scholar("backup", str(backup), "--no-index")
    assert refused.exit_code == 1
    assert path.name in refused.stderr
    is_refused = not path.exists() or path.suffix == ".sqlite"
    kept = backup if is_refused else tmp_path / "library.1.tar.gz"
    assert kept.read_bytes() == good
    if name in USES and not (name == "quiz.sqlite" and path.exists()):
        answer = scholar(*USES[name].split())
        assert answer.exit_code
        assert path.name in answer.stderr


@pytest.mark.parametrize("name", OWN_FILES)
def test_a_repair_goes_on_without_what_a_user_made_and_is_gone(
    scholar: Scholar, everything: Path, name: str
) -> None:
    (everything / "data" / name).unlink()
    said = succeeded(scholar("doctor", "--repair"))
    assert "starting a new one" in said.stderr or f"{Path(name).name} is missing" in said.stderr
    if name in USES and not name.startswith("descriptions"):
        succeeded(scholar(*USES[name].split()))


@pytest.mark.parametrize("name", [name for name in OWN_FILES if name.endswith(".sqlite")])
def test_a_repair_keeps_a_damaged_database_under_another_name(
    scholar: Scholar, everything: Path, name: str
) -> None:
    path = everything / "data" / name
    flip_a_bit(path)
    harmed = path.read_bytes()
    doctor = scholar("doctor", "--json")
    assert doctor.exit_code == 1
    [failed] = [check for check in doctor.json if check["result"] != "ok"]
    assert failed["detail"].endswith("run: scholar doctor --repair")
    assert (
        f"{name}.damaged-1, starting a new one" in succeeded(scholar("doctor", "--repair")).stderr
    )
    assert path.with_name(f"{name}.damaged-1").read_bytes() == harmed


DERIVED = {
    "books/own-the-quay.*/people.npz": "people",
    "papers.lance/*.lance/checksums.json": "papers",
    "index.lance/*.lance/checksums.json": "index",
}


@pytest.mark.parametrize("harm", [Path.unlink, flip_a_bit], ids=["gone", "a bit flipped"])
@pytest.mark.parametrize("pattern", DERIVED)
def test_damage_to_derived_data_is_named_and_repaired(
    scholar: Scholar, everything: Path, pattern: str, harm: Callable[[Path], None]
) -> None:
    [path] = (everything / "data").glob(pattern)
    harm(path)
    failed = failed_checks(Library.of_user())
    assert set(failed) == {DERIVED[pattern]}
    assert path.name in failed[DERIVED[pattern]]
    assert "run: scholar" in failed[DERIVED[pattern]]
    succeeded(scholar("doctor", "--repair"))
