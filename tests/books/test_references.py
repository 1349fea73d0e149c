"""The book that a reference names."""

from __future__ import annotations

import pytest

from scholar_indexes.books.references import find_book
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book


def stored(id: str, title: str, author: str) -> StoredBook:
    return StoredBook(Book(id, title, author, "en", "", ""), 1, 0, 0, 0, "")


SHELF = [
    stored("pg110", "Tess of the d'Urbervilles", "Thomas Hardy"),
    stored("pg44", "The Song of the Lark", "Willa Cather"),
    stored("pg541", "The Age of Innocence", "Edith Wharton"),
    stored("pg284", "The House of Mirth", "Edith Wharton"),
    stored("own-of", "Of", ""),
]


@pytest.mark.parametrize(
    ("reference", "id"),
    [("pg44", "pg44"), ("44", "pg44"), ("pg44:3.1", "pg44"), ("of", "own-of"), ("MIRTH", "pg284")],
)
def test_a_book_is_named_by_id_number_locator_title_or_a_piece_of_it(
    reference: str, id: str
) -> None:
    assert find_book(SHELF, reference).book.id == id


def test_a_piece_of_several_titles_lists_all_of_them_by_author() -> None:
    with pytest.raises(UsageError) as refusal:
        find_book(SHELF, "the")
    assert str(refusal.value) == (
        "'the' could be 4 books; give an id: "
        "Edith Wharton: pg541 The Age of Innocence, pg284 The House of Mirth; "
        "Thomas Hardy: pg110 Tess of the d'Urbervilles; Willa Cather: pg44 The Song of the Lark"
    )


@pytest.mark.parametrize(("reference", "hint"), [("1342", "scholar add 1342"), ("x", "books list")])
def test_an_unknown_title_is_refused_with_what_to_do(reference: str, hint: str) -> None:
    with pytest.raises(NotThere, match=hint):
        find_book(SHELF, reference)
