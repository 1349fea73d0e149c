"""RELiC's BM25 baseline: BM25Okapi of the package rank_bm25 reimplemented, and the package
itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Ints1d
from scholar_indexes.claims import MASK
from scholar_indexes.errors import ConfigError
from scholar_indexes.retrieval.bm25 import BM25, index_passages, okapi_idf

K1, B = 0.5, 0.9
"""The parameters that RELiC tuned."""


class Okapi:
    """BM25 over passages of `size` consecutive texts, one from each of starts (n,)."""

    def __init__(
        self, texts: Sequence[str], starts: Ints1d, size: int = 1, *, k1: float = K1, b: float = B
    ) -> None:
        index = index_passages(map(tokenize, texts), starts, starts + size)
        self._bm25 = BM25(index, okapi_idf, k1, b)

    def scores(self, claim: str) -> NDArray[np.float64]:
        """Return the scores (n,) of the passages; a word counts as often as it occurs in the
        claim."""
        return self._bm25.scores(Counter(tokenize(MASK.sub(" ", claim))))


class LibraryOkapi:
    """The package's own BM25 over passages of `size` consecutive texts, as RELiC calls it.

    Raises ConfigError without the package.
    """

    def __init__(self, texts: Sequence[str], starts: Ints1d, size: int = 1) -> None:
        try:
            import rank_bm25
        except ImportError:
            raise ConfigError(
                "the system rank_bm25 needs the package of that name; "
                "run: pip install 'scholar-cli[lab]'"
            ) from None
        words = [tokenize(text) for text in texts]
        passages = [
            [word for text in words[start : start + size] for word in text]
            for start in starts.tolist()
        ]
        self._bm25 = rank_bm25.BM25Okapi(passages, k1=K1, b=B)

    def scores(self, claim: str) -> NDArray[np.float64]:
        """Return the scores (n,) of the passages; a word counts as often as it occurs in the
        claim."""
        scores: NDArray[np.float64] = self._bm25.get_scores(tokenize(MASK.sub(" ", claim)))
        return scores


def tokenize(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.lower())
