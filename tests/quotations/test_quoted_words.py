"""Quotations in the form of essays: words, ellipses, brackets, divided words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.quotations import quoted_words


def words(text: str) -> list[str]:
    return quoted_words.read(text).words


@pytest.mark.parametrize("mark", ["…", "...", ". . .", "[...]", "[…]", "( . . . )", "***", "...."])
def test_an_ellipsis_is_no_word_and_says_where_words_may_be_missing(mark: str) -> None:
    quoted = quoted_words.read(f"so we beat {mark} into the past")
    assert quoted.words == ["so", "we", "beat", "into", "the", "past"]
    assert {word: span.of(quoted.text) for word, span in quoted.ellipses.items()} == {3: mark}
    assert quoted.has_gaps


def test_words_in_square_brackets_are_the_writers() -> None:
    quoted = quoted_words.read("a [young] man [sic] was here")
    assert quoted.words == ["a", "young", "man", "sic", "was", "here"]
    assert quoted.is_added == [False, True, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[I]t is", ["it", "is"]),
        ("he know[s] it", ["he", "knows", "it"]),
        ("some-\nthing else", ["something", "else"]),
        ("to-day", ["to", "day"]),
        ("He said—she wept", ["he", "said", "she", "wept"]),
    ],
)
def test_brackets_and_line_ends_within_a_word_do_not_divide_it(
    text: str, expected: list[str]
) -> None:
    quoted = quoted_words.read(text)
    assert quoted.words == expected
    assert not any(quoted.is_added)


@given(st.text(alphabet="ab Éß[]().…-\n*'’\"_—1", max_size=60))
def test_every_word_has_a_span_of_the_quotation(text: str) -> None:
    quoted = quoted_words.read(text)
    assert len(quoted.numbers) == len(quoted.spans) == len(quoted.is_added)
    assert all(0 <= word <= len(quoted) for word in quoted.ellipses)
    ends = 0
    for span in quoted.spans:
        assert ends <= span.start < span.end <= len(text)
        assert text[span.start].isalnum()
        last = span.of(text)[-1]
        assert last.isalnum() or (last == "]" and "[" in span.of(text))
        ends = span.end
