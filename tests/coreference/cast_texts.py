"""The cast of a text."""

from __future__ import annotations

from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.types import Character
from short_novels import FILLER, find_quoted


def detect(text: str) -> list[Character]:
    return detect_cast(FILLER + text, find_quoted(FILLER + text))


def detect_aliases(text: str) -> list[set[str]]:
    """Return the aliases of each character of a text."""
    return [set(character.aliases) for character in detect(text)]
