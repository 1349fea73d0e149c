"""Words that are divided at the ends of lines: joined in the text of a book."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.formats import gutenberg

FILLING = "the bell rang again in all of the empty houses of"


def read(text: str) -> str:
    """Return the text of a book on one line."""
    return " ".join(re.sub(r"-\n\s*", "-", gutenberg.read(text.encode()).text).split())


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        ("in the dark morn-\ning the bell rang, one morning", "dark morning the bell"),
        ("in the dark morn- \n  ing the bell rang", "dark morning the bell"),
        ("in the dark morn‐\ning the bell rang", "dark morning the bell"),
        ("in the dark morn\u00ad\ning the bell rang", "dark morning the bell"),
        ("in the dark Quux¬\nity the bell rang", "dark Quuxity the bell"),
        ("by Trimal-\nchio and to Trimalchio", "by Trimalchio and"),
        ("this under-\nstanding, great-\ner and great-\nly so", "this understanding, greater and"),
    ],
    ids=["in the book", "spaces", "hyphen", "soft hyphen", "sign of a scan", "name", "listed"],
)
def test_a_divided_word_is_joined(lines: str, joined: str) -> None:
    assert joined in read(f"It was {lines}.")


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (
            "his self-\ncontrol, in the morn-\ning, his self-control",
            "his self-control, in the morning",
        ),
        ("a circular-\nvisaged man in the morn-\ning", "a circular-visaged man in the morning"),
        ("a man-of-\nwar in the morn-\ning", "a man-of-war in the morning"),
        ("self-\ncontrol for week-\ndays, and other days", "self-control for week-days, and"),
        ("in 1849-\nwards and Mary-\nAnn in the morn-\ning", "Mary-Ann in the morning"),
        ("not ¬p but p¬ and ¬ too", "not ¬p but p¬ and ¬ too"),
    ],
    ids=[
        "in the book",
        "two words",
        "more hyphens",
        "compounds",
        "numbers and names",
        "other signs",
    ],
)
def test_a_compound_keeps_its_hyphen(lines: str, kept: str) -> None:
    assert kept in read(f"It was {lines}.")


def test_a_part_of_a_word_in_lines_that_stay_moves_to_the_line_before() -> None:
    verse = "The curfew tolls the knell of part-\n  ing day,\nThe lowing herd.\nA parting.\n"
    assert "the knell of parting\nday,\nThe lowing" in gutenberg.read(verse.encode()).text


@given(st.lists(st.sampled_from(range(2, 6)), min_size=4, max_size=30), st.sampled_from("-‐¬"))
def test_a_text_with_divided_words_is_read_like_one_without(cuts: list[int], hyphen: str) -> None:
    words = ["morning", "quarrel", "understanding", "Trimalchio"]
    whole = [f"{FILLING} {words[at % 4]}" for at in range(len(cuts))]
    divided = [
        f"{FILLING} {words[at % 4][:cut]}{hyphen}\n{words[at % 4][cut:]}"
        for at, cut in enumerate(cuts)
    ]
    known = f"{' '.join(words)}\n\n"
    assert read(known + " ".join(divided)) == read(known + "\n".join(whole))
