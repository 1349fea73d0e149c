"""The word tables: valid, without duplicates, and read by class and gender."""

from __future__ import annotations

from pathlib import Path

import pytest

from scholar_indexes.lexicon import word_lists
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

TABLES = [
    table
    for table in sorted((Path(word_lists.__file__).parent / "data").glob("*.tsv"))
    if table.read_text("utf-8").startswith("word\t")
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_table_has_each_word_once_and_in_order(table: Path) -> None:
    words = [row["word"] for row in word_lists.rows(table.stem)]
    assert words == sorted(set(words))
    assert all(word == word.lower().strip() for word in words)


def test_a_class_may_be_asked_for_one_gender() -> None:
    assert {"mother", "father", "cousin"} <= words_of("kin")
    assert "mother" in words_of("kin", gender=Gender.FEMALE)
    assert words_of("kin", gender=Gender.FEMALE).isdisjoint({"father", "cousin"})


def test_several_classes_are_joined() -> None:
    assert words_of("article", "auxiliary") == words_of("article") | words_of("auxiliary")


def test_a_class_that_no_word_has_is_refused() -> None:
    with pytest.raises(KeyError):
        words_of("no such class")
