"""Coreference scores: the agreement of a system's chains with annotated ones.

MUC counts links (Vilain et al. 1995), B-cubed mentions (Bagga and Baldwin 1998), CEAF-e
aligned chains (Luo 2005, similarity phi 4), and LEA links weighted by the size of their chain
(Moosavi and Strube 2016). Mentions on one side only, of the system or of the annotation, are
counted as in the reference scorer (Pradhan et al. 2014): they agree with nothing on the other
side. Chains of one mention are scored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from scholar_indexes.errors import ConfigError

Chain = Set[Hashable]
"""The mentions of one entity; a mention is any hashable object."""

Chains = Sequence[Chain]


@dataclass(frozen=True, slots=True)
class Share:
    """The right part of a total; shares of several documents can be added."""

    right: float = 0.0
    total: float = 0.0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.total + other.total)

    @property
    def value(self) -> float:
        """Return right / total, 0 if the total is 0."""
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """Recall and precision, as counts that can be added over documents."""

    recall: Share = Share()
    precision: Share = Share()

    def __add__(self, other: Score) -> Score:
        return Score(self.recall + other.recall, self.precision + other.precision)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of recall and precision."""
        recall, precision = self.recall.value, self.precision.value
        return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def score_mentions(key: Chains, response: Chains) -> Score:
    """Return the recall and precision of mentions."""
    annotated, answered = set().union(*key), set().union(*response)
    both = len(annotated & answered)
    return Score(Share(both, len(annotated)), Share(both, len(answered)))


def score_muc(key: Chains, response: Chains) -> Score:
    """Return the share of the links needed to build one side's chains that the other side has."""

    def one_way(chains: Chains, others: Chains) -> Share:
        number = _chain_of_mention(others)
        right = total = 0
        for chain in chains:
            parts = {number[mention] for mention in chain if mention in number}
            missing = sum(mention not in number for mention in chain)
            right += len(chain) - len(parts) - missing
            total += len(chain) - 1
        return Share(right, total)

    return _both_ways(one_way, key, response)


def score_b_cubed(key: Chains, response: Chains) -> Score:
    """Return the mean over mentions of the share of their chain that is with them on the other
    side."""

    def one_way(chains: Chains, others: Chains) -> Share:
        number = _chain_of_mention(others)
        share = Share()
        for chain in chains:
            together = Counter(number[mention] for mention in chain if mention in number)
            right = sum(count * count for count in together.values()) / max(1, len(chain))
            share += Share(right, len(chain))
        return share

    return _both_ways(one_way, key, response)


def score_ceaf_e(key: Chains, response: Chains) -> Score:
    """Return the similarity of the chains under the best one-to-one alignment.

    The similarity of two chains is twice the number of shared mentions over the sum of their sizes
    (phi 4). Raises ConfigError without scipy, which is installed only for training.
    """
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise ConfigError(
            "aligning chains needs scipy; run: pip install 'scholar-cli[lab]'"
        ) from None
    similarity = np.zeros((len(key), len(response)))
    number = _chain_of_mention(response)
    for row, chain in enumerate(key):
        together = Counter(number[mention] for mention in chain if mention in number)
        for column, count in together.items():
            similarity[row, column] = 2 * count / (len(chain) + len(response[column]))
    total = float(similarity[linear_sum_assignment(-similarity)].sum())
    return Score(Share(total, len(key)), Share(total, len(response)))


def score_lea(key: Chains, response: Chains) -> Score:
    """Return the share of links that the other side has too, weighted by chain size.

    A chain of one mention has one link, to itself.
    """

    def one_way(chains: Chains, others: Chains) -> Share:
        number = _chain_of_mention(others)
        share = Share()
        for chain in chains:
            together = Counter(number[mention] for mention in chain if mention in number)
            if len(chain) == 1:
                right = float(any(len(others[other]) == 1 for other in together))
            else:
                right = sum(map(_links, together.values())) / _links(len(chain))
            share += Share(len(chain) * right, len(chain))
        return share

    return _both_ways(one_way, key, response)


SCORES: Mapping[str, Callable[[Chains, Chains], Score]] = {
    "mention": score_mentions,
    "muc": score_muc,
    "b3": score_b_cubed,
    "ceafe": score_ceaf_e,
    "lea": score_lea,
}
"""The scores by their names in reports."""

MEAN_OF = ("muc", "b3", "ceafe")
"""The scores whose mean F1 is the headline figure of CoNLL 2012."""


def score_all(key: Chains, response: Chains) -> dict[str, Score]:
    """Return every score of SCORES for one document."""
    return {name: score(key, response) for name, score in SCORES.items()}


def add_up(documents: Iterable[Mapping[str, Score]]) -> dict[str, Score]:
    """Return the summed scores of several documents, as in the reference scorer."""
    totals: dict[str, Score] = defaultdict(Score)
    for document in documents:
        for name, score in document.items():
            totals[name] += score
    return dict(totals)


def conll_f1(scores: Mapping[str, Score]) -> float:
    """Return the mean F1 of MUC, B-cubed and CEAF-e."""
    return sum(scores[name].f1 for name in MEAN_OF) / len(MEAN_OF)


def _both_ways(one_way: Callable[[Chains, Chains], Share], key: Chains, response: Chains) -> Score:
    return Score(recall=one_way(key, response), precision=one_way(response, key))


def _chain_of_mention(chains: Chains) -> dict[Hashable, int]:
    """Return the index of the chain of every mention."""
    return {mention: number for number, chain in enumerate(chains) for mention in chain}


def _links(size: int) -> int:
    return size * (size - 1) // 2
