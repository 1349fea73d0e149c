"""Noun phrases of the narration for somebody without a name: "a young lady", "the third man"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scholar_indexes.attribution.cues.noun_phrases import find_noun_gender
from scholar_indexes.attribution.cues.vocabulary import DETERMINERS, FUNCTION_WORDS
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.lexicon import person_nouns, verbs
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.stopping import checked
from scholar_indexes.types import Gender, Span

VOICE = "voice"
"""The noun for somebody who is heard before being seen."""

ORDINALS = frozenset("first second third fourth fifth sixth other last next".split())
"""Modifiers that tell people with the same noun apart."""

CONTRASTS = frozenset(
    "old elderly young younger older elder little big tall short fat thin stout dark fair".split()
)
"""Adjectives that make two people of "the old man" and "the young man"."""

_HEADS = (person_nouns.PERSONS | words_of("described") | {VOICE}) - words_of("near_kin")
_INDEFINITE = frozenset(("a", "an", "another", "some", "one"))
_NOT_MODIFIERS = DETERMINERS | FUNCTION_WORDS | verbs.SPEECH | {"and", "or", "of", "who", "that"}
_PHRASE = re.compile(
    r"\b(?P<article>[Aa]n?|[Tt]he|[Tt]his|[Tt]hat|[Aa]nother|[Ss]ome|[Oo]ne)\s+"
    rf"(?P<modifiers>(?:(?!(?:{'|'.join(sorted(_NOT_MODIFIERS))})\b)[a-z][a-z’'-]*,?\s+){{0,3}}?)"
    rf"(?:[a-z]+-)?(?P<noun>{'|'.join(sorted(_HEADS, key=len, reverse=True))})\b(?!-)"
)
_PREDICATE = re.compile(
    r"\b(?:was|is|were|are|am|be|been|being|become|became|seemed|as|like|than|such|not|of|called|"
    r"what|many|never|half|quite|without|for)\s+$",
    re.IGNORECASE,
)
"""Words before an indefinite phrase that introduces nobody: "she was a girl", "like a man"."""

_COMPARED = re.compile(r"\bas\s+(?:if|though)\b[^.;:!?]*$")
_RESTRICTED = re.compile(
    r"\s+(?:(?:at|behind|by|near)\s+the\s+\w+|opposite\b|(?:who(?:m|se)?|that)\s+\w+)"
)
_CHARACTERS_BEFORE = 80


class PersonPhrase(NamedTuple):
    """A noun phrase for a person, whose noun and modifiers are folded.

    `introduces` is True if it may be the first for a person: "a girl", "the strangest lady".
    `restriction` has the words after it that tell the person from others: "at the table".
    """

    span: Span
    noun: str
    modifiers: frozenset[str]
    introduces: bool
    restriction: str

    @property
    def gender(self) -> Gender:
        """The gender of the noun."""
        return find_noun_gender(self.noun)


def find_person_phrases(
    text: str, narration: Sequence[Span], named: Sequence[Mention]
) -> Iterator[PersonPhrase]:
    """Yield the phrases in stretches of narration, in text order, that are no part of a name.

    Indefinite phrases that introduce nobody ("she was a girl") are left out.
    """
    starts = [mention.span.start for mention in named]
    for stretch in checked(narration):
        for match in _PHRASE.finditer(text, stretch.start, stretch.end):
            before = bisect_right(starts, match.end()) - 1
            if before >= 0 and named[before].span.end > match.start():
                continue
            phrase = _to_phrase(text, match)
            if not (phrase.introduces and _is_predicate(text, match.start())):
                yield phrase


def _to_phrase(text: str, match: re.Match[str]) -> PersonPhrase:
    article = match["article"].lower()
    modifiers = frozenset(match["modifiers"].replace(",", " ").lower().split())
    restricted = None if article in _INDEFINITE else _RESTRICTED.match(text, match.end())
    return PersonPhrase(
        Span(*match.span()),
        match["noun"],
        modifiers,
        article in _INDEFINITE or any(map(_is_superlative, modifiers)),
        " ".join(restricted.group().split()) if restricted else "",
    )


def _is_superlative(word: str) -> bool:
    return len(word) > 5 and word.endswith("est")


def _is_predicate(text: str, start: int) -> bool:
    before = text[max(0, start - _CHARACTERS_BEFORE) : start]
    return any(pattern.search(before) for pattern in (_PREDICATE, _COMPARED))
