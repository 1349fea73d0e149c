"""Gutenberg numbers, and books downloaded by number from mirrors with and without them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from http_server import closed_port
from mirror_server import MirrorServer, status
from scholar_indexes.books.gutenberg.mirrors import candidates, download, folder, gutenberg_id
from scholar_indexes.errors import NotThere, Offline, RetryLater, ScholarError
from scholar_indexes.net.client import Fetched, Fetcher
from scholar_indexes.settings import DEFAULT_MIRRORS


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        yield server


@pytest.fixture
def other(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "other") as server:
        yield server


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def book(tmp_path: Path, messages: list[str]):
    """Return a function that downloads one book with a Fetcher that does not wait."""

    def book(pgid: int, *mirrors: str, offline: bool = False, refresh: bool = False) -> Fetched:
        fetcher = Fetcher(tmp_path / "cache", offline=offline, pause_s=0, retries=0, timeout_s=5)
        return download(fetcher, pgid, mirrors, refresh=refresh, announce=messages.append)

    return book


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "0",
        "-1",
        "01342",
        "1342.5",
        "1,342",
        "1234567",
        "9" * 400,
        "١٣٤٢",
        "pg",
        "pg0",
        "pgpg1342",
        "book1342",
        "own-emma",
        "emma.txt",
        "texts/1342.txt",
        "1/3/4/1342",
        "https://www.gutenberg.org/",
        "https://www.gutenberg.org/ebooks/",
        "https://www.gutenberg.org/ebooks/search/?query=1342",
        "https://www.gutenberg.org/ebooks/author/68",
        "https://www.gutenberg.org/ebooks/1342and",
        "https://www.gutenberg.org/ebooks/0",
        "https://example.org/ebooks/1342",
        "https://notgutenberg.org/ebooks/1342",
        "https://www.gutenberg.org.example.org/ebooks/1342",
        "https://host/1/3/5/1342/1342-0.txt",
        "https://host/3/4/1342/1342-0.txt",
        "https://host/2024/01/02/1342",
        "https://host/2024/1/12/on-emma.html",
        "https://host/1/3/4/1342/",
        "file:///1/3/4/1342/1342-0.txt",
        "https://[::1/1/3/4/1342/",
        "ftp://www.gutenberg.org/ebooks/1342",
    ],
)
def test_other_references_have_no_gutenberg_number(reference: str) -> None:
    assert gutenberg_id(reference) is None


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        ("1342", 1342),
        (" 1342\n", 1342),
        ("5", 5),
        ("pg1342", 1342),
        ("PG1342", 1342),
        ("https://www.gutenberg.org/ebooks/1342", 1342),
        ("https://www.gutenberg.org/ebooks/1342/", 1342),
        ("http://gutenberg.org/ebooks/1342?msg=welcome_stranger#top", 1342),
        ("gutenberg.org/ebooks/1342", 1342),
        ("WWW.Gutenberg.ORG/ebooks/1342", 1342),
        ("https://www.gutenberg.org/ebooks/1342.txt.utf-8", 1342),
        ("https://www.gutenberg.org/ebooks/1342.epub3.images", 1342),
        ("https://www.gutenberg.org/files/1342/1342-0.txt", 1342),
        ("https://www.gutenberg.org/files/1342/1342-h/1342-h.htm", 1342),
        ("https://www.gutenberg.org/cache/epub/1342/pg1342.txt", 1342),
        ("https://www.gutenberg.org/cache/epub/1342/pg1342-images.html", 1342),
        ("https://host/1/3/4/1342/1342-0.txt", 1342),
        ("https://host/pub/docs/books/gutenberg/1/3/4/1342/1342-h/1342-h.htm", 1342),
        ("https://host/mirror/7/1/3/4/1342/1342.txt", 1342),
        ("https://host/0/5/5.txt", 5),
        ("https://host/4/46/46-0.txt", 46),
        ("https://host:8080/cache/epub/84/pg84.txt", 84),
    ],
)
def test_a_number_is_read_from_what_people_paste(reference: str, number: int) -> None:
    assert gutenberg_id(reference) == number


@pytest.mark.parametrize(
    ("pgid", "place"), [(5, "0/5"), (46, "4/46"), (1342, "1/3/4/1342"), (64317, "6/4/3/1/64317")]
)
def test_folders_spell_the_number(pgid: int, place: str) -> None:
    assert folder(pgid) == place
    urls = candidates(pgid, "https://host/mirror")
    assert [gutenberg_id(url) for url in urls] == [pgid] * len(urls)


def test_candidates_prefer_what_was_released_in_utf_8() -> None:
    assert candidates(1342, "https://host/gutenberg/") == [
        "https://host/gutenberg/1/3/4/1342/1342-0.txt",
        "https://host/gutenberg/1/3/4/1342/1342-8.txt",
        "https://host/gutenberg/1/3/4/1342/1342.txt",
        "https://host/gutenberg/cache/epub/1342/pg1342.txt",
    ]


def test_the_main_site_is_left_to_people() -> None:
    assert all(mirror.startswith("https://") for mirror in DEFAULT_MIRRORS)
    assert not any("gutenberg.org" in mirror for mirror in DEFAULT_MIRRORS)


def test_a_book_no_mirror_has_is_not_there(book, mirror, other) -> None:
    with pytest.raises(NotThere, match=r"no text of Gutenberg book 99999 on .*catalog search"):
        book(99999, mirror.url(), other.url())
    assert len(mirror.requests) == len(other.requests) == 4


def test_no_mirror_at_all_is_no_crash(book) -> None:
    with pytest.raises(NotThere, match="any mirror"):
        book(1342)


def test_a_mirror_that_cannot_be_asked_leaves_the_question_open(book, mirror, messages) -> None:
    with pytest.raises(RetryLater, match="could not reach"):
        book(1342, f"http://127.0.0.1:{closed_port()}/", mirror.url())
    assert any("could not reach" in line and "trying the next mirror" in line for line in messages)


def test_a_mirror_that_refuses_says_why(book, mirror) -> None:
    mirror.script("/1/3/4/1342/1342-0.txt", status(403))
    with pytest.raises(ScholarError, match="refused"):
        book(1342, mirror.url())


def test_offline_names_the_book(book, mirror) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", b"text")
    with pytest.raises(Offline, match=r"Gutenberg book 1342 .*--offline"):
        book(1342, mirror.url(), offline=True)
    assert mirror.requests == []


@pytest.mark.parametrize("code", [403, 503])
def test_the_next_mirror_helps_out(book, mirror, other, code: int) -> None:
    mirror.script("/1/3/4/1342/1342-0.txt", status(code))
    other.put("/1/3/4/1342/1342-0.txt", b"from the other")
    assert book(1342, mirror.url(), other.url()).path.read_bytes() == b"from the other"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_best_candidate_is_taken(book, mirror, count: int) -> None:
    urls = candidates(1342, "")
    for path in urls[-count:]:
        mirror.put(path, path.encode())
    assert book(1342, mirror.url()).path.read_bytes() == urls[-count].encode()
    assert mirror.requested_paths == urls[: len(urls) - count + 1]


def test_a_book_that_is_here_is_found_under_whatever_address(book, mirror, other) -> None:
    other.put("/1/3/4/1342/1342.txt", b"text")
    book(1342, mirror.url(), other.url())
    before = len(mirror.requests) + len(other.requests)
    assert book(1342, mirror.url(), other.url()).cached
    assert book(1342, mirror.url(), other.url(), offline=True).cached
    assert len(mirror.requests) + len(other.requests) == before


def test_refresh_asks_again(book, mirror) -> None:
    mirror.put("/1/3/4/1342/1342-0.txt", b"first edition")
    book(1342, mirror.url())
    mirror.put("/1/3/4/1342/1342-0.txt", b"second edition")
    assert book(1342, mirror.url(), refresh=True).path.read_bytes() == b"second edition"


def layout_name(pgid: int, content: bytes) -> str:
    """Return the file name Gutenberg gives a text in that encoding."""
    for kind, encoding in (("", "ascii"), ("-0", "utf-8")):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return f"{pgid}{kind}.txt"
    return f"{pgid}-8.txt"


@pytest.mark.shared
def test_real_books_are_downloaded_by_number(book, mirror, shared_texts: Path) -> None:
    laid_out: dict[str, dict[int, bytes]] = {"-0": {}, "-8": {}, "": {}}
    for file in sorted(shared_texts.glob("primary/[1-9]*.txt")):
        content = file.read_bytes()
        pgid = int(file.stem)
        name = layout_name(pgid, content)
        same_kind = laid_out[name.removeprefix(file.stem).removesuffix(".txt")]
        if len(same_kind) < 3:
            same_kind[pgid] = content
            mirror.put(f"/{folder(pgid)}/{name}", content)
    for same_kind in laid_out.values():
        assert len(same_kind) == 3
        for pgid, content in same_kind.items():
            download = book(pgid, mirror.url())
            assert download.path.read_bytes() == content
            assert book(pgid, mirror.url(), offline=True).sha256 == download.sha256
