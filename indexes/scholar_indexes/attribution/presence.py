"""The presence of characters in scenes: named, described or addressed since the scene began."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from scholar_indexes.attribution.sieve import Sieve

MOST_ABSENT = 0.8
"""The highest confidence in a speaker who is not in the scene."""

MOST_WITHOUT_EVIDENCE = 0.5
"""The highest confidence in a scene that has nobody yet, for a quotation without a cue."""


class Presence:
    """The positions at which characters enter the scenes of a book.

    `scenes` has the number of the scene of each paragraph. Narrators are present in what they tell.
    """

    def __init__(self, sieve: Sieve, scenes: Sequence[int]) -> None:
        self._sieve, self._scenes = sieve, scenes
        self._entered: dict[tuple[int, int], int] = {}
        self._opened: dict[int, int] = {}
        starts = [paragraph.start for paragraph in sieve.paragraphs]
        for mention in sieve.mentions:
            start = mention.span.start
            scene = scenes[max(0, bisect_right(starts, start) - 1)]
            self._entered.setdefault((scene, mention.character), start)
            self._opened.setdefault(scene, start)

    def is_present(self, number: int, character: int) -> bool:
        """Return True if a character has entered the scene of a quotation, up to the end of its
        paragraph, or narrates there."""
        if self._sieve.cast[character].narrator or self._sieve.cues[number].character == character:
            return True
        scene, end = self._place(number)
        return self._entered.get((scene, character), end) < end

    def limit(self, number: int, character: int) -> float:
        """Return the highest confidence in a character as the speaker of a quotation."""
        scene, end = self._place(number)
        if self._sieve.cues[number].span is None and self._opened.get(scene, end) >= end:
            return MOST_WITHOUT_EVIDENCE
        return 1.0 if self.is_present(number, character) else MOST_ABSENT

    def _place(self, number: int) -> tuple[int, int]:
        """Return the scene of a quotation and the end of its last paragraph."""
        last = self._sieve.last_paragraphs[number]
        scene = self._scenes[self._sieve.first_paragraphs[number]]
        return scene, self._sieve.paragraphs[last].end
