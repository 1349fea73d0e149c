"""Cues that mean a character by marriage: "his wife" and "her husband"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scholar_indexes.coreference.mentions import Mention, name_words
from scholar_indexes.coreference.vocatives import find_vocatives
from scholar_indexes.types import Character, Gender, Quotation, Span

_SPOUSE = re.compile(r"\b(his|her)\s+(?:\w+\s+)?(?:wife|lady|husband)\b", re.IGNORECASE)
_MARRIED_TITLES = {"mrs": Gender.FEMALE, "lady": Gender.FEMALE, "mr": Gender.MALE}
_MENTIONS_BACK = 12
"""The number of preceding names searched for the character whose spouse is meant."""


class SpouseResolver(NamedTuple):
    """A resolver of spouses in the cast of a text."""

    text: str
    cast: Sequence[Character]
    mentions: Sequence[Mention]
    married: Mapping[tuple[Gender, str], int]

    @classmethod
    def of(
        cls, text: str, cast: Sequence[Character], mentions: Sequence[Mention]
    ) -> SpouseResolver:
        """Return the resolver of a text; `mentions` are in text order."""
        return cls(text, cast, mentions, _find_married(cast))

    def resolve(self, span: Span, gender: Gender, quotation: Quotation) -> int | None:
        """Return the character that a cue such as "his wife" means, None for other cues.

        That is the Mrs. or Mr. of the character whom the pronoun fits and who is addressed in the
        quotation, or else was named last.
        """
        match = _SPOUSE.search(span.of(self.text))
        if match is None:
            return None
        pronoun_gender = Gender.MALE if match[1].lower() == "his" else Gender.FEMALE
        for character in self._find_possible_spouses(span, quotation):
            if self.cast[character].gender is pronoun_gender:
                return self._find_spouse(character, gender)
        return None

    def _find_possible_spouses(self, span: Span, quotation: Quotation) -> Iterator[int]:
        yield from find_vocatives(self.text, quotation, self.mentions)
        end = bisect_left(self.mentions, span.start, key=lambda mention: mention.span.start)
        for mention in reversed(self.mentions[max(0, end - _MENTIONS_BACK) : end]):
            yield mention.character

    def _find_spouse(self, character: int, gender: Gender) -> int | None:
        for name in map(name_words, self.cast[character].aliases):
            if name and (gender, name[-1]) in self.married:
                return self.married[gender, name[-1]]
        return None


def _find_married(cast: Sequence[Character]) -> dict[tuple[Gender, str], int]:
    """Return the characters called Mr. or Mrs., by gender and family name."""
    married: dict[tuple[Gender, str], int] = {}
    for index, character in enumerate(cast):
        for name in map(name_words, character.aliases):
            if len(name) > 1 and name[0] in _MARRIED_TITLES:
                married.setdefault((_MARRIED_TITLES[name[0]], name[-1]), index)
    return married
