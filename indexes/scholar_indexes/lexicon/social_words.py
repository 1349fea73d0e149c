"""Words that show a person's gender, marital status or field of occupation in older novels."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

FEMALE_WORDS = words_of("gender_clue", gender=Gender.FEMALE) | {"she", "her", "hers", "herself"}
MALE_WORDS = words_of("gender_clue", gender=Gender.MALE) | {"he", "his", "him", "himself"}
"""Words that show a gender in novels from before 1930."""

FEMALE_TITLES = words_of("gendered_title", gender=Gender.FEMALE)
MALE_TITLES = words_of("gendered_title", gender=Gender.MALE)
"""Titles before a name that show the gender of its bearer."""

WIFE_NOUNS = words_of("bride")
HUSBAND_NOUNS = words_of("husband")
"""Nouns that show the gender of the person who has one: "whose wife", "whose husband"."""

MARRIED_WORDS = words_of("married_word")
UNMARRIED_WORDS = words_of("unmarried_word")

OCCUPATION_FIELDS = tuple(
    words_of(f"field_{field}")
    for field in ("medicine", "sea", "church", "army", "teaching", "nobility", "family", "law")
)
"""Words for titles and occupations, grouped by field."""

NAME_STOP_WORDS = words_of("name_filler")
"""Words of names that do not distinguish people."""
