"""BM25 (Robertson and Zaragoza 2009) over passages of consecutive texts.

    texts, as their terms -> InvertedIndex -> BM25 -> scores of all passages

Variants differ in the idf: okapi_idf is the idf of BM25Okapi in the package rank_bm25, lucene_idf
the one of Lucene, which is never negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import AnyArray, Ints, Ints1d

EPSILON = 0.25
"""The idf of a term whose own is negative, as a share of the mean idf, as in rank_bm25."""

Idf = Callable[[AnyArray, int], NDArray[np.float64]]
"""Maps the document frequencies (t,) of all terms and the number of passages to the idf (t,)."""


def okapi_idf(document_frequency: AnyArray, passages: int) -> NDArray[np.float64]:
    """Return log((N - n + 0.5) / (n + 0.5)); a quarter of the mean if that is negative."""
    idf: NDArray[np.float64] = np.log(passages - document_frequency + 0.5) - np.log(
        document_frequency + 0.5
    )
    occurs = document_frequency > 0
    if occurs.any():
        idf[idf < 0] = EPSILON * idf[occurs].mean()
    return idf


def lucene_idf(document_frequency: AnyArray, passages: int) -> NDArray[np.float64]:
    """Return log(1 + (N - n + 0.5) / (n + 0.5))."""
    idf: NDArray[np.float64] = np.log1p(
        (passages - document_frequency + 0.5) / (document_frequency + 0.5)
    )
    return idf


@dataclass(frozen=True, slots=True)
class InvertedIndex:
    """The counts of each term in each of n passages.

    terms numbers the terms. The postings of term t are passages[edges[t] : edges[t + 1]], in
    order, and counts has the same layout; lengths (n,) are the numbers of terms in the passages.
    """

    terms: Mapping[str, int]
    edges: Ints
    passages: Ints
    counts: Ints
    lengths: Ints


def index_passages(texts: Iterable[Sequence[str]], starts: Ints1d, ends: Ints1d) -> InvertedIndex:
    """Return the index of the passages [starts, ends) (n,) of texts, given as their terms."""
    terms: dict[str, int] = {}
    term_lists = [[terms.setdefault(term, len(terms)) for term in text] for text in texts]
    text_edges = np.cumsum([0, *map(len, term_lists)])
    text_terms = np.array(list(chain.from_iterable(term_lists)), np.int64)
    lengths = text_edges[ends] - text_edges[starts]
    passage = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(passage)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    term = text_terms[np.repeat(text_edges[starts], lengths) + within]
    # A number for each pair of term and passage, which sorts by term and then passage.
    pairs, counts = np.unique(term * len(lengths) + passage, return_counts=True)
    term, passages = np.divmod(pairs, max(len(lengths), 1))
    document_frequency = np.bincount(term, minlength=len(terms))
    edges = np.concatenate(([0], np.cumsum(document_frequency)))
    return InvertedIndex(terms, edges, passages, counts, lengths)


@dataclass(frozen=True)
class BM25:
    """Scores the n passages of an index. k1 saturates counts, b weighs the lengths of passages.

    Passages with equal terms have equal scores, to the last bit.
    """

    index: InvertedIndex
    idf: Idf
    k1: float
    b: float

    def scores(self, query: Mapping[str, int]) -> NDArray[np.float64]:
        """Return the scores (n,) for the terms of a query, each with its weight."""
        index = self.index
        total = np.zeros(len(index.lengths))
        for term, count in query.items():
            if (number := index.terms.get(term)) is not None:
                postings = slice(index.edges[number], index.edges[number + 1])
                total[index.passages[postings]] += count * self._posting_scores[postings]
        return total

    def count_scores(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores (n,) for one term that is not in the index, given its counts in the
        passages (n,); a count below 1 adds only itself to the document frequency."""
        document_frequency = np.minimum(counts, 1).sum(keepdims=True)
        idf = self.idf(document_frequency, len(counts))
        return self._saturate(idf, counts, self._length_norms)

    @cached_property
    def _posting_scores(self) -> NDArray[np.float64]:
        index = self.index
        document_frequency = np.diff(index.edges)
        idf = np.repeat(self.idf(document_frequency, len(index.lengths)), document_frequency)
        return self._saturate(idf, index.counts, self._length_norms[index.passages])

    @cached_property
    def _length_norms(self) -> NDArray[np.float64]:
        """The counts (n,) at which terms have half of their highest score."""
        lengths = self.index.lengths
        mean_length = (float(lengths.mean()) if len(lengths) else 0.0) or 1.0
        norms: NDArray[np.float64] = self.k1 * (1 - self.b + self.b * (lengths / mean_length))
        return norms

    def _saturate(
        self, idf: NDArray[np.float64], counts: AnyArray, length_norms: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = idf * counts * (self.k1 + 1) / (counts + length_norms)
        return scores
