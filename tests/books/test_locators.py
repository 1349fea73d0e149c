"""The written form of a position: its meaning, and text that is not a locator."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.citation.locators import Locator, parse
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Span

BOOK_IDS = st.from_regex(r"(pg[1-9][0-9]{0,5}|own-[a-z0-9]+(-[a-z0-9]+)*)", fullmatch=True)
SPANS = st.tuples(st.integers(0, 10**8), st.integers(1, 10**8)).map(
    lambda pair: Span(pair[0], pair[0] + pair[1])
)


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        ":",
        ":3",
        "pg84:",
        "pg84:x",
        "pg84:3.",
        "pg84:3.12:",
        "pg84:3.12:105",
        "pg84:3.12:105-",
        "pg84:3.12:-188",
        "pg84:3.12:105–188",
        "pg84:3:105-188",
        "pg84:-3",
        "pg84:3.1.2",
        "pg84 :3",
        "pg84:3.12:105-188 and more",
        "pg84\n:3",
        "-pg84",
        "../pg84:3",
        "pg84:1234567",
        "pg84:3.12:1-" + "9" * 400,
        "The Great Gatsby",
        "pg84:٣",
    ],
)
def test_an_invalid_locator_is_refused_with_the_form_of_one(written: str) -> None:
    with pytest.raises(UsageError, match=r"pg64317:3\.12:105-188"):
        parse(written)


@pytest.mark.parametrize("written", ["pg84:3.12:188-105", "pg84:3.12:105-105"])
def test_a_span_that_holds_nothing_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="ends before it begins"):
        parse(written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("pg84", Locator("pg84")),
        ("own-my-novel", Locator("own-my-novel")),
        ("pg84:0", Locator("pg84", 0)),
        ("pg84:3", Locator("pg84", 3)),
        ("pg84:3.12", Locator("pg84", 3, 12)),
        ("pg84:3.12:0-9", Locator("pg84", 3, 12, Span(0, 9))),
        (" pg84:3.12:105-188\n", Locator("pg84", 3, 12, Span(105, 188))),
    ],
)
def test_every_form_is_read(written: str, expected: Locator) -> None:
    assert parse(written) == expected


@given(
    BOOK_IDS,
    st.one_of(
        st.just(()),
        st.tuples(st.integers(0, 999_999)),
        st.tuples(st.integers(0, 999_999), st.integers(0, 9_999_999)),
        st.tuples(st.integers(0, 999_999), st.integers(0, 9_999_999), SPANS),
    ),
)
def test_a_locator_that_is_written_is_read_as_itself(book: str, parts: tuple[object, ...]) -> None:
    locator = Locator(book, *parts)  # type: ignore[arg-type]
    assert parse(str(locator)) == locator


@given(st.text(max_size=40) | st.text("pg:.-0123456789", max_size=20))
def test_any_text_is_a_locator_or_refused(written: str) -> None:
    with suppress(UsageError):
        locator = parse(written)
        assert parse(str(locator)) == locator
