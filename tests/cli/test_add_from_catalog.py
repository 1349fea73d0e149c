"""scholar add --from-catalog: a library filled from Gutenberg's catalogue and a mirror."""

from __future__ import annotations

import gzip
import json
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from command_line import Scholar, error_line, finish, make_book_text, start, succeeded
from gutenberg_feed import BOOKS, FEED, HEADER, catalog
from http_server import closed_port
from mirror_server import Answer, MirrorHandler, MirrorServer, serve, status

SHELVES = [f"{row}|{'Novels; Best Books' if '158|' in row else ''}" for row in BOOKS]
CATALOG = catalog(*SHELVES, header=[*HEADER, "Bookshelves"])
NOVELS = "language=en subject=fiction"


def book_text(name: str) -> bytes:
    return (
        f"Title: The {name.title()}\nAuthor: Eve Third\n\n\n" + make_book_text(name, 1, 4)
    ).encode()


def put_books(folder: Path, *, feed: str = FEED) -> Path:
    """Lay out two novels and a catalogue in a folder as on a mirror, in both of its layouts."""
    for place, content in (
        ("1/3/4/1342/1342-0.txt", book_text("curate")),
        ("cache/epub/158/pg158.txt", book_text("matchmaker")),
        (feed, gzip.compress(CATALOG) if feed.endswith(".gz") else CATALOG),
    ):
        path = folder / place.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put_books(tmp_path / "mirror")


@pytest.fixture
def mirror(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    with MirrorServer(folder) as server:
        monkeypatch.setenv("SCHOLAR_MIRRORS", server.url())
        monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
        yield server


def outcomes(output: str) -> dict[str, str]:
    """Return the outcome of each book from JSON lines."""
    records = map(json.loads, output.splitlines())
    return {record["id"]: record["outcome"] for record in records}


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        pytest.param([], 2, "nothing to add", id="nothing to add"),
        pytest.param(["1342", "--from-catalog", "title=emma"], 2, "leave out SOURCE", id="both"),
        pytest.param(["1342", "--limit", "3"], 2, "--limit is for", id="a limit of nothing"),
        pytest.param(
            ["--from-catalog", "title=emma", "--title", "Emma"], 2, "one book", id="a title for all"
        ),
        pytest.param(["--from-catalog", "autor=x"], 2, "no field 'autor'", id="another field"),
        pytest.param(["--from-catalog", "emma"], 2, "field=value", id="no filter"),
        pytest.param(
            ["--from-catalog", "title=emma", "--offline"], 4, "catalog update", id="no catalogue"
        ),
    ],
)
def test_an_invalid_command_is_one_clear_line(
    scholar: Scholar, home: Path, line: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("add", *line), code)


def test_a_folder_that_is_no_mirror_is_an_error(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    line = ("add", "--from-catalog", NOVELS, "--mirror")
    assert "no folder" in error_line(scholar(*line, str(tmp_path / "none")), 4, after_progress=True)
    assert "no catalogue in" in error_line(scholar(*line, str(tmp_path)), 4, after_progress=True)
    error = error_line(scholar("add", "158", "--mirror", str(tmp_path)), 4)
    assert "cache/epub/158/pg158.txt" in error


def test_a_catalogue_from_before_bookshelves_is_searched_and_has_to_be_fetched_again(
    scholar: Scholar, home: Path, folder: Path
) -> None:
    succeeded(scholar("catalog", "update", "--mirror", str(folder)))
    with closing(sqlite3.connect(home / "data" / "gutenberg.sqlite")) as db:
        db.execute("DELETE FROM book WHERE kind <> 'Text'")
        db.execute("ALTER TABLE book DROP COLUMN kind")
        db.execute("ALTER TABLE book DROP COLUMN shelves")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    assert succeeded(scholar("catalog", "search", "emma", "--json")).json[0]["id"] == 158
    line = ("add", "--from-catalog", NOVELS, "--mirror", str(folder))
    assert "scholar catalog update" in error_line(scholar(*line), 1)


@pytest.mark.parametrize("feed", [FEED, FEED.removesuffix(".gz"), "pg_catalog.csv"])
def test_a_library_is_filled_from_a_folder_without_a_network(
    scholar: Scholar, home: Path, tmp_path: Path, feed: str
) -> None:
    folder = put_books(tmp_path / "mirror", feed=feed)
    line = ("add", "--from-catalog", NOVELS, "--mirror", str(folder), "--offline")
    planned = succeeded(scholar(*line, "--dry-run", "--format", "jsonl"))
    assert outcomes(planned.stdout) == dict.fromkeys(["pg158", "pg1342"], "would be added")
    assert succeeded(scholar("books", "list", "--json")).json == []
    [first] = succeeded(scholar(*line, "--limit", "1", "--json")).json
    assert (first["id"], first["author"], first["reason"]) == ("pg158", "Jane Austen", "")
    both = succeeded(scholar(*line, "--format", "jsonl"))
    assert outcomes(both.stdout) == {"pg158": "already here", "pg1342": "added"}
    books = succeeded(scholar("books", "list", "--json")).json
    assert {book["title"] for book in books} == {"The Curate", "The Matchmaker"}


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        ('author="Jane Austen"', ["pg158", "pg1342"]),
        ("bookshelf=best", ["pg158"]),
        ("title=pride type=sound", ["pg9000"]),
        ("language=de language=en", ["pg2229"]),
        ("subject=poetry author=milton title=lost", ["pg26"]),
        ("subject=poetry language=fr", []),
    ],
)
def test_only_what_has_all_that_is_asked_for_is_chosen(
    scholar: Scholar, folder: Path, conditions: str, ids: list[str]
) -> None:
    line = ("add", "--from-catalog", conditions, "--mirror", str(folder), "--dry-run")
    result = succeeded(scholar(*line, "--json"))
    assert result.ids == ids
    assert ids or "no book in the catalogue matches this filter" in result.stderr


def test_failed_books_are_listed_and_tried_again(scholar: Scholar, mirror: MirrorServer) -> None:
    mirror.script("/1/5/158/158-0.txt", status(403), serve)
    mirror.put("/1/3/4/1342/1342-0.txt", b"\0\1\2" * 999)
    line = ("add", "--from-catalog", NOVELS, "--format", "jsonl")
    result = scholar(*line)
    assert outcomes(result.stdout) == {"pg158": "failed", "pg1342": "failed"}
    *_, counts, first, second, last = result.stderr.splitlines()
    assert counts == "2 failed"
    assert first.startswith("pg158 Emma: ")
    assert second.startswith("pg1342 Pride and Prejudice: ")
    assert last.startswith("scholar: 2 of 2 books could not be added")
    assert result.exit_code == 1
    mirror.put("/1/3/4/1342/1342-0.txt", book_text("curate"))
    again = scholar(*line, "--refresh")
    assert outcomes(again.stdout) == {"pg158": "added", "pg1342": "added"}
    assert again.exit_code == 0


def test_part_that_fails_does_not_stop_the_rest_and_shows_in_the_exit_code(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    (mirror.root / "cache/epub/158/pg158.txt").unlink()
    result = scholar("add", "--from-catalog", NOVELS, "--json")
    assert result.exit_code == 1
    assert [record["outcome"] for record in result.json] == ["failed", "added"]
    assert "no text of Gutenberg book 158" in result.json[0]["reason"]


def test_a_network_that_is_down_is_not_asked_for_every_book(
    scholar: Scholar, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeded(scholar("catalog", "update", "--mirror", str(folder)))
    monkeypatch.setenv("SCHOLAR_MIRRORS", f"http://127.0.0.1:{closed_port()}/")
    monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
    monkeypatch.setenv("SCHOLAR_TIMEOUT_S", "1")
    monkeypatch.setattr("scholar_indexes.books.adding.adding_many.MOST_IN_A_ROW", 2)
    result = scholar("add", "--from-catalog", "language=en", "--json")
    assert result.exit_code == 3
    assert [record["outcome"] for record in result.json] == ["failed"] * 2
    assert "continue where it stopped" in result.stderr.splitlines()[-1]


def test_adding_from_the_catalogue_waits_for_another_writer(
    scholar: Scholar, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data").mkdir(parents=True)
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    with FileLock(home / "data" / "write.lock"):
        result = scholar("add", "--from-catalog", NOVELS, "--mirror", str(folder))
    assert result.exit_code == 3
    assert "another scholar" in result.stderr.splitlines()[-1]


def hold(reached: threading.Event, released: threading.Event) -> Answer:
    """Send nothing until `released` is set."""

    def answer(handler: MirrorHandler) -> None:
        reached.set()
        released.wait(60)
        handler.close_connection = True

    return answer


@pytest.mark.slow
def test_books_added_before_an_interruption_stay(
    scholar: Scholar, home: Path, mirror: MirrorServer
) -> None:
    reached, released = threading.Event(), threading.Event()
    mirror.script("/1/3/4/1342/1342-0.txt", hold(reached, released), serve)
    line = ("add", "--from-catalog", NOVELS, "--format", "jsonl")
    process = start(home, *line, env={"SCHOLAR_MIRRORS": mirror.url()})
    assert reached.wait(60)
    process.send_signal(signal.SIGINT)
    result = finish(process)
    released.set()
    assert result.exit_code == 130
    assert outcomes(result.stdout) == {"pg158": "added"}
    assert "1 added" in result.stderr
    again = succeeded(scholar(*line))
    assert outcomes(again.stdout) == {"pg158": "already here", "pg1342": "added"}
