"""Lookup of annotated characters by names from other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scholar_indexes.coreference.mentions import Name, name_words
from scholar_indexes.types import Character

UNKNOWN = -1
"""The index for a name that is not in the cast."""


class CastNames:
    """The names of an annotated cast, compared word by word without case, accents and periods.

    Of two characters with the same name, the first one in the cast is returned.
    """

    def __init__(self, cast: Sequence[Character]) -> None:
        self._by_words: dict[Name, int] = {}
        for index, character in enumerate(cast):
            for name in (character.name, *character.aliases):
                if words := name_words(name):
                    self._by_words.setdefault(words, index)
        self.narrator = next(
            (index for index, character in enumerate(cast) if character.narrator), None
        )

    def find(self, name: str) -> int | None:
        """Return the index of the character with exactly this name, or None."""
        return self._by_words.get(name_words(name))

    def find_in(self, phrase: str) -> int | None:
        """Return the index of the character whose name ends a noun phrase: "poor Alice"."""
        words = name_words(phrase)
        for start in range(len(words)):
            if (index := self._by_words.get(words[start:])) is not None:
                return index
        return None

    def most_named(self, phrases: Mapping[str, int]) -> int | None:
        """Return the index of the character named by most of the noun phrases, weighted by their
        counts; None if they name nobody."""
        votes: Counter[int] = Counter()
        for phrase, count in phrases.items():
            if (index := self.find_in(phrase)) is not None:
                votes[index] += count
        return votes.most_common(1)[0][0] if votes else None
