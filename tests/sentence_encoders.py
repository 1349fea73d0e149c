"""The base class of the simple encoders of the tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d


class SentenceEncoder(ABC):
    """An encoder that encodes claims and sentences like any texts; a subclass adds encode."""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Floats2d:
        """Return the vector of each text."""

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        return self.encode(claims)

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        return self.encode(sentences), np.ones(len(sentences), np.float32)
