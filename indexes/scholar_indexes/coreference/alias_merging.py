"""Merge name variants into characters by ordered tables of rules.

Names are merged in passes, the most informative first: full names, titles with a surname, given
names, bare surnames. In each pass the first rule that decides a name gives the character it joins,
or begins a new one. An ambiguous name goes to the character it clearly means, or to none (after
Vala et al. 2015, "Mr. Bennet, his coachman, and the Archbishop walk into a bar", section 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from scholar_indexes.coreference.brides import find_bride
from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.merge_case import (
    GOES_BY_GIVEN_NAME,
    MergeCase,
    NamesOfBook,
    Outcome,
)
from scholar_indexes.coreference.merge_rules import (
    BRIDE,
    FULL_NAME_RULES,
    GIVEN_NAME_RULES,
    MARRIAGE,
    NEW_CHARACTER,
    PATRONYMICS,
    SURNAME_RULES,
    TITLE_RULES,
    MergeRule,
)
from scholar_indexes.coreference.name_parts import PATRONYMIC, ParsedName, parse_names
from scholar_indexes.coreference.name_variants import NameVariant, VariantStats
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Gender

ALIKE = 80
"""The minimum similarity, of 100, of two spellings of a patronymic."""


@dataclass
class AliasMerger:
    """Merges the names of a book; `decided_by` gives the rule that decided each name."""

    names: Sequence[ParsedName]
    length: int
    decided_by: dict[NameVariant, MergeRule] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bare = {
            name.parts.given: name.stats
            for name in self.names
            if not (name.parts.title or name.parts.surname)
        }
        behind_miss = Counter[str]()
        for name in self.names:
            if name.parts.given and name.parts.title in titles.MAIDEN:
                behind_miss[name.parts.given] += name.stats.count
        self._book = NamesOfBook(self.length, bare, behind_miss)
        self._families: dict[str, list[CharacterCluster]] = {}

    def merge(self) -> list[CharacterCluster]:
        """Return the characters that the names mean."""
        self._merge_full_names()
        self._join_marriages()
        self._join_patronymics()
        self._merge_titles()
        clusters = list(dict.fromkeys(chain(*self._families.values())))
        for name in self.names:
            if name.parts.given and not name.parts.surname:
                self._decide(GIVEN_NAME_RULES, name, clusters, clusters)
        for name in self.names:
            if not name.parts.title and not name.parts.given:
                self._decide(SURNAME_RULES, name, clusters, clusters)
        self._join_brides(clusters)
        return clusters

    def _merge_full_names(self) -> None:
        for name in self.names:
            if name.parts.given and name.parts.surname:
                family = self._families.setdefault(name.parts.surname, [])
                self._decide(FULL_NAME_RULES, name, family, family)

    def _merge_titles(self) -> None:
        # Daughters first: a woman known as "Miss Thorpe" can no longer be "Mrs. Thorpe".
        for name in sorted(self.names, key=lambda name: name.parts.title in titles.WIVES):
            if name.parts.title and not name.parts.given:
                family = self._families.setdefault(name.parts.surname, [])
                apart = [
                    cluster
                    for cluster in family
                    if not self._book.stands_beside(cluster, name.stats)
                ]
                self._decide(TITLE_RULES, name, apart, family)

    def _decide(
        self,
        rules: Sequence[MergeRule],
        name: ParsedName,
        candidates: Sequence[CharacterCluster],
        clusters: list[CharacterCluster],
    ) -> None:
        """Add a name to the candidate that the first deciding rule gives, or to a new cluster."""
        case = MergeCase(name, candidates, self._book)
        for rule in (*rules, NEW_CHARACTER):
            decision = rule.decide(case)
            if decision is not Outcome.UNDECIDED:
                break
        self.decided_by[name.variant] = rule
        if decision is Outcome.NOBODY:
            return
        if not isinstance(decision, CharacterCluster):
            decision = CharacterCluster()
            clusters.append(decision)
        decision.add(name.variant, name.parts, name.stats)

    def _join_marriages(self) -> None:
        """Join the full names of a woman who marries: Grace Melbury is Grace Fitzpiers later, if
        the narration is about a Grace and has a Mrs. Fitzpiers."""
        married = {
            name.variant.words[-1].lower() for name in self.names if name.variant.title == "mrs"
        }
        for namesakes in self._women_by_given_name().values():
            maid, *wives = sorted(namesakes, key=lambda cluster: cluster.first_position)
            for wife in wives:
                unmarried_before = maid.count > 2 and titles.MAIDEN.isdisjoint(wife.titles)
                if unmarried_before and wife.surname in married:
                    self.decided_by.update(dict.fromkeys(wife.variants, MARRIAGE))
                    maid.absorb(wife)
                    family = self._families[wife.surname]
                    family[family.index(wife)] = maid

    def _join_brides(self, clusters: list[CharacterCluster]) -> None:
        """Join wives who are known by title and surname to the women whom they were before."""
        for wife in list(clusters):
            if bride := find_bride(wife, clusters):
                self.decided_by.update(dict.fromkeys(wife.variants, BRIDE))
                bride.absorb(wife)
                clusters.remove(wife)

    def _join_patronymics(self) -> None:
        """Join a given name with a patronymic to the only one of that given name with a surname:
        Parfen Semionovitch is Parfen Rogojin."""
        clusters = list(chain(*self._families.values()))
        for cluster in clusters:
            if cluster.count < 2 or not PATRONYMIC.search(cluster.surname):
                continue
            namesakes = [
                other
                for other in clusters
                if other.given_name == cluster.given_name
                and not PATRONYMIC.search(other.surname)
                and _may_share_patronymic(cluster, other)
            ]
            if len(namesakes) == 1:
                self.decided_by.update(dict.fromkeys(cluster.variants, PATRONYMICS))
                namesakes[0].absorb(cluster)
                self._families[cluster.surname].remove(cluster)

    def _women_by_given_name(self) -> dict[str, list[CharacterCluster]]:
        """Return the women with each given name that the narration often uses alone."""
        women: dict[str, list[CharacterCluster]] = {}
        for cluster in chain(*self._families.values()):
            bare = self._book.bare_given_names.get(cluster.given_name)
            if bare is None or len(bare.positions) < GOES_BY_GIVEN_NAME:
                continue
            if cluster.gender is Gender.FEMALE:
                women.setdefault(cluster.given_name, []).append(cluster)
        return women


def _may_share_patronymic(patronymic: CharacterCluster, other: CharacterCluster) -> bool:
    """Return True if a character has no patronymic, or only spellings of another character's:
    Semionovitch, Semeonovitch."""
    from rapidfuzz.fuzz import ratio

    own = {word for variant in other.variants for word in variant.folded if PATRONYMIC.search(word)}
    return all(ratio(word, patronymic.surname) >= ALIKE for word in own)


def merge(variants: Mapping[NameVariant, VariantStats], length: int) -> list[CharacterCluster]:
    """Return the characters of name variants, except descriptions, in a book of `length` words."""
    return AliasMerger(parse_names(variants), length).merge()
