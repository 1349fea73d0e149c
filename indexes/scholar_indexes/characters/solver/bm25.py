"""BM25 over windows of three sentences (Robertson and Zaragoza 2009), in stems or in words.

SoftBM25 counts words that are similar to a query term too, by the cosine of their vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.characters.solver.quantization import Bytes, dequantize, quantize
from scholar_indexes.characters.solver.sentences import SentenceIndex
from scholar_indexes.characters.solver.terms import content_stems, content_words
from scholar_indexes.retrieval.stemming import heavy_stem

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder

K1 = 1.2
B = 0.4
"""The parameters of BM25: the saturation of term counts, and the weight of window lengths."""

MIN_SIMILARITY = 0.55
"""The cosine from which a word counts as similar to a query term, growing up to 1."""


@dataclass(frozen=True, slots=True)
class WindowBM25:
    """An inverted index of m sentences that scores the window of three around each.

    terms numbers the terms. The postings of term t are rows[edges[t] : edges[t + 1]], a sentence
    as often as it has the term; lengths (m,) are the content words of the windows, chapters (m,)
    those of the sentences, which a window does not cross.
    """

    terms: Mapping[str, int]
    rows: Ints
    edges: Ints
    lengths: Floats
    chapters: Ints

    def scores(self, text: str) -> Floats:
        """Return the scores (m,) of all windows for the stems of a text."""
        total = np.zeros(len(self.lengths), np.float32)
        for stem in set(content_stems(text)):
            if (term := self.terms.get(stem)) is not None:
                counts = self._window_counts(np.array([term]), np.ones(1))
                total += self._term_scores(counts, float((counts > 0).sum()))
        return total

    def soft_scores(self, similarity: Floats) -> Floats:
        """Return the scores (m,) of all windows for one query term; similarity (terms,) in [0, 1]
        weighs the counts of every term of the index."""
        terms = np.flatnonzero(similarity)
        counts = self._window_counts(terms, similarity[terms])
        return self._term_scores(counts, float(np.minimum(counts, 1).sum()))

    def _window_counts(self, terms: Ints, weights: NDArray[np.floating[Any]]) -> Floats:
        """Return the weighted counts (m,) of terms in each window."""
        starts, ends = self.edges[terms], self.edges[terms + 1]
        postings = [self.rows[start:end] for start, end in zip(starts, ends, strict=True)]
        rows = np.concatenate([np.zeros(0, np.int64), *postings])
        counts = np.bincount(rows, np.repeat(weights, ends - starts), len(self.lengths))
        return _add_neighbours(counts.astype(np.float32), self.chapters)

    def _term_scores(self, counts: Floats, document_frequency: float) -> Floats:
        m = len(self.lengths)
        size = (1 - B) + B * self.lengths / (float(self.lengths.mean()) or 1.0)
        idf = np.log(1 + (m - document_frequency + 0.5) / (document_frequency + 0.5))
        scores: Floats = (idf * counts / (counts + K1 * size)).astype(np.float32)
        return scores


def index_stems(sentences: SentenceIndex) -> WindowBM25:
    """Index the stems of a book."""
    return _index_terms(sentences, content_stems)


def index_words(sentences: SentenceIndex) -> WindowBM25:
    """Index the words of a book as they are written."""
    return _index_terms(sentences, content_words)


def _index_terms(sentences: SentenceIndex, analyze: Callable[[str], list[str]]) -> WindowBM25:
    terms: dict[str, int] = {}
    rows, columns = [], []
    lengths = np.zeros(len(sentences), np.float32)
    for row, span in enumerate(sentences.spans):
        sentence_terms = analyze(span.of(sentences.text))
        lengths[row] = len(sentence_terms)
        for term in sentence_terms:
            columns.append(terms.setdefault(term, len(terms)))
            rows.append(row)
    column = np.array(columns, np.int64)
    return WindowBM25(
        terms,
        np.array(rows, np.int64)[np.argsort(column, kind="stable")],
        np.concatenate(([0], np.cumsum(np.bincount(column, minlength=len(terms))))),
        _add_neighbours(lengths, sentences.chapters),
        sentences.chapters,
    )


def _add_neighbours(values: Floats, chapters: Ints) -> Floats:
    """Return each sentence's value plus those of its neighbours in the same chapter, (m,)."""
    total = values.copy()
    same_chapter = chapters[1:] == chapters[:-1]
    total[1:] += values[:-1] * same_chapter
    total[:-1] += values[1:] * same_chapter
    return total


@dataclass(frozen=True)
class SoftBM25:
    """BM25 that counts similar words too; vectors (terms, d) are those of the words of the index,
    each encoded by itself, quantized."""

    words: WindowBM25
    vectors: Bytes

    @cached_property
    def _stems(self) -> NDArray[np.str_]:
        return np.array([heavy_stem(word) for word in self.words.terms])

    def scores(self, texts: Sequence[str], encoder: Encoder) -> Floats:
        """Return the scores of all windows for each text, (n, m)."""
        queries = [sorted(set(content_words(text))) for text in texts]
        terms = sorted({term for query in queries for term in query})
        scores = np.zeros((len(texts), len(self.words.lengths)), np.float32)
        if not terms or not self.words.terms:
            return scores
        cosines = encoder.encode(terms) @ dequantize(self.vectors).T
        similarity = np.maximum(cosines - MIN_SIMILARITY, 0) / (1 - MIN_SIMILARITY)
        for position, term in enumerate(terms):
            similarity[position, self._stems == heavy_stem(term)] = 1
            term_scores = self.words.soft_scores(similarity[position])
            for row, query in enumerate(queries):
                if term in query:
                    scores[row] += term_scores
        return scores


def index_similar_words(sentences: SentenceIndex, encoder: Encoder) -> SoftBM25:
    """Index the words of a book with their vectors; about a second for a novel."""
    words = index_words(sentences)
    return SoftBM25(words, quantize(encoder.encode(list(words.terms))))
