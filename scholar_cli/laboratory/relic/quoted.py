"""Find runs of words in one text, such as a critic, that also occur in others.

Runs of equal words are looked up by hash, chained if they follow one another closely in both texts,
and aligned word by word, so that changed words, insertions in brackets and ellipses do not break a
quotation. Words are compared without case, accents, punctuation, underscores and apostrophes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from scholar_indexes.quotations.words import Hashes, Numbers, WordSequence, grams

Places = NDArray[np.int64]

GRAM = 5
"""Words of a seed."""

FREQUENT = 8
"""A seed that occurs more often than this in the works is a common phrase."""

GAP_CRITIC, GAP_WORK = 20, 70
"""Words between two seeds of one quotation, at most, in the critic and in the work."""

ENOUGH = 8
"""Words of a chain, and of a quotation, at least."""

PLENTY = 15
"""Words from which a quotation needs no run longer than a seed."""

LONG = 10_000
"""Words of a chain that are aligned, in time and memory that grow as their square; the rest of a
longer chain is not aligned."""

MARGIN = 40
"""Words around a chain that are aligned too."""

SLIP, INTERRUPTION, OMISSION = 6, 15, 60
"""Words within a quotation that may differ, that a critic may insert, and may omit."""

LCS = 15
"""Characters that two texts share in a row where a quotation continues (Thai et al., app. A)."""

_OMITTED = re.compile(r"\.\s?\.|…|\*\s?\*|\[|\]|--|—")
_QUOTATION_MARK = re.compile(r"[\"“”«»]|(?<![^\W_])[‘']|[’'](?![^\W_])")


@dataclass(frozen=True, slots=True)
class AlignedSpan:
    """Words [critic_start, critic_end) of a critic that resemble words [work_start, work_end) of a
    work; matched is the number of equal words."""

    work: int
    critic_start: int
    critic_end: int
    work_start: int
    work_end: int
    matched: int


@dataclass(frozen=True, slots=True)
class MatchingBlock:
    """`length` equal words, from critic_start in the critic and from work_start in the work."""

    critic_start: int
    work_start: int
    length: int


class WordRunIndex:
    """An index of the runs of words of works, which are numbered from 0."""

    def __init__(self, works: Sequence[WordSequence]) -> None:
        self._works = works
        sizes = [len(work) for work in works]
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        by_work = [grams(work.numbers, GRAM) for work in works]
        places = np.concatenate(
            [np.zeros(0, np.int32)]
            + [
                np.arange(first, first + len(hashes), dtype=np.int32)
                for first, hashes in zip(self._offsets, by_work, strict=False)
            ]
        )
        hashes = np.concatenate([np.zeros(0, np.uint64), *by_work])
        del by_work
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes, self._places = hashes[order], places[order]

    def hits(self, numbers: Numbers) -> tuple[Places, Places]:
        """Return the positions of equal seeds, in these words and in the concatenated works."""
        hashes = grams(numbers, GRAM)
        first, after = self._bounds(hashes)
        counts = after - first
        counts[counts > FREQUENT] = 0
        critic_places = np.repeat(np.arange(len(hashes)), counts)
        nth = np.arange(len(critic_places)) - np.repeat(np.cumsum(counts) - counts, counts)
        work_places = self._places[np.repeat(first, counts) + nth].astype(np.int64)
        return critic_places, work_places

    def shared(self, work: int, samples: int = 400) -> dict[int, float]:
        """Return the share of a work's seeds that each other work has, estimated from a sample."""
        hashes = grams(self._works[work].numbers, GRAM)
        hashes = hashes[:: max(1, len(hashes) // samples)]
        others: Counter[int] = Counter()
        for first, after in self._runs(hashes):
            if after - first <= FREQUENT:
                works = np.searchsorted(self._offsets, self._places[first:after], "right") - 1
                others.update(set(works.tolist()))
        del others[work]
        return {other: count / len(hashes) for other, count in others.items()}

    def overlap(self, work: int, numbers: Numbers) -> tuple[int, int]:
        """Return the length of the longest run of these words in a work, and the number of words in
        all runs that are in it, none shorter than a seed."""
        low, high = self._offsets[work], self._offsets[work + 1]
        longest = covered = run = 0
        for first, after in self._runs(grams(numbers, GRAM)):
            at = first + int(np.searchsorted(self._places[first:after], low))
            if at < after and self._places[at] < high:
                covered += 1 if run else GRAM
                run = run + 1 if run else GRAM
                longest = max(longest, run)
            else:
                run = 0
        return longest, covered

    def _runs(self, hashes: Hashes) -> list[tuple[int, int]]:
        first, after = self._bounds(hashes)
        return list(zip(first.tolist(), after.tolist(), strict=True))

    def _bounds(self, hashes: Hashes) -> tuple[Places, Places]:
        """Return the start and the end of each hash's equals among the hashes of all works."""
        order = np.argsort(hashes)  # many look-ups in ascending order are fast
        first, after = np.empty(len(hashes), np.int64), np.empty(len(hashes), np.int64)
        first[order] = np.searchsorted(self._hashes, hashes[order], "left")
        after[order] = np.searchsorted(self._hashes, hashes[order], "right")
        return first, after

    def chains(self, critic: WordSequence) -> list[AlignedSpan]:
        """Return the chains of equal runs of a critic and all works with ENOUGH words or more."""
        critic_places, work_places = self.hits(critic.numbers)
        order = np.lexsort((critic_places, work_places - critic_places))
        critic_places, work_places = critic_places[order], work_places[order]
        follows = (np.diff(work_places - critic_places) == 0) & (np.diff(critic_places) == 1)
        firsts = (
            np.flatnonzero(np.concatenate([[True], ~follows]))
            if len(critic_places)
            else critic_places
        )
        lengths = np.diff(np.append(firsts, len(critic_places))) + GRAM - 1
        works = np.searchsorted(self._offsets, work_places[firsts], "right") - 1
        runs = sorted(
            zip(
                critic_places[firsts].tolist(),
                (work_places[firsts] - self._offsets[works]).tolist(),
                works.tolist(),
                lengths.tolist(),
                strict=True,
            )
        )
        return [chain for chain in _chained(runs) if chain.matched >= ENOUGH]


def groups(
    critic: WordSequence, text: str, work: WordSequence, chain: AlignedSpan
) -> list[list[MatchingBlock]]:
    """Return the equal words of a chain and its margins, in groups of one quotation each."""
    critic_start = max(0, chain.critic_start - MARGIN)
    work_start = max(0, chain.work_start - MARGIN)
    critic_end = min(chain.critic_end, chain.critic_start + LONG) + MARGIN
    work_end = min(chain.work_end, chain.work_start + LONG) + MARGIN
    a, b = (
        critic.numbers[critic_start:critic_end].tolist(),
        work.numbers[work_start:work_end].tolist(),
    )
    blocks = [
        MatchingBlock(critic_start + match.a, work_start + match.b, match.size)
        for match in LCSseq.opcodes(a, b).as_matching_blocks()
        if match.size
    ]
    joined: list[list[MatchingBlock]] = []
    for block in blocks:
        if joined and _continues(joined[-1][-1], block, critic, text):
            joined[-1].append(block)
        else:
            joined.append([block])
    return [group for group in map(_trim_to_core, joined) if _is_enough(group)]


def _is_enough(group: Sequence[MatchingBlock]) -> bool:
    """Return True if the equal words, and those in a row, are too many for a mere figure of
    speech."""
    equal = sum(block.length for block in group)
    longest = max((block.length for block in group), default=0)
    return equal >= ENOUGH and (equal >= PLENTY or longest > GRAM)


def _continues(
    before: MatchingBlock, after: MatchingBlock, critic: WordSequence, text: str
) -> bool:
    """Return True if a quotation continues in its next equal words: after a slip of either side, an
    insertion by the critic, or an omission that is marked as one."""
    critic_gap, work_gap = _gaps(before, after)
    between = text[
        critic.ends[before.critic_start + before.length - 1] : critic.starts[after.critic_start]
    ]
    shortest = min(
        int(critic.ends[block.critic_start + block.length - 1] - critic.starts[block.critic_start])
        for block in (before, after)
    )
    if critic_gap <= 3 and work_gap <= 3:
        return shortest >= LCS or not _QUOTATION_MARK.search(between)
    if shortest < LCS or critic_gap > INTERRUPTION:
        return False
    if work_gap <= 3 or (critic_gap <= SLIP and work_gap <= SLIP):
        return True
    return work_gap <= OMISSION and _OMITTED.search(between) is not None


def _trim_to_core(group: list[MatchingBlock]) -> list[MatchingBlock]:
    """Return a group without the stray words before its first and after its last long run."""
    core = [n for n, block in enumerate(group) if block.length >= GRAM - 1]
    if not core:
        return []
    first, last = core[0], core[-1]
    while first and _near(group[first - 1], group[first]):
        first -= 1
    while last + 1 < len(group) and _near(group[last], group[last + 1]):
        last += 1
    return group[first : last + 1]


def _near(before: MatchingBlock, after: MatchingBlock) -> bool:
    return max(_gaps(before, after)) <= 2


def _gaps(before: MatchingBlock, after: MatchingBlock) -> tuple[int, int]:
    """Return the numbers of words between two blocks in the critic and in the work."""
    return (
        after.critic_start - before.critic_start - before.length,
        after.work_start - before.work_start - before.length,
    )


def _chained(runs: Sequence[tuple[int, int, int, int]]) -> Iterator[AlignedSpan]:
    """Yield the chains of runs (critic_start, work_start, work, length), which are in the order
    of the critic."""
    open_chains: dict[int, list[AlignedSpan]] = defaultdict(list)
    for critic_start, work_start, work, length in runs:
        chains = open_chains[work]
        yield from (chain for chain in chains if critic_start - chain.critic_end > GAP_CRITIC)
        chains = [chain for chain in chains if critic_start - chain.critic_end <= GAP_CRITIC]
        run = AlignedSpan(
            work, critic_start, critic_start + length, work_start, work_start + length, length
        )
        nearest = _nearest(chains, run)
        if nearest is not None:
            chains.remove(nearest)
            run = _join(nearest, run)
        open_chains[work] = [*chains, run]
    for chains in open_chains.values():
        yield from chains


def _nearest(chains: Sequence[AlignedSpan], run: AlignedSpan) -> AlignedSpan | None:
    """Return the chain that a run continues with the least difference of the gaps; None if none is
    near enough in both texts."""

    def gaps(chain: AlignedSpan) -> tuple[int, int]:
        return run.critic_start - chain.critic_end, run.work_start - chain.work_end

    near = [
        chain for chain in chains if gaps(chain)[0] > -GRAM and -GRAM < gaps(chain)[1] <= GAP_WORK
    ]
    return min(near, key=lambda chain: abs(gaps(chain)[1] - gaps(chain)[0]), default=None)


def _join(before: AlignedSpan, after: AlignedSpan) -> AlignedSpan:
    """Return two chains, which may share a few words, as one."""
    shared = max(0, before.critic_end - after.critic_start, before.work_end - after.work_start)
    return AlignedSpan(
        before.work,
        before.critic_start,
        max(before.critic_end, after.critic_end),
        before.work_start,
        max(before.work_end, after.work_end),
        before.matched + max(0, after.matched - shared),
    )
