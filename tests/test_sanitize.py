"""Text of books and servers, made harmless to terminals and readers."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.sanitize import one_line, safe, visible, visible_line

ANYTHING = st.text(
    st.characters(exclude_categories=())
    | st.sampled_from("\x1b\x9b\u202e\n\r\t a[\u200b\u200c\u200d\ufe0f\ufe00\U000e0041😀ن")
)
FAMILY = "👩\u200d👧 ❤\ufe0f\u200d🔥 می\u200cخواهم क्\u200dष"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "[31mred[0m", id="colours"),
        pytest.param("\x1b]0;title\x07", "]0;title", id="the title of the window"),
        pytest.param("\x9b2J", "2J", id="controls of eight bits"),
        pytest.param("a\rb", "ab", id="writing over a line"),
        pytest.param("a\x08b\x7f", "ab", id="rubbing out"),
        pytest.param("a\u202eb\u2066c\u200fd", "abcd", id="direction"),
        pytest.param("a\ufeffb", "ab", id="byte order mark"),
        pytest.param("a\ud800b", "ab", id="half a character"),
        pytest.param("wi\u200bdow\u2060s", "widows", id="zero width"),
        pytest.param("a\U000e0069\U000e0067b", "ab", id="tags"),
        pytest.param("a\u200cb\u200d", "ab", id="joiners that join nothing"),
        pytest.param("❤\ufe0f\ufe01\U000e0101!", "❤\ufe0f!", id="variation selectors in a row"),
        pytest.param(FAMILY, FAMILY, id="joiners of scripts and emoji"),
        pytest.param("“É🌧”\n\tx", "“É🌧”\n\tx", id="all of this may stay"),
        pytest.param("[bold]a[/bold] <b> &amp;", "[bold]a[/bold] <b> &amp;", id="markup is text"),
    ],
)
def test_controls_are_taken_out(text: str, expected: str) -> None:
    assert safe(text) == expected


@given(ANYTHING)
def test_no_control_survives(text: str) -> None:
    shown = safe(text)
    assert not [
        character
        for character in shown
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t"
    ]
    assert not [
        character
        for character in shown
        if unicodedata.bidirectional(character)
        in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    ]
    assert safe(shown) == shown
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\x1b[2J", "a�[2J", id="a control"),
        pytest.param("a\u202eb\u2069", "a�b�", id="direction"),
        pytest.param("wi\u200bdow", "wi�dow", id="zero width"),
        pytest.param("a\U000e0069\U000e0067b", "a��b", id="tags"),
        pytest.param("a\u200db", "a�b", id="a joiner that joins nothing"),
        pytest.param(FAMILY, FAMILY, id="joiners of scripts and emoji"),
    ],
)
def test_in_a_passage_a_sign_shows_what_is_not_passed_on(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(ANYTHING)
def test_a_passage_is_as_long_as_the_stored_one_and_nothing_is_left_to_take_out(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert safe(safe(shown)) == safe(shown)
    assert not set(shown) & set("\u200b\u2060\u202e\x1b\U000e0041")
    assert visible_line(text) == " ".join(shown.split())


@given(ANYTHING, st.none() | st.integers(0, 50))
def test_one_line_is_one_line_of_at_most_its_limit(text: str, limit: int | None) -> None:
    line = one_line(text, limit)
    assert len(line.splitlines()) <= 1
    assert limit is None or len(line) <= limit
    assert "\t" not in line
    assert "  " not in line
