"""Late interaction (ColBERT, Khattab and Zaharia 2020) between a claim and passages of a work.

Equation 3: the score is the sum, over the tokens of the claim, of the best cosine with a token of
the passage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.characters.solver.quantization import unit_rows
from scholar_indexes.characters.solver.token_vectors import encode_tokens
from scholar_indexes.claims import MASK
from scholar_indexes.models.encoder import Encoder

CHUNK = 1_000
"""Sentences that are compared at a time: bounds memory."""

NO_MATCH = -1.0
"""The cosine of a token with a sentence without tokens."""


class TokenIndex:
    """The unit vectors of all tokens of m sentences, each read in its context; float16."""

    def __init__(self, sentences: Sequence[str], encoder: Encoder) -> None:
        self._encoder = encoder
        _, vectors, self._edges = encode_tokens(sentences, [0] * len(sentences), encoder)
        self._vectors = unit_rows(vectors).astype(np.float16)

    def best_cosines(self, claims: Sequence[str]) -> list[Floats2d]:
        """Return for each claim the best cosine of each of its t tokens with a token of each
        sentence, (t, m)."""
        asked = [self._encode_claim(claim) for claim in claims]
        best = [
            np.full((len(tokens), len(self._edges) - 1), NO_MATCH, np.float32) for tokens in asked
        ]
        for rows, starts, vectors in self._chunks():
            for tokens, table in zip(asked, best, strict=True):
                table[:, rows] = np.maximum.reduceat(tokens @ vectors.T, starts, axis=1)
        return best

    def _encode_claim(self, claim: str) -> Floats2d:
        """Return the unit vectors (t, d) of the tokens of a claim, encoded by itself."""
        _, vectors, _ = encode_tokens([MASK.sub(" ", claim)], [0], self._encoder)
        return unit_rows(vectors)

    def _chunks(self) -> Iterator[tuple[Ints1d, Ints1d, Floats2d]]:
        """Yield the rows (c,) of sentences with tokens, the starts of their tokens among the
        vectors, and the vectors (t, d)."""
        bounds = [*range(0, len(self._edges) - 1, CHUNK), len(self._edges) - 1]
        for first, end in pairwise(bounds):
            edges = self._edges[first : end + 1]
            rows = np.flatnonzero(np.diff(edges))
            if len(rows):
                vectors = self._vectors[edges[0] : edges[-1]].astype(np.float32)
                yield first + rows, edges[rows] - edges[0], vectors


def sum_of_best(best: Floats2d, starts: Ints1d, size: int) -> Floats1d:
    """Return the scores (n,) of the passages of `size` sentences from starts (n,), given the best
    cosines (t, m) of the claim's tokens with each sentence."""
    within = best[:, starts]
    for following in range(1, size):
        within = np.maximum(within, best[:, starts + following])
    scores: Floats1d = within.sum(axis=0)
    return scores
