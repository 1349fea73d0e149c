"""Lines that are headings, their numbers and titles, and lines that are not."""

from __future__ import annotations

import pytest

from scholar_indexes.books.segmentation.headings import (
    find_inner_heading,
    is_ending,
    parse_heading,
    recase,
)
from scholar_indexes.books.segmentation.numerals import parse_roman, parse_spelled


@pytest.mark.parametrize(
    "line",
    [
        "He came to the conclusion that it was late.",
        "I do not know.",
        "The preface of the book was short.",
        "I was born in the year 1632.",
        "Chapter of Westminster. Mr. Burke was there.",
        "Part of the wall had fallen.",
        "Book in hand, he slept.",
        "Letter I wrote yesterday",
        "chapter and verse",
        "1801.--I have just returned from a visit to my landlord.",
        "12 men went up the hill",
        "A. Square",
        "Mr. Bennet made no answer.",
        "CHAPTER 21, in consequence of the",
        "Chapter 24, continued",
        "C. Brown, Esq.",
        "",
        "***",
        "x" * 1000,
    ],
)
def test_ordinary_lines_are_no_headings(line: str) -> None:
    assert parse_heading(line) is None


@pytest.mark.parametrize(
    ("line", "word", "number", "label", "title"),
    [
        ("CHAPTER I", "chapter", 1, "Chapter I", ""),
        ("Chapter 1.", "chapter", 1, "Chapter 1", ""),
        ("_CHAPTER IV_", "chapter", 4, "Chapter IV", ""),
        ("CHAPTER THE FIRST", "chapter", 1, "Chapter the First", ""),
        ("Chapter the last.", "chapter", -1, "Chapter the last", ""),
        ("CHAPTER TWENTY-FOURTH.", "chapter", 24, "Chapter Twenty-Fourth", ""),
        ("CHAPTER SEVENTY TWO.", "chapter", 72, "Chapter Seventy Two", ""),
        ("CHAPTER I. THE BOY WHO LIVED", "chapter", 1, "Chapter I", "The Boy Who Lived"),
        ("CHAPTER XV—A HAPPY RETURN", "chapter", 15, "Chapter XV", "A Happy Return"),
        ("Chapter i -- The introduction", "chapter", 1, "Chapter i", "The introduction"),
        ("BOOK FIRST--A JUST MAN", "book", 1, "Book First", "A Just Man"),
        ("PHASE THE FIRST: THE MAIDEN", "phase", 1, "Phase the First", "The Maiden"),
        ("VOLUME II", "volume", 2, "Volume II", ""),
        ("Vol. II", "volume", 2, "Volume II", ""),
        ("PART ONE--The Old Buccaneer", "part", 1, "Part One", "The Old Buccaneer"),
        ("THE SECOND EPOCH", "epoch", 2, "The Second Epoch", ""),
        ("LETTER I", "letter", 1, "Letter I", ""),
        ("Letter 4", "letter", 4, "Letter 4", ""),
        ("Scene II. A room in the castle.", "scene", 2, "Scene II", "A room in the castle"),
        ("Stave I: Marley's Ghost", "stave", 1, "Stave I", "Marley's Ghost"),
        ("I", "", 1, "I", ""),
        ("XIV.", "", 14, "XIV", ""),
        ("12", "", 12, "12", ""),
        ("[ 4 ]", "", 4, "4", ""),
        ("I. OLD MOODIE", "", 1, "I", "Old Moodie"),
        (
            "1—A Face on Which Time Makes but Little Impression",
            "",
            1,
            "1",
            "A Face on Which Time Makes but Little Impression",
        ),
        ("PREFACE", "preface", None, "Preface", ""),
        ("Author's Note", "preface", None, "Author's Note", ""),
        ("EPILOGUE", "close", None, "Epilogue", ""),
        ("THE PREFACE", "preface", None, "The Preface", ""),
        ("The Epilogue.", "close", None, "The Epilogue", ""),
        ("THE CUSTOM-HOUSE", "preface", None, "The Custom-House", ""),
        ("FOOTNOTES:", "back", None, "Footnotes", ""),
    ],
)
def test_headings_are_read(
    line: str, word: str, number: int | None, label: str, title: str
) -> None:
    mark = parse_heading(line)
    assert mark is not None
    assert (mark.word, mark.number, mark.label, mark.title) == (word, number, label, title)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("I", 1),
        ("iv", 4),
        ("XXXIX", 39),
        ("XLIX", 49),
        ("IIII", 4),
        ("IC", None),
        ("DID", None),
        ("", None),
        ("MMMMMMMMMMMMMMMMMM", None),
    ],
)
def test_roman_numerals_have_values(word: str, value: int | None) -> None:
    assert parse_roman(word) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("one", (1, 1)),
        ("Forty-Seven", (47, 1)),
        ("SEVENTY TWO.", (72, 2)),
        ("Twenty-Fourth", (24, 1)),
        ("one hundred and two", (102, 4)),
        ("two one", (2, 1)),
        ("the", None),
    ],
)
def test_spelled_numbers_have_values(words: str, value: tuple[int, int] | None) -> None:
    assert parse_spelled(words.split()) == value


@pytest.mark.parametrize(
    ("shouted", "expected"),
    [
        ("THE END OF IT", "The End of It"),
        ("CHAPTER XIV", "Chapter XIV"),
        ("DR. JEKYLL'S STORY", "Dr. Jekyll's Story"),
        ("O'NEIL AND THE MERRY-MEN", "O'neil and the Merry-Men"),
        ("As it stands", "As it stands"),
        ("I", "I"),
    ],
)
def test_shouting_is_lowered(shouted: str, expected: str) -> None:
    assert recase(shouted) == expected


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("THE END", True),
        ("_Finis._", True),
        ("END OF VOLUME I", True),
        ("In the end", False),
        ("THE ENDLESS ROAD", False),
        ("FINIS", True),
    ],
)
def test_closing_lines_are_known(line: str, ends: bool) -> None:
    assert is_ending(line) is ends


@pytest.mark.parametrize(
    "line",
    [
        "Act III, Scene II",
        "ACT I, SCENE II: the lamp 41; the moth 97.",
        "ACT III. The Scene changes",
        "VOLUME II. A CHAPTER of Accidents",
        "Scene I. Act III",
    ],
)
def test_a_reference_to_a_scene_is_no_heading_of_it(line: str) -> None:
    assert find_inner_heading(line) == 0
