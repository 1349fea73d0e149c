"""Where characters are named: by which words, and never by a longer or another name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.speakers import mentions
from scholar_indexes.types import Character


def person(*aliases: str) -> Character:
    return Character("-".join(mentions.words(aliases[0])), aliases[0], aliases)


BENNETS = (
    person("Mr. Bennet"),
    person("Mrs. Bennet"),
    person("Jane Bennet", "Jane", "Miss Bennet"),
    person("Elizabeth Bennet", "Elizabeth", "Lizzy"),
    person("Fitzwilliam Darcy", "Mr. Darcy"),
    person("The White Rabbit"),
    person("Thérèse de Vitré"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Nobody came.", [], id="nobody"),
        pytest.param("janet and the bennets", [], id="parts of other words"),
        pytest.param("the bell darcy rang", [], id="a small letter"),
        pytest.param("Bennet", [], id="a family name of several"),
        pytest.param("said Mr. Bennet.", [("Mr. Bennet", 0)], id="an honorific"),
        pytest.param("said Mr Bennet.", [("Mr Bennet", 0)], id="without its full stop"),
        pytest.param("said Mr.\nBennet.", [("Mr.\nBennet", 0)], id="over a line break"),
        pytest.param("Miss Bennet's eyes", [("Miss Bennet", 2)], id="a possessive"),
        pytest.param("Jane. Bennet left", [("Jane", 2)], id="not over the end of a sentence"),
        pytest.param("_Jane_ came", [("Jane", 2)], id="italics"),
        pytest.param("Darcy bowed", [("Darcy", 4)], id="a family name of one"),
        pytest.param("Fitzwilliam bowed", [("Fitzwilliam", 4)], id="a given name of one"),
        pytest.param("the White Rabbit ran", [("the White Rabbit", 5)], id="an article"),
        pytest.param("then the white rabbit", [("the white rabbit", 5)], id="a description"),
        pytest.param("Therese de Vitre", [("Therese de Vitre", 6)], id="without accents"),
    ],
)
def test_names_are_found(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(each.span.of(text), each.who) for each in mentions.find(text, BENNETS)] == expected


def test_of_two_characters_of_one_name_the_first_has_it() -> None:
    cast = (person("Robin - Story", "Robin"), person("Robin - External", "Robin"))
    assert [each.who for each in mentions.find("Robin laughed.", cast)] == [0]


def test_nobody_is_named_without_characters() -> None:
    assert mentions.find("Jane came.", ()) == []


@given(st.text(st.sampled_from("JaneMr. Bet\n_’é"), max_size=80))
def test_mentions_are_in_order_and_do_not_overlap(text: str) -> None:
    found = [each.span for each in mentions.find(text, BENNETS)]
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(0 <= each.start < each.end <= len(text) for each in found)
