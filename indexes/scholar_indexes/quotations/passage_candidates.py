"""Find the candidate places of a quotation: where its words are close together, roughly in order.

Each rare word of a quotation, and each pair of words, votes for the position at which the quotation
would begin. Where votes accumulate, the words are compared (alignment).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d
from scholar_indexes.quotations.quoted_words import QuotedWords
from scholar_indexes.quotations.word_places import WordPlaces

FREQUENT = 300
"""The number of occurrences in a text above which a word votes only in a pair, and a pair not at
all unless all pairs of the quotation are as frequent."""

MOST_PAIRS = 12
"""The maximum number of pairs of words that vote: the pairs with the rarest words."""

SLACK = 10
"""The words by which two votes for one place may differ, plus half the quotation's length."""

ELISION = 400
"""The maximum number of words that an ellipsis may replace."""

PER_TEXT = 4
"""The number of places per text that are compared with a quotation, unless more are requested."""

MARGIN = 12
"""The number of words before and after a place that are compared too."""

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CandidatePlace:
    """Words [start, end) of a text that may contain a quotation, and the weight of their votes."""

    start: int
    end: int
    weight: float


def find(quoted: QuotedWords, places: WordPlaces, count: int = PER_TEXT) -> list[CandidatePlace]:
    """Return the places of a text that may contain a quotation, the likeliest first: verbatim
    places, then others, at most `count` of each."""
    verbatim = _verbatim(quoted, places, count)
    voted = list(_votes(quoted, places))
    if not voted:
        return verbatim
    starts = np.concatenate([votes.starts for votes in voted])
    weights = np.concatenate([np.full(len(votes.starts), votes.weight) for votes in voted])
    order = np.argsort(starts, kind="stable")
    margin = MARGIN + (ELISION if quoted.has_gaps else 0)
    gathered = _gathered(starts[order], weights[order], len(quoted), margin, len(places))
    others = (
        candidate
        for candidate in gathered
        if all(
            candidate.end - margin <= place.start or candidate.start + margin >= place.end
            for place in verbatim
        )
    )
    return [*verbatim, *islice(others, count)]


def _verbatim(quoted: QuotedWords, places: WordPlaces, count: int) -> list[CandidatePlace]:
    """Return the first places with the exact words of a quotation."""
    if quoted.has_gaps or any(quoted.is_added):
        return []
    starts = places.runs(quoted.numbers)[:count].tolist()
    return [CandidatePlace(start, start + len(quoted), math.inf) for start in starts]


@dataclass(frozen=True, slots=True)
class _Votes:
    """The possible starts of a quotation according to one word or pair, and the weight of each."""

    starts: Indices
    weight: float


def _votes(quoted: QuotedWords, places: WordPlaces) -> Iterator[_Votes]:
    """Yield the votes of the rare words of a quotation, and of its pairs of words."""
    own = np.flatnonzero(~np.asarray(quoted.is_added, np.bool_))
    first, after = places.ranges(quoted.numbers[own])
    counts = after - first
    is_rare = counts <= FREQUENT
    for row in np.flatnonzero(is_rare & (counts > 0)).tolist():
        yield _vote(places.indices[first[row] : after[row]] - own[row], len(places))
    rarer = np.minimum(counts[:-1], counts[1:])
    pairs = np.flatnonzero((rarer > 0) & (np.diff(own) == 1))
    # Pairs of the most common words take longest and are least informative.
    pairs = pairs[np.argsort(rarer[pairs], kind="stable")[:MOST_PAIRS]]
    starts_of_pairs = [
        _pair_starts(places, (first[row], after[row]), (first[row + 1], after[row + 1])) - own[row]
        for row in pairs.tolist()
    ]
    counts_of_pairs = [len(starts) for starts in starts_of_pairs if len(starts)]
    most = max(FREQUENT, min(counts_of_pairs, default=0))
    for starts in starts_of_pairs:
        if 0 < len(starts) <= most:
            yield _vote(starts, len(places))


def _pair_starts(places: WordPlaces, first: tuple[int, int], second: tuple[int, int]) -> Indices:
    """Return the indices at which one word is followed by another, given the rows of both."""
    fewer, more = places.indices[slice(*first)], places.indices[slice(*second)] - 1
    if len(fewer) > len(more):
        fewer, more = more, fewer
    at = np.minimum(np.searchsorted(more, fewer), len(more) - 1)
    starts: Indices = fewer[more[at] == fewer].astype(np.int64)
    return starts


def _vote(starts: NDArray[np.integer], total: int) -> _Votes:
    return _Votes(starts.astype(np.int64), float(np.log(total / len(starts))))


def _gathered(
    starts: Indices, weights: Floats1d, length: int, margin: int, total: int
) -> Iterator[CandidatePlace]:
    """Yield the places where votes (ascending) accumulate, the heaviest first, each with `margin`
    words of a text of `total` words on either side. Only margins overlap."""
    slack = SLACK + length // 2
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    ends = np.searchsorted(starts, starts + slack, "right")
    gathered = sums[ends] - sums[: len(starts)]
    taken: list[tuple[int, int]] = []
    for row in np.argsort(-gathered, kind="stable").tolist():
        low, high = int(starts[row]), int(starts[ends[row] - 1]) + length
        if all(high <= start or low >= end for start, end in taken):
            taken.append((low, high))
            yield CandidatePlace(
                max(0, low - margin), min(total, high + margin), float(gathered[row])
            )
