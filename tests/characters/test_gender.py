"""The gender that noun phrases and names indicate."""

from __future__ import annotations

import pytest

from scholar_indexes.characters.gender import is_gendered, name_gender, phrase_gender
from scholar_indexes.types import Gender


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        pytest.param("the old woman who sells eels", Gender.FEMALE, id="head noun"),
        pytest.param("the person whose wife sells eels to a man", Gender.MALE, id="spouse"),
        pytest.param("the one who loses her purse to a man", Gender.FEMALE, id="pronoun"),
        pytest.param("the guest who eats eels", Gender.UNKNOWN, id="none"),
        pytest.param("the brother of the woman who sells eels", Gender.MALE, id="head noun first"),
    ],
)
def test_a_phrase_indicates_the_gender(text: str, gender: Gender) -> None:
    assert phrase_gender(text) is gender
    assert is_gendered(text) is (gender is not Gender.UNKNOWN)


@pytest.mark.parametrize(
    ("name", "gender"),
    [
        ("Mrs. Dashwood", Gender.FEMALE),
        ("Sir William", Gender.MALE),
        ("Elizabeth", Gender.FEMALE),
        ("Queequeg", Gender.UNKNOWN),
        ("", Gender.UNKNOWN),
    ],
)
def test_a_name_indicates_the_gender(name: str, gender: Gender) -> None:
    assert name_gender(name) is gender
