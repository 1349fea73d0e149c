"""The names that alias merging decides on, with the facts that its rules test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import chain

from scholar_indexes.coreference import proximity
from scholar_indexes.coreference.clusters import (
    CharacterCluster,
    clear_winner,
    pronoun_gender,
    title_gender,
)
from scholar_indexes.coreference.name_parts import NameParts, ParsedName
from scholar_indexes.coreference.name_variants import VariantStats
from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.types import Gender

CERTAIN = 12.0
"""The minimum log odds at which pronouns distinguish people with one surname."""

_NEARLY_CERTAIN = 6.0
"""The same for a rare name, if the log odds are also at least half of its count."""

BARELY = 1.5
"""The least ratio of a character's mentions to others' with the same surname, to get it."""

GOES_BY_GIVEN_NAME = 20
"""The minimum uses of a bare given name in the narration for a character to go by it."""


_TITLES_OF_ONE = (titles.LEARNED, titles.MILITARY)
"""Titles of which one person may have several."""


class Outcome(Enum):
    """The decision of a rule that does not give a character."""

    UNDECIDED = auto()
    NEW = auto()
    NOBODY = auto()


Decision = CharacterCluster | Outcome


@dataclass(slots=True)
class NamesOfBook:
    """Facts of a book that rules use: its length in words, the stats of bare given names, and how
    often each is behind "Miss"."""

    length: int
    bare_given_names: Mapping[str, VariantStats]
    behind_miss: Mapping[str, int]

    def count_as_miss(self, cluster: CharacterCluster) -> int:
        """Return how often a character's given name is behind "Miss": Miss Elizabeth."""
        return sum(
            count
            for given, count in self.behind_miss.items()
            if any(given_names.stands_for(given, name) for name in cluster.given_names)
        )

    def bare_names_of(self, cluster: CharacterCluster) -> list[VariantStats]:
        """Return the stats of the bare given names that a character may go by."""
        return [
            stats
            for given, stats in self.bare_given_names.items()
            if any(given_names.stands_for(given, name) for name in cluster.given_names)
        ]

    def goes_by_given_name(self, cluster: CharacterCluster) -> bool:
        """Return True if the narration calls a character by the given name."""
        bare = self.bare_names_of(cluster)
        return sum(len(stats.positions) for stats in bare) >= GOES_BY_GIVEN_NAME

    def stands_beside(self, cluster: CharacterCluster, stats: VariantStats) -> bool:
        """Return True if a character, by full or given name, is next to a name so often that it
        must be someone else's: "Mr. Wilcox and Charles"."""
        return proximity.are_often_beside(self._positions_of(cluster), stats.positions, self.length)

    def is_in_scenes(self, cluster: CharacterCluster, stats: VariantStats) -> bool:
        """Return True if a character, by full or given name, is in the scenes of a name far more
        often than by chance, and hardly ever next to it."""
        positions = self._positions_of(cluster)
        return proximity.are_in_same_scenes(
            positions, stats.positions, self.length
        ) and not self.stands_beside(cluster, stats)

    def _positions_of(self, cluster: CharacterCluster) -> list[int]:
        """Return where a character is named by full or given name in the narration, ascending."""
        positions = [variant.positions for variant in cluster.variants.values()]
        positions += [
            self.bare_given_names[name].positions
            for name in cluster.given_names
            if name in self.bare_given_names
        ]
        return sorted(chain(*positions))


@dataclass
class MergeCase:
    """A name to merge, and the clusters that it may join."""

    name: ParsedName
    clusters: Sequence[CharacterCluster]
    book: NamesOfBook

    @property
    def parts(self) -> NameParts:
        return self.name.parts

    @property
    def stats(self) -> VariantStats:
        return self.name.stats

    @cached_property
    def same_given_name(self) -> list[CharacterCluster]:
        """The clusters with the given name, as their own or as a husband's, like the name."""
        return [
            cluster
            for cluster in self.clusters
            if cluster.given_names
            and cluster.is_husbands_name == self.parts.is_husbands
            and self.parts.given in cluster.given_names
        ]

    @cached_property
    def agreeing_given_names(self) -> list[CharacterCluster]:
        """The clusters of same_given_name whose gender and titles fit the name."""
        return [cluster for cluster in self.same_given_name if self.agrees(cluster)]

    @cached_property
    def bearers(self) -> list[CharacterCluster]:
        """The clusters with the name as their surname, if its pronouns fit their gender."""
        bearers = _bearers(self.clusters, self.parts.surname)
        if not _are_certain(self.stats):
            return bearers
        fitting = (pronoun_gender(self.stats), Gender.UNKNOWN)
        return [cluster for cluster in bearers if cluster.gender in fitting]

    @cached_property
    def only_likeliest(self) -> CharacterCluster | None:
        """The bearer that the bare surname means, if there is a clear one."""
        return likeliest_bearer(self.bearers, self.stats)

    def agrees(self, cluster: CharacterCluster) -> bool:
        """Return True if a character's gender and titles fit the name."""
        expected, gender = _expected_gender(self.parts, self.stats), cluster.gender
        if Gender.UNKNOWN not in (expected, gender) and expected is not gender:
            return False
        return _titles_agree(cluster, self.parts)


def _are_certain(stats: VariantStats) -> bool:
    """Return True if the pronouns after a name show beyond doubt whether it is a man's: all in all,
    or nearly each time."""
    log_odds = abs(stats.male_log_odds)
    return log_odds >= CERTAIN or log_odds >= max(_NEARLY_CERTAIN, stats.count / 2)


def _bearers(clusters: Sequence[CharacterCluster], surname: str) -> list[CharacterCluster]:
    """Return the clusters with a surname, else those with it as the end of a double surname, or as
    one of their given names."""
    return [cluster for cluster in clusters if cluster.surname == surname] or [
        cluster
        for cluster in clusters
        if cluster.surname.endswith("-" + surname) or surname in cluster.given_names
    ]


def likeliest_bearer(
    bearers: Sequence[CharacterCluster], stats: VariantStats
) -> CharacterCluster | None:
    """Return the bearer that a bare surname means: Darcy is Mr. Darcy, not his sister."""
    men = [cluster for cluster in bearers if cluster.gender is Gender.MALE]
    gender = pronoun_gender(stats)
    fitting = men or [cluster for cluster in bearers if cluster.gender is gender] or list(bearers)
    most = max(fitting, key=lambda cluster: cluster.count, default=None)
    if most is not None and stats.count > most.count:
        return most  # the book mostly uses the bare surname
    winner = clear_winner(fitting, BARELY)
    return winner or (clear_winner(men, BARELY, _count_by_surname) if men else None)


def _count_by_surname(cluster: CharacterCluster) -> int:
    """Return how often a character is named with the surname: Mr. Yorke is, his son hardly."""
    return sum(
        stats.count
        for variant, stats in cluster.variants.items()
        if variant.folded[-1:] == (cluster.surname,)
    )


def _expected_gender(parts: NameParts, stats: VariantStats) -> Gender:
    """Return the gender of a name by its title, given name, pronouns or learned title."""
    learned = Gender.MALE if parts.title in titles.LEARNED else Gender.UNKNOWN
    genders = (title_gender(parts.title), parts.gender, pronoun_gender(stats), learned)
    return next((gender for gender in genders if gender is not Gender.UNKNOWN), Gender.UNKNOWN)


def _titles_agree(cluster: CharacterCluster, parts: NameParts) -> bool:
    """Return True if a character with these titles may also have the name's title."""
    if not parts.title or not cluster.titles or parts.title in cluster.titles:
        return True
    ranks = {title for title in cluster.usual_titles if title not in titles.PLAIN}
    if parts.title in titles.PLAIN or not ranks:
        # Nobody is both Sir Walter and Mr. Elliot.
        return titles.NOBLE.isdisjoint({parts.title, *ranks})
    return _may_have_both(parts, ranks)


def _may_have_both(parts: NameParts, ranks: Set[str]) -> bool:
    """Return True if a character with these ranks may also have the name's title."""
    if any({parts.title, *ranks} <= group for group in _TITLES_OF_ONE):
        return True
    if parts.title in titles.WIVES and ranks <= titles.WIVES | titles.MAIDEN:
        return True
    return bool(parts.given) and title_gender(parts.title) is not Gender.MALE
