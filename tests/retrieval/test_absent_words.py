"""Names of a claim that no book has, and names that the books spell otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.retrieval.absent_words import ClaimWords, look_up
from scholar_indexes.storage.passages import (
    EVERYTHING,
    PassageFilter,
    PassageTable,
    SentenceRows,
)
from scholar_indexes.types import Book

IDIOT, CAROL = 1, 2
BOOKS = [
    Book("own-idiot", "The Idiot", "Fyodor Dostoevsky", "en", "idiot.txt", ""),
    Book("own-carol", "A Carol", "Charles Dickens", "en", "carol.txt", ""),
]
TEXTS = {
    IDIOT: [
        *(f"Prince Muishkin smiled at Sonia, number {number}." for number in range(20)),
        "Mashkin mowed a row.",
        "Éponine waited.",
    ],
    CAROL: ["Old Marley was dead."] * 20,
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PassageTable:
    folder: Path = tmp_path_factory.mktemp("absent")
    table = PassageTable(folder / "index.lance", "tiny_0123", 8)
    for edition, texts in TEXTS.items():
        count = len(texts)
        vectors, ones = np.ones((count, 8), np.float32), np.ones(count, np.float32)
        table.write(edition, [SentenceRows(range(count), [1] * count, texts, vectors, ones)])
    table.optimize()
    return table


@pytest.mark.parametrize(
    ("claim", "absent"),
    [
        pytest.param("Miss Havisham stopped time", ("Havisham",), id="after a title"),
        pytest.param("the pride of Mr. Darcy", ("Darcy",), id="after an abbreviation"),
        pytest.param("how Pip loves Estella", ("Pip", "Estella"), id="within the sentence"),
        pytest.param("Gatsby's wealth", ("Gatsby",), id="the owner"),
        pytest.param("Ahab is mad", ("Ahab",), id="before a verb"),
        pytest.param("how Dickens's irony fails", (), id="an author"),
        pytest.param("the plot of Dostoevsky's Idiot", (), id="a title"),
        pytest.param("Emma", ("Emma",), id="a given name alone"),
        pytest.param("Marley is dead", (), id="a name of a book"),
        pytest.param("MARLEY AND SCROOGE ARE DEAD", (), id="all in capitals"),
        pytest.param("Eponine is sad", (), id="without an accent"),
        pytest.param("Dehumanization of workers", (), id="a term at the beginning"),
        pytest.param("the guilt of Marxist and Victorian critics", (), id="adjectives"),
        pytest.param("Shame is a theme; Death is another", (), id="common nouns"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_the_names_that_no_book_has_are_absent(
    table: PassageTable, claim: str, absent: tuple[str, ...]
) -> None:
    assert look_up(claim, table, EVERYTHING, BOOKS) == ClaimWords(claim, {}, absent)


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        ("Prince Myshkin's kindness", "Prince Muishkin's kindness"),
        ("the love of Sonya for Myshkin", "the love of Sonia for Muishkin"),
    ],
)
def test_a_name_is_read_in_the_spelling_that_is_frequent(
    table: PassageTable, claim: str, read: str
) -> None:
    words = look_up(claim, table, EVERYTHING, BOOKS)
    assert (words.claim, words.absent) == (read, ())


def test_only_the_searched_books_are_asked(table: PassageTable) -> None:
    words = look_up("Prince Myshkin's kindness", table, PassageFilter(editions=[CAROL]), BOOKS)
    assert words == ClaimWords("Prince Myshkin's kindness", {}, ("Myshkin",))
