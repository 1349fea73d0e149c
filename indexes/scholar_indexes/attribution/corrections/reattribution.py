"""Reattribution of a book's quotations to a corrected cast, cached with the book."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from scholar_indexes.attribution import dialogue as dialogue_cache
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.types import Attribution, Character

Reattribute = Callable[[Sequence[Character]], "Sequence[Attribution] | None"]
"""A function from a corrected cast to the attributions of all quotations; None keeps the
attributions to the detected cast."""


def keep_detected(cast: Sequence[Character]) -> None:
    """Return None for every cast: a Reattribute that keeps the detected attributions."""


class CastAttributor:
    """A Reattribute that attributes the quotations of a detected dialogue to corrected casts."""

    def __init__(
        self,
        folder: Path,
        text_size: int,
        cache_key: str,
        detected: Dialogue,
        attribute: Callable[[Sequence[Character]], Dialogue] | None,
    ) -> None:
        """`folder` and `cache_key` belong to the detected dialogue; without `attribute`, only the
        cache is used."""
        self._folder = folder
        self._text_size = text_size
        self._cache_key = cache_key
        self._detected = detected
        self._attribute = attribute

    def __call__(self, cast: Sequence[Character]) -> Sequence[Attribution] | None:
        """Return the attributions of all quotations to a cast, from the cache or new; None if the
        cast makes no difference, or there is no `attribute` and nothing is cached."""
        candidates = _candidates_hash(cast)
        if candidates == _candidates_hash(self._detected.cast):
            return None
        method, _, rest = self._cache_key.partition(" ")
        key = f"{method}-corrected {rest} {candidates}"
        attributed = dialogue_cache.load(self._folder, key, self._text_size)
        if attributed is None:
            if self._attribute is None:
                return None
            attributed = self._attribute(cast)
            dialogue_cache.save(self._folder, key, attributed)
        return _renamed(attributed, cast)


def _candidates_hash(cast: Sequence[Character]) -> str:
    """Return a hash of what an attribution method reads of a cast: everything but the ids and the
    main names of characters."""
    candidates = [
        (
            sorted(character.aliases),
            character.gender,
            character.narrator,
            character.narrates,
            character.described,
        )
        for character in cast
    ]
    return hashlib.sha256(repr(candidates).encode()).hexdigest()[:16]


def _renamed(attributed: Dialogue, cast: Sequence[Character]) -> list[Attribution]:
    """Return attributions with the speakers of a cast that has the same candidates."""
    current = {
        former.id: character for former, character in zip(attributed.cast, cast, strict=True)
    }
    return [
        replace(attribution, speaker=current[attribution.speaker.id])
        if attribution.speaker
        else attribution
        for attribution in attributed.attributions
    ]
