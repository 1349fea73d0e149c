"""scholar doctor --repair fixes everything that is derived from the stored texts."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from command_line import Scholar, error_line, make_book_text, succeeded
from libraries import overwrite

ASKED = ("find", "the widow asked", "--mode", "lexical", "--json")


def lamplighter(home: Path) -> Path:
    return next((home / "data" / "books").glob("own-the-lamplighter.*"))


def locators(scholar: Scholar) -> list[str]:
    return [hit["locator"] for hit in succeeded(scholar(*ASKED)).json]


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        pytest.param("chapters.json", flip_a_bit, id="a bit of the chapters"),
        pytest.param("sentences.npy", Path.unlink, id="no sentences"),
        pytest.param("book.json", overwrite, id="another record"),
    ],
)
def test_data_derived_from_the_text_of_a_book_is_rebuilt(
    scholar: Scholar, two_books: Path, name: str, harm: Callable[[Path], None]
) -> None:
    before = locators(scholar)
    harm(lamplighter(two_books) / name)
    said = succeeded(scholar("doctor", "--repair")).stderr
    assert "1 books were repaired from their texts: own-the-lamplighter" in said
    assert locators(scholar) == before


@pytest.mark.parametrize("name", ["text.txt", "imprint.json"])
def test_damaged_texts_and_imprints_stay_and_are_named(
    scholar: Scholar, two_books: Path, name: str
) -> None:
    flip_a_bit(lamplighter(two_books) / name)
    harmed = (lamplighter(two_books) / name).read_bytes()
    result = scholar("doctor", "--repair", "--json")
    assert result.exit_code == 1
    assert f"its {name} was changed" in result.stdout
    assert (lamplighter(two_books) / name).read_bytes() == harmed


def test_a_damaged_list_of_books_is_kept_aside_and_made_again(
    scholar: Scholar, two_books: Path
) -> None:
    before = locators(scholar)
    catalog = two_books / "data" / "catalog.sqlite"
    flip_a_bit(catalog)
    harmed = catalog.read_bytes()
    assert "doctor --repair" in error_line(scholar("books", "list"), 1)
    said = succeeded(scholar("doctor", "--repair")).stderr
    assert "2 books were listed again" in said
    assert catalog.with_name("catalog.sqlite.damaged-1").read_bytes() == harmed
    assert locators(scholar) == before


def test_a_list_of_books_whose_other_tables_are_damaged_is_made_again(
    scholar: Scholar, two_books: Path
) -> None:
    catalog = two_books / "data" / "catalog.sqlite"
    with closing(sqlite3.connect(catalog)) as database:
        [page] = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'indexed'"
        ).fetchone()
        [page_size] = database.execute("PRAGMA page_size").fetchone()
    content = bytearray(catalog.read_bytes())
    content[(page - 1) * page_size : page * page_size] = b"x" * page_size
    catalog.write_bytes(content)
    catalog.with_name("catalog.sqlite.sum").unlink()  # as after a killed command
    succeeded(scholar("books", "list"))
    results = {row["check"]: row["result"] for row in scholar("doctor", "--json").json}
    assert results["books"] == "NOT OK"
    assert "2 books were listed again" in succeeded(scholar("doctor", "--repair")).stderr


@pytest.mark.parametrize(
    "command", ["books list", "quiz books", "index status", "index rebuild", "add -"]
)
def test_a_list_that_has_lost_its_books_is_no_list_without_books(
    scholar: Scholar, two_books: Path, command: str
) -> None:
    (two_books / "data" / "catalog.sqlite").write_bytes(b"")
    refused = scholar(*command.split(), stdin=make_book_text("ferryman", 1, 3))
    assert "doctor --repair" in error_line(refused, 1, after_progress=True)


@pytest.mark.parametrize("pattern", ["data/*.lance", "_indices/*/part_0_docs.lance"])
def test_a_flipped_bit_in_the_index_is_named_and_the_index_built_again(
    scholar: Scholar, two_books: Path, pattern: str
) -> None:
    before = locators(scholar)
    flip_a_bit(next((two_books / "data" / "index.lance").glob(f"*.lance/{pattern}")))
    doctor = scholar("doctor", "--json")
    assert doctor.exit_code == 1
    assert "the index" in doctor.stdout
    assert "the index was rebuilt" in succeeded(scholar("doctor", "--repair")).stderr
    assert locators(scholar) == before
    succeeded(scholar("doctor"))


def test_an_index_of_papers_that_is_gone_is_built_again(
    scholar: Scholar, papers_home: Path
) -> None:
    shutil.rmtree(papers_home / "data" / "papers.lance")
    said = succeeded(scholar("doctor", "--repair")).stderr
    assert "the index of 12 papers was rebuilt" in said


def test_a_repair_that_was_interrupted_goes_on(scholar: Scholar, two_books: Path) -> None:
    """The books are listed, but the catalogue does not record yet which of them are indexed."""
    before = locators(scholar)
    (two_books / "data" / "catalog.sqlite").unlink()
    with pytest.MonkeyPatch.context() as patch:
        from scholar_indexes.storage.catalog import Catalog

        def stop(catalog: Catalog, edition: int, space: str) -> None:
            raise KeyboardInterrupt

        patch.setattr(Catalog, "mark_indexed", stop)
        assert scholar("doctor", "--repair").exit_code == 130
    said = succeeded(scholar("doctor", "--repair")).stderr
    assert "0 books were listed again" in said
    assert "rebuilt" not in said
    assert locators(scholar) == before


def test_changed_corrections_and_descriptions_are_named_and_can_be_taken_as_they_are(
    scholar: Scholar, quay: Path, tmp_path: Path
) -> None:
    text = '[[rename]]\nname = "Mr. Hale"\nto = "Edward Hale"\n'
    succeeded(scholar("characters", "quay", "--import", "-", stdin=text))
    path = quay / "data" / "corrections" / "own-the-quay.toml"
    path.write_text(path.read_text("utf-8").replace("Edward", "Edwarb"), "utf-8")
    message = error_line(scholar("characters", "quay", "--corrections"), 1)
    assert f"--import {path}" in message
    assert message in scholar("doctor", "--json").stdout
    succeeded(scholar("characters", "quay", "--import", str(path)))
    [correction] = succeeded(scholar("characters", "quay", "--corrections", "--json")).json
    assert "Edwarb Hale" in correction["correction"]

    (tmp_path / "own.csv").write_text("character,level,description\nTom,1,the cook\n", "utf-8")
    succeeded(scholar("quiz", "import", str(tmp_path / "own.csv"), "-b", "own-the-quay"))
    bank = quay / "data" / "descriptions" / "own-the-quay.jsonl"
    bank.write_text(bank.read_text("utf-8").replace("cook", "rook"), "utf-8")
    assert "is not what was written" in scholar("doctor", "--json").stdout
    again = ("quiz", "import", str(bank), "-b", "own-the-quay", "--replace")
    succeeded(scholar(*again))
    succeeded(scholar("doctor"))


def test_a_book_whose_text_and_record_are_damaged_keeps_both(
    scholar: Scholar, two_books: Path
) -> None:
    for name in ("text.txt", "book.json"):
        flip_a_bit(lamplighter(two_books) / name)
    assert scholar("doctor", "--repair").exit_code == 1
    assert (lamplighter(two_books) / "book.json").exists()
