"""The words of a text as numbers, so that texts are compared without reading them twice.

Words are compared ignoring case, accents, punctuation, underscores and apostrophes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scholar_indexes import note_anchors
from scholar_indexes.verse import number_spans

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.uint32]

_POWERS = np.random.default_rng(7).integers(1, 2**63, 64, np.uint64) * np.uint64(2) + np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class WordSequence:
    """The words of a text: a number, the same for equal words, and the span of each."""

    numbers: Numbers
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)


def number_words(text: str) -> WordSequence:
    """Return the words of a text: every run of letters and digits."""
    points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    letters = _letters()[np.minimum(points, 0xFFFF)]
    inside = np.concatenate([[False], letters > 0, [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        none = np.zeros(0, np.int32)
        return WordSequence(np.zeros(0, np.uint32), none, none)
    at = np.flatnonzero(letters)
    lengths = ends - starts
    heads = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    within = np.minimum(np.arange(len(at)) - np.repeat(heads, lengths), 63)
    sums = np.add.reduceat(letters[at].astype(np.uint64) * _POWERS[within], heads) * _MIX
    numbers = (sums >> np.uint64(32)).astype(np.uint32)
    return WordSequence(numbers, starts.astype(np.int32), ends.astype(np.int32))


def number_book_words(text: str) -> WordSequence:
    """Return the words of a book's text in the order in which quotations have them.

    The editor's verse numbers and the anchors of notes are left out; the notes among the text
    come last, so that its words are consecutive.
    """
    anchors = note_anchors.anchors(text)
    words = number_words(note_anchors.blank(text, anchors))
    is_kept = np.ones(len(words), np.bool_)
    is_note = np.zeros(len(words), np.bool_)
    for start, end in number_spans(text):
        is_kept[_within(words, start, end)] = False
    for start, end in note_anchors.note_spans(text, anchors):
        is_note[_within(words, start, end)] = True
    order = np.concatenate([np.flatnonzero(is_kept & ~is_note), np.flatnonzero(is_kept & is_note)])
    return WordSequence(words.numbers[order], words.starts[order], words.ends[order])


def _within(words: WordSequence, start: int, end: int) -> slice:
    """Return the indices of the words that begin in a part of their text."""
    return slice(*np.searchsorted(words.starts, (start, end)).tolist())


def grams(numbers: Numbers, size: int) -> Hashes:
    """Return a hash of every run of `size` words (n - size + 1,).

    Unsigned arithmetic overflows on purpose.
    """
    count = len(numbers) - size + 1
    hashes = np.zeros(max(count, 0), np.uint64)
    for offset in range(size if count > 0 else 0):
        hashes *= _MIX
        hashes += numbers[offset : offset + count]
        hashes ^= hashes >> np.uint64(29)
    return hashes


def isin_sorted(hashes: Hashes, sorted_hashes: Hashes) -> NDArray[np.bool_]:
    """Return True for each hash that is in a sorted array, (n,)."""
    if not len(sorted_hashes):
        return np.zeros(len(hashes), np.bool_)
    at = np.minimum(np.searchsorted(sorted_hashes, hashes), len(sorted_hashes) - 1)
    is_in: NDArray[np.bool_] = sorted_hashes[at] == hashes
    return is_in


@cache
def _letters() -> NDArray[np.uint32]:
    """Return the letter of every character: lower case, no accent, 0 for word separators."""
    table = np.zeros(0x10000, np.uint32)
    for point in range(0xFFFF):
        letter = chr(point)
        if letter.isalnum():
            plain = unicodedata.normalize("NFKD", letter)[0].lower()
            table[point] = ord(plain[0])
    return table
