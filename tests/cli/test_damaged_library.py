"""An index, a list of books or a book that is damaged, older or of another model."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import unicodedata
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from command_line import Scholar, error_line, make_book_text, succeeded
from libraries import overwrite
from scholar_indexes.settings import DEFAULT_MODEL


def test_an_index_of_another_model_asks_for_a_rebuild(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    from scholar_indexes.models.registry import PACKAGED

    model = tmp_path / "other-model"
    shutil.copytree(PACKAGED / DEFAULT_MODEL, model)
    card = json.loads((model / "card.json").read_text("utf-8"))
    card |= {"name": "other-model", "space": "other-model-01234567"}
    (model / "card.json").write_text(json.dumps(card), "utf-8")
    other = ("--model", str(model))
    assert "scholar index rebuild" in error_line(scholar("find", "the widow", *other), 4)
    assert "2 were encoded" in succeeded(scholar("index", "rebuild", *other)).stderr
    for line in ((), other):
        assert succeeded(scholar("find", "the widow", "--json", *line)).json
    succeeded(scholar("index", "rebuild", "--only", *other))
    assert "scholar index rebuild" in error_line(scholar("find", "the widow"), 4)
    succeeded(scholar("index", "rebuild"))
    assert succeeded(scholar("find", "the widow", "--json")).json


def test_an_index_of_an_older_scholar_asks_for_a_rebuild(scholar: Scholar, two_books: Path) -> None:
    [table] = (two_books / "data" / "index.lance").glob("*.lance")
    table.rename(table.with_name(table.name.replace("passages_v1", "passages_v0")))
    with closing(sqlite3.connect(two_books / "data" / "catalog.sqlite")) as database:
        database.execute("UPDATE indexed SET space = replace(space, 'passages_v1', 'passages_v0')")
        database.commit()
    assert "scholar index rebuild" in error_line(scholar("find", "the widow"), 4)
    assert "2 were encoded" in succeeded(scholar("index", "rebuild")).stderr
    assert succeeded(scholar("find", "the widow", "--json")).json
    assert succeeded(scholar("index", "status", "--json")).json["tables_of_other_models"] == []


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("pattern", "harm"),
    [
        pytest.param("*.lance", shutil.rmtree, id="table gone"),
        pytest.param("*.lance/_versions/*", Path.unlink, id="versions gone"),
        pytest.param("*.lance/_versions/*", overwrite, id="versions overwritten"),
        pytest.param("*.lance/data/*.lance", Path.unlink, id="rows gone"),
        pytest.param("*.lance/data/*.lance", cut_short, id="rows cut short"),
        pytest.param("*.lance/data/*.lance", overwrite, id="rows overwritten"),
        pytest.param("*.lance/_indices/*/*", Path.unlink, id="indices gone"),
        pytest.param("*.lance/_indices/*/*", overwrite, id="indices overwritten"),
    ],
)
def test_a_damaged_index_asks_for_a_rebuild_that_mends_it(
    scholar: Scholar, two_books: Path, pattern: str, harm: Callable[[Path], None]
) -> None:
    harmed = list((two_books / "data" / "index.lance").glob(pattern))
    assert harmed
    for path in harmed:
        harm(path)
    result = scholar("find", "the widow asked", "--json")
    line = re.search(r"run: scholar ([a-z -]+)$", error_line(result, result.exit_code))
    assert line, result
    assert result.exit_code in (1, 4)
    doctor = scholar("doctor", "--json")
    assert doctor.exit_code == 1
    assert line[0] in doctor.stdout
    succeeded(scholar(*line[1].split()))
    assert len(succeeded(scholar("find", "the widow asked", "--json")).json) == 10
    succeeded(scholar("doctor"))


@pytest.mark.parametrize("harm", [cut_short, overwrite], ids=["cut short", "overwritten"])
def test_a_damaged_list_of_books_is_named_and_survives(
    scholar: Scholar, two_books: Path, source: Path, harm: Callable[[Path], None]
) -> None:
    catalog = two_books / "data" / "catalog.sqlite"
    harm(catalog)
    harmed = catalog.read_bytes()
    for line in (["books", "list"], ["find", "the widow"], ["add", str(source)]):
        assert "catalog.sqlite is damaged" in error_line(scholar(*line), 1)
    assert catalog.read_bytes() == harmed
    catalog.rename(catalog.with_suffix(".damaged"))
    succeeded(scholar("add", str(source)))
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-ferryman"]
    hits = succeeded(scholar("find", "the widow asked", "-n", "50", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-ferryman"}


@pytest.mark.parametrize("name", ["text.txt", "chapters.json", "sentences.npy"])
@pytest.mark.parametrize(
    "harm", [Path.unlink, cut_short, overwrite], ids=["gone", "cut short", "overwritten"]
)
def test_a_damaged_book_is_named_and_can_be_added_again(
    scholar: Scholar, two_books: Path, tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    harm(next((two_books / "data" / "books").glob(f"own-the-lamplighter.*/{name}")))
    message = error_line(scholar("find", "the lamplighter", "-b", "lamplighter"), 1)
    assert "scholar books remove own-the-lamplighter" in message
    assert succeeded(scholar("find", "the widow", "-b", "clockmaker", "--json")).json
    succeeded(scholar("books", "remove", "own-the-lamplighter"))
    path = tmp_path / "again.txt"
    path.write_text(make_book_text("lamplighter"), "utf-8")
    succeeded(scholar("add", str(path), "--title", "The Lamplighter"))
    assert succeeded(scholar("find", "the lamplighter", "-b", "lamplighter", "--json")).json


def test_ids_of_titles_without_letters_are_still_ids(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(make_book_text("stranger"), "utf-8")
    [added] = succeeded(scholar("add", str(path), "--title", "戰爭與和平", "--json")).json
    assert re.fullmatch(r"own-[0-9a-f]{12}", added["id"])
    assert unicodedata.is_normalized("NFC", added["title"])
    succeeded(scholar("show", f"{added['id']}:1.1"))
