"""Word vectors learned from the searched texts, for the baselines that average them.

Skip-gram with negative sampling approximates a factorisation of the words' shifted mutual
information (Levy and Goldberg 2014); this computes one exactly, with nothing to download. The
settings follow Levy, Goldberg and Dagan (2015), section 6.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats2d

DIMENSIONS = 200
"""Dimensions of a vector, as in CSFCube's cbow200."""

WINDOW = 5
"""Words on either side that are a word's context."""

MIN_COUNT, MAX_WORDS = 3, 6_000
"""The minimum count of a word, and the maximum number of words: their square is stored."""

SMOOTHING = 0.75
"""The exponent of the counts of contexts."""

_SPARE, _ROUNDS = 10, 3


class WordVectors:
    """The vectors of the words of tokenized texts, learned from these texts."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._rows, self._vectors = learn_vectors(texts)

    def add_up(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the weighted sum (d,) of the vectors of words; words without a vector are
        ignored."""
        known = [word for word in weights if word in self._rows]
        vectors = self._vectors[[self._rows[word] for word in known]]
        total: NDArray[np.float64] = (
            np.array([weights[word] for word in known], np.float64) @ vectors
        )
        return total


def inverse_document_frequencies(documents: Collection[Iterable[str]]) -> dict[str, float]:
    """Return ln((1 + N) / (1 + df)) + 1 of each word of N documents, given as their words."""
    frequencies = Counter(word for document in documents for word in set(document))
    return {word: math.log((1 + len(documents)) / (1 + n)) + 1 for word, n in frequencies.items()}


def learn_vectors(
    texts: Sequence[Sequence[str]], width: int = DIMENSIONS
) -> tuple[Mapping[str, int], Floats2d]:
    """Return the row of each word and the vectors (words, at most width) of tokenized texts."""
    counts = Counter(word for text in texts for word in text)
    known = sorted(
        (word for word in counts if counts[word] >= MIN_COUNT),
        key=lambda word: (-counts[word], word),
    )
    rows = {word: row for row, word in enumerate(known[:MAX_WORDS])}
    if not rows:
        return rows, np.zeros((0, width), np.float32)
    return rows, _truncated_svd(_positive_pmi(_cooccurrences(texts, rows)), width)


def _cooccurrences(texts: Sequence[Sequence[str]], rows: Mapping[str, int]) -> Floats2d:
    """Return the counts (words, words) of two words occurring within WINDOW."""
    gap = [-1] * WINDOW  # no window reaches from one text into the next
    places = [row for text in texts for row in (*(rows.get(word, -1) for word in text), *gap)]
    words = np.array(places, np.int64)
    counts = np.zeros((len(rows), len(rows)), np.float32)
    for distance in range(1, WINDOW + 1):
        left, right = words[:-distance], words[distance:]
        both = (left >= 0) & (right >= 0)
        pairs, times = np.unique(left[both] * len(rows) + right[both], return_counts=True)
        counts.reshape(-1)[pairs] += times
    return counts + counts.T


def _positive_pmi(together: Floats2d) -> Floats2d:
    """Return the positive pointwise mutual information of words and contexts."""
    of_word = together.sum(axis=1, dtype=np.float64)
    of_context = of_word**SMOOTHING
    of_context /= max(of_context.sum(), 1e-9)
    expected = np.maximum(of_word, 1e-9)[:, None] * np.maximum(of_context, 1e-9)[None]
    ratio = np.maximum(together / expected, 1.0)  # below 1 the information is negative
    information: Floats2d = np.log(ratio).astype(np.float32)
    return information


def _truncated_svd(matrix: Floats2d, width: int) -> Floats2d:
    """Return left singular vectors times the square roots of the singular values, by randomized
    SVD (Halko et al. 2011, algorithms 4.3 and 5.1)."""
    width = min(width, len(matrix))
    drawn = np.random.default_rng(0).standard_normal(
        (len(matrix), min(width + _SPARE, len(matrix)))
    )
    basis: NDArray[np.float32] = drawn.astype(np.float32)
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(matrix @ (matrix.T @ basis))[0]
    left, values, _ = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    vectors: Floats2d = (basis @ left)[:, :width] * np.sqrt(values[:width])
    return vectors
