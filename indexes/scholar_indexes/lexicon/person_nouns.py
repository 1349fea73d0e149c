"""Nouns that tell who somebody is: kin, ties, callings and plain words for people, folded."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

KIN = words_of("kin")
"""Nouns for what somebody is to a relative."""

TIES = words_of("tie")
"""Nouns for what somebody is to anybody else."""

CALLINGS = words_of("calling")
"""Nouns for what somebody is by trade, rank or fate."""

PEOPLE = words_of("person")
"""Nouns for people that say little without what stands beside them."""

PERSONS = KIN | TIES | CALLINGS | PEOPLE
"""Singular nouns that a person may be called by."""

FEMALE = words_of("gendered", gender=Gender.FEMALE)
MALE = words_of("gendered", gender=Gender.MALE)

HOUSEHOLD = words_of("household")
"""Words that are somebody's name even in small letters, where nothing says whose or which."""

NARRATOR_KIN = words_of("narrator_kin")
"""Kin whom a narrator calls by what they are to him or her: "my aunt"."""

HAD = words_of("belonging")
"""Nouns for what somebody has for long."""

FAMILY = words_of("notable_belonging")
"""Nouns worth telling of somebody who has it, without more."""

EVERYDAY = words_of("everyday")
"""Nouns for what everybody has and does, which tell nobody apart."""

CLAIMS = words_of("claim")
"""Nouns that say little without the clause behind them."""


def gender(noun: str) -> Gender:
    """Return the gender of whom a noun of PERSONS means; UNKNOWN where it may be either."""
    if noun in FEMALE:
        return Gender.FEMALE
    return Gender.MALE if noun in MALE else Gender.UNKNOWN
