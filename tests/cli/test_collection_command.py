"""scholar collection: passages gathered for an argument."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_indexes.paths import user_paths
from scholar_indexes.storage.bookmarks import SCHEMA_VERSION, Bookmarks, SavedQuotation

LIGHT, FUTURE = "pg64317:9.162:0-152", "pg64317:9.163:0-92"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("show", "hope"), 4, "no collection 'hope'"),
        (("remove", "hope", LIGHT), 4, "no collection 'hope'"),
        (("remove", "hope"), 2, "or --all"),
        (("remove", "hope", LIGHT, "--all"), 2, "or --all"),
        (("new", " "), 2, "needs a name"),
        (("add", "hope", "pg64317"), 2, "is not a passage"),
        (("add", "hope", "pg64317:99.1"), 4, "has no section 99"),
        (("add", "hope", "pg9:1.1"), 4, "scholar add 9"),
        (("add", "hope", "nonsense here"), 2, "is not a locator"),
        (("add", "hope", LIGHT, "pg64317:9.999"), 4, "has no paragraph 999"),
        (("add", "hope", "pg64317:9.164:0-9999"), 4, "past the end"),
        (("add", "hope", "pg64317:9.162:441-442"), 4, "has no text"),
    ],
)
def test_an_invalid_collection_command_is_an_error(
    scholar: Scholar, own_sample: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    assert message in error_line(scholar("collection", *arguments), code)
    assert succeeded(scholar("collection", "list", "--json")).json == []


def test_passages_are_added_with_a_claim_and_a_note_shown_and_taken_out(
    scholar: Scholar, own_sample: Path
) -> None:
    succeeded(scholar("collection", "new", "hope"))
    assert "the collection 'hope' exists" in error_line(scholar("collection", "new", "hope"), 2)
    assert "the collection is empty" in error_line(scholar("collection", "show", "hope"), 5)
    add = ("collection", "add", "hope", LIGHT, FUTURE)
    shown = succeeded(scholar(*add, "--claim", "the light stands for hope", "--note", "Cite this."))
    assert "2 added to 'hope'" in shown.stderr
    first, second = succeeded(scholar("collection", "show", "hope", "--json")).json
    assert first["quote"].startswith("And as I sat there brooding")
    assert (first["claim"], first["note"]) == ("the light stands for hope", "Cite this.")
    assert second["citation"] == "F. Scott Fitzgerald, The Great Gatsby, ch. IX"
    succeeded(scholar("collection", "remove", "hope", LIGHT))
    left = succeeded(scholar("collection", "show", "hope", "--json")).json
    assert [record["locator"] for record in left] == [FUTURE]
    assert "has no pg64317:9.162" in error_line(scholar("collection", "remove", "hope", LIGHT), 4)
    succeeded(scholar("collection", "remove", "hope", "--all"))
    assert succeeded(scholar("collection", "list", "--json")).json == []


def test_a_passage_that_was_there_keeps_its_note_unless_there_is_a_new_one(
    scholar: Scholar, own_sample: Path
) -> None:
    succeeded(scholar("collection", "add", "hope", LIGHT, "--note", "old"))
    assert "is already in it" in succeeded(scholar("collection", "add", "hope", LIGHT)).stderr
    succeeded(scholar("collection", "add", "hope", LIGHT, "--note", "new"))
    [record] = succeeded(scholar("collection", "show", "hope", "--json")).json
    assert record["note"] == "new"


def test_a_claim_takes_the_place_of_an_old_one_and_leaves_the_note(
    scholar: Scholar, two_books: Path
) -> None:
    add = ("collection", "add", "love", "own-the-lamplighter:1.1")
    succeeded(scholar(*add, "--claim", "first claim", "--note", "Cite this."))
    shown = succeeded(scholar(*add, "--claim", "other claim"))
    assert shown.stderr == "0 added to 'love', 1 changed\n"
    [record] = succeeded(scholar("collection", "show", "love", "--json")).json
    assert (record["claim"], record["note"]) == ("other claim", "Cite this.")
    again = succeeded(scholar(*add, "--claim", "other claim", "--note", "Cite this."))
    assert again.stderr == "own-the-lamplighter:1.1 is already in it\n0 added to 'love'\n"
    assert "1 changed" in succeeded(scholar(*add, "--note", "Read it.")).stderr


def test_the_claim_of_a_piped_passage_leaves_the_one_that_was_given(
    scholar: Scholar, two_books: Path
) -> None:
    add = ("collection", "add", "love")
    succeeded(scholar(*add, "own-the-lamplighter:1.1", "--claim", "my claim"))
    line = '{"locator": "own-the-lamplighter:1.1", "claim": "of a hit"}'
    assert "is already in it" in succeeded(scholar(*add, "-", stdin=line)).stderr
    [record] = succeeded(scholar("collection", "show", "love", "--json")).json
    assert record["claim"] == "my claim"


def test_a_passage_that_is_named_twice_is_added_once(scholar: Scholar, own_sample: Path) -> None:
    shown = succeeded(scholar("collection", "add", "hope", LIGHT, LIGHT))
    assert "1 added to 'hope'" in shown.stderr
    assert len(succeeded(scholar("collection", "show", "hope", "--json")).json) == 1


def test_a_book_has_one_locator_however_it_is_written(scholar: Scholar, own_sample: Path) -> None:
    other = ("PG64317:9.162:0-152", "gatsby:9.162:0-152")
    succeeded(scholar("collection", "add", "hope", LIGHT, *other))
    [record] = succeeded(scholar("collection", "show", "hope", "--json")).json
    assert record["locator"] == LIGHT
    succeeded(scholar("collection", "remove", "hope", "gatsby:9.162:0-152"))
    assert succeeded(scholar("collection", "list", "--json")).json == []


def test_hits_are_added_from_a_pipe(scholar: Scholar, own_sample: Path) -> None:
    hits = succeeded(scholar("kwic", "green light", "-n", "2", "--format", "jsonl")).stdout
    succeeded(scholar("collection", "add", "light", "-", stdin=hits))
    array = succeeded(scholar("locate", "boats against the current", "--json")).stdout
    succeeded(scholar("collection", "add", "light", "-", stdin=array))
    succeeded(scholar("collection", "add", "light", "-", stdin=f"{LIGHT}\n\n{FUTURE}\n"))
    records = succeeded(scholar("collection", "show", "light", "--json")).json
    assert len(records) == 5
    assert records[0]["quote"].lower() == "green light"


def test_a_kept_passage_names_its_book_and_chapter_as_a_hit_does(
    scholar: Scholar, own_sample: Path
) -> None:
    succeeded(scholar("collection", "add", "hope", LIGHT))
    [kept] = succeeded(scholar("collection", "show", "hope", "--json")).json
    shown = succeeded(scholar("show", LIGHT, "--json")).json
    assert kept["book"] == shown["book"]
    assert kept["chapter"] == {"number": shown["chapter"]["number"], "title": "ch. IX"}


def test_a_chapter_is_named_as_the_library_names_it_now_if_the_passage_is_still_there(
    scholar: Scholar, own_sample: Path
) -> None:
    here = succeeded(scholar("show", "pg84:1.3:0-60", "--json")).json["exact"]
    bookmarks = Bookmarks(user_paths().bookmarks)
    for locator, quote in (("pg84:1.3:0-60", here), ("pg84:2.3:0-60", "words of another place")):
        named = ("pg84", "Mary Shelley", "Frankenstein", "as once named")
        bookmarks.save(SavedQuotation(locator, quote, *named))
    shown = succeeded(scholar("collection", "show", "kept", "--json")).json
    assert [passage["chapter"]["title"] for passage in shown] == ["Letter 1", "as once named"]


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        ('{"quote": "no place"}', "line 1 has no locator"),
        ('{"locator": 7}', "line 1 has no locator"),
        ("{broken", "line 1 is not JSON"),
        ('{"locator": "pg84:1.1"}\n{"locator": "x y"}', "line 2: 'x y' is not a locator"),
        ('{"locator": "pg64317:9"}', "line 1: pg64317:9 is not a passage"),
        ('{\n "locator": 3\n}', "the object has no locator"),
        ("[1, 2]", "item 1 of the array is not an object"),
        ("[" * 5_000, "is not JSON"),
    ],
)
def test_lines_that_hold_no_passage_are_named(
    scholar: Scholar, own_sample: Path, stdin: str, message: str
) -> None:
    result = scholar("collection", "add", "light", "-", stdin=stdin)
    assert message in error_line(result, 2)


QUOTATIONS_OF_VERSION_2 = """
CREATE TABLE quotations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL, locator TEXT NOT NULL, quote TEXT NOT NULL,
    book TEXT NOT NULL, author TEXT NOT NULL, title TEXT NOT NULL, chapter TEXT NOT NULL,
    claim TEXT NOT NULL, note TEXT NOT NULL, kept TEXT NOT NULL DEFAULT '',
    UNIQUE (collection, locator)
)
"""


@pytest.mark.parametrize("version", [1, 2])
def test_the_passages_of_an_older_file_are_there_in_their_order(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "bookmarks.sqlite"
    Bookmarks(path).record_claim("begun")
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE quotations")
        db.execute(QUOTATIONS_OF_VERSION_2)
        if version == 1:
            db.execute("DROP TABLE collections")
        db.executemany(
            "INSERT INTO quotations (collection, locator, quote, book, author, title, chapter,"
            " claim, note) VALUES (?, ?, 'q', 'pg1', '', '', '', '', ?)",
            [("kept", "pg1:9.1", "mine"), ("hope", "pg1:1.1", ""), ("kept", "pg1:1.1", "")],
        )
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    bookmarks = Bookmarks(path)
    bookmarks.save(SavedQuotation("pg1:2.1", "q", "pg1", "", "", ""))
    kept = [(saved.locator, saved.note) for saved in bookmarks.quotations("kept")]
    assert kept == [("pg1:9.1", "mine"), ("pg1:1.1", ""), ("pg1:2.1", "")]
    bookmarks.make_collection("new")
    assert bookmarks.collections() == [("hope", 1), ("kept", 3), ("new", 0)]
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    db.close()
