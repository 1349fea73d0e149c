"""Noun phrases of claims that refer to people without naming them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.coreference.roles import BookRoles
from scholar_indexes.retrieval.phrases import PhraseResolver, assign_phrases, find_phrases
from scholar_indexes.types import Character, Gender, Span

EMMA, FATHER, ELTON, MARTIN, HARRIET = range(5)
CAST = (
    Character("emma", "Emma Woodhouse", ("Emma", "Emma Woodhouse"), Gender.FEMALE),
    Character("father", "Mr. Woodhouse", ("Mr. Woodhouse",), Gender.MALE),
    Character("elton", "Mr. Elton", ("Mr. Elton",), Gender.MALE),
    Character("martin", "Robert Martin", ("Robert Martin",), Gender.MALE),
    Character("harriet", "Harriet", ("Harriet",), Gender.FEMALE),
)
LINES = (
    ("Emma", EMMA, " sat."),
    ("Mr. Woodhouse", FATHER, ", her father, sat by the fire."),
    ("Mr. Elton", ELTON, ", the young vicar, came in."),
    ("Harriet", HARRIET, " laughed."),
    ("Robert Martin", MARTIN, ", a farmer, rode by."),
) * 8


def read(cast: tuple[Character, ...] = CAST) -> PhraseResolver:
    """Return a resolver of phrases for the book of LINES, in which "her" is Emma."""
    text, places = "", []
    for name, character, rest in LINES:
        places.append((len(text), len(text) + len(name), character))
        at = len(text) + len(name) + rest.find("her ")
        text += name + rest + " "
        if "her " in rest:
            places.append((at, at + 3, EMMA))
    columns = np.array(sorted(places), np.int64).T
    nowhere = People(*(np.zeros(0, np.int64) for _ in range(3)))
    people = BookPeople(cast, People(*columns), nowhere)
    sentences = np.array([(1, 1, start, end) for start, end, _ in sorted(places)])
    return PhraseResolver(people.in_sentences(sentences), BookRoles(text, people))


def names_in(claim: str, names: Mapping[str, int]) -> dict[Span, int]:
    """Return the spans of names in a claim, including a following "'s"."""
    places = {}
    for name, character in names.items():
        if name in claim:
            start = claim.index(name)
            end = start + len(name)
            places[Span(start, end + 2 * claim.startswith("'s", end))] = character
    return places


def resolve(claim: str, **names: int) -> dict[str, int]:
    """Return the resolved phrases of a claim, each with its character."""
    meant = read().resolve(claim, names_in(claim, names))
    return {phrase.span.of(claim): phrase.character for phrase in meant}


@pytest.mark.parametrize(
    ("claim", "phrases"),
    [
        ("the young clerk falls in love", ["the young clerk"]),
        ("the clerk's letter to her cousin", ["the clerk", "her cousin"]),
        ("a clerk is any clerk", []),
        ("she loves clerks", []),
        ("the house by the river", []),
        ("posing as his doctor", []),
        ("the man who came back", []),
        ("her convict brother", ["her convict brother"]),
        ("narrator hints at sorrows", ["narrator"]),
        ("the mature narrator hints", ["the mature narrator"]),
        ("", []),
    ],
)
def test_phrases_are_found_by_their_words(claim: str, phrases: list[str]) -> None:
    assert [phrase.span.of(claim) for phrase in find_phrases(claim)] == phrases


@pytest.mark.parametrize("claim", ["her cousin Emma sings", "Emma, the cousin, sings"])
def test_a_phrase_next_to_a_name_means_nobody_else(claim: str) -> None:
    assert find_phrases(claim, list(names_in(claim, {"Emma": EMMA}))) == []


@pytest.mark.parametrize(
    ("claim", "phrase"),
    [
        pytest.param("Emma's father fears draughts", "Emma's father", id="a name owns"),
        pytest.param("Emma and her father stay at home", "her father", id="a pronoun owns"),
        pytest.param("the father of Emma fears draughts", "the father", id="of"),
    ],
)
def test_a_relative_is_found_by_whose_he_is(claim: str, phrase: str) -> None:
    assert resolve(claim, Emma=EMMA) == {phrase: FATHER}


def test_an_occupation_means_who_is_called_so() -> None:
    assert resolve("the vicar proposes") == {"the vicar": ELTON}
    assert resolve("the farmer is refused") == {"the farmer": MARTIN}


def test_the_referent_of_a_phrase_may_own_the_next_phrase() -> None:
    """The referent of "Emma's father" owns "his daughter", which is Emma."""
    meant = resolve("Emma's father keeps his daughter at home", Emma=EMMA)
    assert meant == {"Emma's father": FATHER}  # the claim already names Emma


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("his father fears draughts", id="nobody owns"),
        pytest.param("the colonel fears draughts", id="nobody is called so"),
        pytest.param("Emma's grandson sings", id="nobody is known for it"),
        pytest.param("the narrator fears draughts", id="no narrator"),
    ],
)
def test_a_phrase_that_may_be_anybody_is_left_alone(claim: str) -> None:
    assert resolve(claim, Emma=EMMA) == {}


def test_a_narrator_without_a_name_can_be_meant() -> None:
    narrator = Character("i", "the narrator", ("the narrator",), narrator=True)
    meant = read((narrator, *CAST[1:])).resolve("narrator hints at sorrows", {})
    assert [phrase.character for phrase in meant] == [0]


def test_a_narrator_of_a_small_share_is_not_the_narrator_of_the_book() -> None:
    told = Character("i", "Emma", ("Emma",), narrator=True, narrates=(Span(0, 9),))
    assert read((told, *CAST[1:])).resolve("narrator hints at sorrows", {}) == []


def test_the_reader_says_whom_a_phrase_means() -> None:
    claim = "Emma's father and the vicar dine"
    names = names_in(claim, {"Emma": EMMA})
    meant = assign_phrases(claim, names, [EMMA, HARRIET, MARTIN, ELTON], CAST)
    assert [(phrase.span.of(claim), phrase.character) for phrase in meant] == [
        ("Emma's father", MARTIN),
        ("the vicar", ELTON),
    ]


@given(st.text(max_size=60))
def test_any_text_can_be_resolved(claim: str) -> None:
    for phrase in find_phrases(f"the clerk {claim} her cousin"):
        assert phrase.span.start < phrase.span.end <= phrase.whole.end
