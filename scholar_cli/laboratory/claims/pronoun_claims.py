"""Replace names in a claim by pronouns, as a search does in a work whose people are known.

The people of the work are not needed. A name is a word that the work capitalizes within sentences
more often than it writes it in lower case.
"""

from __future__ import annotations

import re
from collections import Counter

from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.types import Gender

FEWEST = 3
"""The minimum count of a name within sentences of the work."""

_BEFORE = titles.ABBREVIATED | titles.PERSONAL | titles.KINDRED
_TITLES = "|".join(sorted((title.capitalize() for title in _BEFORE), key=len)[::-1])
_NAME = re.compile(rf"(?:(?:{_TITLES})\.?\s+)*[A-Z]\w+(?:\s+[A-Z]\w+)*")
_WITHIN_SENTENCE = re.compile(r"(?:(?<=[a-z,] )|(?<=[Mrs][rs]\. ))[A-Z][a-z]+")
_SMALL = re.compile(r"\b[a-z]+\b")
_WORD = re.compile(r"\w+")
_OWNS = re.compile(r"['’]s?\b")
_OWNED = re.compile(r"\0['’]s?")
_VERB_FOLLOWS = re.compile(
    r"\s+(?!(?:and|or|in|at|to|for|of|on|with|by|as|from|about|when|because)\b)[a-z]"
)
_OF_PLACES = frozenset(("in", "at", "from", "near", "the"))


class PronounReader:
    """Replaces names in claims about a work by pronouns."""

    def __init__(self, text: str) -> None:
        capital = Counter(_WITHIN_SENTENCE.findall(text))
        small = Counter(_SMALL.findall(text))
        self._names = {
            word
            for word, count in capital.items()
            if count >= FEWEST and small[word.lower()] < count
        }

    def read(self, claim: str) -> str:
        """Return a claim with pronouns in place of what looks like names of people."""
        return _OWNED.sub("", _NAME.sub(self._pronoun, claim))

    def _pronoun(self, match: re.Match[str]) -> str:
        words = _WORD.findall(match[0])
        named = [word for word in words if word.lower() not in _BEFORE]
        before = match.string[: match.start()].split()[-1:]
        is_place = bool(before) and before[0].lower() in _OF_PLACES
        if is_place or not named or not self._names.issuperset(named):
            return match[0]
        is_male = _gender(words, named) is Gender.MALE
        after = match.string[match.end() :]
        if _OWNS.match(after):
            return ("his" if is_male else "her") + "\0"
        if _VERB_FOLLOWS.match(after):
            return "he" if is_male else "she"
        return "him" if is_male else "her"


def _gender(words: list[str], named: list[str]) -> Gender:
    """Return the gender that a name indicates. If it indicates none, its letters decide, so that a
    person always has the same pronoun."""
    if words[0].lower() in titles.FEMALE:
        return Gender.FEMALE
    if words[0].lower() in titles.MALE:
        return Gender.MALE
    gender = given_names.gender(named[0].lower())
    if gender is not Gender.UNKNOWN:
        return gender
    return Gender.MALE if sum(map(ord, named[0])) % 2 else Gender.FEMALE
