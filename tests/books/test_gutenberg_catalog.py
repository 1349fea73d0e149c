"""The Gutenberg catalogue: updated from a mirror, searched without one."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from gutenberg_feed import BOOKS, FEED, catalog
from mirror_server import MirrorServer, status
from scholar_indexes.books.gutenberg import gutenberg_catalog
from scholar_indexes.books.gutenberg.gutenberg_catalog import (
    CatalogEntry,
    display_author,
    lookup,
    search,
    update,
)
from scholar_indexes.errors import Busy, Damaged, NotThere, RetryLater, ScholarError
from scholar_indexes.net.client import Fetcher


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "gutenberg.sqlite"


@pytest.fixture
def fetcher(tmp_path: Path) -> Fetcher:
    return Fetcher(tmp_path / "cache", pause_s=0, retries=0, timeout_s=5)


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def publish(mirror: MirrorServer, fetcher: Fetcher, path: Path, messages: list[str]):
    """Put a feed on the mirror and update from it."""

    def publish(feed: bytes, *, packed: bool = True, refresh: bool = True) -> int:
        url = mirror.put(FEED, gzip.compress(feed) if packed else feed)
        return update(fetcher, path, [url], refresh=refresh, announce=messages.append)

    return publish


@pytest.fixture
def filled(publish, path: Path) -> Path:
    publish(catalog(*BOOKS))
    return path


def numbers(entries: list[CatalogEntry]) -> list[int]:
    return [entry.gutenberg_id for entry in entries]


# Failures


def test_without_a_catalogue_the_error_names_the_way_to_get_one(path: Path) -> None:
    for ask in (lambda: search(path, "emma"), lambda: lookup(path, 158)):
        with pytest.raises(NotThere, match="is missing; run: scholar catalog update"):
            ask()
    assert not path.exists()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"not a database" * 99), id="no database"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:5000]), id="cut off"),
        pytest.param(lambda path: sql(path, "DROP TABLE book"), id="a table gone"),
        pytest.param(lambda path: sql(path, "PRAGMA user_version = 99"), id="another version"),
    ],
)
def test_a_damaged_catalogue_can_be_rebuilt(publish, filled: Path, damage) -> None:
    damage(filled)
    for ask in (lambda: search(filled, "emma"), lambda: lookup(filled, 158)):
        with pytest.raises(Damaged, match="run: scholar catalog update"):
            ask()
    publish(catalog(*BOOKS))
    assert numbers(search(filled, "emma")) == [158]


def sql(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("feed", "packed", "message"),
    [
        pytest.param(b"<html>Not found</html>", False, "not a complete gzip file", id="a web page"),
        pytest.param(
            gzip.compress(catalog(*BOOKS))[:-20], False, "not a complete gzip file", id="cut off"
        ),
        pytest.param(b"", True, "its columns", id="empty"),
        pytest.param(catalog(header=["a", "b"]), True, "its columns", id="other columns"),
        pytest.param(catalog(), True, "lists no texts", id="no rows"),
        pytest.param(catalog(BOOKS[-1]), True, "lists no texts", id="only sounds"),
    ],
)
def test_an_invalid_catalogue_leaves_the_old_one(
    publish, filled: Path, feed: bytes, packed: bool, message: str
) -> None:
    with pytest.raises(Damaged, match=message):
        publish(feed, packed=packed)
    assert numbers(search(filled, "emma")) == [158]
    assert sorted(file.name for file in filled.parent.iterdir() if ".lock" not in file.name) == [
        filled.name
    ]
    assert publish(catalog(BOOKS[0]), refresh=False) == 1  # the bad feed was not stored


def test_a_bomb_is_stopped(publish, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gutenberg_catalog, "MAX_CATALOG_BYTES", 3 * 2**20)
    with pytest.raises(Damaged, match="far too large"):
        publish(catalog(*BOOKS) + bytes(4 * 2**20))
    assert not path.exists()


def test_an_interrupted_update_leaves_the_old_one(
    mirror: MirrorServer, fetcher: Fetcher, filled: Path, messages: list[str]
) -> None:
    def interrupt(label: str, done: int, total: int) -> None:
        if label == "reading the catalogue":
            raise KeyboardInterrupt

    rows = [f"{number}|Text|2020-01-01|Book {number}|en|||PR" for number in range(1, 6000)]
    url = mirror.put(FEED, gzip.compress(catalog(*rows)))
    with pytest.raises(KeyboardInterrupt):
        update(fetcher, filled, [url], announce=messages.append, progress=interrupt)
    assert numbers(search(filled, "emma")) == [158]
    assert update(fetcher, filled, [url], announce=messages.append) == 5999
    assert search(filled, "emma") == []


def test_two_updates_do_not_mix(
    fetcher: Fetcher, mirror: MirrorServer, path: Path, messages: list[str]
) -> None:
    from filelock import FileLock

    path.parent.mkdir()
    with FileLock(path.with_name(path.name + ".lock")), pytest.raises(Busy, match="when it is"):
        update(fetcher, path, [mirror.url(FEED)], announce=messages.append)


def test_the_next_mirror_helps_out(
    fetcher: Fetcher, mirror: MirrorServer, path: Path, messages: list[str]
) -> None:
    urls = [
        mirror.url("/nowhere.csv.gz"),
        mirror.script("/busy.csv.gz", status(503)),
        mirror.put(FEED, gzip.compress(catalog(*BOOKS))),
    ]
    assert update(fetcher, path, urls, announce=messages.append) == 6
    with pytest.raises(RetryLater):
        update(fetcher, path, urls[:2], announce=messages.append)
    with pytest.raises(NotThere):
        update(fetcher, path, [], announce=messages.append)


def test_a_folder_that_cannot_be_written_is_named(publish, path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ScholarError, match=f"cannot be written to {path}"):
        publish(catalog(*BOOKS))


def test_rows_that_make_no_sense_are_left_out_and_counted(
    publish, path: Path, messages: list[str]
) -> None:
    bad = ["x|Text|2020-01-01|No number|en|||PR", "7|Text|too short", "0|Text||Zero|en|||PR"]
    long = "8|Text|2020-01-01|" + "long " * 40_000 + "|en|||PR"
    assert publish(catalog(*bad, long, *BOOKS)) == 6
    assert "4 invalid rows of the catalogue were skipped" in messages


# Searching


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "'\"*()-+:^{}[]~.,;!?",
        '"',
        "* * *",
        "🦉📚",
        "\x00\ud800\ufeff",
        "NEAR(emma austen, 2)",
        "title:emma",
        "emma AND",
        "OR NOT AND",
        "emma'; DROP TABLE book; --",
        "{title authors} : emma",
        "^emma",
        "%_",
        "x " * 5000,
        "x" * 100_000,
    ],
    ids=lambda query: repr(query)[:24],
)
def test_no_query_can_break_the_search(filled: Path, query: str) -> None:
    assert isinstance(search(filled, query), list)
    assert isinstance(search(filled, "emma", author=query, language=query), list)
    assert numbers(search(filled, "emma")) == [158]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("pride and prejudice", [1342], id="a title"),
        pytest.param("PREJUDICE, pride!", [1342], id="case, order and punctuation"),
        pytest.param("prej", [1342], id="the beginning of a word"),
        pytest.param("pri prejudice", [], id="a beginning only in the last place"),
        pytest.param("miserables", [17489], id="accents"),
        pytest.param("tragodie erster", [2229], id="a title on two lines"),
        pytest.param("epic poetry", [26], id="a subject"),
        pytest.param("jane austen", [17797, 158, 1342], id="a title before authors"),
        pytest.param("austen fiction", [1342, 158], id="author and subject"),
        pytest.param("read aloud", [], id="only texts"),
        pytest.param("kafka", [], id="nothing"),
    ],
)
def test_search_finds(filled: Path, query: str, expected: list[int]) -> None:
    assert numbers(search(filled, query)) == expected


def test_search_can_be_narrowed(filled: Path) -> None:
    assert numbers(search(filled, "jane austen", author="austen, jane")) == [158, 1342]
    assert numbers(search(filled, "", author="milt")) == [26]
    assert numbers(search(filled, "faust", language="EN")) == [2229]
    assert search(filled, "faust", language="fr") == []
    assert len(search(filled, "austen", limit=2)) == 2
    assert search(filled, "austen", limit=0) == search(filled, "austen", limit=-1) == []


def test_an_entry_says_what_the_catalogue_says(filled: Path) -> None:
    assert lookup(filled, 2229) == CatalogEntry(
        2229,
        "Faust: Der Tragödie erster Teil",
        "Goethe, Johann Wolfgang von, 1749-1832; Bell, Ann [Translator]",
        "de; en",
        "2000-06-01",
        (),
    )
    entry = lookup(filled, 1342)
    assert entry is not None
    assert entry.subjects == ("Courtship -- Fiction", "England -- Fiction")


@pytest.mark.parametrize("number", [0, -1, 9000, 4242, 2**80])
def test_a_number_without_a_text_is_none(filled: Path, number: int) -> None:
    assert lookup(filled, number) is None


def test_control_characters_never_leave_the_catalogue(publish, path: Path) -> None:
    publish(catalog("5|Text|2020-01-01|A \x1b[31mred\x9b title|en|Doe\u202e, Jo\x07||PR"))
    (entry,) = search(path, "title")
    assert entry.title == "A [31mred title"
    assert entry.authors == "Doe, Jo"


def test_a_byte_order_mark_is_no_column(publish) -> None:
    assert publish(b"\xef\xbb\xbf" + catalog(*BOOKS)) == 6


@pytest.mark.parametrize(
    ("catalogued", "read"),
    [
        ("", ""),
        (" ; ,", ""),
        ("Anonymous", "Anonymous"),
        ("Homer, 751? BCE-651? BCE", "Homer"),
        ("Austen, Jane, 1775-1817", "Jane Austen"),
        ("Austen, Jane", "Jane Austen"),
        ("Doe, John, -1920", "John Doe"),
        ("Doe, John, active 17th century", "John Doe"),
        ("Eliot, T. S. (Thomas Stearns), 1888-1965", "T. S. Eliot"),
        ("Wells, H. G. (Herbert George", "H. G. Wells"),
        ("Tolstoy, Leo, graf, 1828-1910", "Leo Tolstoy"),
        ("Byron, George Gordon Byron, Baron, 1788-1824", "George Gordon Byron"),
        ("Dana, Richard Henry, Jr., 1815-1882", "Richard Henry Dana Jr."),
        ("Wood, Henry, Mrs., 1814-1887", "Mrs. Henry Wood"),
        ("Marx, Karl, 1818-1883; Engels, Friedrich, 1820-1895", "Karl Marx; Friedrich Engels"),
        ("Austen, Jane, 1775-1817; Brock, C. E. [Illustrator]", "Jane Austen"),
        ("Wells, Carolyn, 1862-1942 [Editor]", "Carolyn Wells (editor)"),
        ("Doe, Jo [Editor] [Translator]", "Jo Doe (editor, translator)"),
        ("Doe, Jo [Ed", "Jo Doe (ed)"),
    ],
)
def test_authors_are_shown_as_they_are_read(catalogued: str, read: str) -> None:
    assert display_author(catalogued) == read
