"""Late interaction of token vectors (ColBERT, Khattab and Zaharia 2020) over a book's sentences.

Every token of a description is matched with the most similar token of a sentence, or of the
sentences near it; the mean over the tokens of a description is weighted by their rarity. The
vectors of a book are projected onto the principal axes of its sentences and quantized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.characters.solver.quantization import (
    Bytes,
    dequantize,
    quantize,
    unit_rows,
)
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder

REACHES = (1, 3, 8, 24)
"""The distances in sentences, plus one, within which a token may be matched; see DECAY."""

DECAY = 0.6
"""The share of a cosine that is lost at the end of a reach; the loss grows linearly up to there."""

MAX_FREQUENCY = 0.004
"""Tokens with a larger share of all tokens than this are excluded."""

DIMENSIONS = 96
"""The number of principal axes."""

NO_MATCH = -0.2
"""The cosine of a token with a sentence without tokens."""


@dataclass(frozen=True)
class TokenVectors:
    """The t tokens of a book that are not too frequent, in order.

    vectors (t, k) are their quantized unit vectors along the axes (d, k) minus the mean (k,);
    counts (m,) are the numbers of tokens of each sentence, chapters (m,) its chapter; rarity is
    the rarity of each token of the encoder's vocabulary, in [0, 1].
    """

    vectors: Bytes
    counts: Ints
    axes: Floats
    mean: Floats
    rarity: Floats
    chapters: Ints

    def scores(self, texts: Sequence[str], encoder: Encoder) -> Floats:
        """Return the scores of all sentences for each text within each of REACHES, (reaches, n,
        m): the mean over the text's tokens of the best cosine, weighted by squared rarity."""
        m = len(self.chapters)
        scores = np.zeros((len(REACHES), len(texts), m), np.float32)
        if not m:
            return scores
        filled = np.flatnonzero(self.counts)
        starts = (np.cumsum(self.counts) - self.counts)[filled]
        vectors_of_book = self._dequantized
        for column, (ids, vectors) in enumerate(_encode_each(texts, encoder)):
            weights = _lookup_rarity(self.rarity, ids) ** 2
            weights = weights / max(float(weights.sum()), 1e-9)
            best = np.full((len(vectors), m), NO_MATCH, np.float32)
            if len(filled):
                cosines = unit_rows(vectors @ self.axes - self.mean) @ vectors_of_book.T
                best[:, filled] = np.maximum.reduceat(cosines, starts, axis=1)
            for reach, table in zip(REACHES, scores, strict=True):
                table[column] = weights @ _best_within(best, reach, self.chapters)
        return scores

    @cached_property
    def _dequantized(self) -> Floats:
        return dequantize(self.vectors)


def index_tokens(
    sentences: SentenceIndex, encoder: Encoder, label: str = "", progress: Progress = silent
) -> TokenVectors:
    """Encode the tokens of a book, in the same chunks as its sentences."""
    from scholar_indexes.books.adding.ingest import CHUNK, normalize_sentence

    axes = principal_axes(sentences.vectors, DIMENSIONS)
    ids, vectors = [np.zeros(0, np.int64)], [np.zeros((0, axes.shape[1]), np.float32)]
    counts = [np.zeros(0, np.int64)]
    for first in range(0, len(sentences), CHUNK):
        progress(label, first, len(sentences))
        chunk = slice(first, first + CHUNK)
        texts = [normalize_sentence(span.of(sentences.text)) for span in sentences.spans[chunk]]
        chapters = sentences.chapters[chunk].tolist()
        chunk_ids, chunk_vectors, edges = encode_tokens(texts, chapters, encoder)
        ids.append(chunk_ids)
        vectors.append(chunk_vectors @ axes)
        counts.append(np.diff(edges))
    progress(label, len(sentences), len(sentences))
    return _select_rare_tokens(
        np.concatenate(ids),
        np.concatenate(vectors),
        np.concatenate(counts),
        axes,
        sentences.chapters,
    )


def _select_rare_tokens(
    ids: Ints, vectors: Floats, counts: Ints, axes: Floats, chapters: Ints
) -> TokenVectors:
    """Return the tokens (t,) that are not more frequent than MAX_FREQUENCY; an encoder without
    tokens has one id for all sentences, which are all kept."""
    frequency = np.bincount(ids, minlength=1)
    rarity = np.log(1 + len(ids) / (frequency + 1.0))
    rarity = (rarity / max(float(rarity.max()), 1e-9)).astype(np.float32)
    is_rare = frequency[ids] <= max(MAX_FREQUENCY * len(ids), 2)
    selected = is_rare | (len(frequency) == 1)
    mean = (vectors.sum(axis=0, dtype=np.float64) / max(len(vectors), 1)).astype(np.float32)
    rows = np.repeat(np.arange(len(counts)), counts)[selected]
    return TokenVectors(
        quantize(unit_rows(vectors[selected] - mean)),
        np.bincount(rows, minlength=len(counts)),
        axes,
        mean,
        rarity,
        chapters,
    )


def principal_axes(vectors: Floats, k: int) -> Floats:
    """Return the first k principal axes of vectors (m, d), or all, as columns (d, k)."""
    centred = vectors - vectors.sum(axis=0) / np.float32(max(len(vectors), 1))
    _, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    return np.ascontiguousarray(axes[:, ::-1][:, :k], np.float32)


def encode_tokens(
    texts: Sequence[str], chapters: Sequence[int], encoder: Encoder
) -> tuple[Ints, Floats, Ints]:
    """Return the ids (t,) and vectors (t, d) of the tokens of n texts, and the edges (n + 1,)
    between the texts; an encoder without tokens gives one token for each text."""
    from scholar_indexes.models.encoder import MeanPooled

    if isinstance(encoder, MeanPooled):
        return encoder.encode_tokens(texts, chapters)
    vectors, _ = encoder.encode_sentences(texts, list(chapters))
    return np.zeros(len(texts), np.int64), vectors, np.arange(len(texts) + 1)


def _encode_each(texts: Sequence[str], encoder: Encoder) -> list[tuple[Ints, Floats]]:
    """Return the token ids and vectors of each text, encoded independently of the others."""
    ids, vectors, edges = encode_tokens(texts, range(len(texts)), encoder)
    return [(ids[start:end], vectors[start:end]) for start, end in pairwise(edges.tolist())]


def _lookup_rarity(rarity: Floats, ids: Ints) -> Floats:
    """Return the rarity of tokens; 1 for a token that is not in the book."""
    values = np.where(ids < len(rarity), rarity[np.minimum(ids, len(rarity) - 1)], 1)
    floats: Floats = values.astype(np.float32)
    return floats


def _best_within(best: Floats, reach: int, chapters: Ints) -> Floats:
    """Return the best decayed cosines among the sentences within reach of each in its chapter,
    (tokens, m)."""
    result = best.copy()
    for step in range(1, min(reach, len(chapters))):
        share = (chapters[step:] == chapters[:-step]) * np.float32(1 - DECAY * step / reach)
        np.maximum(result[:, step:], best[:, :-step] * share, out=result[:, step:])
        np.maximum(result[:, :-step], best[:, step:] * share, out=result[:, :-step])
    return result
