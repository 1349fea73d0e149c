"""BM25 over windows of three sentences, by stems or by words.

SoftBM25 also counts words that are similar to a query term, by the cosine of their vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.content_words import content_stems, content_words
from scholar_indexes.characters.solver.quantization import Bytes, dequantize, quantize
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex, window_edges
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.retrieval.bm25 import BM25, InvertedIndex, index_passages, lucene_idf

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder

K1 = 1.2
B = 0.4
"""The parameters of BM25: the saturation of term counts, and the weight of window lengths."""

WINDOW = 3
"""The sentences of a window: one and its neighbours in the same chapter."""

MIN_SIMILARITY = 0.55
"""The cosine above which a word counts as similar to a query term, with a weight growing to 1."""


def window_bm25(index: InvertedIndex) -> BM25:
    """Return the solver's BM25 over indexed windows."""
    return BM25(index, lucene_idf, K1, B)


def index_stems(sentences: SentenceIndex) -> BM25:
    """Index the stems of a book, by the window around each of its sentences."""
    return _index_windows(sentences, content_stems)


def index_words(sentences: SentenceIndex) -> BM25:
    """Index the words of a book, not stemmed, by the window around each of its sentences."""
    return _index_windows(sentences, content_words)


def _index_windows(sentences: SentenceIndex, analyze: Callable[[str], list[str]]) -> BM25:
    texts = (analyze(span.of(sentences.text)) for span in sentences.spans)
    return window_bm25(index_passages(texts, *window_edges(sentences.chapters, WINDOW)))


@dataclass(frozen=True, slots=True)
class SoftBM25:
    """BM25 that also counts similar words.

    vectors (terms, d) are the quantized vectors of the words of the index, each encoded by itself;
    stems (terms,) are the words' stems.
    """

    words: BM25
    vectors: Bytes
    stems: NDArray[np.str_]

    def scores(self, texts: Sequence[str], encoder: Encoder) -> Floats:
        """Return the scores of all windows for each text, (n, m)."""
        index = self.words.index
        queries = [sorted(set(content_words(text))) for text in texts]
        terms = sorted({term for query in queries for term in query})
        scores = np.zeros((len(texts), len(index.lengths)), np.float32)
        if not terms or not index.terms:
            return scores
        cosines = encoder.encode(terms) @ dequantize(self.vectors).T
        similarity = np.maximum(cosines - MIN_SIMILARITY, 0) / (1 - MIN_SIMILARITY)
        for position, term in enumerate(terms):
            similarity[position, self.stems == stem(term)] = 1
            counts = _weighted_counts(index, similarity[position])
            term_scores = self.words.count_scores(counts)
            for row, query in enumerate(queries):
                if term in query:
                    scores[row] += term_scores
        return scores


def _weighted_counts(index: InvertedIndex, weights: Floats) -> NDArray[np.float64]:
    """Return the sum of the term counts in each window (m,), multiplied by the terms' weights
    (terms,)."""
    posting_weights = np.repeat(weights, np.diff(index.edges))
    postings = np.flatnonzero(posting_weights)
    counts = index.counts[postings] * posting_weights[postings]
    summed = np.bincount(index.passages[postings], counts, len(index.lengths))
    return summed.astype(np.float64)  # without postings, bincount returns integers


def index_similar_words(sentences: SentenceIndex, encoder: Encoder) -> SoftBM25:
    """Index the words of a book with their vectors; takes about a second for a novel."""
    bm25 = index_words(sentences)
    words = list(bm25.index.terms)
    return SoftBM25(bm25, quantize(encoder.encode(words)), np.array(list(map(stem, words)), str))
