"""Dense retrieval over windows of sentences around each sentence of a book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex, window_edges

SIZES = (1, 3, 7, 17)
"""The numbers of sentences in the windows that a description is compared with."""


@dataclass(frozen=True)
class WindowVectors:
    """The windows of each of SIZES around every sentence, as the lengths (m,) of the sums of
    their sentence vectors.

    The unit vector of a window is never computed: its cosine with a query is the sum of the dot
    products of its sentences, divided by its length.
    """

    sentences: SentenceIndex
    lengths: Mapping[int, Floats]

    def scores(self, vectors: Floats) -> dict[int, Floats]:
        """Return the cosines of unit vectors (n, d) with all windows, (n, m) for each size."""
        cosines = vectors @ self.sentences.vectors.T * self.sentences.weights
        return {
            size: _sum_windows(cosines, self.sentences.chapters, size) / lengths
            for size, lengths in self.lengths.items()
        }

    def weighted_sums(self, shares: Floats, size: int) -> Floats:
        """Return the sums (c, d) of the windows' unit vectors weighted by shares (c, m)."""
        sums = _sum_windows(shares / self.lengths[size], self.sentences.chapters, size)
        weighted = sums * self.sentences.weights
        vectors: Floats = weighted.astype(np.float32) @ self.sentences.vectors
        return vectors


def window_lengths(sentences: SentenceIndex) -> dict[int, Floats]:
    """Return the lengths (m,) of the sums of sentence vectors in the windows of each size."""
    vectors = (sentences.vectors * sentences.weights[:, None]).T
    lengths = {}
    for size in SIZES:
        norms = np.linalg.norm(_sum_windows(vectors, sentences.chapters, size), axis=0)
        lengths[size] = np.maximum(norms, 1e-6).astype(np.float32)
    return lengths


def _sum_windows(values: Floats, chapters: Ints, size: int) -> Floats:
    """Return the sums (n, m) of values in the window of size sentences around each sentence,
    cut at the edges of its chapter."""
    total = np.zeros((len(values), len(chapters) + 1))
    np.cumsum(values, axis=1, dtype=np.float64, out=total[:, 1:])
    first, end = window_edges(chapters, size)
    sums: Floats = (total[:, end] - total[:, first]).astype(np.float32)
    return sums
