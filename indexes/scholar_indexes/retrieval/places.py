"""Places of the index: runs of sentences of a book."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scholar_indexes.arrays import Ints1d
from scholar_indexes.storage.passages import EDITION_BITS


class Place(NamedTuple):
    """The sentences [first, end) of an edition."""

    edition: int
    first: int
    end: int

    @property
    def size(self) -> int:
        """The number of sentences."""
        return self.end - self.first

    @property
    def keys(self) -> Ints1d:
        """The keys of the sentences in the index, (size,)."""
        keys: Ints1d = (self.edition << EDITION_BITS) + np.arange(self.first, self.end)
        return keys

    @classmethod
    def of_keys(cls, keys: Ints1d, sizes: Ints1d) -> list[Place]:
        """Return the places of these sizes that begin at the keys of sentences; both (n,)."""
        editions = (keys >> EDITION_BITS).tolist()
        firsts = keys & ((1 << EDITION_BITS) - 1)
        ends = (firsts + sizes).tolist()
        return list(map(cls, editions, firsts.tolist(), ends))

    def overlaps(self, other: Place) -> bool:
        """Return True if the places have a sentence in common."""
        return self.edition == other.edition and self.first < other.end and other.first < self.end
