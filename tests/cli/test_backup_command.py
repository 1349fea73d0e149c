"""scholar backup and scholar restore, from one machine to another."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandResult, Scholar, error_line, succeeded
from libraries import overwrite
from scholar_indexes.library import Library

CORRECTION = '[[rename]]\nname = "Mr. Hale"\nto = "Edward Hale"\nnote = "his letters"\n'

QUESTIONS = (
    ("books", "list"),
    ("find", "nobody told her to go home", "-n", "5"),
    ("find", "what the visitor repents", "--speaker", "Hale", "-b", "quay"),
    ("show", "own-the-quay:1.1"),
    ("collection", "list"),
    ("collection", "show", "hope"),
    ("speakers", "quay"),
    ("characters", "quay"),
    ("characters", "quay", "--corrections"),
    ("quiz", "stats"),
    ("quiz", "bad"),
    ("papers", "list"),
    ("papers", "similar", "key:1001", "--facet", "method", "-n", "3"),
    ("papers", "find", "sketches", "-n", "3"),
    ("locate", "the letter is burnt"),
)


def answers(scholar: Scholar) -> dict[str, Any]:
    return {" ".join(line): succeeded(scholar(*line, "--json")).json for line in QUESTIONS}


@pytest.fixture
def full_home(quay: Path, dozen_papers: Path, scholar: Scholar, tmp_path: Path) -> Path:
    """Return this test's home with a book, corrections, a collection, an answer and papers."""
    for path in (dozen_papers / "data").glob("papers.*"):
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path, quay / "data" / path.name)
    succeeded(scholar("characters", "quay", "--import", "-", stdin=CORRECTION))
    note = ("--note", "for the conclusion")
    succeeded(scholar("collection", "add", "hope", "own-the-quay:1.1", *note))
    asked = succeeded(scholar("quiz", "-b", "pride", "-n", "1", "--seed", "1", "--json"))
    (tmp_path / "q.json").write_text(asked.stdout, "utf-8")
    wrong = json.dumps({"question_id": asked.json[0]["question_id"], "answer": None})
    succeeded(scholar("quiz", "grade", str(tmp_path / "q.json"), stdin=wrong))
    return quay


def backed_up(scholar: Scholar, path: Path, *options: str) -> CommandResult:
    return succeeded(scholar("backup", str(path), "--json", *options))


def test_a_library_answers_on_another_machine_as_before(
    scholar: Scholar, full_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(scholar)
    path = tmp_path / "library.tar.gz"
    [record] = backed_up(scholar, path).json
    counted = ("books", "papers", "quotations", "notes", "answers")
    assert [record[name] for name in counted] == [1, 12, 1, 1, 1]
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "elsewhere"))
    assert succeeded(scholar("backup", "--check", str(path), "--json")).json == [record]
    assert not (tmp_path / "elsewhere" / "data").exists()
    assert succeeded(scholar("restore", str(path), "--json")).json == [record]
    shutil.rmtree(full_home)
    assert answers(scholar) == before
    assert "--replace" in error_line(scholar("restore", str(path)), 2)


def test_a_library_without_its_index_is_indexed_again(
    scholar: Scholar, full_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(scholar)
    path = tmp_path / "library.tar.gz"
    backed_up(scholar, path, "--no-index")
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "elsewhere"))
    restored = succeeded(scholar("restore", str(path)))
    assert "scholar index rebuild" in restored.stderr
    assert "scholar index rebuild" in error_line(scholar("find", "home"), 4)
    succeeded(scholar("index", "rebuild"))
    assert "scholar papers rebuild" in error_line(scholar("papers", "find", "sketches"), 4)
    succeeded(scholar("papers", "rebuild"))
    assert answers(scholar) == before


def test_passages_in_an_object_store_are_not_backed_up_and_a_message_says_so(
    scholar: Scholar, two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record in the catalogue for one address in the store must not count for another."""
    monkeypatch.setenv("SCHOLAR_INDEX", "s3://books/scholar")
    library = Library.of_user()
    library.passages.mark_indexed(library.books.all())
    path = tmp_path / "library.tar.gz"
    assert "s3://books/scholar and are not included" in backed_up(scholar, path).stderr
    name = library.places.library_id.read_text().strip()
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "elsewhere"))
    assert "run: scholar index rebuild" in succeeded(scholar("restore", str(path))).stderr
    assert "run: scholar index rebuild" in error_line(scholar("find", "the lamp"), 4)
    assert Library.of_user().places.library_id.read_text().strip() != name
    monkeypatch.setenv("SCHOLAR_HOME", str(two_books))
    replaced = succeeded(scholar("restore", str(path), "--replace"))
    assert f"stay in s3://books/scholar/{name}" in replaced.stderr


def test_a_backup_keeps_an_older_one_and_says_what_it_has_less_of(
    scholar: Scholar, everything: Path, tmp_path: Path
) -> None:
    path = tmp_path / "library.tar.gz"
    first = backed_up(scholar, path, "--no-index")
    assert (first.json[0]["kept"], first.json[0]["fewer"]) == (None, {})
    content = path.read_bytes()
    again = backed_up(scholar, path, "--no-index")
    assert f"the previous backup is kept as {tmp_path / 'library.1.tar.gz'}" in again.stderr
    assert "less than" not in again.stderr
    succeeded(scholar("books", "remove", "pier"))
    succeeded(scholar("collection", "remove", "hope", "--all"))
    succeeded(scholar("characters", "quay", "--undo", "1"))
    [record] = (fewer := backed_up(scholar, path, "--no-index")).json
    assert record["kept"] == str(tmp_path / "library.2.tar.gz")
    assert "library.tar.gz has less than library.2.tar.gz: " in fewer.stderr
    assert record["fewer"] == {
        "books": [2, 1],
        "quotations": [2, 0],
        "notes": [2, 0],
        "collections": [1, 0],
        "corrections": [2, 1],
    }
    for told in ("1 books instead of 2", "0 notes instead of 2", "1 corrections instead of 2"):
        assert told in fewer.stderr
    assert (tmp_path / "library.1.tar.gz").read_bytes() == content
    succeeded(scholar("backup", "--check", str(tmp_path / "library.2.tar.gz")))


def test_a_damaged_book_is_carried_as_it_is_and_named(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    overwrite(next((two_books / "data" / "books").glob("own-the-lamplighter.*")) / "text.txt")
    answer = scholar("backup", str(tmp_path / "library.tar.gz"), "--json")
    assert answer.exit_code == 1
    [damaged] = answer.json[0]["damaged"]
    assert "own-the-lamplighter" in damaged
    assert f"included as it is: {damaged}" in answer.stderr
    succeeded(scholar("backup", "--check", str(tmp_path / "library.tar.gz")))


def test_a_backup_replaces_nothing_that_is_no_backup(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    essay = tmp_path / "essay.md"
    essay.write_text("# Mine")
    assert "not a backup" in error_line(scholar("backup", str(essay)), 2)
    assert essay.read_text() == "# Mine"
    assert "is a folder" in error_line(scholar("backup", str(tmp_path)), 2)
    assert "no folder" in error_line(scholar("backup", str(tmp_path / "a" / "b")), 4)


def test_an_impossible_backup_or_restore_is_one_clear_line(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    path = str(tmp_path / "library.tar.gz")
    assert "the library is empty" in error_line(scholar("backup", path), 4)
    for line in (("backup", "--check", path), ("restore", path)):
        assert "there is no file" in error_line(scholar(*line), 4)
    assert "--no-index" in error_line(scholar("backup", "--check", path, "--no-index"), 2)
    (tmp_path / "library.tar.gz").write_text("a text")
    for line in (("backup", "--check", path), ("restore", path)):
        assert "not a complete backup" in error_line(scholar(*line), 1)
    assert not (home / "data" / "catalog.sqlite").exists()
