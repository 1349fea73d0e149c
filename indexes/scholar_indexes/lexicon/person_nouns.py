"""Folded nouns for people: kin, ties, callings and general words."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

KIN = words_of("kin")
"""Nouns for relatives."""

TIES = words_of("tie")
"""Nouns for relations to anybody else."""

CALLINGS = words_of("calling")
"""Nouns for people by trade, rank or fate."""

PEOPLE = words_of("person")
"""Nouns for people that say little without the words next to them."""

PERSONS = KIN | TIES | CALLINGS | PEOPLE
"""Singular nouns that a person may be called by."""

FEMALE = words_of("gendered", gender=Gender.FEMALE)
MALE = words_of("gendered", gender=Gender.MALE)

HOUSEHOLD = words_of("household")
"""Words that are a person's name even in lower case, unless a determiner precedes."""

NARRATOR_KIN = words_of("narrator_kin")
"""Relatives whom a narrator calls by their relation: "my aunt"."""

HAD = words_of("belonging")
"""Nouns for things that a person has for a long time."""

FAMILY = words_of("notable_belonging")
"""Nouns for belongings worth mentioning without further detail."""

EVERYDAY = words_of("everyday")
"""Nouns for things that everybody has or does, which do not distinguish people."""

CLAIMS = words_of("claim")
"""Nouns that say little without the clause after them."""


def gender(noun: str) -> Gender:
    """Return the gender of a noun of PERSONS; UNKNOWN if it may be either."""
    if noun in FEMALE:
        return Gender.FEMALE
    return Gender.MALE if noun in MALE else Gender.UNKNOWN
