"""The addresses of the rows of editions in a table, as learned from the answers to queries.

The rows of an edition are written at once, in the order of its sentences, and stay beside one
another. The address of one row therefore gives those of the others, except where an edition
goes on in another file.
"""

from __future__ import annotations

import numpy as np

from scholar_indexes.arrays import AnyInts, Ints1d

_UNKNOWN = -(1 << 62)
"""In place of the address of an edition's first sentence, so that those of all are negative."""


class EditionAddresses:
    """The addresses that the first sentences of editions have in one version of a table, if all
    others follow them."""

    def __init__(self) -> None:
        self._version = -1
        self._first: dict[int, int] = {}

    def note(self, version: int, editions: Ints1d, numbers: Ints1d, addresses: AnyInts) -> None:
        """Note the addresses (n,) of rows by their editions and the numbers of their sentences."""
        if version != self._version:
            self._version, self._first = version, {}
        first = addresses.astype(np.int64) - numbers
        self._first.update(zip(editions.tolist(), first.tolist(), strict=True))

    def of_rows(self, version: int, editions: Ints1d, numbers: Ints1d) -> Ints1d:
        """Return the addresses of rows, without those of editions that are not known. A row may
        stand elsewhere all the same, and another one, or none, where it is said to be."""
        if version != self._version:
            return np.zeros(0, np.int64)
        known, positions = np.unique(editions, return_inverse=True)
        first = np.array([self._first.get(edition, _UNKNOWN) for edition in known.tolist()])
        addresses: Ints1d = first.astype(np.int64)[positions] + numbers
        return addresses[addresses >= 0]
