"""The gender that a third-person pronoun tells of whom it means."""

from __future__ import annotations

from collections.abc import Mapping

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

FEMALE_PRONOUNS = words_of("pronoun", gender=Gender.FEMALE)
MALE_PRONOUNS = words_of("pronoun", gender=Gender.MALE)
PRONOUNS = FEMALE_PRONOUNS | MALE_PRONOUNS
"""Folded pronouns of the third person singular that tell a gender."""

GENDERS: Mapping[str, Gender] = {
    **dict.fromkeys(FEMALE_PRONOUNS, Gender.FEMALE),
    **dict.fromkeys(MALE_PRONOUNS, Gender.MALE),
}
"""Each of those pronouns and its gender."""
