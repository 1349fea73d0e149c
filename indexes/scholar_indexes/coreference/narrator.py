"""Tell whether a novel has a narrator among its characters, and which one it is."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from scholar_indexes.coreference.clusters import CharacterCluster
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel

NARRATOR = "the narrator"
"""The name of a narrator whom nobody names."""

FIRST_PERSON_SHARE = 0.01
"""The least share of "I", "me" and "my" among the words outside quotations of a novel told by
one of its characters; in the median twentieth, since letters and prefaces say "I" too."""

_FIRST_PERSON = frozenset({"I", "me", "my"})
_PARTS = 20
_ENOUGH_WORDS = 100


def is_first_person(novel: TokenizedNovel) -> bool:
    """Return True if a novel is told in the first person."""
    narration = [word for word, quoted in zip(novel.words, novel.quoted, strict=True) if not quoted]
    size = max(1, len(narration) // _PARTS)
    shares = [
        sum(word in _FIRST_PERSON for word in narration[start : start + size]) / size
        for start in range(0, len(narration) - size + 1, size)
    ]
    return bool(shares) and len(narration) >= _ENOUGH_WORDS and median(shares) > FIRST_PERSON_SHARE


def find_narrator(clusters: Sequence[CharacterCluster], quotations: int) -> CharacterCluster:
    """Return the narrator: whom others call by a name that the narration does not use.

    One who is called so rarely that it may be anybody is left without a name; who is spoken of
    more than to, by one who tells a tale aloud, is no narrator. `quotations` is their number.
    """
    narrator, most = CharacterCluster(), max(4, quotations // 150)
    for cluster in clusters:
        stats = cluster.stats
        narrated = stats.count - stats.quoted
        unnamed = narrated <= 0.2 * stats.count and stats.narrated_actions <= 0.02 * stats.count
        if unnamed and stats.addressed > max(most, stats.count / 4):
            narrator, most = cluster, stats.addressed
    return narrator
