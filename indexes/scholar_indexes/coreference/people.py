"""The mentions and speeches of a book's characters, stored in the book's folder.

people.npz      the cast, and the start, end and character of every mention and speech
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholar_indexes.arrays import AnyArray, AnyInts, Ints1d
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import book_folder, checked_files
from scholar_indexes.storage.derived import DerivedFile, character_record, parse_character
from scholar_indexes.types import Character

RECENT_BOOKS = 32
"""The number of books whose people stay in memory, about a megabyte each."""

RECENT_PRESENCES = 128
"""The number of books whose characters by sentence stay in memory, some 0.4 megabytes each."""

EVERYWHERE = 0.4
"""The minimum share of a book's sentences with a narrator who is in nearly every passage: in more
than nine of ten passages of five sentences."""

SCHEMA_VERSION = 2
FILE = "people.npz"


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Spans of a text that belong to characters of a cast, in text order.

    `starts` and `ends` (n,) are positions in the text, `characters` (n,) indices in the cast.
    """

    starts: Ints1d
    ends: Ints1d
    characters: Ints1d

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class BookPeople:
    """The people of a book: its cast, and the mentions and speeches of its characters.

    `mentions` are names, noun phrases ("the old lady") and pronouns, and may be nested; `speeches`
    are the pieces of quotations.
    """

    cast: tuple[Character, ...]
    mentions: People
    speeches: People

    def in_sentences(self, sentences: AnyInts) -> SentencePeople:
        """Return the characters in sentences, which are (m, 4): chapter, paragraph, start, end."""
        starts, ends = sentences[:, 2], sentences[:, 3]
        rows, characters = [], []
        for places in (self.mentions, self.speeches):
            first = np.searchsorted(ends, places.starts, "right")
            last = np.searchsorted(starts, places.ends, "left")
            counts = np.maximum(last - first, 0)
            offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            rows.append(np.repeat(first, counts) + offsets)
            characters.append(np.repeat(places.characters, counts))
        size = max(len(self.cast), 1)
        # One number for each pair of a sentence and a character, since sorting pairs is slow. They
        # are nearly sorted, which a stable sort exploits and np.unique does not.
        pairs = np.sort(np.concatenate(rows) * size + np.concatenate(characters), kind="stable")
        pairs = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
        return SentencePeople(self.cast, *np.divmod(pairs, size))


_NOWHERE = People(*(np.zeros(0, np.int64) for _ in range(3)))
NOBODY = BookPeople((), _NOWHERE, _NOWHERE)
"""The people of a book without characters."""


@dataclass(frozen=True, slots=True, eq=False)
class SentencePeople:
    """The characters of a cast in each sentence: named, referred to or speaking.

    `sentences` (n,) are ascending, `characters` (n,) are indices in the cast.
    """

    cast: tuple[Character, ...]
    sentences: Ints1d
    characters: Ints1d

    def within(self, first: int, end: int) -> list[Character]:
        """Return the characters in the sentences [first, end), the most frequent first."""
        begin, stop = np.searchsorted(self.sentences, (first, end))
        numbers, counts = np.unique(self.characters[begin:stop], return_counts=True)
        return [self.cast[number] for number in numbers[np.argsort(-counts, kind="stable")]]

    def sentences_with(self, character: int) -> Ints1d:
        """Return the numbers of the sentences with a character, ascending."""
        numbers: Ints1d = self.sentences[self.characters == character]
        return numbers

    def is_everywhere(self, character: int) -> bool:
        """Return True for a narrator who is in nearly every passage of the book."""
        sentences = int(self.sentences.max(initial=-1)) + 1
        return self.cast[character].narrator and (
            len(self.sentences_with(character)) >= EVERYWHERE * sentences
        )


def save(folder: Path, cache_key: str, people: BookPeople) -> None:
    """Write the people of a book to its cache file."""
    record = {"cast": [character_record(character) for character in people.cast]}
    arrays = {
        f"{name}_{field}": getattr(places, field).astype(np.uint32)
        for name, places in (("mention", people.mentions), ("speech", people.speeches))
        for field in ("starts", "ends", "characters")
    }
    path = folder / FILE
    with explain_write_errors(folder):
        checked_files.forget(path)
        DerivedFile(path, SCHEMA_VERSION, cache_key).save_arrays(record, arrays)
        checked_files.record(path)


def damage(folder: Path) -> str:
    """Return the damage to a book's cache file in words, "" if it is sound or was never written."""
    path = folder / FILE
    if checked_files.is_lost(path):
        return "is missing"
    try:
        is_sound = checked_files.is_as_written(path, path.read_bytes())
        with zipfile.ZipFile(path) as arrays:
            is_sound = is_sound and arrays.testzip() is None
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        is_sound = False
    return "" if is_sound else "was changed"


def load(folder: Path, cache_key: str, size: int) -> BookPeople | None:
    """Return the cached people of a book, or None if there are no valid ones under this key.

    `size` is the length of the text; a file with spans outside it is damaged.
    """

    def parse(record: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> BookPeople:
        cast = tuple(map(parse_character, record["cast"]))
        return BookPeople(cast, *_parse_places(arrays, size, len(cast)))

    if damage(folder):
        return None
    return DerivedFile(folder / FILE, SCHEMA_VERSION, cache_key).load_arrays(parse)


def recall(folder: Path, cache_key: str, size: int) -> BookPeople | None:
    """Return the result of `load`, from memory for recently used books."""
    with suppress(LookupError):
        return _load_known(folder, cache_key, size)
    return None


def recall_presence(folder: Path, cache_key: str, size: int) -> SentencePeople | None:
    """Return the characters in each sentence of a book, from memory for recently used books."""
    with suppress(LookupError):
        return _load_presence(folder, cache_key, size)
    return None


@lru_cache(maxsize=RECENT_BOOKS)
def _load_known(folder: Path, cache_key: str, size: int) -> BookPeople:
    """Return the people of a book; raises LookupError, which is not cached, if there are none."""
    people = load(folder, cache_key, size)
    if people is None:
        raise LookupError(folder)
    return people


@lru_cache(maxsize=RECENT_PRESENCES)
def _load_presence(folder: Path, cache_key: str, size: int) -> SentencePeople:
    return _load_known(folder, cache_key, size).in_sentences(book_folder.sentences(folder))


def _parse_places(arrays: Mapping[str, AnyArray], size: int, cast: int) -> Iterator[People]:
    """Yield the mentions and the speeches; raises ValueError for inconsistent arrays."""
    for name in ("mention", "speech"):
        starts, ends, characters = (
            arrays[f"{name}_{field}"].astype(np.int64) for field in ("starts", "ends", "characters")
        )
        if not _are_sound(starts, ends, characters, size, cast):
            raise ValueError("places outside the text or the cast")
        yield People(starts, ends, characters)


def _are_sound(starts: Ints1d, ends: Ints1d, characters: Ints1d, size: int, cast: int) -> bool:
    return (
        starts.shape == ends.shape == characters.shape
        and bool((starts < ends).all())
        and ends.max(initial=0) <= size
        and characters.max(initial=-1) < cast
    )


def fill_gaps(numbers: Ints1d, chapters: AnyInts) -> list[int]:
    """Return ascending sentence numbers, plus each single number missing between two of them in one
    chapter; `chapters` (m,) are the chapters of all sentences."""
    is_gap = (np.diff(numbers) == 2) & (chapters[numbers[1:]] == chapters[numbers[:-1]])
    filled: list[int] = np.union1d(numbers, numbers[:-1][is_gap] + 1).tolist()
    return filled
