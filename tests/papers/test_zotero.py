"""Reading Zotero's library: completely, while Zotero runs, and from invalid files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scholar_indexes.errors import Damaged, NoPapers
from scholar_indexes.papers import zotero
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats.csl import item_authors, item_venue, item_year
from zotero_library import ZoteroDatabase, fill, write_library


def entries(path: Path) -> dict[str, Entry]:
    """Return the entries of a library by title."""
    records = zotero.read(path).records
    return {record.csl["title"]: record for record in records if isinstance(record, Entry)}


@pytest.fixture
def database(tmp_path: Path) -> Any:
    with closing(ZoteroDatabase(tmp_path / "zotero.sqlite")) as database:
        yield database


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"Dear Ann,", "not an SQLite file", id="a letter"),
        pytest.param(b"", "no table", id="an empty file"),
    ],
)
def test_an_invalid_zotero_database_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "zotero.sqlite"
    path.write_bytes(content)
    with pytest.raises(NoPapers, match=message):
        zotero.read(path)


def test_the_database_of_another_program_is_no_library(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE items (title TEXT)")
    with pytest.raises(NoPapers, match=r"not a Zotero library.*zotero\.sqlite"):
        zotero.read(path)


@pytest.mark.parametrize("kept", [0.5, 0.9], ids=["half is left", "the end is missing"])
def test_a_damaged_library_is_named_and_left_as_it_is(tmp_path: Path, kept: float) -> None:
    path = write_library(tmp_path)
    data = path.read_bytes()
    damaged = data[: int(len(data) * kept)]
    path.write_bytes(damaged)
    with pytest.raises(Damaged, match=r"zotero\.sqlite is damaged"):
        zotero.read(path)
    assert path.read_bytes() == damaged
    assert [file.name for file in tmp_path.iterdir()] == ["zotero.sqlite"]


def test_papers_are_read_with_everything_that_zotero_knows(tmp_path: Path) -> None:
    lamps = entries(write_library(tmp_path))["Lamps That Count Moths"]
    assert lamps.ids == ("doi:10.5555/lamp", "pmid:123456", "key:example2020lamps")
    assert item_authors(lamps.csl) == ("Ann Example", "Society for Moths")
    assert (item_year(lamps.csl), item_venue(lamps.csl)) == (2020, "Journal of Lamps")
    assert lamps.csl["issued"] == {"date-parts": [[2020, 3]]}
    assert lamps.csl["page"] == "1-12"
    assert lamps.csl["keyword"] == "insects, to read soon"
    assert lamps.csl["note"] == "Lamps Ask Ben about the lamp & the weights. | Two."
    assert [text for text, _ in lamps.sentences][1] == "We count them with a lamp that weighs them."
    assert lamps.collections == ("Thesis", "Thesis/Chapter 2")


def test_preprints_and_chapters_are_read_as_what_they_are(tmp_path: Path) -> None:
    library = entries(write_library(tmp_path))
    preprint = library["Moths of the Fens"]
    assert preprint.ids[0] == "arxiv:2105.01234"
    assert (preprint.csl["type"], item_venue(preprint.csl)) == ("article", "arXiv")
    chapter = library["A Chapter Without an Abstract on Beetles"]
    assert chapter.csl["container-title"] == "Beetles"
    assert chapter.csl["editor"] == [{"family": "Fourth", "given": "Di"}]
    assert item_year(chapter.csl) is None
    assert chapter.sentences == ()


def test_other_items_than_papers_and_the_trash_are_skipped(tmp_path: Path) -> None:
    library = zotero.read(write_library(tmp_path))
    titles = [record.csl["title"] for record in library.records if isinstance(record, Entry)]
    assert titles == [
        "Lamps That Count Moths",
        "Moths of the Fens",
        "A Chapter Without an Abstract on Beetles",
        "Lamps and Weights in the Field",
    ]
    assert library.others == {"webpage": 1}


def test_the_items_of_a_group_are_in_a_collection_of_its_name(tmp_path: Path) -> None:
    thesis = entries(write_library(tmp_path))["Lamps and Weights in the Field"]
    assert thesis.collections == ("Moth Lab",)


def test_an_item_without_a_title_is_named_by_its_key(database: ZoteroDatabase) -> None:
    database.add("journalArticle", [("author", "Ann", "Example")])
    (record,) = zotero.read(database.path).records
    assert isinstance(record, UnreadableEntry)
    assert "K0000001" in record.reason


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        pytest.param("zotero.sqlite", True, id="the file"),
        pytest.param("", True, id="the folder that holds it"),
        pytest.param("storage", False, id="a folder in it"),
        pytest.param("nothing", False, id="nothing there"),
    ],
)
def test_a_library_is_found_by_its_file_or_its_folder(
    tmp_path: Path, name: str, is_found: bool
) -> None:
    path = write_library(tmp_path / "Zotero")
    (tmp_path / "Zotero" / "storage").mkdir()
    library = zotero.find_library(str(tmp_path / "Zotero" / name))
    assert library == (path if is_found else None)


HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA locking_mode = EXCLUSIVE")
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""
"""A program that keeps a SQLite file locked until its input ends, as Zotero does."""


def test_a_library_that_zotero_holds_locked_is_read(tmp_path: Path) -> None:
    path = write_library(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            closing(sqlite3.connect(path, timeout=0)) as db,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            db.execute("SELECT count(*) FROM items").fetchone()
        assert len(entries(path)) == 4
        assert holder.stdin is not None
        holder.stdin.close()
    assert holder.returncode == 0


def test_pages_that_are_only_in_the_log_are_read(tmp_path: Path) -> None:
    with closing(ZoteroDatabase(tmp_path / "zotero.sqlite", journal="wal")) as database:
        fill(database)
        with closing(sqlite3.connect(f"file:{database.path}?immutable=1", uri=True)) as db:
            assert db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        assert len(entries(database.path)) == 4
        assert (tmp_path / "zotero.sqlite-wal").stat().st_size > 0


def test_a_transaction_that_is_not_finished_is_not_read(database: ZoteroDatabase) -> None:
    fill(database)
    database.db.execute("PRAGMA cache_spill = 1")
    database.db.execute("PRAGMA cache_size = 1")  # pages reach the file before the commit
    database.db.execute("BEGIN")
    for number in range(400):
        database.add("report", title=f"Report {number} {'on moths ' * 50}")
    assert database.path.with_name("zotero.sqlite-journal").stat().st_size > 0
    assert len(entries(database.path)) == 4
    database.db.execute("COMMIT")
    assert len(entries(database.path)) == 404
