"""Libraries as earlier versions of scholar wrote them: each opens, or the error says what to do.

tests/data/libraries has one for each state of the schemas, with a small book, made by the version
of that time. A change of a schema adds one, made before the change.

    1-books        books without imprint and hashes; passages of another model
    2-papers       papers of version 1, quiz history of version 1
    3-screen       bookmarks of version 1
    4-collections  bookmarks and quiz history of version 2, imprints, corrections
    5-hashes       papers of version 2, hashes of books
    6-colours      a desk of version 3, with colours and an order
    backup-1       a backup of the last one, by the first version with backups
"""

from __future__ import annotations

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from command_line import Scholar, error_line, make_book_text, succeeded
from scholar_indexes.backup.carried import databases
from scholar_indexes.library import Library
from scholar_indexes.papers.table import SCHEMA_VERSION as PAPERS_TABLE_VERSION
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.table_names import SCHEMA_VERSION as PASSAGES_TABLE_VERSION

LIBRARIES = Path(__file__).parents[1] / "data" / "libraries"
NAMES = [path.name.removesuffix(".tar.xz") for path in sorted(LIBRARIES.glob("*.tar.xz"))]
BOOK = "own-the-lantern-house"

every_library = pytest.mark.parametrize("name", NAMES)


def unpack(name: str, home: Path) -> Path:
    """Unpack a library into a home and return its folder of user data."""
    home.mkdir(parents=True)
    with tarfile.open(LIBRARIES / f"{name}.tar.xz") as archive:
        # Python 3.11.0 to 3.11.3 have no extraction filters.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(home, **safe)
    return home / "data"


def versions(home: Path) -> dict[str, int]:
    """Return the schema version of each database in a home."""
    numbers = {}
    for database in databases(user_paths({"SCHOLAR_HOME": str(home)})):
        if database.path.exists():
            with closing(sqlite3.connect(database.path)) as db:
                (numbers[database.path.name],) = db.execute("PRAGMA user_version").fetchone()
    return numbers


def test_there_is_a_library_of_every_schema(tmp_path: Path) -> None:
    stored: dict[str, set[int]] = {}
    tables: set[str] = set()
    for name in NAMES:
        data = unpack(name, tmp_path / name)
        for database, version in versions(tmp_path / name).items():
            stored.setdefault(database, set()).add(version)
        tables.update("_".join(path.name.split("_")[:2]) for path in data.glob("*.lance/*.lance"))
    current = databases(user_paths({"SCHOLAR_HOME": str(tmp_path)}))
    assert stored == {
        database.path.name: set(range(1, database.schema_version + 1)) for database in current
    }
    assert tables == {
        *(f"passages_v{number}" for number in range(1, PASSAGES_TABLE_VERSION + 1)),
        *(f"papers_v{number}" for number in range(1, PAPERS_TABLE_VERSION + 1)),
    }


@every_library
def test_the_book_of_an_older_library_is_read_and_found(
    scholar: Scholar, home: Path, name: str
) -> None:
    unpack(name, home)
    assert succeeded(scholar("books", "list", "--json")).ids == [BOOK]
    assert "raining when the ferry left" in succeeded(scholar("show", f"{BOOK}:1.1")).stdout
    claim = ("find", "the letter was burnt", "-n", "1", "--json")
    if name == "1-books":
        assert "scholar index rebuild" in error_line(scholar(*claim), 4)
        succeeded(scholar("index", "rebuild"))
    [hit] = succeeded(scholar(*claim)).json
    assert hit["locator"].startswith(f"{BOOK}:2.")
    assert "The letter is burnt" in hit["quote"]
    quotes = succeeded(scholar("speakers", "lantern", "--json")).json
    finch = "Edward Finch" if name in ("4-collections", "5-hashes", "6-colours") else "Mr. Finch"
    assert {quote["speaker"]["name"] for quote in quotes} == {"Clara Dunn", finch}


@every_library
def test_user_data_of_an_older_library_is_kept(scholar: Scholar, home: Path, name: str) -> None:
    unpack(name, home)
    passages = []
    if name in ("3-screen", "4-collections", "5-hashes", "6-colours"):
        passages = succeeded(scholar("collection", "show", "kept", "--json")).json
        assert [passage["note"] for passage in passages] == ["for the conclusion"]
    answers = 0 if name == "1-books" else 2
    assert succeeded(scholar("quiz", "stats", "--json")).json["cards"] == answers
    succeeded(scholar("collection", "add", "kept", f"{BOOK}:2.1"))
    kept = succeeded(scholar("collection", "show", "kept", "--json")).json
    assert len(kept) == len(passages) + 1


@every_library
def test_the_papers_of_an_older_library_are_compared_and_others_added(
    scholar: Scholar, home: Path, name: str
) -> None:
    unpack(name, home)
    more = LIBRARIES.parent / "papers.jsonl"
    if name != "1-books":
        listed = succeeded(scholar("papers", "list", "--json")).json
        assert [paper["id"] for paper in listed] == ["key:1001", "key:1002", "key:1003"]
        similar = ("papers", "similar", "key:1001", "-n", "1", "--json")
        [hit] = succeeded(scholar(*similar)).json
        assert hit["paper"]["id"] == "key:1002"
    succeeded(scholar("papers", "add", str(more)))
    assert len(succeeded(scholar("papers", "list", "--json")).json) == 12


@every_library
def test_an_older_library_takes_a_book_and_passes_every_check(
    scholar: Scholar, home: Path, name: str, tmp_path: Path
) -> None:
    unpack(name, home)
    source = tmp_path / "ferryman.txt"
    source.write_text(make_book_text("ferryman", chapters=1), "utf-8")
    succeeded(scholar("add", str(source)))
    succeeded(scholar("index", "rebuild"))
    library = Library.of_user()
    assert len(library.books.all()) == 2
    for stored in library.books.all():
        library.books.repair.check(stored)
    library.index.check()
    library.papers.check()


@pytest.mark.parametrize("name", ["2-papers", "3-screen"])
def test_an_older_library_is_carried_to_another_machine(
    scholar: Scholar, home: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack(name, home)
    before = versions(home)
    succeeded(scholar("backup", str(tmp_path / "b.tar.gz")))
    monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / "new"))
    succeeded(scholar("restore", str(tmp_path / "b.tar.gz")))
    assert versions(tmp_path / "new") == before
    assert succeeded(scholar("books", "list", "--json")).ids == [BOOK]


def test_the_first_backups_are_restored(scholar: Scholar, home: Path) -> None:
    backup = str(LIBRARIES / "backup-1.tar.gz")
    assert succeeded(scholar("restore", backup, "--json")).json[0]["papers"] == 3
    [hit] = succeeded(scholar("find", "the letter was burnt", "-n", "1", "--json")).json
    assert "The letter is burnt" in hit["quote"]
    assert succeeded(scholar("collection", "show", "kept", "--json")).json[0]["note"]


@pytest.mark.parametrize(
    ("database", "line"),
    [
        ("catalog.sqlite", ["books", "list"]),
        ("papers.sqlite", ["papers", "list"]),
        ("desk.sqlite", ["collection", "list"]),
        ("quiz.sqlite", ["quiz", "stats"]),
    ],
)
def test_a_library_of_a_newer_scholar_says_to_upgrade_and_stays(
    scholar: Scholar, home: Path, database: str, line: list[str]
) -> None:
    path = unpack("5-hashes", home) / database
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    content = path.read_bytes()
    assert "pip install -U scholar-cli" in error_line(scholar(*line), 1)
    assert path.read_bytes() == content
