"""Rules that decide that a full name and a title with the surname belong to two people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scholar_indexes.coreference import proximity
from scholar_indexes.coreference.clusters import CharacterCluster, title_gender
from scholar_indexes.coreference.merge_case import CERTAIN, GOES_BY_GIVEN_NAME, MergeCase
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Gender

YOUNG_OR_OLD = 4
"""The minimum number of times that "young" or "old" precedes a name of father and son."""

GOES_BY_RANK = 5
"""The minimum uses of a rank with a surname in the narration for a character to go by them."""


@dataclass(frozen=True, slots=True)
class SeparationRule:
    """A rule that decides that a title with a surname does not name the bearer of a full name."""

    name: str
    applies: Callable[[MergeCase, CharacterCluster], bool]


def _is_young_beside_old(case: MergeCase, cluster: CharacterCluster) -> bool:
    bare = case.book.bare_names_of(cluster)
    young = sum(stats.after_young for stats in (*bare, *cluster.variants.values()))
    stats = case.stats
    return young >= YOUNG_OR_OLD > stats.after_young or (
        stats.after_old >= YOUNG_OR_OLD and stats.after_young > 0
    )


def _is_of_other_gender(case: MergeCase, cluster: CharacterCluster) -> bool:
    log_odds = sum(stats.male_log_odds for stats in case.book.bare_names_of(cluster))
    other = Gender.FEMALE if log_odds > 0 else Gender.MALE
    return abs(log_odds) >= CERTAIN and title_gender(case.parts.title) is other


def _is_in_one_scene(case: MergeCase, cluster: CharacterCluster) -> bool:
    if case.parts.title in titles.MAIDEN:
        return False
    bare = case.book.bare_names_of(cluster)
    together = proximity.count_together(bare, case.stats, proximity.SCENE)
    near = proximity.count_together(bare, case.stats, proximity.NEAR)
    rarer = min(sum(len(stats.positions) for stats in bare), len(case.stats.positions))
    is_one = together > 0.3 * rarer and near < 0.2 * together  # Mark is Mr. Tapley
    return together >= GOES_BY_GIVEN_NAME and not is_one


def _is_beside_rank(case: MergeCase, cluster: CharacterCluster) -> bool:
    return (
        _is_unshared_rank(case, cluster)
        and case.book.goes_by_given_name(cluster)
        and len(case.stats.positions) >= GOES_BY_RANK
    )


def _has_title_with_given_name(case: MergeCase, cluster: CharacterCluster) -> bool:
    titled = cluster.titles[case.parts.title]
    if _is_unshared_rank(case, cluster) or titled < 5 or 2 * titled < cluster.count:
        return False
    bare = case.book.bare_names_of(cluster)
    return (
        sum(len(stats.positions) for stats in bare) >= 5
        and 2 * (cluster.count + sum(stats.count for stats in bare)) < case.stats.count
    )


def _is_unshared_rank(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if a character has no rank like the title: a captain may become a major."""
    title = case.parts.title
    may_rise = title in titles.MILITARY and not titles.MILITARY.isdisjoint(cluster.usual_titles)
    return title in titles.RANKED and title not in cluster.titles and not may_rise


SEPARATION_RULES = (
    SeparationRule("a young one beside an old one: Tom is not Mr. Gradgrind", _is_young_beside_old),
    SeparationRule(
        "a given name of the other gender: Gudrun is not Mr. Brangwen", _is_of_other_gender
    ),
    SeparationRule("a given name in the same scenes: Frederick is not Mr. Hale", _is_in_one_scene),
    SeparationRule("a given name beside a rank: Clifford is not Judge Pyncheon", _is_beside_rank),
    SeparationRule(
        "a title with and without the given name: Mr. John Knightley is not Mr. Knightley",
        _has_title_with_given_name,
    ),
)
"""The evidence that a given name is used because the title and surname mean someone else."""


def is_told_apart(case: MergeCase, cluster: CharacterCluster) -> bool:
    """Return True if a separation rule says that a title and surname mean someone else."""
    return any(rule.applies(case, cluster) for rule in SEPARATION_RULES)
