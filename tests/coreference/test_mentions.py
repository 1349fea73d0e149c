"""Mentions of characters: by their own names, and never by a longer or another name."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character


def person(*aliases: str) -> Character:
    return Character("-".join(mentions.name_words(aliases[0])), aliases[0], aliases)


BENNETS = (
    person("Mr. Bennet"),
    person("Mrs. Bennet"),
    person("Jane Bennet", "Jane", "Miss Bennet"),
    person("Elizabeth Bennet", "Elizabeth", "Lizzy"),
    person("Fitzwilliam Darcy", "Mr. Darcy"),
    person("The White Rabbit"),
    person("Thérèse de Vitré"),
    person("Alec d'Urberville", "Mrs. O'Dowd"),
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
        pytest.param("rode Alec d'Urberville", [("Alec d'Urberville", 7)], id="an apostrophe"),
        pytest.param("cried Mrs. O’Dowd", [("Mrs. O’Dowd", 7)], id="a curly apostrophe"),
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
    assert [
        (mention.span.of(text), mention.character)
        for mention in mentions.find_mentions(text, BENNETS)
    ] == expected


def test_a_name_is_found_in_as_many_steps_however_many_begin_like_it() -> None:
    text = "Mr. Bennet rose. " * 300

    def count_calls(characters: int) -> int:
        names = {("mr", f"bennet{number}"): number for number in range(characters)}
        calls = 0

        def count(*_: Any) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        matches = list(mentions.match_names(text, {**names, ("mr", "bennet"): -1}))
        sys.setprofile(None)
        assert len(matches) == 300
        return calls

    assert count_calls(200) < 2 * count_calls(20)


def test_the_first_of_two_characters_of_one_name_has_it() -> None:
    cast = (person("Robin - Story", "Robin"), person("Robin - External", "Robin"))
    assert [mention.character for mention in mentions.find_mentions("Robin laughed.", cast)] == [0]


def whom(text: str, cast: tuple[Character, ...]) -> list[str]:
    return [cast[mention.character].aliases[0] for mention in mentions.find_mentions(text, cast)]


BEAVER = person("John Beaver", "Beaver", "John")
ANDREW = person("John Andrew")
REGGIE = person("Reggie")
CLOUD = person("Reggie St Cloud")
MUSGROVE = person("Charles Musgrove")
HAYTER = person("Charles Hayter")
OFTEN = "Beaver rang. Beaver dined. " * 9 + "John Andrew rode. " * 4


@pytest.mark.parametrize(
    ("text", "cast", "last"),
    [
        pytest.param(OFTEN + "John!", (BEAVER, ANDREW), ANDREW, id="the other is called Beaver"),
        pytest.param("John!", (BEAVER, ANDREW), BEAVER, id="as it is listed"),
        pytest.param("Reggie!", (CLOUD, REGGIE), REGGIE, id="behind the longer name"),
        pytest.param("Reggie!", (REGGIE, CLOUD), REGGIE, id="a complete name"),
        pytest.param(
            "Charles Hayter bowed. " * 9 + "Charles Musgrove rose. " * 5 + "Charles!",
            (HAYTER, MUSGROVE),
            MUSGROVE,
            id="the other is called by both names",
        ),
    ],
)
def test_a_given_name_of_two_means_who_is_called_nothing_else(
    text: str, cast: tuple[Character, ...], last: Character
) -> None:
    assert whom(text, cast)[-1] == last.aliases[0]


def test_a_given_name_stays_with_the_character_next_to_it() -> None:
    osborne = person("George Osborne", "Captain Osborne", "George")
    gaunt = person("Lord George Gaunt", "Lord Gaunt")
    scene = "Captain Osborne smiled. George rose. " + "It rained. " * 200
    text = scene * 20 + "It rained. " * 2_000 + "Lord Gaunt smiled. " * 4
    assert "Lord George Gaunt" in whom(text, (osborne, gaunt))
    assert whom(text, (osborne, gaunt))[:2] == ["George Osborne", "George Osborne"]


def test_my_aunt_is_named_in_small_letters() -> None:
    assert whom("“No,” said my aunt; my old aunt smiled.", (person("my aunt"),)) == ["my aunt"]


def test_a_given_name_of_two_means_nobody_where_neither_is_known() -> None:
    assert whom("Charles bowed.", (HAYTER, MUSGROVE)) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("“No,” said nanny.", True, id="as a name"),
        pytest.param("Then nanny's bell rang.", True, id="a possessive"),
        pytest.param("His nanny came.", False, id="whose"),
        pytest.param("Mary's nanny came.", False, id="somebody's"),
        pytest.param("The old nanny came.", False, id="which"),
    ],
)
def test_one_of_the_household_is_named_in_small_letters(text: str, named: bool) -> None:
    assert bool(mentions.find_mentions(text, (person("Nanny"),))) is named


LADIES = (person("Mademoiselle Reisz"), person("Madame Lebrun"), person("Madame Ratignolle"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("cried Mademoiselle, rising", [0], id="the only one"),
        pytest.param("Madame Ratignolle sang. Madame slept.", [2, 2], id="the one named last"),
        pytest.param("“Yes, Madame.”", [], id="who is addressed is anybody"),
        pytest.param("Mademoiselle Duvigny", [], id="another"),
        pytest.param("Madame de Staël", [], id="another of a family"),
    ],
)
def test_a_title_alone_means_who_has_it(text: str, expected: list[int]) -> None:
    assert [
        mention.character for mention in mentions.find_mentions_and_titles(text, LADIES)
    ] == expected


def test_one_of_two_titles_is_known_by_either() -> None:
    cast = (
        person("Madame Lebrun"),
        person("Countess Olenska", "Madame Olenska"),
        person("Countess Orlok"),
    )
    text = "Madame Lebrun sang. Countess Orlok slept. Madame Olenska rose. "
    text += "Madame bowed. The countess left."
    assert [mention.character for mention in mentions.find_mentions_and_titles(text, cast)] == [
        0,
        2,
        1,
        1,
        1,
    ]


def test_without_characters_there_are_no_mentions() -> None:
    assert mentions.find_mentions("Jane came.", ()) == []


@given(st.text(st.sampled_from("JaneMr. Bet\n_’é"), max_size=80))
def test_mentions_are_in_order_and_do_not_overlap(text: str) -> None:
    spans = [mention.span for mention in mentions.find_mentions(text, BENNETS)]
    assert all(span.end <= after.start for span, after in pairwise(spans))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
