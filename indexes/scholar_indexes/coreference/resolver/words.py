"""The words of a text as the coreference model reads them.

Words follow LitBank's tokens: "Mr.", "do" + "n't", "sister" + "'s", "drawing-room", and every
punctuation mark by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scholar_indexes.arrays import Ints1d
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Quotation, Span

_APOSTROPHE = "['’]"
_CLITIC = rf"{_APOSTROPHE}(?:s|ll|ve|re|d|m)\b"
_LETTERS = r"[^\W_]+"
_ABBREVIATED = "|".join(sorted(map(re.escape, titles.ABBREVIATED), key=len, reverse=True))
_WORD = re.compile(
    rf"\b(?:{_ABBREVIATED}|(?-i:[A-HJ-Z]))\."
    rf"|{_LETTERS}(?=n{_APOSTROPHE}t\b)"
    rf"|n{_APOSTROPHE}t\b"
    rf"|{_CLITIC}"
    rf"|{_APOSTROPHE}em\b"
    rf"|{_LETTERS}(?:[-‐‑]{_LETTERS}|{_APOSTROPHE}(?!(?:s|ll|ve|re|d|m)\b){_LETTERS})*"
    rf"|-{{2,}}|\.{{2,}}|\S",
    re.IGNORECASE,
)

LOWER, CAPITALISED, UPPER, OTHER = range(4)
"""Shapes of words: "lady", "Lady", "LADY", and words that do not begin with a letter."""

SHAPES = 4

TYPES = 2 * SHAPES
"""The number of types of words; see TokenizedText.types."""


@dataclass(frozen=True)
class TokenizedText:
    """The words of a text in order, with their positions, sentences and quotations.

    `starts` and `ends` are character offsets; `sentences` and `quotations` are the numbers of the
    sentence and of the quotation (-1 in the narration) in which each word begins. Sentences may be
    any consecutive spans; mentions never cross them.
    """

    words: tuple[str, ...]
    starts: Ints1d
    ends: Ints1d
    sentences: Ints1d
    quotations: Ints1d

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def lower(self) -> tuple[str, ...]:
        return tuple(word.lower() for word in self.words)

    @cached_property
    def shapes(self) -> Ints1d:
        """The shape of each word."""
        return np.fromiter(map(_shape, self.words), np.int64, len(self.words))

    @cached_property
    def types(self) -> Ints1d:
        """The type of each word: its shape, plus SHAPES if it is spoken."""
        types: Ints1d = self.shapes + SHAPES * (self.quotations >= 0)
        return types

    @cached_property
    def sentence_ends(self) -> Ints1d:
        """For each word, the index after the last word of its sentence."""
        if not len(self):
            return np.zeros(0, np.int64)
        last = np.flatnonzero(np.diff(self.sentences, append=-1)) + 1
        return last[np.searchsorted(last, np.arange(len(self)), "right")]

    def part(self, first: int, end: int) -> TokenizedText:
        """Return the words [first, end)."""
        return TokenizedText(
            self.words[first:end],
            self.starts[first:end],
            self.ends[first:end],
            self.sentences[first:end],
            self.quotations[first:end],
        )

    def span(self, first: int, last: int) -> Span:
        """Return the span of text from the first to the last word, inclusive."""
        return Span(int(self.starts[first]), int(self.ends[last]))

    def locate(self, span: Span) -> tuple[int, int] | None:
        """Return the first and the last word of a span, or None if its ends are not ends of
        words."""
        first = int(np.searchsorted(self.starts, span.start))
        last = int(np.searchsorted(self.ends, span.end))
        if first > last or last >= len(self):
            return None
        if self.starts[first] != span.start or self.ends[last] != span.end:
            return None
        return first, last


def split_words(
    text: str, sentences: Sequence[Span], quotations: Sequence[Quotation]
) -> TokenizedText:
    """Return the words of the sentences of a text, which must be in order and not overlap."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    numbers: list[int] = []
    for number, sentence in enumerate(sentences):
        for match in _WORD.finditer(text, sentence.start, sentence.end):
            words.append(match.group())
            starts.append(match.start())
            ends.append(match.end())
            numbers.append(number)
    return TokenizedText(
        tuple(words),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array(numbers, np.int64),
        _quotation_of_each(starts, quotations),
    )


def _quotation_of_each(starts: Sequence[int], quotations: Sequence[Quotation]) -> Ints1d:
    """Return the number of the quotation at each position, or -1."""
    inside = np.full(len(starts), -1, np.int64)
    for number, quotation in enumerate(quotations):
        for piece in quotation.pieces:
            inside[bisect_left(starts, piece.start) : bisect_right(starts, piece.end - 1)] = number
    return inside


def _shape(word: str) -> int:
    if not word[0].isalpha():
        return OTHER
    if word[0].islower():
        return LOWER
    return UPPER if len(word) > 1 and word.isupper() else CAPITALISED
