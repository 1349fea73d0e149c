"""Sections: chapters, and headings that name a narrator."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference.sections import divide, parse_narrator_heading
from scholar_indexes.types import Span


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("DR. SEWARD'S DIARY--_continued_", "DR. SEWARD"),
        ("_Mina Murray's Journal._", "Mina Murray"),
        ("THE STORY CONTINUED BY MARIAN HALCOMBE.", "MARIAN HALCOMBE"),
        ("THE STORY CONTINUED BY FREDERICK FAIRLIE, ESQ., OF LIMMERIDGE", "FREDERICK FAIRLIE"),
        ("1. THE NARRATIVE OF HESTER PINHORN, COOK", "HESTER PINHORN"),
        ("_Letter from Miss Mina Murray to Miss Lucy Westenra._", "Miss Mina Murray"),
        ("EVELINA TO THE REV. MR. VILLARS Howard Grove, March 26.", "EVELINA"),
        ("EVELINA IN CONTINUATION. June 21st.", "EVELINA"),
        ("Narrative Resumed by Jim Hawkins: The Garrison in the Stockade", "Jim Hawkins"),
        ("Told by Nelly Dean", "Nelly Dean"),
    ],
)
def test_a_heading_names_its_narrator(heading: str, name: str) -> None:
    assert list(parse_narrator_heading(heading)) == [name]


@pytest.mark.parametrize(
    "paragraph",
    [
        "He turned to Clare.",
        "“Did you send that note of Miss Havisham's to Mr. Pip?”",
        "Eleanor said that the letter was from Mr. Slope.",
        "The Strange Story of Jonathan Small",
        "The End of Mr. Gilmore's Narrative.",
        "THE WINDMILL",
        "",
    ],
)
def test_other_paragraphs_name_no_narrator(paragraph: str) -> None:
    assert list(parse_narrator_heading(paragraph)) == []


def test_a_heading_between_two_chapters_is_that_of_the_next() -> None:
    text = "One.\n\nTHE STORY CONTINUED BY ANN LEE\n\nII\n\nTwo.\n\nIII\n\nThree."
    bodies = [
        Span(0, 4),
        Span(text.index("Two"), text.index("Two") + 4),
        Span(len(text) - 6, len(text)),
    ]
    sections = divide(text, bodies)
    assert [section.span.of(text).strip() for section in sections] == ["One.", "Two.", "Three."]
    assert [section.narrator_name for section in sections] == ["", "ANN LEE", ""]


def test_chapters_are_found_by_their_headings_where_none_are_given() -> None:
    text = "CHAPTER I\n\nOne.\n\nCHAPTER II\n\nTwo."
    assert [section.span.of(text).strip() for section in divide(text, ())] == ["One.", "Two."]


@given(st.text("IaN 's\n.TOBY\"", max_size=200), st.integers(0, 80), st.integers(0, 80))
def test_sections_are_in_order_and_within_the_text(text: str, first: int, second: int) -> None:
    low, high = sorted((min(first, len(text)), min(second, len(text))))
    for bodies in ([], [Span(0, low), Span(low, high)]):
        spans = [section.span for section in divide(text, bodies)]
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))
