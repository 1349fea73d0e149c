"""Lines of verse, and the numbers that editors put into them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.verse import blank_numbers, keep_lines, passage_lines

TEXT = st.text(st.sampled_from("aA  \n\n1050._\t"), max_size=60)


@pytest.mark.parametrize(
    "text",
    [
        "There were 10\nof the men who\nhad come by 20\nin the end.",
        "He was 10",
        "Lamia 3\nIsabella 47\nHyperion 145",
        "In eighteen hundred 10 they\nStood Dido",
        "Chapter\n\n2.\n\nIt was late.",
    ],
    ids=["prose", "one line", "contents", "within a line", "chapter"],
)
def test_numbers_of_other_texts_stay(text: str) -> None:
    assert blank_numbers(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In such a night 10\nStood Dido", "In such a night\nStood Dido"),
        ("In such a night\nStood Dido 15", "In such a night\nStood Dido"),
        ("2.\n\nIn such a night\nStood Dido", "In such a night\nStood Dido"),
        ("In such\nA night\n\n3\n\nStood\nDido", "In such\nA night\n\nStood\nDido"),
        ("It was\nlate.\n\nShe went.", "It was late.\n\nShe went."),
    ],
)
def test_numbers_of_lines_and_stanzas_are_left_out(text: str, expected: str) -> None:
    assert passage_lines(text) == expected


def test_a_line_is_recognised_as_verse_by_its_neighbours() -> None:
    assert passage_lines("night 10", "In such a ", "\nStood Dido") == "night"
    assert passage_lines("night 10") == "night 10"


@given(TEXT, TEXT, TEXT)
def test_every_other_character_keeps_its_place(before: str, text: str, after: str) -> None:
    kept = keep_lines(text, before, after)
    assert len(kept) == len(text)
    assert all(old == new or new.isspace() for old, new in zip(text, kept, strict=True))
