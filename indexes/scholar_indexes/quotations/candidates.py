"""Find the places of a text that may have a quotation: where words of it stand close together, in
about their order.

Each rare word of a quotation, and each pair of words, votes for the place at which the quotation
would have to begin. Where votes gather, the words are compared (alignment).
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
"""A word that stands at more places of a text votes only beside its neighbour, and so does a pair
unless all of the quotation are as frequent."""

MOST_PAIRS = 12
"""Pairs of words that vote, those with the rarest words."""

SLACK = 10
"""Words by which two votes for the same place may differ, beside half of the quotation's."""

ELISION = 400
"""Words that an ellipsis may stand for, at most."""

PER_TEXT = 4
"""Places of a text that are compared with a quotation, unless more are asked for."""

MARGIN = 12
"""Words before and after a place that are compared too."""

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CandidatePlace:
    """Words [start, end) of a text that may have a quotation, and the weight of their votes."""

    start: int
    end: int
    weight: float


def find(quoted: QuotedWords, places: WordPlaces, count: int = PER_TEXT) -> list[CandidatePlace]:
    """Return the places of a text that may have a quotation, the likeliest first: those with its
    very words, and others, of either at most `count`."""
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
    """Return the first places with the very words of a quotation."""
    if quoted.has_gaps or any(quoted.is_added):
        return []
    starts = places.runs(quoted.numbers)[:count].tolist()
    return [CandidatePlace(start, start + len(quoted), math.inf) for start in starts]


@dataclass(frozen=True, slots=True)
class _Votes:
    """The places at which a quotation may begin by one of its words, and the weight of each."""

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
    # Pairs of the commonest words take longest and tell least.
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
    """Return the indices at which a word is followed by another, given by their rows."""
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
    """Yield the places where votes, ascending, gather, the heaviest first: each with `margin`
    words of a text of `total` words on either side. No two share a word between their margins."""
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
