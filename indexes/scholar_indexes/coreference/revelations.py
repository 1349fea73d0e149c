"""Join two names of one person where the text says so: an alias, or an assumed and a real name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.mentions import Name, name_words
from scholar_indexes.stopping import checked
from scholar_indexes.types import Gender

_NAME = r"((?:[A-Z][\w’'-]*\.?[ \n]?){1,4})"

_ALIAS = re.compile(
    rf"\b{_NAME},?\s(?:alias|otherwise|whose\s(?:real|right|true)\sname\s(?:is|was))\s{_NAME}"
)
"""“James Brown, alias Jem Black”."""

_ASSUMED = re.compile(
    rf"\b(?:took|taken|takes|assumed|under|goes\sby|went\sby|going\sby)\sthe\sname\sof\s{_NAME}"
)
"""“I took the name of Provis”."""

_REAL = re.compile(rf"\b(?:real|right|true)\sname\b[^A-Z]{{0,40}}(?:I[^A-Z]{{0,40}})?\b{_NAME}")
"""“What is your real name?” I asked. “Magwitch,” he answered."""

_TOGETHER = 600
"""The maximum number of characters between an assumed name and the real one."""


def join_revealed(text: str, clusters: Sequence[CharacterCluster]) -> list[CharacterCluster]:
    """Return the characters, joined where the text says that two names are one person's."""
    bearers = {
        name_words(stats.surface): cluster
        for cluster in clusters
        for stats in cluster.variants.values()
    }
    joined = list(clusters)
    for first, second in _find_pairs(text, bearers):
        if first not in joined or second not in joined or not _may_be_one(first, second):
            continue
        kept, other = sorted((first, second), key=lambda cluster: -cluster.count)
        kept.absorb(other)
        joined.remove(other)
    return joined


def _find_pairs(
    text: str, bearers: Mapping[Name, CharacterCluster]
) -> Iterator[tuple[CharacterCluster, CharacterCluster]]:
    """Yield two characters for each place that says that they are one."""
    for match in checked(_ALIAS.finditer(text)):
        first, second = _find_bearer(match[1], bearers), _find_bearer(match[2], bearers)
        if first and second:
            yield first, second
    for match in checked(_ASSUMED.finditer(text)):
        real = _REAL.search(text, match.end(), match.end() + _TOGETHER)
        first = _find_bearer(match[1], bearers)
        second = _find_bearer(real[1], bearers) if real else None
        if first and second:
            yield first, second


def _find_bearer(words: str, bearers: Mapping[Name, CharacterCluster]) -> CharacterCluster | None:
    """Return the character of the longest name that words begin or end with."""
    name = name_words(words)
    for size in range(len(name), 0, -1):
        for part in (name[:size], name[-size:]):
            if part in bearers:
                return bearers[part]
    return None


def _may_be_one(first: CharacterCluster, second: CharacterCluster) -> bool:
    """Return True if two characters differ and have one gender."""
    genders = {first.gender, second.gender} - {Gender.UNKNOWN}
    return first is not second and len(genders) < 2
