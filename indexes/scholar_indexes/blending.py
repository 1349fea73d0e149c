"""A dense and a lexical score as one."""

from __future__ import annotations

import numpy as np

from scholar_indexes.arrays import AnyFloats

LEXICAL_SHARE = 0.1
"""The weight of the best BM25, as a cosine."""


def blend_scores(
    cosines: AnyFloats,
    bm25: AnyFloats,
    *,
    share: float = LEXICAL_SHARE,
    best: AnyFloats | None = None,
) -> AnyFloats:
    """Return the cosines plus `share` of the BM25, each (..., w). BM25 is divided by its best,
    since it grows with the number of words in a query; `best` is given if the windows answer
    different queries.

    A weighted sum keeps how much better one window is than the next, which reciprocal
    rank fusion loses (Bruch et al. 2023); docs/retriever.md has the gain.
    """
    if best is None:
        best = bm25.max(axis=-1, keepdims=True, initial=0.0)
    blended: AnyFloats = cosines + share * bm25 / np.maximum(best, 1e-9)
    return blended
