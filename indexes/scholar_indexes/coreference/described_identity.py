"""Join descriptions to the named characters whom they always mean: the druggist is Homais.

Two names of one person stand in the same scenes but hardly in one sentence, where a pronoun comes
instead; what is more is apposition: "Homais, the druggist", "the druggist, Homais". In doubt
a description stays a character of its own, since a wrong join makes two people one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from scholar_indexes.coreference import proximity
from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.descriptions import LONGEST_DESCRIPTION
from scholar_indexes.coreference.mentions import Name
from scholar_indexes.coreference.name_variants import DEFINITE
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

RARELY_DESCRIBED = 10
"""The least number of places of a description that is joined to a name."""

RARELY_NAMED = 8
"""The least number of places of a name that a description is joined to."""

_NO_IDENTITY = words_of("near_kin") | words_of("generic")
"""Nouns that mean one person here and another there: the son, the old man."""

_NAME_SIZES = (4, 3, 2, 1)
"""The words of a name with its title, the longest first."""

_AFTER_APPOSITION = frozenset(",.;:!?—-)")


@dataclass(frozen=True, slots=True)
class IdentityEvidence:
    """Evidence that a description and a name are one person's.

    `appositions` counts the places where one explains the other. Of the `places` of the rarer of
    the two in the narration, `near` are beside the other in no apposition and `in_scene` in one
    scene with it; `expected_in_scene` would be by chance.
    """

    appositions: int
    places: int
    near: int
    in_scene: int
    expected_in_scene: float

    def is_in_scenes(self, least: int, share: float) -> bool:
        """Return True if so many places, and such a share of all, are in one scene."""
        return self.in_scene >= max(least, share * self.places)

    def is_beside(self, share: float) -> bool:
        """Return True if more than a share of the places in one scene are near."""
        return self.near > share * self.in_scene

    @property
    def is_above_chance(self) -> bool:
        """True if the two stand in one scene clearly more often than by chance."""
        return self.in_scene >= 2 * self.expected_in_scene


@dataclass(frozen=True, slots=True)
class IdentityRule:
    """A rule by which a description and a name are one person's, with an example."""

    name: str
    applies: Callable[[IdentityEvidence], bool]


IDENTITY_RULES = (
    IdentityRule(
        "more than once in apposition: the coxswain, Israel Hands",
        lambda evidence: (
            evidence.appositions > 1
            and evidence.is_in_scenes(3, 0.12)
            and not evidence.is_beside(0.4)
        ),
    ),
    IdentityRule(
        "once in apposition, and hardly beside each other: Mr. Rankeillor, the lawyer",
        lambda evidence: (
            evidence.appositions == 1
            and evidence.is_above_chance
            and evidence.is_in_scenes(5, 0.15)
            and not evidence.is_beside(0.15)
        ),
    ),
    IdentityRule(
        "in many scenes, and hardly beside each other: Homais and the chemist",
        lambda evidence: (
            evidence.is_above_chance
            and evidence.is_in_scenes(12, 0.3)
            and not evidence.is_beside(0.08)
        ),
    ),
)
"""The rules of which any is enough."""


def join_descriptions(
    novel: TokenizedNovel,
    named: Sequence[CharacterCluster],
    described: Sequence[CharacterCluster],
) -> list[CharacterCluster]:
    """Add the descriptions that mean a named character to that one; return the others."""
    candidates = [cluster for cluster in named if cluster.count >= RARELY_NAMED]
    appositions = _count_appositions(novel, candidates, described)
    separate = []
    for description in described:
        bearer = _find_bearer(description, candidates, appositions, len(novel))
        if bearer is None:
            separate.append(description)
        else:
            bearer.variants |= description.variants
    return separate


Appositions = Counter[tuple[CharacterCluster, CharacterCluster]]
"""Counts of a description (second) that explains a name (first), or the other way round."""


def _find_bearer(
    description: CharacterCluster,
    candidates: Sequence[CharacterCluster],
    appositions: Appositions,
    length: int,
) -> CharacterCluster | None:
    """Return the only named character whom a description means, or the one whom it explains at
    least twice as often as any other."""
    if not _may_be_named(description):
        return None
    positions = _positions(description)
    fitting = [
        cluster
        for cluster in candidates
        if Gender.UNKNOWN in (genders := {cluster.gender, description.gender}) or len(genders) == 1
        if 2 * cluster.count >= description.count
        and _is_same(positions, cluster, appositions[cluster, description], length)
    ]
    fitting.sort(key=lambda cluster: -appositions[cluster, description])
    counts = [appositions[cluster, description] for cluster in fitting]
    if len(counts) > 1 and counts[0] < 2 * max(1, counts[1]):
        return None
    return fitting[0] if fitting else None


def _may_be_named(description: CharacterCluster) -> bool:
    """Return True if a description is frequent, and its noun can mean one person throughout."""
    heads = {variant.words[-1].lower() for variant in description.variants}
    return description.count >= RARELY_DESCRIBED and heads.isdisjoint(_NO_IDENTITY)


def _is_same(
    positions: Sequence[int], cluster: CharacterCluster, appositions: int, length: int
) -> bool:
    """Return True if one of the rules says that a description is a character's."""
    rare, frequent = sorted((positions, _positions(cluster)), key=len)
    in_scene = proximity.count_close(rare, frequent, proximity.SCENE)
    near = proximity.count_close(rare, frequent, proximity.NEAR)
    share = min(1.0, len(frequent) * (2 * proximity.SCENE + 1) / length)
    evidence = IdentityEvidence(
        appositions, len(rare), max(0, near - appositions), in_scene, len(rare) * share
    )
    return any(rule.applies(evidence) for rule in IDENTITY_RULES)


def _positions(cluster: CharacterCluster) -> list[int]:
    """Return the numbers of the words where a character is named in the narration, ascending."""
    return sorted(chain.from_iterable(stats.positions for stats in cluster.variants.values()))


def _count_appositions(
    novel: TokenizedNovel,
    named: Sequence[CharacterCluster],
    described: Sequence[CharacterCluster],
) -> Appositions:
    """Return how often each description and each name stand in apposition, spoken or narrated."""
    names, descriptions = _by_words(named), _by_words(described)
    appositions: Appositions = Counter()
    sizes = range(LONGEST_DESCRIPTION + 1, 1, -1)
    for first in (at for at, word in enumerate(novel.lower) if word == DEFINITE):
        size = next((size for size in sizes if _words(novel, first, size) in descriptions), 0)
        bearer = _find_apposed(novel, names, first, first + size) if size else None
        if bearer is not None:
            appositions[bearer, descriptions[_words(novel, first, size)]] += 1
    return appositions


def _find_apposed(
    novel: TokenizedNovel, names: dict[Name, CharacterCluster], first: int, end: int
) -> CharacterCluster | None:
    """Return whose name stands beside the words of a description, before or behind it."""
    before, after = novel.gap(first - 1), novel.gap(end - 1)
    bearer = None
    if before.strip() in ("", ",") and after[:1] in _AFTER_APPOSITION:
        bearer = _first_of(names, novel, ((first - size, size) for size in _NAME_SIZES))
    if bearer is None and after.strip() in ("", ",") and after.count("\n") < 2:
        bearer = _first_of(names, novel, ((end, size) for size in _NAME_SIZES))
    return bearer


def _by_words(clusters: Sequence[CharacterCluster]) -> dict[Name, CharacterCluster]:
    """Return the characters by the folded words of their names, titles and articles included."""
    return {
        (*([variant.title] if variant.title else []), *variant.folded): cluster
        for cluster in clusters
        for variant in cluster.variants
    }


def _words(novel: TokenizedNovel, first: int, size: int) -> Name:
    """Return so many folded words of a novel; none where it has not as many there."""
    return tuple(novel.lower[first : first + size]) if 0 <= first <= len(novel) - size else ()


def _first_of(
    names: Mapping[Name, CharacterCluster],
    novel: TokenizedNovel,
    stretches: Iterable[tuple[int, int]],
) -> CharacterCluster | None:
    """Return whom the first stretch of words, by its beginning and size, that is a name means."""
    for first, size in stretches:
        cluster = names.get(_words(novel, first, size))
        if cluster is not None and novel.words[first][0].isupper():
            return cluster
    return None
