"""Tests of names: whether there is one, and whether two may mean one person."""

from __future__ import annotations

import pytest

from scholar_indexes.characters.identity import has_name, may_be_same, names_of
from scholar_indexes.types import Character, Gender

F, M, U = Gender.FEMALE, Gender.MALE, Gender.UNKNOWN


def person(gender: Gender, *aliases: str) -> Character:
    return Character("x", aliases[0], aliases, gender)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        pytest.param("my guardian", False, id="a relation"),
        pytest.param("the Director", False, id="a calling with a capital"),
        pytest.param("the convict I", False, id="a pronoun"),
        pytest.param("the old man", False, id="a man"),
        pytest.param("Wemmick", True, id="a name"),
        pytest.param("the Vengeance", True, id="a nickname"),
        pytest.param("Aunt Polly", True, id="a title and a name"),
    ],
)
def test_a_noun_phrase_is_no_name(name: str, named: bool) -> None:
    assert has_name([name]) == named


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(person(M, "Mr. Jaggers"), person(M, "my guardian"), id="no name"),
        pytest.param(person(M, "Mr. Jaggers"), person(U, "the lawyer"), id="no gender"),
        pytest.param(person(F, "Mary"), person(F, "Mrs. Charles Hale"), id="half a name each"),
        pytest.param(person(F, "Mrs. Gale"), person(F, "Ann Gale"), id="one surname"),
        pytest.param(person(F, "Louisa Gale"), person(F, "Loo"), id="perhaps a nickname"),
        pytest.param(person(F, "Mrs. Gale"), person(F, "Miss Hale"), id="a marriage"),
    ],
)
def test_two_entries_may_be_one_person(one: Character, other: Character) -> None:
    assert may_be_same(names_of(one), names_of(other))
    assert may_be_same(names_of(other), names_of(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(person(M, "Mr. Gale"), person(F, "Mrs. Gale"), id="a man and a woman"),
        pytest.param(person(F, "Jane Gale"), person(F, "Mary Gale"), id="two sisters"),
        pytest.param(person(M, "Mr. Gale"), person(M, "Mr. Hale"), id="two surnames of men"),
        pytest.param(person(F, "Mrs. Gale"), person(F, "Mrs. Hale"), id="two wives"),
    ],
)
def test_names_and_genders_show_two_people(one: Character, other: Character) -> None:
    assert not may_be_same(names_of(one), names_of(other))
