"""Which descriptions single a character out."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.characters.lexicon import closed
from scholar_indexes.characters.told.said import CALLING, DEED, RELATION, TRAIT, Said
from scholar_indexes.characters.wording import words

KIND_WEIGHTS = {RELATION: 2.2, CALLING: 2.0, TRAIT: 1.4, DEED: 1.0}

PRIOR = 0.5
"""What each word is counted beside what is seen of it."""

TELLING_WORDS = 3
"""Words of a description that are weighed: the best."""

RARE = 20
"""Times that a word is counted beside what the text has of it, so that rare ones are alike."""

REPEATED = 0.75
"""The share of words that a description has in common with one that it repeats."""

DRAWN = 4
"""Descriptions looked at for each one kept."""


@dataclass(frozen=True, slots=True)
class _Shares:
    """How often words are said of one character and of all."""

    mine: Counter[str]
    all: Counter[str]
    mine_size: int
    all_size: int

    def odds(self, word: str) -> float:
        """The log odds of a word among what is said of the character against what is said of
        the others, by its standard deviation (after Monroe, Colaresi and Quinn 2008, "Fightin'
        Words", section 3.3, with a flat prior)."""
        here, there = self.mine[word], self.all[word] - self.mine[word]
        flat = PRIOR * len(self.all)
        z = math.log((here + PRIOR) / (self.mine_size + flat)) - math.log(
            (there + PRIOR) / (self.all_size - self.mine_size + flat)
        )
        return z / math.sqrt(1 / (here + PRIOR) + 1 / (there + PRIOR))


def merged(said: Sequence[Said]) -> list[Said]:
    """What is said of somebody in the same words as one, with all passages and the best
    weight."""
    same: dict[tuple[int, str], list[Said]] = defaultdict(list)
    for each in said:
        same[each.who, " ".join(words(each.text))].append(each)
    return [_one(several) for several in same.values()]


def ranked(
    said: Sequence[Said], counts: Mapping[str, int], most: int
) -> Iterator[tuple[Said, float]]:
    """The best descriptions of each character with their scores, at most so many, best first;
    counts are of the words of the text.

    A description is worth what its kind is, how much its words are this character's own, how
    rare they are and in how many places it is said. One that is said of several is left.
    """
    scored: dict[int, list[tuple[Said, float]]] = defaultdict(list)
    for each, score in _scored(said, counts):
        scored[each.who].append((each, score))
    for who in sorted(scored):
        ordered = sorted(scored[who], key=lambda each: (-each[1], each[0].text))
        yield from _various(ordered[: DRAWN * most])[:most]


def _one(same: Sequence[Said]) -> Said:
    """Several that say the same, as one."""
    passages = list(same[0].passages)
    seen = set(passages)
    for each in same[1:]:
        passages += [passage for passage in each.passages if passage not in seen]
        seen.update(each.passages)
    weight = max(each.weight for each in same)
    return replace(same[0], weight=weight, passages=tuple(passages))


def _scored(said: Sequence[Said], counts: Mapping[str, int]) -> Iterator[tuple[Said, float]]:
    """What is said of one character alone, with its score."""
    bags = [_telling(each.text) for each in said]
    shares = _shares([each.who for each in said], bags)
    owners = Counter(text for _, text in {(each.who, each.text) for each in said})
    whole = sum(counts.values()) + 1
    for each, bag in zip(said, bags, strict=True):
        if owners[each.text] > 1:
            continue
        own = _best(shares[each.who].odds(word) for word in bag)
        rare = _best(math.log(whole / (counts.get(word, 0) + RARE)) / 10 for word in bag)
        score = (
            KIND_WEIGHTS[each.kind] * each.weight
            + 0.5 * own
            + rare
            + 0.4 * math.log(len(each.passages))
        )
        yield each, round(score, 4)


def _shares(of: Sequence[int], bags: Sequence[Sequence[str]]) -> dict[int, _Shares]:
    """The words of descriptions by whom they are said of."""
    mine: dict[int, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for who, bag in zip(of, bags, strict=True):
        mine[who].update(bag)
        total.update(bag)
    return {who: _Shares(own, total, own.total(), total.total()) for who, own in mine.items()}


def _best(values: Iterator[float]) -> float:
    """The mean of the best few, where fewer count as nothing."""
    return sum(sorted(values, reverse=True)[:TELLING_WORDS]) / TELLING_WORDS


def _various(ordered: Sequence[tuple[Said, float]]) -> list[tuple[Said, float]]:
    """Without those that only repeat a better one."""
    kept: list[tuple[Said, float]] = []
    bags: list[set[str]] = []
    for each in ordered:
        bag = set(_telling(each[0].text))
        if any(len(bag & other) >= REPEATED * min(len(bag), len(other)) for other in bags):
            continue
        kept.append(each)
        bags.append(bag)
    return kept


def _telling(text: str) -> list[str]:
    """The words of a description that are not small, each once."""
    return [each for each in dict.fromkeys(words(text)) if each not in closed.SMALL]
