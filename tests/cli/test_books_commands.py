"""scholar add, books and show."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, make_book_text, succeeded
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.types import Chapter, Span


def test_a_file_is_added_once(scholar: Scholar, two_books: Path, book: Path) -> None:
    [added] = succeeded(scholar("add", str(book), "--json")).json
    assert (added["id"], added["outcome"]) == ("own-the-ferryman", "added")
    assert added["title"] == "the ferryman"
    [again] = succeeded(scholar("add", str(book), "--json")).json
    assert (again["id"], again["outcome"]) == ("own-the-ferryman", "already here")
    assert succeeded(scholar("books", "list", "--json")).ids.count("own-the-ferryman") == 1


def test_the_same_text_under_another_name_is_the_same_book(
    scholar: Scholar, two_books: Path, book: Path, tmp_path: Path
) -> None:
    succeeded(scholar("add", str(book)))
    copy = shutil.copy(book, tmp_path / "another name.txt")
    [again] = succeeded(scholar("add", str(copy), "--json")).json
    assert (again["id"], again["outcome"]) == ("own-the-ferryman", "already here")


def test_a_file_that_is_added_again_gets_the_title_author_and_language_that_are_given(
    scholar: Scholar, two_books: Path, book: Path
) -> None:
    def listed() -> tuple[str, str, str]:
        books = succeeded(scholar("books", "list", "--json")).json
        [ferry] = [one for one in books if one["id"] == "own-the-ferryman"]
        return ferry["title"], ferry["author"], ferry["language"]

    succeeded(scholar("add", str(book)))
    [titled] = succeeded(scholar("add", str(book), "--title", "Another", "--json")).json
    assert (titled["id"], titled["outcome"]) == ("own-the-ferryman", "replaced")
    succeeded(scholar("add", str(book), "--author", "Ann Pool"))
    succeeded(scholar("add", str(book), "--language", "fr"))
    assert listed() == ("Another", "Ann Pool", "fr")
    [same] = succeeded(scholar("add", str(book), "--title", "Another", "--json")).json
    assert same["outcome"] == "already here"
    [plain] = succeeded(scholar("add", str(book), "--json")).json
    assert (plain["outcome"], listed()) == ("already here", ("Another", "Ann Pool", "fr"))
    hits = succeeded(scholar("find", "the ferryman", "--mode", "lexical", "--json")).json
    assert "Another" in {hit["book"]["title"] for hit in hits}


def test_a_refresh_updates_the_division_of_a_book(
    scholar: Scholar, two_books: Path, book: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "divide", undivided)
        [added] = succeeded(scholar("add", str(book), "--json")).json
    assert added["chapters"] == 1
    [kept] = succeeded(scholar("add", str(book), "--json")).json
    assert (kept["outcome"], kept["chapters"]) == ("already here", 1)
    [replaced] = succeeded(scholar("add", str(book), "--refresh", "--json")).json
    assert (replaced["outcome"], replaced["chapters"]) == ("replaced", 3)
    [same] = succeeded(scholar("add", str(book), "--refresh", "--json")).json
    assert (same["outcome"], same["chapters"]) == ("already here", 3)
    hits = succeeded(scholar("find", "the ferryman", "--mode", "lexical", "--json")).json
    assert {hit["locator"].split(":")[1].split(".")[0] for hit in hits} >= {"3"}


def test_kept_passages_follow_their_words_when_the_division_of_a_book_changes(
    scholar: Scholar, two_books: Path, book: Path
) -> None:
    def kept() -> list[tuple[str, str, str]]:
        passages = succeeded(scholar("collection", "show", "hope", "--json")).json
        return [(kept["locator"], kept["quote"], kept["chapter"]["title"]) for kept in passages]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "divide", undivided)
        succeeded(scholar("add", str(book)))
    last = [f"own-the-ferryman:1.{paragraph}" for paragraph in (21, 32)]
    succeeded(scholar("collection", "add", "hope", *last, "--note", "both"))
    before = kept()
    assert {chapter for _, _, chapter in before} == {"Chapter 1"}
    succeeded(scholar("add", str(book), "--refresh"))
    after = kept()
    assert [exact for _, exact, _ in after] == [exact for _, exact, _ in before]
    assert [(locator.split(":")[1], chapter) for locator, _, chapter in after] == [
        ("2.10", "Chapter 2"),
        ("3.10", "Chapter 3"),
    ]
    assert "other words" not in succeeded(scholar("export", "-c", "hope")).stderr


def undivided(text: str, headings: Sequence[Any]) -> tuple[Chapter, ...]:
    """Return the chapters of a text as one."""
    front, first, *_ = divide(text, headings)
    end = len(text)
    return front, replace(first, span=Span(first.span.start, end), body=Span(first.body.start, end))


def test_another_text_of_that_name_is_refused_until_it_may_replace(
    scholar: Scholar, two_books: Path, book: Path
) -> None:
    succeeded(scholar("add", str(book)))
    book.write_text(make_book_text("smuggler"), "utf-8")
    assert "--refresh" in error_line(scholar("add", str(book)), 2)
    assert not succeeded(scholar("find", "smuggler", "--mode", "lexical", "--json")).json
    [replaced] = succeeded(scholar("add", str(book), "--refresh", "--json")).json
    assert replaced["outcome"] == "replaced"
    assert not succeeded(scholar("find", "ferryman", "--mode", "lexical", "--json")).json
    assert succeeded(scholar("find", "smuggler", "--mode", "lexical", "--json")).json
    assert len(list((two_books / "data" / "books").iterdir())) == 3


def test_standard_input_is_a_source(scholar: Scholar) -> None:
    text = make_book_text("postman").encode()
    result = succeeded(scholar("add", "-", "--title", "The Postman", "--json", stdin=text))
    assert result.ids == ["own-the-postman"]
    assert result.stderr == ""


def test_a_dry_run_stores_nothing(scholar: Scholar, home: Path, book: Path) -> None:
    [planned] = succeeded(scholar("add", str(book), "--dry-run", "--json")).json
    assert planned["outcome"] == "would be added"
    assert (planned["chapters"], planned["sentences"]) == (3, 120)
    assert not home.exists()


def test_the_given_title_author_and_language_override_the_file(
    scholar: Scholar, book: Path
) -> None:
    options = (
        "--title",
        "Ferry, [bold]and[/] Back",
        "--author",
        "Zoë Ångström",
        "--language",
        "en",
    )
    [added] = succeeded(scholar("add", str(book), *options, "--json")).json
    assert added["id"] == "own-ferry-bold-and-back"
    assert (added["title"], added["author"]) == ("Ferry, [bold]and[/] Back", "Zoë Ångström")
    assert "[bold]and[/]" in succeeded(scholar("books", "list")).stdout


def test_books_that_were_added_before_one_failed_are_printed(
    scholar: Scholar, home: Path, book: Path
) -> None:
    result = scholar("add", str(book), "no-such-file.txt", "--format", "plain")
    assert result.exit_code == 1
    assert "not added: there is no file no-such-file.txt" in result.stderr
    assert result.stdout.startswith("own-the-ferryman\t")


def test_the_books_are_listed_with_ids(scholar: Scholar, two_books: Path) -> None:
    listed = succeeded(scholar("books", "list", "--json")).json
    assert [(book["id"], book["author"]) for book in listed] == [
        ("own-the-lamplighter", "Ann Example"),
        ("own-the-clockmaker", "Ben Other"),
    ]
    assert all(len(book["sha256"]) == 64 and book["sentences"] == 120 for book in listed)
    for name in ("table", "plain", "csv", "md"):
        assert "own-the-clockmaker" in succeeded(scholar("books", "list", "--format", name)).stdout


def test_a_book_is_described_with_the_locators_of_its_chapters(
    scholar: Scholar, two_books: Path
) -> None:
    info = succeeded(scholar("books", "info", "lamplighter", "--json")).json
    assert [division["locator"] for division in info["divisions"]] == [
        f"own-the-lamplighter:{chapter}" for chapter in (1, 2, 3)
    ]
    assert "own-the-lamplighter:2" in succeeded(scholar("books", "info", "lamplighter")).stdout
    for division in info["divisions"]:
        succeeded(scholar("show", division["locator"]))


def test_a_removed_book_is_gone_from_the_disk_too(scholar: Scholar, two_books: Path) -> None:
    result = succeeded(scholar("books", "remove", "own-the-lamplighter"))
    assert result.stderr == "removed own-the-lamplighter The Lamplighter\n"
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-the-clockmaker"]
    assert succeeded(scholar("find", "lamplighter", "--mode", "lexical", "--json")).json == []
    assert [path.name for path in (two_books / "data" / "books").iterdir()] == [
        "own-the-clockmaker.2"
    ]
    assert succeeded(scholar("index", "status", "--json")).json["sentences"] == 120


def test_show_gives_what_a_locator_names(scholar: Scholar, two_books: Path) -> None:
    chapter = succeeded(scholar("show", "own-the-lamplighter:2", "--json")).json
    assert len(chapter["paragraphs"]) == 10
    paragraph = succeeded(
        scholar("show", "own-the-lamplighter:2.4", "--context", "0", "--json")
    ).json
    assert [part["locator"] for part in paragraph["paragraphs"]] == ["own-the-lamplighter:2.4"]
    assert paragraph["exact"] == paragraph["paragraphs"][0]["text"]
    near = succeeded(scholar("show", "own-the-lamplighter:2.4", "--context", "2", "--json")).json
    assert [part["locator"][-3:] for part in near["paragraphs"]] == [f"2.{n}" for n in range(2, 7)]
    span = succeeded(scholar("show", "lamplighter:2.4:4-15", "--json")).json
    assert span["locator"] == "own-the-lamplighter:2.4:4-15"
    assert span["exact"] == "lamplighter"
    read = succeeded(scholar("show", "own-the-lamplighter:2.4:4-15")).stdout
    assert "The »lamplighter« walked" in read


@pytest.mark.parametrize(
    ("place", "code"),
    [
        pytest.param("", 2, id="a whole book"),
        pytest.param(":4", 4, id="no such chapter"),
        pytest.param(":1.0", 4, id="paragraph nought"),
        pytest.param(":1.11", 4, id="no such paragraph"),
        pytest.param(":3.10:0-9999", 4, id="past the end of the chapter"),
        pytest.param(":3.10:999990-999999", 4, id="far past the end"),
        pytest.param(":1.1:5-5", 2, id="nothing"),
        pytest.param(":999999.9999999:999999998-999999999", 4, id="the largest numbers"),
    ],
)
def test_a_place_the_book_does_not_have_is_refused(
    scholar: Scholar, two_books: Path, place: str, code: int
) -> None:
    assert error_line(scholar("show", f"own-the-lamplighter{place}"), code)
