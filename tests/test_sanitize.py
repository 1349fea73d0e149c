"""Text of books and servers without its power over terminals and readers."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.sanitize import one_line, safe

ANYTHING = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\x1b\x9b\u202e\n\r\t a[")
)


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
        pytest.param("“É🌧”\n\tx", "“É🌧”\n\tx", id="all of this may stay"),
        pytest.param("[bold]a[/bold] <b> &amp;", "[bold]a[/bold] <b> &amp;", id="markup is text"),
    ],
)
def test_controls_are_taken_out(text: str, expected: str) -> None:
    assert safe(text) == expected


@settings(deadline=None)
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


@settings(deadline=None)
@given(ANYTHING, st.none() | st.integers(0, 50))
def test_one_line_is_one_line_of_at_most_its_limit(text: str, limit: int | None) -> None:
    line = one_line(text, limit)
    assert len(line.splitlines()) <= 1
    assert limit is None or len(line) <= limit
    assert "\t" not in line
    assert "  " not in line
