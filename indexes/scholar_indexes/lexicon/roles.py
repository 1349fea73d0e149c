"""Nouns for a person's relations to others or occupation, grouped with near synonyms.

data/roles.tsv has the role of each noun ("son" and "daughter" are a child) and, for a relation, the
role of the other person (a parent).
"""

from __future__ import annotations

from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import person_nouns, word_lists
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

_ROLES = {fold_text(word): role for word, role in word_lists.column("roles", "role").items()}
_INVERSES = {
    _ROLES[fold_text(word)]: inverse
    for word, inverse in word_lists.column("roles", "inverse").items()
}
_GENDERS = {
    fold_text(noun): gender
    for noun in person_nouns.PERSONS
    if (gender := person_nouns.gender(noun)) is not Gender.UNKNOWN
}

_NOUNS_OF = {
    role: frozenset(noun for noun, other in _ROLES.items() if other == role)
    for role in set(_ROLES.values())
}

NOUNS = frozenset(map(fold_text, person_nouns.PERSONS)) | _ROLES.keys()
"""Folded nouns by which a claim or a book may refer to a person."""

GENERIC = frozenset(map(fold_text, words_of("generic"))) & NOUNS
"""The nouns among these that anybody may be called by: "the girl"."""

SPOUSE, PARENT, CHILD, SIBLING = "spouse", "parent", "child", "sibling"
FAMILY = frozenset({SPOUSE, PARENT, CHILD, SIBLING})
"""Roles of people who mostly share a surname."""


def role_of(noun: str) -> str:
    """Return the role of a folded noun: the noun itself if no other means the same."""
    return _ROLES.get(noun, noun)


def nouns_of(role: str) -> frozenset[str]:
    """Return the nouns of a role."""
    return _NOUNS_OF.get(role, frozenset({role}))


def inverse_of(role: str) -> str:
    """Return the role of the other person in a relation; "" if it has no name."""
    return _INVERSES.get(role, "")


def gender_of(noun: str) -> Gender:
    """Return the gender that a folded noun shows, else UNKNOWN."""
    return _GENDERS.get(noun, Gender.UNKNOWN)
