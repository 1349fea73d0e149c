"""Texts as the words that the coreference model reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference.resolver.words import (
    CAPITALISED,
    LOWER,
    OTHER,
    SHAPES,
    UPPER,
    TokenizedText,
    split_words,
)
from scholar_indexes.types import Quotation, Span

TEXTS = st.text(alphabet="abI .,'’“”-MNrs\n", max_size=60)


def words_of(text: str, *quotations: Quotation) -> TokenizedText:
    return split_words(text, [Span(0, len(text))], quotations)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "", id="no text"),
        pytest.param("Mr. Bennet's wife", "Mr. Bennet 's wife", id="a title and a possessive"),
        pytest.param("I don’t, can't", "I do n’t , ca n't", id="negations"),
        pytest.param("It was I. She", "It was I . She", id="a pronoun that ends a sentence"),
        pytest.param("T. Smith", "T. Smith", id="an initial"),
        pytest.param("sister-in-law--no", "sister-in-law -- no", id="hyphens and a dash"),
        pytest.param("O'Hara o'clock 'em", "O'Hara o'clock 'em", id="apostrophes inside"),
        pytest.param("_so_...", "_ so _ ...", id="emphasis and an ellipsis"),
    ],
)
def test_words_are_split_as_in_litbank(text: str, words: str) -> None:
    assert list(words_of(text).words) == words.split()


@given(TEXTS)
def test_words_hold_every_character_but_white_space(text: str) -> None:
    words = words_of(text)
    assert "".join(words.words) == "".join(text.split())
    for word, start, end in zip(words.words, words.starts, words.ends, strict=True):
        assert text[start:end] == word


@given(TEXTS, st.data())
def test_a_span_of_words_is_found_again(text: str, data: st.DataObject) -> None:
    words = words_of(text)
    if not len(words):
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    assert words.locate(words.span(first, last)) == (first, last)


def test_a_span_that_cuts_a_word_is_not_found() -> None:
    words = words_of("the old lady")
    assert words.locate(Span(1, 7)) is None
    assert words.locate(Span(4, 20)) is None
    assert words.locate(Span(4, 7)) == (1, 1)


def test_words_know_their_shape_their_sentence_and_their_quotation() -> None:
    text = "“Come,” said SHE. He came."
    words = split_words(text, [Span(0, 17), Span(18, 26)], [Quotation((Span(1, 6),))])
    by_word = {word: number for number, word in enumerate(words.words)}
    shapes = [int(words.shapes[by_word[word]]) for word in ("said", "Come", "SHE", "“")]
    assert shapes == [LOWER, CAPITALISED, UPPER, OTHER]
    assert words.types[by_word["Come"]] == CAPITALISED + SHAPES
    assert words.types[by_word["He"]] == CAPITALISED
    assert words.sentence_ends.tolist() == [7] * 7 + [10] * 3


def test_the_words_of_a_part_have_their_positions_in_the_text() -> None:
    text = "He came. She went."
    words = split_words(text, [Span(0, 8), Span(9, 18)], [])
    part = words.part(3, 6)
    assert part.words == ("She", "went", ".")
    assert part.span(0, 1).of(text) == "She went"
    assert part.sentence_ends.tolist() == [3, 3, 3]
