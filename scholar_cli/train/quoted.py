"""Finding what critics quote of works: where words of a text are words of others.

Runs of equal words are looked up by hash, chained where they follow one another
closely in both texts, and aligned word by word, so that changed words, insertions in
brackets and ellipses do not break a quotation. Words are compared without case,
accents, punctuation, underscores and apostrophes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.uint32]
Places = NDArray[np.int64]

GRAM = 5
"""Words of a seed."""

FREQUENT = 8
"""A seed that stands in more places of the works is a common phrase."""

GAP_HERE, GAP_THERE = 20, 70
"""Words between two seeds, in the critic and in the work, that may belong together."""

ENOUGH = 8
"""Words of a chain, and of a quotation, that chance does not make."""

PLENTY = 15
"""Words of a quotation of which no run need be longer than a seed."""

LONG = 10_000
"""Words of a chain that are aligned, in time and memory that grow as their square; what
follows is only known to go on."""

MARGIN = 40
"""Words around a chain in which its first and last words are looked for."""

SLIP, INTERRUPTION, OMISSION = 6, 15, 60
"""Words that may differ within a quotation, that a critic may put into it, and leave out."""

LCS = 15
"""Characters two texts share in a row where a quotation goes on (Thai et al., app. A)."""

_OMITTED = re.compile(r"\.\s?\.|…|\*\s?\*|\[|\]|--|—")
_QUOTATION_MARK = re.compile(r"[\"“”«»]|(?<![^\W_])[‘']|[’'](?![^\W_])")
_POWERS = np.random.default_rng(7).integers(1, 2**63, 64, np.uint64) * np.uint64(2) + np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: equal numbers for equal words, and where each one stands."""

    numbers: Numbers
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Chain:
    """Words [here, to) of a critic that resemble words [there, last) of a work."""

    work: int
    here: int
    to: int
    there: int
    last: int
    matched: int


@dataclass(frozen=True, slots=True)
class Block:
    """Equal words, as many from `here` in the critic as from `there` in the work."""

    here: int
    there: int
    length: int


def words(text: str) -> Words:
    """Every run of letters and digits."""
    points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    letters = _letters()[np.minimum(points, 0xFFFF)]
    inside = np.concatenate([[False], letters > 0, [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        none = np.zeros(0, np.int32)
        return Words(np.zeros(0, np.uint32), none, none)
    at = np.flatnonzero(letters)
    lengths = ends - starts
    heads = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    within = np.minimum(np.arange(len(at)) - np.repeat(heads, lengths), 63)
    sums = np.add.reduceat(letters[at].astype(np.uint64) * _POWERS[within], heads) * _MIX
    numbers = (sums >> np.uint64(32)).astype(np.uint32)
    return Words(numbers, starts.astype(np.int32), ends.astype(np.int32))


def grams(numbers: Numbers, size: int) -> Hashes:
    """A hash of every run of so many words; unsigned arithmetic wraps around."""
    count = len(numbers) - size + 1
    hashes = np.zeros(max(count, 0), np.uint64)
    for offset in range(size if count > 0 else 0):
        hashes *= _MIX
        hashes += numbers[offset : offset + count]
        hashes ^= hashes >> np.uint64(29)
    return hashes


def known(hashes: Hashes, ascending: Hashes) -> NDArray[np.bool_]:
    """Which hashes are among others, which ascend."""
    if not len(ascending):
        return np.zeros(len(hashes), np.bool_)
    at = np.minimum(np.searchsorted(ascending, hashes), len(ascending) - 1)
    found: NDArray[np.bool_] = ascending[at] == hashes
    return found


class Index:
    """Where runs of words stand in works, which are numbered from 0."""

    def __init__(self, works: Sequence[Words]) -> None:
        self._works = works
        sizes = [len(each) for each in works]
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        by_work = [grams(each.numbers, GRAM) for each in works]
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
        """Places of equal seeds: in these words, and in all works."""
        hashes = grams(numbers, GRAM)
        first, after = self._bounds(hashes)
        counts = after - first
        counts[counts > FREQUENT] = 0
        here = np.repeat(np.arange(len(hashes)), counts)
        nth = np.arange(len(here)) - np.repeat(np.cumsum(counts) - counts, counts)
        there = self._places[np.repeat(first, counts) + nth].astype(np.int64)
        return here, there

    def shared(self, work: int, samples: int = 400) -> dict[int, float]:
        """What share of a work's seeds stands in each other work, by a sample of them."""
        hashes = grams(self._works[work].numbers, GRAM)
        hashes = hashes[:: max(1, len(hashes) // samples)]
        others: Counter[int] = Counter()
        for first, after in self._runs(hashes):
            if after - first <= FREQUENT:
                works = np.searchsorted(self._offsets, self._places[first:after], "right") - 1
                others.update(set(works.tolist()))
        del others[work]
        return {other: count / len(hashes) for other, count in others.items()}

    def stand_in(self, work: int, numbers: Numbers) -> tuple[int, int]:
        """How many of these words in a row stand in a work, and how many altogether do, in
        runs no shorter than a seed."""
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
        """Where equal hashes begin and end among all that stand in works."""
        order = np.argsort(hashes)  # many look-ups are quick where they ascend
        first, after = np.empty(len(hashes), np.int64), np.empty(len(hashes), np.int64)
        first[order] = np.searchsorted(self._hashes, hashes[order], "left")
        after[order] = np.searchsorted(self._hashes, hashes[order], "right")
        return first, after

    def chains(self, critic: Words) -> list[Chain]:
        """Resemblances of a critic and all works, long enough not to be chance."""
        here, there = self.hits(critic.numbers)
        order = np.lexsort((here, there - here))
        here, there = here[order], there[order]
        follows = (np.diff(there - here) == 0) & (np.diff(here) == 1)
        firsts = np.flatnonzero(np.concatenate([[True], ~follows])) if len(here) else here
        lengths = np.diff(np.append(firsts, len(here))) + GRAM - 1
        works = np.searchsorted(self._offsets, there[firsts], "right") - 1
        runs = sorted(
            zip(
                here[firsts].tolist(),
                (there[firsts] - self._offsets[works]).tolist(),
                works.tolist(),
                lengths.tolist(),
                strict=True,
            )
        )
        return [chain for chain in _chained(runs) if chain.matched >= ENOUGH]


def groups(critic: Words, ours: str, work: Words, chain: Chain) -> list[list[Block]]:
    """The equal words of a chain and its margins, in groups that are one quotation each."""
    here = max(0, chain.here - MARGIN)
    there = max(0, chain.there - MARGIN)
    to = min(chain.to, chain.here + LONG) + MARGIN
    last = min(chain.last, chain.there + LONG) + MARGIN
    a, b = critic.numbers[here:to].tolist(), work.numbers[there:last].tolist()
    found = [
        Block(here + match.a, there + match.b, match.size)
        for match in LCSseq.opcodes(a, b).as_matching_blocks()
        if match.size
    ]
    joined: list[list[Block]] = []
    for block in found:
        if joined and _goes_on(joined[-1][-1], block, critic, ours):
            joined[-1].append(block)
        else:
            joined.append([block])
    return [group for group in map(_with_core, joined) if _is_enough(group)]


def _is_enough(group: Sequence[Block]) -> bool:
    """Whether so many equal words, and so many in a row, are no mere turn of speech."""
    equal = sum(block.length for block in group)
    longest = max((block.length for block in group), default=0)
    return equal >= ENOUGH and (equal >= PLENTY or longest > GRAM)


def _goes_on(before: Block, after: Block, critic: Words, text: str) -> bool:
    """Whether a quotation goes on in its next equal words: after a slip of either side, an
    insertion of the critic, or an omission that is marked as one."""
    here, there = _gaps(before, after)
    between = text[critic.ends[before.here + before.length - 1] : critic.starts[after.here]]
    shortest = min(
        int(critic.ends[each.here + each.length - 1] - critic.starts[each.here])
        for each in (before, after)
    )
    if here <= 3 and there <= 3:
        return shortest >= LCS or not _QUOTATION_MARK.search(between)
    if shortest < LCS or here > INTERRUPTION:
        return False
    if there <= 3 or (here <= SLIP and there <= SLIP):
        return True
    return there <= OMISSION and _OMITTED.search(between) is not None


def _with_core(group: list[Block]) -> list[Block]:
    """A group without the stray words before its first and after its last long run."""
    core = [n for n, block in enumerate(group) if block.length >= GRAM - 1]
    if not core:
        return []
    first, last = core[0], core[-1]
    while first and _near(group[first - 1], group[first]):
        first -= 1
    while last + 1 < len(group) and _near(group[last], group[last + 1]):
        last += 1
    return group[first : last + 1]


def _near(before: Block, after: Block) -> bool:
    return max(_gaps(before, after)) <= 2


def _gaps(before: Block, after: Block) -> tuple[int, int]:
    """Words between two blocks in the critic and in the work."""
    return after.here - before.here - before.length, after.there - before.there - before.length


def _chained(runs: Sequence[tuple[int, int, int, int]]) -> Iterator[Chain]:
    """Runs (here, there, work, length), in the critic's order, as chains."""
    waiting: dict[int, list[Chain]] = defaultdict(list)
    for here, there, work, length in runs:
        chains = waiting[work]
        yield from (each for each in chains if here - each.to > GAP_HERE)
        chains = [each for each in chains if here - each.to <= GAP_HERE]
        fitting = [
            each
            for each in chains
            if here - each.to > -GRAM and -GRAM < there - each.last <= GAP_THERE
        ]
        chain = Chain(work, here, here + length, there, there + length, length)
        if fitting:
            nearest = min(fitting, key=lambda each: abs(there - each.last - here + each.to))
            chains.remove(nearest)
            chain = _longer(nearest, chain)
        waiting[work] = [*chains, chain]
    for chains in waiting.values():
        yield from chains


def _longer(before: Chain, after: Chain) -> Chain:
    """Two chains, which may share a few words, as one."""
    shared = max(0, before.to - after.here, before.last - after.there)
    return Chain(
        before.work,
        before.here,
        max(before.to, after.to),
        before.there,
        max(before.last, after.last),
        before.matched + max(0, after.matched - shared),
    )


@cache
def _letters() -> NDArray[np.uint32]:
    """A letter for every character: lower case, no accent, 0 for what parts words."""
    table = np.zeros(0x10000, np.uint32)
    for point in range(0xFFFF):
        letter = chr(point)
        if letter.isalnum():
            plain = unicodedata.normalize("NFKD", letter)[0].lower()
            table[point] = ord(plain[0])
    return table
