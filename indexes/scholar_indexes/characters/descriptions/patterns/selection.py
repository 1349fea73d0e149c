"""Selection of the descriptions that single a character out."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.characters.descriptions.patterns.drafts import (
    CALLING,
    DEED,
    MOTIF,
    RELATION,
    TRAIT,
    DraftDescription,
)
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.lexicon import closed_classes

KIND_WEIGHTS = {RELATION: 2.2, CALLING: 2.0, MOTIF: 1.9, TRAIT: 1.4, DEED: 1.0}

MIN_DEED_WEIGHT, MIN_HABIT_PASSAGES = 1.0, 2
"""A deed of less weight is a description only if it recurs in this many passages."""

PRIOR = 0.5
"""Added to the count of each word."""

MAX_SCORED_WORDS = 3
"""The number of words of a description that count: the best ones."""

RARE_COUNT = 20
"""Added to the count of each word in the text, so that all rare words score similarly."""

OVERLAP = 0.75
"""The share of common words at which a description repeats another."""

POOL_FACTOR = 4
"""The number of descriptions compared for each one selected."""


@dataclass(frozen=True, slots=True)
class _WordCounts:
    """Counts of words in the descriptions of one character and of all."""

    own: Counter[str]
    all: Counter[str]
    own_total: int
    all_total: int

    def log_odds(self, word: str) -> float:
        """Return the log-odds ratio of a word in the character's and the others' descriptions,
        divided by its standard deviation (after Monroe, Colaresi and Quinn 2008, "Fightin' Words",
        section 3.3, with a flat prior)."""
        own, others = self.own[word], self.all[word] - self.own[word]
        flat = PRIOR * len(self.all)
        difference = math.log((own + PRIOR) / (self.own_total + flat)) - math.log(
            (others + PRIOR) / (self.all_total - self.own_total + flat)
        )
        return difference / math.sqrt(1 / (own + PRIOR) + 1 / (others + PRIOR))


def merge_duplicates(drafts: Sequence[DraftDescription]) -> list[DraftDescription]:
    """Return the drafts, merging drafts of a character with the same words into one that has all
    their passages and the highest weight."""
    groups: dict[tuple[int, str], list[DraftDescription]] = defaultdict(list)
    for draft in drafts:
        groups[draft.character, " ".join(tokenize(draft.text))].append(draft)
    return [_merge(group) for group in groups.values()]


def rank(
    drafts: Sequence[DraftDescription], text_counts: Mapping[str, int], limit: int
) -> Iterator[tuple[DraftDescription, float]]:
    """Yield at most `limit` descriptions of each character with their scores, best first.

    A score adds up the weight of the kind, how specific the words are to the character, how rare
    they are in the text (`text_counts` are its word counts), and the number of passages. Texts
    that describe several characters are excluded.
    """
    scored: dict[int, list[tuple[DraftDescription, float]]] = defaultdict(list)
    for draft, score in _score(drafts, text_counts):
        scored[draft.character].append((draft, score))
    for character in sorted(scored):
        ordered = sorted(scored[character], key=lambda item: (-item[1], item[0].text))
        yield from _without_repetitions(ordered[: POOL_FACTOR * limit])[:limit]


def _merge(drafts: Sequence[DraftDescription]) -> DraftDescription:
    passages = list(drafts[0].passages)
    seen = set(passages)
    for draft in drafts[1:]:
        passages += [passage for passage in draft.passages if passage not in seen]
        seen.update(draft.passages)
    weight = max(draft.weight for draft in drafts)
    return replace(drafts[0], weight=weight, passages=tuple(passages))


def _score(
    drafts: Sequence[DraftDescription], text_counts: Mapping[str, int]
) -> Iterator[tuple[DraftDescription, float]]:
    """Yield the drafts whose text describes only one character, with their scores."""
    bags = [_content_words(draft.text) for draft in drafts]
    counts = _count_words([draft.character for draft in drafts], bags)
    described = Counter(text for _, text in {(draft.character, draft.text) for draft in drafts})
    text_size = sum(text_counts.values()) + 1
    for draft, bag in zip(drafts, bags, strict=True):
        if described[draft.text] > 1 or _is_chance_deed(draft):
            continue
        own = _mean_of_best(map(counts[draft.character].log_odds, bag))
        rarity = _mean_of_best(_rarity(text_counts.get(word, 0), text_size) for word in bag)
        score = (
            KIND_WEIGHTS[draft.kind] * draft.weight
            + 0.5 * own
            + rarity
            + 0.4 * math.log(len(draft.passages))
        )
        yield draft, round(score, 4)


def _is_chance_deed(draft: DraftDescription) -> bool:
    """Return True for a deed that says little of its doer: "joined Charles", once."""
    return (
        draft.kind == DEED
        and draft.weight < MIN_DEED_WEIGHT
        and len(draft.passages) < MIN_HABIT_PASSAGES
    )


def _rarity(count: int, text_size: int) -> float:
    return math.log(text_size / (count + RARE_COUNT)) / 10


def _count_words(
    characters: Sequence[int], bags: Sequence[Sequence[str]]
) -> dict[int, _WordCounts]:
    """Return the counts of the words of descriptions by character."""
    own: dict[int, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for character, bag in zip(characters, bags, strict=True):
        own[character].update(bag)
        total.update(bag)
    return {
        character: _WordCounts(counts, total, counts.total(), total.total())
        for character, counts in own.items()
    }


def _mean_of_best(values: Iterable[float]) -> float:
    """Return the mean of the best MAX_SCORED_WORDS values; missing ones count as 0."""
    return sum(sorted(values, reverse=True)[:MAX_SCORED_WORDS]) / MAX_SCORED_WORDS


def _without_repetitions(
    ordered: Sequence[tuple[DraftDescription, float]],
) -> list[tuple[DraftDescription, float]]:
    """Return the descriptions that do not mostly repeat the words of a better one."""
    selected: list[tuple[DraftDescription, float]] = []
    bags: list[set[str]] = []
    for draft, score in ordered:
        bag = set(_content_words(draft.text))
        if any(len(bag & other) >= OVERLAP * min(len(bag), len(other)) for other in bags):
            continue
        selected.append((draft, score))
        bags.append(bag)
    return selected


def _content_words(text: str) -> list[str]:
    """Return the words of a description that are not function words, each once."""
    return [word for word in dict.fromkeys(tokenize(text)) if word not in closed_classes.SMALL]
