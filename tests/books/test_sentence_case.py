"""Titles in sentence case."""

from __future__ import annotations

import pytest

from scholar_indexes.books.citation.sentence_case import sentence_case

TEXT = (
    "The great Gatsby gave a great party for the agents. Gatsby was proud of pride and of the "
    "secret agent. I am I."
)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The Great Gatsby", "The great Gatsby"),
        ("Pride and Prejudice", "Pride and Prejudice"),
        ("The Secret Agent: A Simple Tale", "The secret agent: A Simple Tale"),
        ("Gatsby; Or, The Great Agent", "Gatsby; Or, the great agent"),
        ("GREAT I", "GREAT I"),
        ("THE GREAT AGENTS", "THE great agents"),
        ("", ""),
    ],
)
def test_only_names_and_first_words_keep_their_capitals(title: str, expected: str) -> None:
    assert sentence_case(title, TEXT) == expected
