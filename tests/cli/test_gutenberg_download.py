"""Books and the catalogue of Project Gutenberg, from a mirror on the loopback interface."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Scholar, error_line, make_book_text, succeeded
from http_server import closed_port
from mirror_server import MirrorServer, status

BOOK_1342 = "Title: The Curate\nAuthor: Eve Third\n\n\n" + make_book_text("curate")


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        monkeypatch.setenv("SCHOLAR_MIRRORS", server.url())
        monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
        yield server


def test_a_gutenberg_number_is_fetched_from_the_mirror_once(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    result = succeeded(scholar("add", "1342", "--json"))
    assert (result.ids, result.json[0]["title"]) == (["pg1342"], "The Curate")
    assert mirror.url() in result.stderr
    requested = len(mirror.requests)
    for again in ("pg1342", "https://www.gutenberg.org/ebooks/1342"):
        assert succeeded(scholar("add", again, "--json")).json[0]["outcome"] == "already here"
    assert len(mirror.requests) == requested


def test_another_mirror_can_be_named(scholar: Scholar, mirror: MirrorServer) -> None:
    mirror.put("/other/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    line = ("add", "1342", "--mirror", mirror.url("/other"), "--json")
    assert succeeded(scholar(*line)).ids == ["pg1342"]


def test_a_refresh_fetches_and_replaces(scholar: Scholar, mirror: MirrorServer) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.encode())
    succeeded(scholar("add", "1342"))
    mirror.put("/1/3/4/1342/1342-0.txt", BOOK_1342.replace("curate", "verger").encode())
    [replaced] = succeeded(scholar("add", "1342", "--refresh", "--json")).json
    assert replaced["outcome"] == "replaced"
    assert succeeded(scholar("find", "verger", "--mode", "lexical", "-n", "1", "--json")).json


def test_a_number_no_mirror_has_is_not_there(scholar: Scholar, mirror: MirrorServer) -> None:
    assert "999998" in error_line(scholar("add", "999998"), 4, after_progress=True)
    assert succeeded(scholar("books", "list", "--json")).json == []


def test_a_mirror_that_asks_to_wait_long_is_not_waited_for(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    for name in ("-0", "-8", ""):
        mirror.script(f"/1/3/4/1342/1342{name}.txt", status(503, Retry_After="7200"))
    mirror.script("/cache/epub/1342/pg1342.txt", status(503, Retry_After="7200"))
    assert error_line(scholar("add", "1342"), 3, after_progress=True)


def test_offline_forbids_fetching(scholar: Scholar, mirror: MirrorServer) -> None:
    assert "without --offline" in error_line(scholar("add", "1342", "--offline"), 3)
    error_line(scholar("catalog", "update", "--offline"), 3)
    error_line(scholar("models", "pull", "owner/name", "--offline"), 3)
    assert mirror.requests == []


def test_a_mirror_that_is_not_there_can_be_tried_again_later(
    scholar: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_MIRRORS", f"http://127.0.0.1:{closed_port()}/")
    monkeypatch.setenv("SCHOLAR_PAUSE_S", "0")
    monkeypatch.setenv("SCHOLAR_TIMEOUT_S", "1")
    assert error_line(scholar("add", "1342"), 3, after_progress=True)


def test_the_catalogue_is_fetched_and_then_searched_without_the_network(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    assert "scholar catalog update" in error_line(scholar("catalog", "search", "austen"), 4)
    catalog = (
        "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
        '1342,Text,1998-06-01,Pride and Prejudice,en,"Austen, Jane, 1775-1817",England,PR,Best\n'
        '84,Text,1993-10-01,"Frankenstein; Or, The Modern\nPrometheus",en,"Shelley, Mary",H,PR,G\n'
    )
    mirror.put("/cache/epub/feeds/pg_catalog.csv.gz", gzip.compress(catalog.encode()))
    assert "lists 2 books" in succeeded(scholar("catalog", "update")).stderr
    requested = len(mirror.requests)
    [row] = succeeded(scholar("catalog", "search", "austen prid", "--json")).json
    assert (row["id"], row["author"]) == (1342, "Jane Austen")
    result = succeeded(scholar("catalog", "search", "nobody wrote this", "--json"))
    assert result.json == []
    assert len(mirror.requests) == requested


def test_books_are_added_and_cited_with_the_accents_of_the_catalogue(
    scholar: Scholar, mirror: MirrorServer
) -> None:
    text = BOOK_1342.replace("The Curate", "My Antonia").replace("Eve Third", "Charlotte Bronte")
    mirror.put("/1/3/4/1342/1342-0.txt", text.encode())
    mirror.put("/8/84/84-0.txt", text.replace("curate", "verger").encode())
    succeeded(scholar("add", "1342"))
    header = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
    rows = (f'{number},Text,,My Ántonia,en,"Brontë, Charlotte",,,\n' for number in (1342, 84))
    catalog = (header + "".join(rows)).encode()
    mirror.put("/cache/epub/feeds/pg_catalog.csv.gz", gzip.compress(catalog))
    succeeded(scholar("catalog", "update"))
    [added] = succeeded(scholar("add", "84", "--json")).json
    assert (added["title"], added["author"]) == ("My Ántonia", "Charlotte Brontë")
    for book_id in ("pg1342", "pg84"):
        [record] = succeeded(scholar("cite", book_id, "--json")).json
        assert record["entry"].startswith("Brontë, Charlotte. My Ántonia. Project")
