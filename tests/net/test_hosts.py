"""The host name that a request uses for this machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.net.hosts import LONGEST, asked_name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:65535", "127.0.0.1"),
        ("LocalHost:8000", "localhost"),
        ("[::1]:8000", "::1"),
        ("reading.example.", "reading.example."),
    ],
)
def test_a_host_is_a_name_or_an_address_with_a_port(header: str, name: str) -> None:
    assert asked_name([header]) == name


@given(st.lists(st.text(st.characters(max_codepoint=255), max_size=LONGEST + 2), max_size=2))
def test_any_other_header_is_refused(headers: list[str]) -> None:
    try:
        name = asked_name(headers)
    except ValueError:
        return
    [header] = headers
    assert header.isascii()
    assert name in header.lower()
    assert not set(name) & set("/@ ?#,\n")
