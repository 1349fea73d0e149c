"""Group mentions into chains, each mention with the best antecedent that its chain allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from scholar_indexes.arrays import Floats1d, Ints1d
from scholar_indexes.coreference.resolver.mention_table import COMMON, NOBODY, MentionTable
from scholar_indexes.coreference.resolver.model import (
    CoreferenceModel,
    FoundMentions,
    PairScorer,
)
from scholar_indexes.types import Progress, silent

WINDOW = 150
"""The number of preceding mentions searched for an antecedent, besides the latest earlier mentions
of the same character and of the same words."""

_CHUNK = 256
_UNKNOWN = 0


@dataclass(slots=True)
class _Chain:
    """The chain of a mention: the character named in it, its gender, and the characters that its
    mentions cannot mean."""

    character: int
    gender: int
    barred: frozenset[int]

    def allows(self, other: _Chain) -> bool:
        """Return True unless the other chain has another character, one that either cannot mean, or
        another gender."""
        is_same = NOBODY in (self.character, other.character) or self.character == other.character
        is_barred = self.character in other.barred or other.character in self.barred
        agrees = _UNKNOWN in (self.gender, other.gender) or self.gender == other.gender
        return is_same and not is_barred and agrees

    def absorb(self, other: _Chain) -> None:
        self.character = self.character if other.character == NOBODY else other.character
        self.gender = self.gender or other.gender
        self.barred |= other.barred


def form_chains(
    model: CoreferenceModel,
    table: MentionTable,
    mentions: FoundMentions,
    progress: Progress = silent,
    barred: Mapping[int, int] = MappingProxyType({}),
) -> Ints1d:
    """Return the number of the chain of each mention; chains are numbered by their first mention.

    Every mention joins the antecedent with the highest score above zero whose chain allows it: one
    without another character or gender. `barred` maps rows of mentions to characters that they
    cannot mean. Takes time linear in the text.
    """
    numbers = np.arange(len(table))
    chains = [
        _Chain(character, gender, frozenset({barred[row]} if row in barred else ()))
        for row, (character, gender) in enumerate(
            zip(table.character.tolist(), table.gender.tolist(), strict=True)
        )
    ]
    for row, earlier, scores in _scored_candidates(model.pair_scorer(table, mentions.vectors)):
        if row % 1000 == 0:
            progress("resolving mentions", row, len(table))
        own = chains[row]
        for best in np.argsort(-scores, kind="stable"):
            if scores[best] <= 0:
                break
            chain = chains[numbers[earlier[best]]]
            if chain.allows(own):
                chain.absorb(own)
                numbers[row] = numbers[earlier[best]]
                break
    progress("resolving mentions", len(table), len(table))
    return numbers


def _scored_candidates(
    score: PairScorer,
) -> Iterator[tuple[int, Ints1d, Floats1d]]:
    """Yield each mention except the first, its possible antecedents and their scores."""
    table = score.table
    latest = _latest_alike(table)
    for start in range(1, len(table), _CHUNK):
        rows = range(start, min(start + _CHUNK, len(table)))
        near = [np.arange(max(0, row - WINDOW), row) for row in rows]
        far = [np.array([at for at in latest[row] if at < row - WINDOW], np.int64) for row in rows]
        scores = zip(_scores_of(score, rows, near), _scores_of(score, rows, far), strict=True)
        for row, near_rows, far_rows, (near_scores, far_scores) in zip(
            rows, near, far, scores, strict=True
        ):
            yield (
                row,
                np.concatenate([far_rows, near_rows]),
                np.concatenate([far_scores, near_scores]),
            )


def _scores_of(
    score: PairScorer, rows: Sequence[int], candidates: Sequence[Ints1d]
) -> list[Floats1d]:
    """Return the scores of the candidates of each mention."""
    sizes = [len(earlier) for earlier in candidates]
    if not any(sizes):
        return [np.zeros(0, np.float32) for _ in sizes]
    scores = score(np.repeat(np.array(rows), sizes), np.concatenate(candidates))
    return np.split(scores, np.cumsum(sizes)[:-1])


def _latest_alike(table: MentionTable) -> list[list[int]]:
    """Return for each mention the latest earlier ones of the same character and of the same words;
    pronouns have none."""
    latest: dict[tuple[str, int], int] = {}
    alike: list[list[int]] = []
    for row in range(len(table)):
        if table.kind[row] < COMMON:
            alike.append([])
            continue
        keys = [("text", int(table.text[row]))]
        if table.character[row] != NOBODY:
            keys.append(("character", int(table.character[row])))
        alike.append(sorted({latest[key] for key in keys if key in latest}))
        latest.update(dict.fromkeys(keys, row))
    return alike
