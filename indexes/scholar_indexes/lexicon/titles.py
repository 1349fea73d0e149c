"""Folded titles and other words that precede a name."""

from __future__ import annotations

from scholar_indexes.lexicon import word_lists
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

ABBREVIATED = words_of("abbreviation")
"""Titles that may end in a full stop: "mr"."""

RANKS = words_of("rank")
"""Titles by which their bearers are called without a name: "the count"."""

COURTESIES = words_of("courtesy")
"""Titles by which their bearers are called without a name or an article: "Mademoiselle"."""

BEFORE_NAMES = ABBREVIATED | RANKS | words_of("before_name")
"""Words that precede a name and are not part of it: titles, epithets and articles."""

PERSONAL = words_of("personal_title")
"""Titles that only a person bears."""

OFFICES = words_of("office")
"""Callings that may precede a name: Farmer Oak."""

LEARNED = words_of("learned")
"""Titles that nearly always belong to men in novels from before 1930."""

FEMALE = words_of("personal_title", "office", gender=Gender.FEMALE)
MALE = words_of("personal_title", "office", gender=Gender.MALE) - LEARNED
TERRITORIAL = words_of("territorial")
"""Titles that take "of" and a place: the Duke of Wellington."""

KINDRED = words_of("kin_title")
"""Titles of relatives: Aunt Betsey."""

NOBLE = words_of("noble")
PRINCELY = NOBLE | words_of("royal")
MILITARY = words_of("military")
"""Titles of which a person may have several by promotion."""

PLAIN = words_of("plain_title") | OFFICES | KINDRED
"""Titles that anybody may have in addition to a higher one."""

MAIDEN = words_of("maiden_title")
"""Titles of unmarried women."""

WIVES = words_of("wife_title")
"""Titles that may precede a husband's name."""

WITH_GIVEN_NAME = words_of("with_given_name")
"""Titles after which a single name is more likely a given name: Sir Walter."""

WITH_SURNAME = words_of("with_surname")
"""Titles, in their standard form, after which a single name is more likely a surname."""

RANKED = WITH_SURNAME - {"mr", "mrs"}
"""The titles of WITH_SURNAME that only some people have: Colonel Brandon."""

SAINTS = words_of("saint")
EPITHETS_BEFORE_GIVEN_NAMES = words_of("before_given_name")
"""Words before a given name that distinguish it from a surname after a title: "young Tom"."""

_STANDARD_FORMS = word_lists.column("titles", "standard")


def standard_form(title: str) -> str:
    """Return the standard form of a folded title: "captain" for "capt"."""
    return _STANDARD_FORMS.get(title, title)
