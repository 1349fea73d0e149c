"""Brides: women who go by their maiden names first and by their husbands' titles later.

Miss Brooke is Mrs. Casaubon, though no full name says so: she is near Mr. Casaubon more than any
other woman is, and "Miss Brooke" ends where "Mrs. Casaubon" begins, while "Dorothea" goes on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from math import exp, lgamma, log, log1p

from scholar_indexes.coreference import proximity
from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Gender

BEGINNING = 2
"""The index of the use of a wife's title with which it begins; earlier ones may be jests."""

FEWEST = 20
"""The minimum mentions of a bride in the narration."""

NEAR_HUSBAND = 0.25
"""The minimum share of a bride's mentions that are near one of her husband."""

EARLY = 0.9
"""The minimum share of the uses of "Miss" before the wedding."""

CHANCE = 0.1
"""The highest probability that they are early only by chance."""


def find_bride(
    wife: CharacterCluster, characters: Sequence[CharacterCluster]
) -> CharacterCluster | None:
    """Return the woman who becomes a wife that is only known by title and surname, if there is
    one."""
    places = _places(wife)
    if wife.given_names or titles.WIVES.isdisjoint(wife.titles) or len(places) <= BEGINNING:
        return None
    men = [one for one in characters if one.gender is Gender.MALE and one.surname == wife.surname]
    husband = sorted(chain.from_iterable(map(_places, men)))

    def share_near(woman: CharacterCluster) -> float:
        own = _places(woman)
        return proximity.count_close(own, husband, proximity.SCENE) / len(own)

    women = [one for one in characters if _may_marry(one, wife)]
    nearest = max(women, key=share_near, default=None)
    if nearest is None or share_near(nearest) < NEAR_HUSBAND:
        return None
    return nearest if _ends_as_maid(nearest, places[BEGINNING]) else None


def _may_marry(woman: CharacterCluster, wife: CharacterCluster) -> bool:
    return (
        woman.gender is Gender.FEMALE
        and bool(woman.given_name)
        and titles.WIVES.isdisjoint(woman.titles)
        and woman.surname != wife.surname
        and len(_places(woman)) >= FEWEST
    )


def _ends_as_maid(woman: CharacterCluster, wedding: int) -> bool:
    """Return True if "Miss" ends by a word of the text, though the woman goes on being named."""
    named = _places(woman)
    maid = sorted(
        chain.from_iterable(
            stats.positions
            for variant, stats in woman.variants.items()
            if titles.standard_form(variant.title) in titles.MAIDEN
        )
    )
    early = bisect_left(maid, wedding)
    if early < EARLY * len(maid):
        return False
    return _at_least(early, len(maid), bisect_left(named, wedding) / len(named)) < CHANCE


def _at_least(count: int, trials: int, share: float) -> float:
    """Return the probability of at least `count` hits in independent trials of which a share
    hits."""
    if share in (0, 1):
        return float(share == 1 or count == 0)
    return sum(
        exp(
            lgamma(trials + 1)
            - lgamma(hits + 1)
            - lgamma(trials - hits + 1)
            + hits * log(share)
            + (trials - hits) * log1p(-share)
        )
        for hits in range(count, trials + 1)
    )


def _places(character: CharacterCluster) -> list[int]:
    """Return the word indices at which the narration names a character, ascending."""
    return sorted(chain.from_iterable(stats.positions for stats in character.variants.values()))
