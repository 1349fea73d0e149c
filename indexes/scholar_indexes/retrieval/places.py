"""Places of the index: runs of sentences of a book."""

from __future__ import annotations

from typing import NamedTuple

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

    @classmethod
    def of_key(cls, key: int, size: int) -> Place:
        """Return `size` sentences, beginning with the one of a row's key."""
        first = key & ((1 << EDITION_BITS) - 1)
        return cls(key >> EDITION_BITS, first, first + size)
