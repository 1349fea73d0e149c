"""Add the descriptions that act as names to the characters: "the Hatter", "my aunt"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scholar_indexes.coreference.clusters import (
    CLEARLY,
    FEMALE_NOUNS,
    MALE_NOUNS,
    CharacterCluster,
    clear_winner,
)
from scholar_indexes.coreference.described_identity import join_descriptions
from scholar_indexes.coreference.descriptions import (
    Description,
    collect_descriptions,
    collect_narrator_kin,
)
from scholar_indexes.coreference.name_variants import (
    DEFINITE,
    NARRATORS,
    NameVariant,
    VariantStats,
)
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon import person_nouns, titles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

OFTEN_OWN = 5
"""The minimum number of times that "my aunt" must speak to be a character."""

_PERSONS = FEMALE_NOUNS | MALE_NOUNS | titles.PERSONAL | words_of("described")
_NEAR_KIN = words_of("near_kin")
_GENERIC = words_of("generic")

_TITLE_OF_NOUN = {"baronet": "sir"}
"""The titles of the people whom nouns describe, if the title is a different word."""

_ROLES = frozenset({"master", "mistress"})
"""Nouns for an employer; as titles they are used for others: Mistress Dean, Master Davy."""

_HARDLY_EVER = 0.1
"""The minimum share of a noun's occurrences for a longer description with it to count."""

_TITLE_SHARE = 0.02
"""The minimum share of a character's mentions with a title for the title alone to be a name too."""


@dataclass(frozen=True, slots=True)
class DescribedName:
    """A description that may act as a name.

    `is_name` is True if its words are also a name without the article; `leading_count` is how often
    the leading character is named.
    """

    words: Description
    stats: VariantStats
    is_name: bool
    leading_count: int

    @property
    def head(self) -> str:
        """The last word, folded."""
        return self.words[-1]

    @property
    def has_capital(self) -> bool:
        """True for "the Hatter"."""
        return self.stats.surface.rpartition(" ")[2][0].isupper()

    @property
    def is_plural(self) -> bool:
        """True if the last word has a plural ending."""
        return self.head.endswith("s") and not self.head.endswith(("ss", "us", "is"))

    @property
    def is_house(self) -> bool:
        """True if more is done in it than by it: the Maypole."""
        acts = self.stats.speaking + self.stats.acting
        if self.head in _PERSONS | person_nouns.PERSONS:
            return False
        return acts <= self.stats.after_locative or acts < min(2, self.stats.count / 2)


@dataclass(frozen=True, slots=True)
class DescriptionRule:
    """A rule that decides whether certain descriptions mean the same person throughout."""

    name: str
    applies: Callable[[DescribedName], bool]
    acts_as_name: Callable[[DescribedName], bool]


DESCRIPTION_RULES = (
    DescriptionRule(
        "a title cut off from its name",
        lambda name: name.head in titles.ABBREVIATED,
        lambda name: False,
    ),
    DescriptionRule(
        "several people: the others",
        lambda name: name.is_plural and not name.is_name,
        lambda name: False,
    ),
    DescriptionRule(
        "anybody: the old man, only where it is one of the most used names",
        lambda name: name.head in _GENERIC and not name.has_capital,
        lambda name: (
            len(name.words) > 1
            and name.stats.speaking > 3
            and name.stats.count >= name.leading_count / 10
        ),
    ),
    DescriptionRule(
        "a relative: the mother",
        lambda name: name.head in _NEAR_KIN and not name.has_capital,
        lambda name: name.stats.speaking > 3,
    ),
    DescriptionRule(
        "a name, and not that of a house: the Hatter, the Maypole",
        lambda name: name.has_capital or name.is_name,
        lambda name: name.stats.speaking > 0 and (name.is_name or not name.is_house),
    ),
    DescriptionRule(
        "a calling: the turnkey",
        lambda name: name.head in person_nouns.CALLINGS,
        lambda name: name.stats.speaking > 0,
    ),
    DescriptionRule(
        "a noun for a person: the gaoler",
        lambda name: name.head in _PERSONS,
        lambda name: name.stats.speaking > 1,
    ),
    DescriptionRule(
        "anything else: the caterpillar",
        lambda name: True,
        lambda name: name.stats.speaking > 2,
    ),
)
"""Rules in the order in which they are tried."""


def acts_as_name(name: DescribedName) -> bool:
    """Return True if a description acts as a name by the first rule that applies."""
    rule = next(rule for rule in DESCRIPTION_RULES if rule.applies(name))
    return rule.acts_as_name(name)


def merge_descriptions(
    novel: TokenizedNovel,
    variants: Mapping[NameVariant, VariantStats],
    clusters: Sequence[CharacterCluster],
) -> list[CharacterCluster]:
    """Return the characters known only by a description; named ones get theirs as a variant."""
    described = _DescriptionMerger(variants, clusters).merge(collect_descriptions(novel))
    return join_descriptions(novel, clusters, described)


class _DescriptionMerger:
    """Assigns each description to the character it means."""

    def __init__(
        self,
        variants: Mapping[NameVariant, VariantStats],
        clusters: Sequence[CharacterCluster],
    ) -> None:
        self._clusters = clusters
        self._names = {variant.folded for variant in variants if variant.title == ""}
        self._last_words = {variant.folded[-1] for variant in variants if variant.title != DEFINITE}
        self._leading_count = max((cluster.count for cluster in clusters), default=0)
        self._by_head: dict[str, list[CharacterCluster]] = {}
        self._single_names = {
            variant.folded[-1]: cluster
            for cluster in clusters
            for variant in cluster.variants
            if len(cluster.variants) == 1 and not variant.title and len(variant.words) == 1
        }

    def merge(self, stats_of: Mapping[Description, VariantStats]) -> list[CharacterCluster]:
        """Return the characters known only by a description, the longest descriptions first."""
        described: list[CharacterCluster] = []
        order = sorted(stats_of, key=lambda words: (-len(words), -stats_of[words].count))
        for words in order:
            name = DescribedName(words, stats_of[words], words in self._names, self._leading_count)
            if not acts_as_name(name) or self._is_named(name):
                continue
            cluster = self._find_bearer(name)
            if cluster is None:
                cluster = CharacterCluster()
                described.append(cluster)
            variant = NameVariant(DEFINITE, tuple(name.stats.surface.split()[1:]))
            cluster.variants[variant] = name.stats
            if len(words) > 1 and name.head not in _GENERIC:
                self._by_head.setdefault(name.head, []).append(cluster)
        return described

    def _is_named(self, name: DescribedName) -> bool:
        """Return True if a description only adds words to a name: the wretched Heathcliff."""
        is_longer = len(name.words) > 1 and name.head in self._last_words
        return not name.is_name and name.has_capital and is_longer

    def _find_described(self, name: DescribedName) -> CharacterCluster | None:
        """Return the character of a longer description with the same noun, unless that is too rare:
        "the burly archdeacon", used once, is just the archdeacon who has a name."""
        likely = [
            cluster
            for cluster in self._by_head.get(name.head, ())
            if cluster.count >= _HARDLY_EVER * name.stats.count
        ]
        return clear_winner(likely)

    def _find_bearer(self, name: DescribedName) -> CharacterCluster | None:
        """Return the character that a description means, if one is named or described that way."""
        if len(name.words) == 1:
            return (
                self._find_described(name)
                or _find_by_title(self._clusters, name.head)
                or self._single_names.get(name.head)
            )
        if name.is_name:
            return next(
                (
                    cluster
                    for cluster in self._clusters
                    for variant in cluster.variants
                    if variant.folded == name.words
                ),
                None,
            )
        return _find_by_title(self._clusters, name.head) if name.has_capital else None


def _find_by_title(clusters: Sequence[CharacterCluster], noun: str) -> CharacterCluster | None:
    """Return the character that "the Colonel" means: the only bearer, or the most frequent by
    far."""
    title = _TITLE_OF_NOUN.get(noun, titles.standard_form(noun))
    if noun in _ROLES:
        return None

    def count_borne(cluster: CharacterCluster) -> int:
        """Return how often a character is named with the noun before the name: Dairyman Crick."""
        return cluster.titles[title] + sum(
            stats.count
            for variant, stats in cluster.variants.items()
            if not variant.is_description
            and len(variant.words) > 1
            and variant.words[0].lower() == noun
        )

    bearers = [
        cluster
        for cluster in clusters
        if count_borne(cluster) >= max(1.0, _TITLE_SHARE * cluster.count)
    ]
    most = max(map(count_borne, bearers), default=0)
    mostly = [
        cluster
        for cluster in bearers
        if count_borne(cluster) * 2 > sum(cluster.titles.values())
        if count_borne(cluster) * CLEARLY >= most
    ]
    return clear_winner(bearers, weight=count_borne) or clear_winner(mostly)


def merge_narrator_kin(novel: TokenizedNovel, clusters: list[CharacterCluster]) -> None:
    """Add the relatives who speak as "my aunt": to an existing character if the narration gives the
    name, "my sister, Mrs. Joe Gargery", else as a new one."""
    for noun, stats in collect_narrator_kin(novel).items():
        if stats.speaking < OFTEN_OWN:
            continue
        kin = CharacterCluster(variants={NameVariant(NARRATORS, (noun,)): stats})
        bearer = _find_kin(novel, noun, kin.gender, clusters)
        if bearer is None:
            clusters.append(kin)
        else:
            bearer.variants |= kin.variants


def _find_kin(
    novel: TokenizedNovel, noun: str, gender: Gender, clusters: Sequence[CharacterCluster]
) -> CharacterCluster | None:
    """Return the character whose name is next to "my aunt", or the only one with the title."""
    apposed = re.compile(rf"\b[Mm]y {noun}[,—\s]{{1,3}}((?:[A-Z][\w’']*\.? ?){{2,4}})")
    names = {" ".join(match[1].split()).rstrip(".’'") for match in apposed.finditer(novel.text)}
    for cluster in clusters:
        if cluster.gender in (gender, Gender.UNKNOWN) and any(
            stats.surface in names for stats in cluster.variants.values()
        ):
            return cluster
    # Uncle Ebenezer is an uncle, but Father Flynn is nobody's father.
    titled = [cluster for cluster in clusters if noun in titles.KINDRED and cluster.titles[noun]]
    return titled[0] if len(titled) == 1 else None
