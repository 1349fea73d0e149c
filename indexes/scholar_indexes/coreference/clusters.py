"""Clusters of name variants that become characters, and their genders."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from scholar_indexes.coreference.name_parts import PATRONYMIC, SURE, NameParts
from scholar_indexes.coreference.name_variants import (
    DEFINITE,
    NARRATORS,
    NameVariant,
    VariantStats,
)
from scholar_indexes.lexicon import titles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

CLEARLY = 3.0
"""The least ratio of a character's mentions to the others' for a name that fits them all."""

_RARELY = 0.15
"""The minimum ratio of the uses of a title to those of the most frequent one to be a usual one."""

FEMALE_NOUNS = words_of("described_gendered", gender=Gender.FEMALE)
MALE_NOUNS = words_of("described_gendered", gender=Gender.MALE)
"""Folded nouns that show the gender of the person described."""


@dataclass(slots=True, eq=False)
class CharacterCluster:
    """The name variants of one character, with their folded titles and names.

    `given_names` counts all given names; `given_name` is the character's own, not a husband's, and
    `given_gender` its gender.
    """

    variants: dict[NameVariant, VariantStats] = field(default_factory=dict)
    titles: Counter[str] = field(default_factory=Counter)
    given_name: str = ""
    given_gender: Gender = Gender.UNKNOWN
    surname: str = ""
    given_names: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """The number of mentions by name."""
        return sum(stats.count for stats in self.variants.values())

    @property
    def usual_titles(self) -> set[str]:
        """The titles but those that are far rarer than the most frequent one."""
        most = max(self.titles.values(), default=0)
        return {title for title, count in self.titles.items() if count >= _RARELY * most}

    @property
    def stats(self) -> VariantStats:
        """The summed counts of all variants."""
        total = VariantStats("")
        for stats in self.variants.values():
            total.add(stats)
        return total

    @property
    def gender(self) -> Gender:
        """The gender from the first of GENDER_SOURCES that gives one."""
        for source in GENDER_SOURCES:
            if (gender := source(self)) is not Gender.UNKNOWN:
                return gender
        return Gender.UNKNOWN

    @property
    def is_husbands_name(self) -> bool:
        """True if the only given names are a husband's: Mrs. John Dashwood."""
        return bool(self.given_names) and not self.given_name

    @property
    def first_position(self) -> float:
        """The index of the word at which the character is first named in the narration."""
        return min(
            chain.from_iterable(stats.positions for stats in self.variants.values()),
            default=math.inf,
        )

    def add(self, variant: NameVariant, parts: NameParts, stats: VariantStats) -> None:
        """Add a name variant."""
        self.variants[variant] = stats
        if parts.title:
            self.titles[parts.title] += stats.count
        if parts.given:
            self.given_names[parts.given] += stats.count
            if not (parts.is_husbands or self.given_name):
                self.given_name, self.given_gender = parts.given, parts.gender
        self.surname = self.surname or parts.surname

    def absorb(self, other: CharacterCluster) -> None:
        """Add the variants, titles and given names of another cluster."""
        self.variants.update(other.variants)
        self.titles += other.titles
        self.given_names += other.given_names


def clear_winner(
    candidates: Sequence[CharacterCluster],
    ratio: float = CLEARLY,
    weight: Callable[[CharacterCluster], int] = lambda cluster: cluster.count,
) -> CharacterCluster | None:
    """Return the only candidate, or the one whose weight is at least `ratio` times any other's."""
    ranked = sorted(candidates, key=weight, reverse=True)
    if len(ranked) > 1 and weight(ranked[0]) < ratio * max(1, weight(ranked[1])):
        return None
    return ranked[0] if ranked else None


def title_gender(title: str) -> Gender:
    """Return the gender of the bearer of a folded title."""
    if title in titles.MALE:
        return Gender.MALE
    return Gender.FEMALE if title in titles.FEMALE else Gender.UNKNOWN


def pronoun_gender(stats: VariantStats) -> Gender:
    """Return the gender that the pronouns after a name clearly show, else UNKNOWN."""
    if abs(stats.male_log_odds) < SURE:
        return Gender.UNKNOWN
    return Gender.MALE if stats.male_log_odds > 0 else Gender.FEMALE


def _gender_by_titles(cluster: CharacterCluster) -> Gender:
    votes = Counter[Gender]()
    for title, count in cluster.titles.items():
        votes[title_gender(title)] += count
    del votes[Gender.UNKNOWN]
    return votes.most_common(1)[0][0] if votes else Gender.UNKNOWN


def _gender_by_given_name(cluster: CharacterCluster) -> Gender:
    return cluster.given_gender


def _gender_by_patronymic(cluster: CharacterCluster) -> Gender:
    for variant in cluster.variants:
        if variant.title != DEFINITE and any(map(PATRONYMIC.search, variant.words)):
            female = any(word.endswith("na") for word in variant.words)
            return Gender.FEMALE if female else Gender.MALE
    return Gender.UNKNOWN


def _gender_by_noun(cluster: CharacterCluster) -> Gender:
    for variant in cluster.variants:
        if variant.title in (DEFINITE, NARRATORS):
            noun = variant.words[-1].lower()
            if noun in FEMALE_NOUNS or noun in titles.FEMALE:
                return Gender.FEMALE
            if noun in MALE_NOUNS or noun in titles.MALE:
                return Gender.MALE
    return Gender.UNKNOWN


def _gender_by_pronouns(cluster: CharacterCluster) -> Gender:
    return pronoun_gender(cluster.stats)


def _gender_by_learning(cluster: CharacterCluster) -> Gender:
    learned = not titles.LEARNED.isdisjoint(cluster.titles)
    return Gender.MALE if learned else Gender.UNKNOWN


GENDER_SOURCES: tuple[Callable[[CharacterCluster], Gender], ...] = (
    _gender_by_titles,
    _gender_by_given_name,
    _gender_by_patronymic,
    _gender_by_noun,
    _gender_by_pronouns,
    _gender_by_learning,
)
"""The clues to a character's gender, the most reliable first."""
