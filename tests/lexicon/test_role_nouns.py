"""Nouns for people: their roles, and their synonyms."""

from __future__ import annotations

import pytest

from scholar_indexes.lexicon import roles
from scholar_indexes.types import Gender


@pytest.mark.parametrize(
    ("noun", "other"), [("wife", "husband"), ("physician", "doctor"), ("monster", "creature")]
)
def test_a_role_has_all_its_nouns(noun: str, other: str) -> None:
    assert other in roles.nouns_of(roles.role_of(noun))


def test_a_noun_without_a_role_is_like_itself_alone() -> None:
    assert roles.role_of("locksmith") == "locksmith"
    assert roles.nouns_of("locksmith") == {"locksmith"}
    assert roles.inverse_of("locksmith") == ""


@pytest.mark.parametrize(
    ("noun", "other"),
    [("wife", "husband"), ("mother", "son"), ("niece", "uncle"), ("maid", "master")],
)
def test_a_role_implies_the_role_of_the_other(noun: str, other: str) -> None:
    assert roles.inverse_of(roles.role_of(noun)) == roles.role_of(other)
    assert roles.inverse_of(roles.role_of(other)) == roles.role_of(noun)


def test_nouns_are_folded_and_indicate_a_gender() -> None:
    assert roles.gender_of("fiancee") is Gender.FEMALE
    assert roles.gender_of("husband") is Gender.MALE
    assert roles.gender_of("cousin") is Gender.UNKNOWN
