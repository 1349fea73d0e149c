"""The short titles by which people cite books, in the source of a quotation."""

from __future__ import annotations

import pytest

from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.serialize.passages import citation
from scholar_indexes.types import Book, Chapter, ChapterKind, Span


@pytest.mark.parametrize(
    ("title", "main"),
    [
        ("Jane Eyre: An Autobiography", "Jane Eyre"),
        ("Frankenstein; Or, The Modern Prometheus", "Frankenstein"),
        ("Moby Dick; Or, The Whale", "Moby Dick"),
        ("The Hobbit, or The Lonely Mountain", "The Hobbit"),
        ("The Portrait of a Lady: Volume 1 (of 2)", "The Portrait of a Lady, vol. 1"),
        ("Twelfth Night, or What You Will", "Twelfth Night"),
        ("Q: A Novel", "Q: A Novel"),
        ("Pride and Prejudice", "Pride and Prejudice"),
        ("", ""),
    ],
)
def test_a_book_is_called_by_its_main_title(title: str, main: str) -> None:
    assert main_title(title) == main


def test_the_source_of_a_quotation_has_the_main_title() -> None:
    book = Book("pg1260", "Jane Eyre: An Autobiography", "Charlotte Brontë", "en", "", "")
    chapter = Chapter(12, "CHAPTER XII", (), ChapterKind.CHAPTER, Span(0, 1), Span(0, 1))
    assert citation(book, chapter) == "Charlotte Brontë, Jane Eyre, CHAPTER XII"
