"""The descriptions of a book: their cache file, and the bank that is made from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.descriptions import book_descriptions
from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.characters.descriptions.book_descriptions import BookDescriptions
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, Character, Gender, Span

TEXT = "Mr. Hale married Jane.\n\nRobert was born in Dublin."
CHAPTER = Chapter(1, "", (), ChapterKind.CHAPTER, Span(0, len(TEXT)), Span(0, len(TEXT)))
BOOK = Book("own-x", "X", "A. B.", "en", "x.txt", "0" * 64)
OPENED = OpenBook.from_text(StoredBook(BOOK, 1, len(TEXT), 1, 1, "2026-01-01"), TEXT, [CHAPTER])
KEY = "1 x"
DESCRIPTIONS = BookDescriptions(
    (
        Character("jane-marsh", "Jane Marsh", ("Jane Marsh", "Jane"), Gender.FEMALE),
        Character("mrs.-gale", "Mrs. Gale", ("Mrs. Gale",), Gender.FEMALE),
        Character("mr.-hale", "Mr. Hale", ("Mr. Hale", "Hale"), Gender.MALE),
        Character("robert-stone", "Robert Stone", ("Robert Stone", "Robert"), Gender.MALE, True),
    ),
    (
        AutomaticDescription(
            2, "deed", "the one who married {Jane Marsh}", (Span(0, 22),), 2.5, (1,)
        ),
        AutomaticDescription(3, "deed", "the one who was born in Dublin", (Span(24, 50),), 1.9),
    ),
)


def test_saved_descriptions_are_loaded(tmp_path: Path) -> None:
    book_descriptions.save(tmp_path, KEY, DESCRIPTIONS)
    assert book_descriptions.load(tmp_path, KEY, len(TEXT)) == DESCRIPTIONS
    assert [path.name for path in tmp_path.iterdir()] == [book_descriptions.FILE_NAME]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda text: "", id="empty"),
        pytest.param(lambda text: text[: len(text) // 2], id="truncated"),
        pytest.param(lambda text: "[" * 100_000, id="nested too deeply"),
        pytest.param(lambda text: "[1, 2]", id="another JSON value"),
        pytest.param(lambda text: text.replace('"deed"', '"crime"'), id="unknown kind"),
        pytest.param(lambda text: text.replace("[[0, 22]]", "[[0, 999]]"), id="span outside"),
        pytest.param(lambda text: text.replace("[[0, 22]]", "[]"), id="no passage"),
        pytest.param(lambda text: text.replace("[2, ", "[99, "), id="unknown character"),
        pytest.param(lambda text: text.replace("2.5, [1]", "2.5, [99]"), id="unknown rival"),
        pytest.param(lambda text: text.replace('"1 x"', '"0 x"'), id="another key"),
    ],
)
def test_damaged_or_stale_file_is_not_loaded(tmp_path: Path, damage: Callable[[str], str]) -> None:
    book_descriptions.save(tmp_path, KEY, DESCRIPTIONS)
    file = tmp_path / book_descriptions.FILE_NAME
    damaged = damage(file.read_text("utf-8"))
    assert damaged != file.read_text("utf-8")
    file.write_text(damaged, "utf-8")
    assert book_descriptions.load(tmp_path, KEY, len(TEXT)) is None


def test_file_is_json_with_a_schema_version(tmp_path: Path) -> None:
    book_descriptions.save(tmp_path, KEY, DESCRIPTIONS)
    record = json.loads((tmp_path / book_descriptions.FILE_NAME).read_text("utf-8"))
    assert record["schema_version"] == 3
