"""Concordances: patterns, windows, collocates, frequencies."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.reading import concordance
from scholar_indexes.books.reading.concordance import compile_pattern
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.errors import UsageError
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book

BODY = (
    "He saw the green light. The green, green light was lovely; “Love,” said he, “loves the green\n"
    "light.” Old Mr. Green slept. A glove lay there."
)
TEXT = f"CHAPTER I\n\n{BODY}\n\nCHAPTER II\n\nThe green grass grew. The light went out.\n"


def book(text: str = TEXT) -> OpenBook:
    stored = StoredBook(Book("own-x", "X", "", "en", "", ""), 1, len(text), 1, 1, "")
    return OpenBook.from_text(stored, text, divide(text))


def keywords(pattern: str, *, is_regex: bool = False, text: str = TEXT) -> list[str]:
    compiled = compile_pattern(pattern, is_regex=is_regex)
    return [" ".join(line.keyword.split()) for line in concordance.lines(book(text), compiled, 3)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("green light", ["green light", "green light", "green light"]),
        ("love", ["Love"]),
        ("lov*", ["lovely", "Love", "loves"]),
        ("Green", ["Green"]),
        ("he said", []),
        ("*reen l?ght", ["green light", "green light", "green light"]),
        ("*love", ["Love", "glove"]),
        ("said he?", ["said he"]),
        ("said he loves", ["said he, “loves"]),
        ("mr. green", ["Mr. Green"]),
    ],
)
def test_words_are_found_whole_in_any_case_over_marks_and_lines(
    pattern: str, expected: list[str]
) -> None:
    assert keywords(pattern) == expected


def test_words_are_found_over_the_anchors_of_notes() -> None:
    noted = "CHAPTER I\n\nHe went to the mill,[1] and the water¹ rose[*] again.{2} No.\n"
    assert keywords("mill and", text=noted) == ["mill,[1] and"]
    assert keywords("water rose again no", text=noted) == ["water¹ rose[*] again.{2} No"]
    (counted,) = concordance.frequencies([book(noted)], compile_pattern("water"), by_chapter=False)
    assert (counted.count, counted.words) == (1, 11)


def test_the_front_matter_is_looked_through_and_headings_are_not() -> None:
    text = f"A BOOK\n\nFor the green lady.\n\n{TEXT}"
    places = concordance.lines(book(text), compile_pattern("green lady"), 3)
    assert [(line.locator, line.chapter.number) for line in places] == [("own-x:0.2:8-18", 0)]
    assert keywords("chapter", text=text) == []


def test_the_words_of_the_chapters_and_the_front_matter_add_up_to_the_book() -> None:
    read = book(f"A BOOK\n\nFor the green lady.\n\n{TEXT}")
    (whole,) = concordance.frequencies([read], compile_pattern("green"), by_chapter=False)
    parts = list(concordance.frequencies([read], compile_pattern("green"), by_chapter=True))
    assert [part.chapter and part.chapter.number for part in parts] == [0, 1, 2]
    assert (sum(part.count for part in parts), sum(part.words for part in parts)) == (
        whole.count,
        whole.words,
    )


def test_a_regular_expression_may_be_anything() -> None:
    assert keywords(r"\bg\w+e\b", is_regex=True) == ["glove"]
    assert keywords(r"x*", is_regex=True) == []
    assert keywords(r"^The \w+", is_regex=True) == ["The green"]


@pytest.mark.parametrize(
    ("pattern", "is_regex", "message"),
    [
        ("", False, "no word to look for"),
        ("…", False, "no word to look for"),
        ("", True, "the expression is empty"),
        ("(", True, "is not a regular expression"),
        ("(" * 499, True, "is not a regular expression"),
        ("a" * 501, False, "longer than 500"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused(
    pattern: str, is_regex: bool, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        compile_pattern(pattern, is_regex=is_regex)


def test_an_expression_that_would_backtrack_for_ever_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concordance, "TIMEOUT_S", 0.05)
    text = f"CHAPTER I\n\n{'ab' * 3000} b.\n"
    with pytest.raises(UsageError, match="fewer nested repetitions"):
        keywords(r"(?:\w*\w*\w*)(?<=!)", is_regex=True, text=text)


def test_a_line_has_the_words_on_either_side() -> None:
    first, *_ = concordance.lines(book(), compile_pattern("the"), 2)
    assert (first.left, first.keyword, first.right) == ("He saw ", "the", " green light")
    assert first.locator == "own-x:1.1:7-10"
    none = next(concordance.lines(book(), compile_pattern("the"), 0))
    assert (none.left, none.right) == ("", "")


@given(st.text(alphabet="ab .”\n", max_size=200), st.integers(0, 6))
def test_a_side_has_no_more_words_than_the_window(text: str, window: int) -> None:
    places = concordance.lines(book(f"CHAPTER I\n\n{text} b.\n"), compile_pattern("b"), window)
    for line in places:
        for side in (line.left, line.right):
            assert len(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", side)) <= window


def test_frequencies_are_counted_for_each_part() -> None:
    pattern = compile_pattern("green")
    whole = list(concordance.frequencies([book()], pattern, by_chapter=False))
    parts = list(concordance.frequencies([book()], pattern, by_chapter=True))
    assert [part.count for part in parts] == [5, 1]
    assert (whole[0].count, whole[0].words) == (6, sum(part.words for part in parts))
    assert whole[0].per_ten_thousand == pytest.approx(10_000 * 6 / whole[0].words)


def test_collocates_are_near_a_word_more_often_than_by_chance() -> None:
    filler = "The rain fell on the road and nobody spoke of it at all. " * 40
    text = f"CHAPTER I\n\n{'The green light shone over the dock. ' * 5}{filler}\n"
    ranked = concordance.collocates([book(text)], compile_pattern("light"), 3)
    assert ranked[0].word in {"green", "shone", "dock"}
    assert ranked[0].near == ranked[0].everywhere == 5
    assert not {"the", "rain", "road"} & {collocate.word for collocate in ranked}


def test_function_words_and_the_word_itself_are_no_collocates() -> None:
    near = (
        "Because the light, the light burns brighter than lamps when they'll burn and didn't. "
        "We see it though those who would not look could while which moment? "
    )
    text = f"CHAPTER I\n\n{near * 5}{'Rain fell on every road today. ' * 40}\n"
    ranked = concordance.collocates([book(text)], compile_pattern("light"), 25)
    words = {collocate.word for collocate in ranked}
    assert words == {"burns", "brighter", "lamps", "burn", "see", "look", "moment"}


def test_a_word_between_two_places_is_one_collocate() -> None:
    text = "CHAPTER I\n\nThe white whale, white whale.\n\nCHAPTER II\n\nNo fish at all swam here.\n"
    near = {
        collocate.word: collocate.near
        for collocate in concordance.collocates([book(text)], compile_pattern("whale"), 3)
    }
    assert near["white"] == 2
