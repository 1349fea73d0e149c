"""The people whom the narration of a scene describes without a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scholar_indexes.attribution.unnamed_phrases import (
    CONTRASTS,
    ORDINALS,
    VOICE,
    PersonPhrase,
)
from scholar_indexes.lexicon import person_nouns, roles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

SOON = 600
"""The most characters from a voice to the first sight of its owner."""

RECENT = 20
"""The number of people of a scene whom a phrase may mean, the last ones introduced."""

GENERAL = words_of("generic")
"""Nouns that anybody may be called by: "the girl"."""

CALLINGS = (person_nouns.CALLINGS | words_of("described")) - GENERAL
"""Nouns that need no introduction: "the turnkey"."""

_GOVERNED = re.compile(r"\b(?:to|at|with|from|by|of)\s+$")
_LONGEST_GOVERNOR = 8  # characters


@dataclass(slots=True, eq=False)
class ScenePerson:
    """The phrases of a scene for one person, in text order."""

    phrases: list[PersonPhrase] = field(default_factory=list)
    gender: Gender = Gender.UNKNOWN
    is_introduced: bool = False
    nouns: set[str] = field(default_factory=set)
    modifiers: set[str] = field(default_factory=set)
    restrictions: set[str] = field(default_factory=set)

    @property
    def start(self) -> int:
        """The position of the first phrase."""
        return self.phrases[0].span.start

    @property
    def has_calling(self) -> bool:
        """True if a phrase has a calling."""
        return not self.nouns.isdisjoint(CALLINGS)

    @property
    def is_voice(self) -> bool:
        """True for somebody who is only heard."""
        return self.nouns == {VOICE}

    def add(self, phrase: PersonPhrase) -> None:
        """Add a phrase that means this person."""
        self.phrases.append(phrase)
        self.is_introduced = self.is_introduced or phrase.introduces
        self.nouns |= {phrase.noun, roles.role_of(phrase.noun)}
        self.modifiers |= phrase.modifiers
        self.restrictions.add(phrase.restriction)
        if self.gender is Gender.UNKNOWN:
            self.gender = phrase.gender

    def is_like(self, phrase: PersonPhrase) -> bool:
        """Return True if this person has the noun and a telling adjective of a phrase."""
        return phrase.noun in self.nouns and not CONTRASTS.isdisjoint(
            phrase.modifiers & self.modifiers
        )

    def may_be(self, phrase: PersonPhrase) -> bool:
        """Return True if a definite phrase may mean this person."""
        if Gender.UNKNOWN not in (self.gender, phrase.gender) and self.gender != phrase.gender:
            return False
        if roles.role_of(phrase.noun) not in self.nouns and (
            phrase.noun not in GENERAL or self.is_voice
        ):
            return False
        if phrase.restriction:
            return phrase.restriction in self.restrictions
        return self._has_ordinal(phrase) and not self._is_contrasted(phrase)

    def _has_ordinal(self, phrase: PersonPhrase) -> bool:
        return (phrase.modifiers & ORDINALS) <= self.modifiers

    def _is_contrasted(self, phrase: PersonPhrase) -> bool:
        """Return True for "the old man" and a person who is only called young."""
        telling = phrase.modifiers & CONTRASTS
        own = self.modifiers & CONTRASTS
        return bool(telling) and bool(own) and telling.isdisjoint(own)


def group_phrases(text: str, phrases: Iterable[PersonPhrase]) -> list[ScenePerson]:
    """Return the people whom the phrases of a scene mean, in order.

    A phrase that introduces nobody new means the last person described so.
    """
    people: list[ScenePerson] = []
    for phrase in phrases:
        person = _find_described(text, people[-RECENT:], phrase)
        if person is None:
            person = ScenePerson()
            people.append(person)
        person.add(phrase)
    return people


def _find_described(
    text: str, people: Sequence[ScenePerson], phrase: PersonPhrase
) -> ScenePerson | None:
    if not phrase.introduces:
        fitting = [person for person in people if person.may_be(phrase)]
        return max(fitting, key=lambda one: one.phrases[-1].span.start, default=None)
    if people and people[-1].is_voice and _is_soon(people[-1], phrase):
        return people[-1]
    # "I bawled Estella to a scornful young lady": the young lady of before.
    alike = [person for person in people if person.is_like(phrase)]
    start = phrase.span.start
    is_object = _GOVERNED.search(text, max(0, start - _LONGEST_GOVERNOR), start) is not None
    return alike[0] if len(alike) == 1 and is_object else None


def _is_soon(voice: ScenePerson, phrase: PersonPhrase) -> bool:
    return phrase.noun != VOICE and phrase.span.start - voice.phrases[-1].span.end < SOON
