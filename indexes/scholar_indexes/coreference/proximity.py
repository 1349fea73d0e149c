"""Distances between names in the narration.

Positions are word indices, ascending.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain

from scholar_indexes.coreference.name_variants import VariantStats

NEAR = 12
"""The maximum number of words between two names that are near each other."""

SCENE = 5 * NEAR
"""The maximum number of words between two names in one scene."""


def are_often_beside(first: Sequence[int], second: Sequence[int], length: int) -> bool:
    """Return True if two names are near each other more often than by chance in a book of `length`
    words.

    Two names of one person hardly ever are, since a pronoun is used instead.
    """
    rare, frequent = sorted((first, second), key=len)
    near = count_close(rare, frequent, NEAR)
    chance = len(rare) * min(1.0, len(frequent) * (2 * NEAR + 1) / length)
    shared = count_close(rare, frequent, SCENE)
    return near > max(1.2 * chance, 2 + 0.15 * shared, 0.21 * shared)


def are_in_same_scenes(first: Sequence[int], second: Sequence[int], length: int) -> bool:
    """Return True if two names share scenes at least three times as often as by chance in a book of
    `length` words, and at least five."""
    rare, frequent = sorted((first, second), key=len)
    chance = len(rare) * min(1.0, len(frequent) * (2 * SCENE + 1) / length)
    return count_close(rare, frequent, SCENE) >= max(5, 3 * chance)


def are_side_by_side(given: Iterable[VariantStats], surname: VariantStats) -> bool:
    """Return True if a given name and a surname belong to two people: Paul and Morel.

    The names of one person who goes by either, Gabriel and Oak, share scenes too, but not
    sentences.
    """
    given = list(given)
    near = count_together(given, surname, NEAR)
    return near >= 10 and near >= 0.25 * count_together(given, surname, SCENE)


def count_together(names: Iterable[VariantStats], other: VariantStats, words: int) -> int:
    """Return how often any of several names and another are within `words` words of each other."""
    positions = sorted(chain.from_iterable(name.positions for name in names))
    rare, frequent = sorted((positions, other.positions), key=len)
    return count_close(rare, frequent, words)


def count_close(positions: Sequence[int], others: Sequence[int], words: int) -> int:
    """Return how many positions have one of the others within `words` words."""
    close = 0
    for position in positions:
        at = bisect_left(others, position - words)
        close += at < len(others) and others[at] <= position + words
    return close
