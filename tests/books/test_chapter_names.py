"""The names of chapters whose only title is a numeral."""

from __future__ import annotations

import pytest

from scholar_indexes.books.citation.chapter_names import full_section_name, section_name


@pytest.mark.parametrize(
    ("title", "book_title", "name"),
    [
        pytest.param("XVIII", "The Sonnets", "sonnet XVIII", id="a sonnet"),
        pytest.param("18", "SONNETS FROM THE PORTUGUESE", "sonnet 18", id="a sonnet in capitals"),
        pytest.param("XVIII", "Poems by Emily Dickinson", "XVIII", id="a poem"),
        pytest.param("XVIII", "Middlemarch", "ch. XVIII", id="a chapter"),
        pytest.param("CHAPTER XVIII", "Middlemarch", "CHAPTER XVIII", id="its own word"),
        pytest.param("Lucy Gray", "Poetical Works", "Lucy Gray", id="a title"),
        pytest.param("", "The Sonnets", "sonnet 3", id="no title"),
    ],
)
def test_a_numeral_has_the_word_for_what_its_book_is_made_of(
    title: str, book_title: str, name: str
) -> None:
    assert section_name(title, 3, book_title) == name


def test_the_headings_above_a_chapter_come_before_it() -> None:
    assert full_section_name(("Volume II", ""), "IV", 30, "Evelina") == "Volume II, ch. IV"
    assert full_section_name((), "anything", 0, "The Sonnets") == "front matter"
