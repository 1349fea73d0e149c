"""The list of books: complete or not listed, also with concurrent readers and writers."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from scholar_indexes.errors import Busy, Damaged, ScholarError
from scholar_indexes.storage.catalog import SCHEMA_VERSION, Catalog, StoredBook
from scholar_indexes.types import Book

SPACE = "passages_v1_tiny"


def book(book_id: str = "pg84", *, text: str = "a", title: str = "Frankenstein") -> Book:
    return Book(book_id, title, "Mary Shelley", "en", "a test", text * 64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "catalog.sqlite"


@pytest.fixture
def catalog(path: Path) -> Catalog:
    return Catalog(path, timeout_s=0.1)


def add(catalog: Catalog, one: Book) -> StoredBook:
    begun = catalog.begin(one, 100, 3, 10)
    catalog.list_edition(begun.edition, SPACE)
    return begun


def test_reading_a_list_that_is_not_there_makes_none(catalog: Catalog, path: Path) -> None:
    assert catalog.books() == []
    assert catalog.unfinished() == []
    assert catalog.indexed_editions(SPACE) == set()
    assert catalog.with_id("pg84") is None
    assert not path.exists()


@pytest.mark.parametrize(
    "content", [b"this is not a database, " * 100, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_says_what_to_do(catalog: Catalog, path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(Damaged, match="set it aside"):
        catalog.books()
    with pytest.raises(Damaged, match="set it aside"):
        catalog.begin(book(), 1, 1, 1)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_left_as_it_is(catalog: Catalog, path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE editions (something TEXT)")
    db.close()
    with pytest.raises(Damaged):
        catalog.books()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (0,)
    db.close()


def test_a_list_of_a_newer_scholar_is_left_as_it_is(catalog: Catalog, path: Path) -> None:
    add(catalog, book())
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(ScholarError, match="newer scholar; upgrade"):
        catalog.books()


def test_a_folder_in_place_of_the_file_is_one_clear_line(catalog: Catalog, path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ScholarError, match="cannot be opened"):
        catalog.books()


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_list_that_may_not_be_written_can_still_be_read(catalog: Catalog, path: Path) -> None:
    add(catalog, book())
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert len(catalog.books()) == 1
        with pytest.raises(ScholarError, match="no permission to write"):
            catalog.begin(book("pg1342"), 1, 1, 1)
    finally:
        path.parent.chmod(0o755)


def test_a_list_that_another_program_holds_is_busy(catalog: Catalog, path: Path) -> None:
    add(catalog, book())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Busy, match="run the same command again"):
        catalog.begin(book("pg1342"), 1, 1, 1)
    other.execute("ROLLBACK")
    other.close()
    assert catalog.begin(book("pg1342"), 1, 1, 1).book.id == "pg1342"


def test_a_begun_book_is_unfinished_and_not_listed(catalog: Catalog, path: Path) -> None:
    begun = catalog.begin(book(), 100, 3, 10)
    again = Catalog(path)
    assert again.books() == []
    assert again.with_id("pg84") is None
    assert again.with_text(book().sha256) is None
    assert again.unfinished() == [begun]


def test_a_recorded_book_is_listed_with_its_metadata(catalog: Catalog) -> None:
    begun = add(catalog, book())
    assert catalog.books() == [begun]
    assert (begun.book, begun.characters, begun.chapters, begun.sentences) == (book(), 100, 3, 10)
    assert begun.added.endswith("Z")
    assert begun.folder == f"pg84.{begun.edition}"
    assert catalog.indexed_editions(SPACE) == {begun.edition}
    assert catalog.with_text(book().sha256) == begun


def test_a_newer_edition_takes_the_place_of_the_older_in_one_step(catalog: Catalog) -> None:
    old = add(catalog, book(text="a"))
    new = catalog.begin(book(text="b"), 200, 4, 20)
    assert catalog.with_id("pg84") == old
    catalog.list_edition(new.edition, SPACE)
    assert catalog.books() == [new]
    assert catalog.unfinished() == [old]


def test_an_edition_number_is_never_used_again(catalog: Catalog) -> None:
    first = catalog.begin(book(), 1, 1, 1)
    catalog.forget(first.edition)
    assert catalog.unfinished() == []
    assert catalog.begin(book(), 1, 1, 1).edition > first.edition


def test_a_listed_book_is_forgotten_only_after_it_was_unlisted(catalog: Catalog) -> None:
    begun = add(catalog, book())
    catalog.forget(begun.edition)
    assert catalog.books() == [begun]
    catalog.unlist(begun.edition)
    assert (catalog.books(), catalog.unfinished()) == ([], [begun])
    catalog.forget(begun.edition)
    assert catalog.unfinished() == []
    assert catalog.indexed_editions(SPACE) == set()


def test_spaces_are_noted_apart_and_forgotten_apart(catalog: Catalog) -> None:
    begun = add(catalog, book())
    catalog.mark_indexed(begun.edition, "other")
    catalog.mark_indexed(begun.edition, "other")
    catalog.forget_space(SPACE)
    assert (catalog.indexed_editions(SPACE), catalog.indexed_editions("other")) == (
        set(),
        {begun.edition},
    )


def test_books_are_listed_by_author_and_title(catalog: Catalog) -> None:
    for number, title in enumerate(("Valperga", "Frankenstein", "Lodore")):
        add(catalog, book(f"pg{number}", text=str(number), title=title))
    assert [entry.book.title for entry in catalog.books()] == ["Frankenstein", "Lodore", "Valperga"]


@pytest.mark.parametrize("title", ["'; DROP TABLE editions; --", '"x"', "%", "🌧", "\x00"])
def test_a_title_is_only_text(catalog: Catalog, title: str) -> None:
    add(catalog, book(title=title))
    assert catalog.books()[0].book.title == title
    assert catalog.with_id(title) is None


def test_two_that_write_at_once_both_succeed(path: Path) -> None:
    failures: list[BaseException] = []

    def work(which: int) -> None:
        try:
            mine = Catalog(path, timeout_s=30)
            for number in range(10):
                add(mine, book(f"pg{which}{number}", text=f"{which}"))
                assert any(entry.book.id == f"pg{which}{number}" for entry in mine.books())
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(which,)) for which in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(Catalog(path).books()) == 20
