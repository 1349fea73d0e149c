"""The places of a book that mean its characters, kept in the book's folder.

people.npz      where each begins and ends, and the character that it means
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scholar_indexes.arrays import Ints1d
from scholar_indexes.storage.derived import DerivedFile

SCHEMA_VERSION = 1
FILE = "people.npz"


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The places of a text that mean a character of a cast, in text order.

    They are names, noun phrases ("the old lady") and pronouns, one within another too. `starts`
    and `ends` (n,) are positions in the text, `characters` (n,) indices in the cast.
    """

    starts: Ints1d
    ends: Ints1d
    characters: Ints1d

    def __len__(self) -> int:
        return len(self.starts)


def save(folder: Path, cache_key: str, people: People) -> None:
    """Write the people of a book to its cache file."""
    arrays = {
        "starts": people.starts.astype(np.uint32),
        "ends": people.ends.astype(np.uint32),
        "characters": people.characters.astype(np.uint32),
    }
    DerivedFile(folder / FILE, SCHEMA_VERSION, cache_key).save_arrays({}, arrays)


def load(folder: Path, cache_key: str, size: int, cast: int) -> People | None:
    """Return the cached people of a book, or None if there are no valid ones under this key.

    size is that of the text and cast the number of characters: what is outside them makes the
    file damaged.
    """
    return DerivedFile(folder / FILE, SCHEMA_VERSION, cache_key).load_arrays(
        lambda _, arrays: _check(
            People(*(arrays[name].astype(np.int64) for name in ("starts", "ends", "characters"))),
            size,
            cast,
        )
    )


def _check(people: People, size: int, cast: int) -> People:
    """Return people; raises ValueError for arrays that do not fit each other and the book."""
    is_sound = (
        people.starts.shape == people.ends.shape == people.characters.shape
        and bool((people.starts < people.ends).all())
        and people.ends.max(initial=0) <= size
        and people.characters.max(initial=-1) < cast
    )
    if not is_sound:
        raise ValueError("places outside the text or the cast")
    return people
