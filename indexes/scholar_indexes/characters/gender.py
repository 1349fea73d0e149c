"""The gender that a noun phrase or a name indicates for its referent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.lexicon import given_names
from scholar_indexes.lexicon.social_words import (
    FEMALE_TITLES,
    FEMALE_WORDS,
    HUSBAND_NOUNS,
    MALE_TITLES,
    MALE_WORDS,
    WIFE_NOUNS,
)
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

_PRONOUNS = {
    "she": Gender.FEMALE,
    "her": Gender.FEMALE,
    "herself": Gender.FEMALE,
    "he": Gender.MALE,
    "his": Gender.MALE,
    "him": Gender.MALE,
    "himself": Gender.MALE,
}
_AFTER_HEAD = words_of("head_end")
"""Words that end the part of a noun phrase up to its head noun."""


def is_gendered(text: str) -> bool:
    """Return True if any word of a text indicates a gender."""
    words = set(tokenize(text))
    return bool(words & FEMALE_WORDS or words & MALE_WORDS)


def phrase_gender(text: str) -> Gender:
    """Return the gender that a noun phrase indicates for its referent.

    The words up to the head noun decide, then "whose wife" or "whose husband", then the first
    pronoun.
    """
    words = tokenize(text)
    for rule in (_head_gender, _spouse_gender, _pronoun_gender):
        if (gender := rule(words)) is not Gender.UNKNOWN:
            return gender
    return Gender.UNKNOWN


def name_gender(name: str) -> Gender:
    """Return the gender that a name indicates by its title or its given name."""
    words = tokenize(name)
    if not words:
        return Gender.UNKNOWN
    if words[0] in FEMALE_TITLES:
        return Gender.FEMALE
    return Gender.MALE if words[0] in MALE_TITLES else given_names.gender(words[0])


def _head_gender(words: Sequence[str]) -> Gender:
    end = next((at for at, word in enumerate(words) if at and word in _AFTER_HEAD), len(words))
    return _common_gender(words[:end])


def _spouse_gender(words: Sequence[str]) -> Gender:
    for word, noun in pairwise(words):
        if word == "whose" and noun in WIFE_NOUNS:
            return Gender.MALE
        if word == "whose" and noun in HUSBAND_NOUNS:
            return Gender.FEMALE
    return Gender.UNKNOWN


def _pronoun_gender(words: Sequence[str]) -> Gender:
    return next((_PRONOUNS[word] for word in words if word in _PRONOUNS), Gender.UNKNOWN)


def _common_gender(words: Collection[str]) -> Gender:
    """Return the gender of the gendered words if all agree, else UNKNOWN."""
    female = any(word in FEMALE_WORDS for word in words)
    male = any(word in MALE_WORDS for word in words)
    if female == male:
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE
