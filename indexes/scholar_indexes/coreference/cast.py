"""Detect the cast of an English novel from its text alone.

Name variants are collected with their contexts (name_evidence), classified as persons or not
(person_names) and merged into characters (alias_merging); descriptions that act as names are added
last (described_characters).
"""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes import stopping
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.alias_merging import merge
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.described_characters import (
    merge_descriptions,
    merge_narrator_kin,
)
from scholar_indexes.coreference.name_parts import PATRONYMIC
from scholar_indexes.coreference.name_variants import DEFINITE, NARRATORS, NameVariant
from scholar_indexes.coreference.narrator import add_narrators, is_first_person
from scholar_indexes.coreference.person_names import collect_person_names
from scholar_indexes.coreference.revelations import join_revealed
from scholar_indexes.coreference.sections import Section, divide
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Character, Quotation

_TITLES_OF_FULL_NAMES = frozenset({"", "mrs"}) | titles.NOBLE
"""Titles that a character's main name may have: Elizabeth, not Miss Elizabeth Bennet."""

_NO_NAMES = frozenset({DEFINITE, NARRATORS})
"""Titles of variants that are not names by themselves: the captain, my aunt."""


def detect_cast(
    text: str, quotations: Sequence[Quotation], sections: Sequence[Section] | None = None
) -> list[Character]:
    """Return the characters of a novel, the most frequently named first.

    `quotations` mark the dialogue; `sections` are the parts told by one narrator each (default:
    divided at the headings in the text). Names are the aliases by which find_mentions() finds a
    character; no two characters share one. Narrators are found only if the novel, or a section with
    a narrator's heading, is told in the first person. Takes time linear in the text.
    """
    novel = TokenizedNovel(text, quotations)
    variants = collect_person_names(novel)
    stopping.check()
    clusters = join_revealed(text, merge(variants, len(novel)))
    stopping.check()
    clusters += merge_descriptions(novel, variants, clusters)
    clusters = [cluster for cluster in clusters if _is_character(cluster)]
    stopping.check()
    if sections is None:
        sections = divide(text, ())
    if is_first_person(text, sections, quotations):
        merge_narrator_kin(novel, clusters)
    clusters.sort(key=lambda cluster: -cluster.count)
    return add_narrators(text, sections, quotations, _to_characters(clusters))


def _is_character(cluster: CharacterCluster) -> bool:
    """Return True if a cluster has a title, speaks by name, or is named more than once."""
    return cluster.count > 1 or any(
        variant.title not in ("", DEFINITE) or stats.cued
        for variant, stats in cluster.variants.items()
    )


def _to_characters(clusters: Sequence[CharacterCluster]) -> list[Character]:
    """Return the characters of the clusters; an alias that several share goes to the first."""
    taken: set[mentions.Name] = set()
    ids: set[str] = set()
    cast = []
    for cluster in clusters:
        aliases = _free_aliases(cluster, taken)
        if not aliases:
            continue
        name = _fullest_alias(cluster, aliases)
        unique = new_id(name, ids)
        ids.add(unique)
        cast.append(Character(unique, name, tuple(aliases), cluster.gender))
    return cast


def _free_aliases(cluster: CharacterCluster, taken: set[mentions.Name]) -> list[str]:
    """Return the aliases that are not taken, the most frequent first, and mark them as taken."""
    aliases = []
    for variant in sorted(cluster.variants, key=lambda name: -cluster.variants[name].count):
        alias = cluster.variants[variant].surface
        folded = mentions.name_words(alias)
        if folded and folded not in taken:
            taken.add(folded)
            aliases.append(alias)
    return aliases


def _fullest_alias(cluster: CharacterCluster, aliases: Sequence[str]) -> str:
    """Return the most informative alias: a full name that is not rare, else the most frequent; a
    description only if there is no name."""
    names = {variant.folded for variant in cluster.variants if variant.title not in _NO_NAMES}
    counts = {stats.surface: (variant, stats.count) for variant, stats in cluster.variants.items()}
    most = max((counts[alias][1] for alias in aliases if alias in counts), default=0)

    def worth(alias: str) -> tuple[bool, bool, bool, bool, int]:
        variant, count = counts.get(alias, (NameVariant("", ()), 0))
        is_name = variant.folded in names and count >= min(3, most)
        is_full = (
            len(variant.words) > 1
            and not variant.is_description
            and count >= min(3, most)
            and not PATRONYMIC.search(alias)
        )
        is_plain = is_full and variant.title in _TITLES_OF_FULL_NAMES
        return is_name, is_full, is_plain, bool(variant.title) and count >= 0.3 * most, count

    return max(aliases, key=worth)
