"""The addresses of the rows of editions in a table, as learned from the results of queries.

The rows of an edition are written at once, in the order of its sentences, and stay adjacent.
The address of one row therefore gives the addresses of the others, unless an edition continues
in another file.
"""

from __future__ import annotations

import numpy as np

from scholar_indexes.arrays import AnyInts, Ints1d

_UNKNOWN = -(1 << 62)
"""The first address of an unknown edition, which makes the addresses of all its rows negative."""


class EditionAddresses:
    """The addresses of the first sentences of editions in one version of a table, if all others
    follow them."""

    def __init__(self) -> None:
        self._version = -1
        self._first: dict[int, int] = {}

    def note(self, version: int, editions: Ints1d, numbers: Ints1d, addresses: AnyInts) -> None:
        """Record the addresses (n,) of rows, given their editions and sentence numbers."""
        if version != self._version:
            self._version, self._first = version, {}
        first = addresses.astype(np.int64) - numbers
        self._first.update(zip(editions.tolist(), first.tolist(), strict=True))

    def of_rows(self, version: int, editions: Ints1d, numbers: Ints1d) -> Ints1d:
        """Return the expected addresses of rows, omitting unknown editions. A row may still be
        elsewhere, with another row, or none, at its expected address."""
        if version != self._version:
            return np.zeros(0, np.int64)
        known, positions = np.unique(editions, return_inverse=True)
        first = np.array([self._first.get(edition, _UNKNOWN) for edition in known.tolist()])
        addresses: Ints1d = first.astype(np.int64)[positions] + numbers
        return addresses[addresses >= 0]
