"""The role of a name in its clause, recognized by the words around it."""

from __future__ import annotations

import re

from scholar_indexes.coreference.mentions import Mention

BEFORE = 40
"""The number of characters before a name that are read."""

_PREPOSITION = (
    r"\b(?i:to|at|of|with|for|from|by|up|upon|towards?|on|about|after|beside|before|near|than|like|and)"
    r"\W{1,3}"
)
_OBJECT = re.compile(_PREPOSITION + "$")
_IN_LIST = re.compile(_PREPOSITION + r"(?:(?:[A-Z]\w*\.?\s)*[A-Z]\w*,\s)+$")
_OWNER = re.compile(r"['’]s?\b")
_VERB = re.compile(
    r"(?:,? (?:and|who|then|only|also|still|had|was|did|could|would|[a-z]{1,12}ly)\b){0,4},? "
    r"(?!and\b)[a-z]{0,12}(?:d|t|w|gan|ook|aid|ew|ose|ave|oke|s)\b"
)
_CLAUSE = re.compile(r"(?:[.!?][”’\"]?|\n|;|,|—)\s*$")


def find_roles(text: str, mention: Mention) -> tuple[bool, bool, bool, bool]:
    """Return whether a name owns something, is an object, precedes a verb, opens its clause."""
    before = text[max(0, mention.span.start - BEFORE) : mention.span.start]
    behind = text[mention.span.end : mention.span.end + 60]
    owner = _OWNER.match(behind) is not None
    has_verb = not owner and _VERB.match(behind) is not None
    # The letters are from Annie, Arthur, and others; to Darcy, Elizabeth seemed ill.
    is_listed = not has_verb and _IN_LIST.search(before) is not None
    opens = not owner and (not before.strip() or _CLAUSE.search(before) is not None)
    return owner, is_listed or _OBJECT.search(before) is not None, has_verb, opens and not is_listed
