"""Given names of English fiction: their gender, and what they are short for.

The lists contain names that indicate a gender or a person by themselves; a missing name is judged
only by its contexts in the book.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scholar_indexes.lexicon import word_lists
from scholar_indexes.types import Gender

_GENDERS = word_lists.column("given_names", "gender")
FEMALE = frozenset(name for name, genders in _GENDERS.items() if "female" in genders.split())
MALE = frozenset(name for name, genders in _GENDERS.items() if "male" in genders.split())
ALL = FEMALE | MALE


def _formal_names() -> Mapping[str, frozenset[str]]:
    """Return the names that each short form may stand for: kitty -> catherine, katharine, ..."""
    formal: dict[str, frozenset[str]] = {}
    for name, short_forms in word_lists.column("given_names", "short_forms").items():
        for short in short_forms.split():
            formal[short] = formal.get(short, frozenset()) | {name}
    return formal


FORMAL = _formal_names()
_ENDEARMENT = re.compile(r"(?:ie|ey|y)$")

SHORTENED = frozenset(name for names in FORMAL.values() for name in names)
"""Names that have short forms in English: Henry, not Ludwig."""


def gender(given: str) -> Gender:
    """Return the gender of a folded given name, or of its first part (mary-jane); UNKNOWN if it is
    not listed or may be either."""
    given = given.partition("-")[0]
    female, male = given in FEMALE, given in MALE
    if female == male:
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE


def alike(first: str, second: str) -> bool:
    """Return True if two folded given names are the same or short for the same name."""
    names = FORMAL.get(first, frozenset()) | {first}
    return not names.isdisjoint(FORMAL.get(second, frozenset()) | {second})


def stands_for(first: str, second: str) -> bool:
    """Return True if two folded given names are the same, or one is short for the other.

    Two short forms of a third name belong to two people, unless they begin the same way: Bessie and
    Eliza, but Tom and Tommy. Elizabeth is short for Elizabeth-Jane.
    """
    return (
        first == second
        or (first == second.partition("-")[0] or second == first.partition("-")[0])
        or first in FORMAL.get(second, frozenset())
        or second in FORMAL.get(first, frozenset())
        or (first[:3] == second[:3] and alike(first, second))
    )


def is_shortened(first: str, second: str) -> bool:
    """Return True if one of two folded given names begins with the other: Huck, Huckleberry."""
    short, long = sorted((first, second), key=len)
    return len(short) >= 3 and long.startswith(short)


def is_pet_form(short: str, name: str) -> bool:
    """Return True if a folded name that is not listed is the beginning of another with an ending of
    endearment: Rosy for Rosamond, Lavvy for Lavinia."""
    ending = _ENDEARMENT.search(short)
    if short in ALL or ending is None:
        return False
    stem = short[: ending.start()]
    return len(stem) >= 3 and (name.startswith(stem) or _is_doubled(stem, name))


def _is_doubled(stem: str, name: str) -> bool:
    """Return True if a name begins with a stem whose last letter is doubled: Lavv in Lavinia."""
    return len(stem) > 3 and stem[-1] == stem[-2] and name.startswith(stem[:-1])
