"""Half-remembered words, sampled from the library's books and found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded


def test_more_books_than_there_are_cannot_be_drawn_from(lab: Scholar, quay: Path) -> None:
    assert "ask for fewer: --books" in error_line(lab("bench", "remembered"), 4)


@pytest.mark.slow
def test_words_of_a_small_book_are_found_again(lab: Scholar, quay: Path) -> None:
    options = ("-n", "9", "--books", "1", "--json")
    exact, altered = succeeded(lab("bench", "remembered", *options)).json
    assert (exact["n"], altered["n"]) == (6, 3)
    assert exact["metrics"]["success@1"] == 1
    again, _ = succeeded(lab("bench", "remembered", *options)).json
    assert again["data_sha256"] == exact["data_sha256"]
