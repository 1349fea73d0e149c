"""Score the sentences of a book by how well they match descriptions.

    description -> BM25, soft BM25, window vectors, token vectors -> scores of every sentence

Vectors of windows match what a passage is about; token vectors match every word by itself, and
rare words count most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.book_index import BookIndex
from scholar_indexes.characters.solver.content_words import content_stems
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.window_vectors import WindowVectors

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """The scores of m sentences for d descriptions, (d, m) each and standardized by row.

    passage is from stems and window vectors, combined from everything; token and token_near are
    from token vectors within the sentence and within eight; similar is from soft BM25. vectors
    (d, n) are the vectors of the descriptions.
    """

    passage: Floats
    combined: Floats
    token: Floats
    token_near: Floats
    similar: Floats
    vectors: Floats

    def select(self, rows: Sequence[int]) -> SentenceScores:
        """Return the scores of the descriptions in the given rows."""
        chosen = list(rows)
        return SentenceScores(
            self.passage[chosen],
            self.combined[chosen],
            self.token[chosen],
            self.token_near[chosen],
            self.similar[chosen],
            self.vectors[chosen],
        )


class SentenceScorer:
    """Scores descriptions against the sentences of one book."""

    def __init__(self, sentences: SentenceIndex, index: BookIndex, encoder: Encoder) -> None:
        self._index, self._encoder = index, encoder
        self.windows = WindowVectors(sentences, index.window_lengths)

    def scores(self, descriptions: Sequence[str]) -> SentenceScores:
        """Return the scores of all sentences for descriptions."""
        vectors = self._encoder.encode_claims(descriptions)
        text_vectors = self._encoder.encode(descriptions)
        one, three, seven, seventeen = map(standardize, self.windows.scores(vectors).values())
        three_text = standardize(self.windows.scores(text_vectors)[3])
        stems = standardize(self._stem_scores(descriptions))
        similar, token_scores = self._term_scores(descriptions)
        token, token_close, token_near, token_wide = token_scores
        passage = standardize(one + three + three_text + 0.7 * (seven + seventeen)) + 0.8 * stems
        combined = (
            0.3 * one
            + 0.3 * three
            + 0.2 * three_text
            + 0.2 * seventeen
            + 0.1 * seven
            + 0.1 * stems
            + 0.3 * similar
            + 0.4 * token
            + 0.7 * token_close
            + 0.6 * token_near
            + 0.3 * token_wide
        )
        return SentenceScores(
            standardize(passage), standardize(combined), token, token_near, similar, vectors
        )

    def head_scores(self, heads: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the scores (h, m) of all sentences for head noun phrases: by similar words, and
        by the tokens of the sentence."""
        similar, token_scores = self._term_scores(heads)
        return similar, token_scores[0]

    def _stem_scores(self, texts: Sequence[str]) -> Floats:
        """Return the scores of BM25 (n, m), each stem of a text counting once."""
        queries = [dict.fromkeys(content_stems(text), 1) for text in texts]
        return np.array([self._index.stems.scores(query) for query in queries], np.float32)

    def _term_scores(self, texts: Sequence[str]) -> tuple[Floats, list[Floats]]:
        """Return the scores of soft BM25 (n, m), and of token vectors within each reach."""
        similar = standardize(self._index.similar_words.scores(texts, self._encoder))
        tokens = self._index.tokens.scores(texts, self._encoder)
        return similar, [standardize(table) for table in tokens]


def standardize(scores: Floats) -> Floats:
    """Return each row with mean 0 and standard deviation 1."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    standardized: Floats = centred / (scores.std(axis=1, keepdims=True) + 1e-6)
    return standardized
