"""BM25 as RELiC's baseline computes it: the ATIRE variant of rank_bm25 (BM25Okapi).

The solver of characters has its own BM25 (characters/solver/bm25.py), because the two agree in
neither statistics nor weights: there the idf is Lucene's, a query term counts once, windows of
three sentences overlap, counts may be weighed by the similarity of words, and all is float32.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Ints1d
from scholar_indexes.models.encoder import MASK

K1, B, EPSILON = 0.5, 0.9, 0.25
"""The parameters that RELiC tuned; epsilon is rank_bm25's own."""


class Okapi:
    """BM25 over passages of `size` consecutive texts, one from each of starts (n,).

    Passages of equal words have equal scores, to the last bit.
    """

    def __init__(
        self, texts: Sequence[str], starts: Ints1d, size: int = 1, *, k1: float = K1, b: float = B
    ) -> None:
        self._terms: dict[str, int] = {}
        term_lists = [
            [self._terms.setdefault(word, len(self._terms)) for word in tokenize(text)]
            for text in texts
        ]
        edges = np.cumsum([0, *map(len, term_lists)])
        terms = np.array([term for term_list in term_lists for term in term_list], np.int64)
        lengths = edges[starts + size] - edges[starts]
        passage = np.repeat(np.arange(len(starts)), lengths)
        within = np.arange(len(passage)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        term = terms[np.repeat(edges[starts], lengths) + within]
        pairs, counts = np.unique(term * len(starts) + passage, return_counts=True)
        term, self._passage = np.divmod(pairs, max(len(starts), 1))
        document_frequency = np.bincount(term, minlength=len(self._terms))
        self._edges = np.concatenate(([0], np.cumsum(document_frequency)))
        mean_length = float(lengths.mean()) if len(starts) else 0.0
        relative_length = lengths[self._passage] / max(mean_length, 1e-9)
        idf = _idf(document_frequency, len(starts))[term]
        self._gains = idf * counts * (k1 + 1) / (counts + k1 * (1 - b + b * relative_length))
        self._passages = len(starts)

    def scores(self, claim: str) -> NDArray[np.float64]:
        """Return the scores (n,) of the passages; a word counts as often as the claim has it."""
        total = np.zeros(self._passages)
        for word, count in Counter(tokenize(MASK.sub(" ", claim))).items():
            if (term := self._terms.get(word)) is not None:
                postings = slice(self._edges[term], self._edges[term + 1])
                total[self._passage[postings]] += count * self._gains[postings]
        return total


def _idf(document_frequency: Ints1d, passages: int) -> NDArray[np.float64]:
    """Return log((N - n + 0.5) / (n + 0.5)); where that is negative, a quarter of the mean."""
    idf: NDArray[np.float64] = np.log(passages - document_frequency + 0.5) - np.log(
        document_frequency + 0.5
    )
    occurs = document_frequency > 0
    if occurs.any():
        idf[idf < 0] = EPSILON * idf[occurs].mean()
    return idf


def tokenize(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.lower())
