"""Case-folded words of texts and of names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from scholar_indexes.lexicon.social_words import NAME_STOP_WORDS

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
"""A run of letters, with apostrophes inside it."""

_POSSESSIVE_ENDING = re.compile(r"['’]s?$")


def tokenize(text: str) -> list[str]:
    """Return the words of a text, case-folded and without possessive endings."""
    return list(_tokenize(text))


def name_terms(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names that give a name or a rank: dr and livesey for "Dr. Livesey"."""
    terms = frozenset(word for name in names for word in tokenize(name) if len(word) > 1)
    return terms - NAME_STOP_WORDS


@lru_cache(maxsize=8192)
def _tokenize(text: str) -> tuple[str, ...]:
    return tuple(_POSSESSIVE_ENDING.sub("", word) for word in WORD.findall(text.casefold()))
