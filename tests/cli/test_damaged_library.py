"""An index, a list of books or a book that is damaged, older or of another model."""

from __future__ import annotations

import json
import os
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
        pytest.param(
            "*.lance/_versions/*", Path.unlink, id="versions gone", marks=pytest.mark.slow
        ),
        pytest.param(
            "*.lance/_versions/*", overwrite, id="versions overwritten", marks=pytest.mark.slow
        ),
        pytest.param("*.lance/data/*.lance", Path.unlink, id="rows gone", marks=pytest.mark.slow),
        pytest.param("*.lance/data/*.lance", cut_short, id="rows cut short"),
        pytest.param("*.lance/data/*.lance", overwrite, id="rows overwritten"),
        pytest.param(
            "*.lance/_indices/*/*", Path.unlink, id="indices gone", marks=pytest.mark.slow
        ),
        pytest.param("*.lance/_indices/*/*", overwrite, id="indices overwritten"),
    ],
)
def test_a_damaged_index_asks_for_a_rebuild_that_repairs_it(
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
        message = error_line(scholar(*line), 1)
        assert "catalog.sqlite is damaged" in message
        assert "scholar doctor --repair" in message
    assert catalog.read_bytes() == harmed
    catalog.rename(catalog.with_suffix(".damaged"))
    assert "it is missing" in error_line(scholar("add", str(source)), 1)
    doctor = scholar("doctor", "--json", "--repair")
    assert "2 books were listed again" in doctor.stderr
    succeeded(scholar("add", str(source)))
    assert len(succeeded(scholar("books", "list", "--json")).ids) == 3


@pytest.mark.parametrize("has_records", [True, False], ids=["today's", "from before hashes"])
def test_a_list_of_books_that_is_gone_is_made_again_from_what_is_stored(
    scholar: Scholar, two_books: Path, has_records: bool
) -> None:
    before = succeeded(scholar("find", "the widow asked", "--json")).json
    listed = succeeded(scholar("books", "list", "--json")).json
    (two_books / "data" / "catalog.sqlite").unlink()
    if not has_records:
        for record in (two_books / "data" / "books").glob("*/book.json"):
            record.unlink()
    for line in (
        ["find", "the widow asked"],
        ["show", "own-the-lamplighter:1"],
        ["books", "list"],
        ["doctor"],
    ):
        result = scholar(*line)
        assert result.exit_code == 1
        assert "scholar doctor --repair" in result.stdout + result.stderr
    assert "2 books were listed again" in succeeded(scholar("doctor", "--repair")).stderr
    again = succeeded(scholar("books", "list", "--json")).json
    assert {book["title"] for book in again} == {book["title"] for book in listed}
    if has_records:
        assert [book["author"] for book in again] == [book["author"] for book in listed]
    after = succeeded(scholar("find", "the widow asked", "--json")).json
    assert [hit["locator"] for hit in after] == [hit["locator"] for hit in before]
    assert "0 books were listed again" in succeeded(scholar("doctor", "--repair")).stderr


def lamplighter(home: Path) -> Path:
    return next((home / "data" / "books").glob("own-the-lamplighter.*"))


def shift_a_sentence(folder: Path) -> None:
    """Flip one bit of a sentence's start offset, in the middle of the offsets."""
    rows = bytearray((folder / "sentences.npy").read_bytes())
    header = rows.index(b"\n") + 1
    rows[header + 16 * 20 + 8] ^= 4
    (folder / "sentences.npy").write_bytes(rows)


@pytest.mark.parametrize("has_hashes", [True, False], ids=["with hashes", "without hashes"])
def test_a_flipped_bit_in_the_offsets_of_sentences_is_never_quoted(
    scholar: Scholar, two_books: Path, has_hashes: bool
) -> None:
    folder = lamplighter(two_books)
    if not has_hashes:
        (folder / "book.json").unlink()
    shift_a_sentence(folder)
    if has_hashes:
        message = error_line(scholar("find", "the lamplighter", "-b", "lamplighter"), 1)
        assert "scholar add FILE --refresh" in message
    doctor = scholar("doctor", "--json")
    assert doctor.exit_code == 1
    assert "scholar add FILE --refresh" in doctor.stdout
    assert has_hashes or not (folder / "book.json").exists()


def test_doctor_gives_hashes_to_books_that_were_stored_without(
    scholar: Scholar, two_books: Path
) -> None:
    folders = list((two_books / "data" / "books").iterdir())
    for folder in folders:
        (folder / "book.json").unlink()
    assert succeeded(scholar("find", "the lamplighter", "--json")).json
    assert "2 had no hashes" in succeeded(scholar("doctor", "--json")).stdout
    assert "had no hashes" not in succeeded(scholar("doctor", "--json")).stdout
    assert all((folder / "book.json").is_file() for folder in folders)


def test_the_next_book_that_is_added_gives_hashes_to_the_others(
    scholar: Scholar, two_books: Path, source: Path
) -> None:
    (lamplighter(two_books) / "book.json").unlink()
    succeeded(scholar("add", str(source)))
    assert (lamplighter(two_books) / "book.json").is_file()


HARMS = {"gone": Path.unlink, "cut short": cut_short, "overwritten": overwrite}
HARMED_FILES = ["text.txt", "chapters.json", "sentences.npy", "book.json"]
HARMED_ALWAYS = [
    ("gone", "text.txt"),
    ("gone", "book.json"),
    ("cut short", "chapters.json"),
    ("overwritten", "sentences.npy"),
]


@pytest.mark.parametrize(
    ("harm", "name"),
    [
        pytest.param(
            harm,
            name,
            id=f"{kind}-{name}",
            marks=() if (kind, name) in HARMED_ALWAYS else pytest.mark.slow,
        )
        for kind, harm in HARMS.items()
        for name in HARMED_FILES
    ],
)
def test_a_damaged_book_is_named_and_repaired_by_adding_it_again(
    scholar: Scholar, two_books: Path, tmp_path: Path, harm: Callable[[Path], None], name: str
) -> None:
    harm(lamplighter(two_books) / name)
    is_older = name == "book.json" and harm is Path.unlink
    if not is_older:
        message = error_line(scholar("find", "the lamplighter", "-b", "lamplighter"), 1)
        assert "scholar add FILE --refresh" in message
    assert succeeded(scholar("find", "the widow", "-b", "clockmaker", "--json")).json
    path = tmp_path / "again.txt"
    path.write_text(make_book_text("lamplighter"), "utf-8")
    [added] = succeeded(scholar("add", str(path), "--refresh", "--json")).json
    assert (added["id"], added["outcome"]) == (
        "own-the-lamplighter",
        "already here" if is_older else "replaced",
    )
    assert succeeded(scholar("find", "the lamplighter", "-b", "lamplighter", "--json")).json
    succeeded(scholar("doctor"))


@pytest.mark.slow
def test_a_damaged_bundled_book_is_repaired_without_a_network(
    scholar: Scholar, own_sample: Path
) -> None:
    shift_a_sentence(next((own_sample / "data" / "books").glob("pg64317.*")))
    message = error_line(scholar("find", "the green light", "-b", "gatsby"), 1)
    assert "run: scholar add 64317 --refresh" in message
    succeeded(scholar("add", "64317", "--refresh"))
    assert succeeded(scholar("find", "the green light", "-b", "gatsby", "--json")).json


@pytest.mark.parametrize("afresh", [True, False], ids=["afresh", "of a damaged index"])
def test_a_rebuild_names_and_leaves_out_a_damaged_book(
    scholar: Scholar, two_books: Path, afresh: bool
) -> None:
    shift_a_sentence(lamplighter(two_books))
    if not afresh:
        for table in (two_books / "data" / "index.lance").glob("*.lance"):
            shutil.rmtree(table)
    result = scholar("index", "rebuild", *(["--afresh"] if afresh else []))
    assert result.exit_code == 1
    assert "left out of the index: the stored text of own-the-lamplighter" in result.stderr
    assert "contains 1 of 2 books; 1 were encoded" in result.stderr
    search = scholar("find", "the widow asked", "--json")
    assert search.exit_code == 1
    assert {hit["book"]["id"] for hit in search.json} == {"own-the-clockmaker"}
    assert "not searched: own-the-lamplighter The Lamplighter: the stored text" in search.stderr


def test_a_rebuild_from_nothing_that_fails_leaves_the_old_index_answering(
    scholar: Scholar, two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.storage.passages import PassageTable

    before = succeeded(scholar("find", "the widow asked", "--json")).json
    with monkeypatch.context() as patch:

        def stop(table: PassageTable, **_: object) -> None:
            assert succeeded(scholar("find", "the widow asked", "--json")).json == before
            raise KeyboardInterrupt

        patch.setattr(PassageTable, "optimize", stop)
        assert scholar("index", "rebuild", "--afresh").exit_code == 130
    assert succeeded(scholar("find", "the widow asked", "--json")).json == before
    assert "2 were encoded" in succeeded(scholar("index", "rebuild", "--afresh")).stderr
    assert succeeded(scholar("find", "the widow asked", "--json")).json == before
    assert succeeded(scholar("index", "status", "--json")).json["tables_of_other_models"] == []


def test_a_query_that_began_before_a_rebuild_from_nothing_ends_well(
    scholar: Scholar, two_books: Path
) -> None:
    from scholar_indexes.books.adding.passage_index import SUPERSEDED_FOR_S
    from scholar_indexes.library import Library
    from scholar_indexes.storage.passages import EVERYTHING

    table = Library.of_user().passages.table
    succeeded(scholar("index", "rebuild", "--afresh"))
    keys, _ = table.matching("the widow asked", 5, EVERYTHING)
    assert len(keys) == 5
    tables = two_books / "data" / "index.lance"
    [replacement] = tables.glob("*.2.lance")
    long_ago = replacement.stat().st_mtime - SUPERSEDED_FOR_S - 1
    os.utime(replacement, (long_ago, long_ago))
    succeeded(scholar("index", "optimize"))
    assert list(tables.glob("*.lance")) == [replacement]
    assert succeeded(scholar("find", "the widow asked", "--json")).json


def test_a_removal_that_was_interrupted_can_be_repeated(
    scholar: Scholar, two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.library import Library

    def stop(index: PassageIndex) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PassageIndex, "clear_unfinished", stop)
        assert scholar("books", "remove", "lamplighter").exit_code == 130
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-the-clockmaker"]
    succeeded(scholar("books", "remove", "lamplighter"))
    library = Library.of_user()
    assert library.catalog.unfinished() == []
    assert library.passages.table.editions() == {book.edition for book in library.books.all()}
    assert "no book is called" in error_line(scholar("books", "remove", "lamplighter"), 4)


def test_ids_of_titles_without_letters_are_still_ids(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(make_book_text("stranger"), "utf-8")
    [added] = succeeded(scholar("add", str(path), "--title", "戰爭與和平", "--json")).json
    assert re.fullmatch(r"own-[0-9a-f]{12}", added["id"])
    assert unicodedata.is_normalized("NFC", added["title"])
    succeeded(scholar("show", f"{added['id']}:1.1"))
