"""Join descriptions to the named characters they always refer to: the druggist is Homais.

Two names of one person occur in the same scenes but hardly ever in one sentence, where a pronoun is
used instead; the exception is apposition: "Homais, the druggist", "the druggist, Homais". In doubt
a description stays a separate character, since a wrong join merges two people.
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
"""The minimum number of occurrences of a description that is joined to a name."""

RARELY_NAMED = 8
"""The minimum number of occurrences of a name that a description is joined to."""

_NO_IDENTITY = words_of("near_kin") | words_of("generic")
"""Nouns that refer to different people in different passages: the son, the old man."""

_NAME_SIZES = (4, 3, 2, 1)
"""The possible numbers of words of a name with its title, the longest first."""

_AFTER_APPOSITION = frozenset(",.;:!?—-)")


@dataclass(frozen=True, slots=True)
class IdentityEvidence:
    """Evidence that a description and a name belong to one person.

    `appositions` is how often one explains the other. Of the `places` of the rarer one in the
    narration, `near` are next to the other without apposition and `in_scene` are in the same scene;
    `expected_in_scene` is the number expected by chance.
    """

    appositions: int
    places: int
    near: int
    in_scene: int
    expected_in_scene: float

    def is_in_scenes(self, least: int, share: float) -> bool:
        """Return True if at least `least` places, and this share of all, are in one scene."""
        return self.in_scene >= max(least, share * self.places)

    def is_beside(self, share: float) -> bool:
        """Return True if more than this share of the places in one scene are near."""
        return self.near > share * self.in_scene

    @property
    def is_above_chance(self) -> bool:
        """True if the two share scenes clearly more often than by chance."""
        return self.in_scene >= 2 * self.expected_in_scene


@dataclass(frozen=True, slots=True)
class IdentityRule:
    """A rule that decides that a description and a name belong to one person, with an example."""

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
"""The rules; any one of them is enough."""


def join_descriptions(
    novel: TokenizedNovel,
    named: Sequence[CharacterCluster],
    described: Sequence[CharacterCluster],
) -> list[CharacterCluster]:
    """Add each description of a named character to that character; return the others."""
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
"""Counts of a name (first) and a description (second) in apposition, in either order."""


def _find_bearer(
    description: CharacterCluster,
    candidates: Sequence[CharacterCluster],
    appositions: Appositions,
    length: int,
) -> CharacterCluster | None:
    """Return the only named character that a description can mean, or the one it explains at least
    twice as often as any other."""
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
    """Return True if a description is frequent and its noun can mean one person throughout."""
    heads = {variant.words[-1].lower() for variant in description.variants}
    return description.count >= RARELY_DESCRIBED and heads.isdisjoint(_NO_IDENTITY)


def _is_same(
    positions: Sequence[int], cluster: CharacterCluster, appositions: int, length: int
) -> bool:
    """Return True if any of the rules assigns a description to a character."""
    rare, frequent = sorted((positions, _positions(cluster)), key=len)
    in_scene = proximity.count_close(rare, frequent, proximity.SCENE)
    near = proximity.count_close(rare, frequent, proximity.NEAR)
    share = min(1.0, len(frequent) * (2 * proximity.SCENE + 1) / length)
    evidence = IdentityEvidence(
        appositions, len(rare), max(0, near - appositions), in_scene, len(rare) * share
    )
    return any(rule.applies(evidence) for rule in IDENTITY_RULES)


def _positions(cluster: CharacterCluster) -> list[int]:
    """Return the word indices at which a character is named in the narration, ascending."""
    return sorted(chain.from_iterable(stats.positions for stats in cluster.variants.values()))


def _count_appositions(
    novel: TokenizedNovel,
    named: Sequence[CharacterCluster],
    described: Sequence[CharacterCluster],
) -> Appositions:
    """Return how often each description and each name are in apposition, in speech or narration."""
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
    """Return the character whose name is directly before or after a description."""
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
    """Return `size` folded words of a novel from word `first`; none if they exceed the novel."""
    return tuple(novel.lower[first : first + size]) if 0 <= first <= len(novel) - size else ()


def _first_of(
    names: Mapping[Name, CharacterCluster],
    novel: TokenizedNovel,
    stretches: Iterable[tuple[int, int]],
) -> CharacterCluster | None:
    """Return the character of the first stretch of words (beginning, size) that is a name."""
    for first, size in stretches:
        cluster = names.get(_words(novel, first, size))
        if cluster is not None and novel.words[first][0].isupper():
            return cluster
    return None
