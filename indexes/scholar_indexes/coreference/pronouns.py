"""The genders of third-person pronouns."""

from __future__ import annotations

from collections.abc import Mapping

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

FEMALE_PRONOUNS = words_of("pronoun", gender=Gender.FEMALE)
MALE_PRONOUNS = words_of("pronoun", gender=Gender.MALE)
PRONOUNS = FEMALE_PRONOUNS | MALE_PRONOUNS
"""Folded third-person singular pronouns with a gender."""

GENDERS: Mapping[str, Gender] = {
    **dict.fromkeys(FEMALE_PRONOUNS, Gender.FEMALE),
    **dict.fromkeys(MALE_PRONOUNS, Gender.MALE),
}
"""The gender of each of PRONOUNS."""
