"""The share of the words of a claim that occur in windows and around them.

BM25 looks at the words of single sentences; a passage is about a party even if the word occurs
some sentences before it. The words of a claim are weighted by their rarity in novels, so a word
counts the same in a small library as in a large one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.lexicon.word_frequencies import rarity
from scholar_indexes.retrieval.ranking import Windows

REACHES = (0, 4, 15)
"""Sentences on either side of a window in which the words of a claim are looked for."""

MOST_WORDS = 32
"""The most stems of a claim that are looked for: the rarest ones."""

_PREFIX = 2
"""Letters that a word shares with its stem; see _beginnings for the few that do not."""

_WORD = re.compile(r"[^\W_]+")


def claim_stems(words: str) -> list[str]:
    """Return the stems of the words of a claim, each once; of more than MOST_WORDS only the rarest,
    rarest first."""
    stems = list(dict.fromkeys(stem(word) for word in _WORD.findall(words.lower())))
    return stems if len(stems) <= MOST_WORDS else sorted(stems, key=rarity)[: -MOST_WORDS - 1 : -1]


def find_stems(stems: Sequence[str], texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask (m, c) of the stems (c,) that occur in each of the texts (m,)."""
    present = np.zeros((len(texts), len(stems)), bool)
    if not stems or not len(texts):
        return present
    lowered = [text.lower() for text in texts]
    ends = np.cumsum([len(text) + 1 for text in lowered])
    matches = _words_like(stems).finditer("\n".join(lowered))
    words = [(match.start(), match.group()) for match in matches]
    columns = {claim_stem: column for column, claim_stem in enumerate(stems)}
    of_word = {word: columns.get(stem(word)) for word in {word for _, word in words}}
    hits = [(at, column) for at, word in words if (column := of_word[word]) is not None]
    if hits:
        positions, hit_columns = np.array(hits).T
        present[np.searchsorted(ends, positions, "right"), hit_columns] = True
    return present


def _words_like(stems: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of words that begin like one of the stems: only they are stemmed, since
    stemming is slow."""
    beginnings = sorted({begin for claim_stem in stems for begin in _beginnings(claim_stem)})
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(beginnings)})[^\W_]*")


def _beginnings(claim_stem: str) -> set[str]:
    """Return the first letters of words with a stem: "di" and "dy" for "die" ("dying")."""
    beginnings = {claim_stem[:_PREFIX]}
    return beginnings | {claim_stem[0] + "y"} if claim_stem[1:] == "ie" else beginnings


def coverage(
    windows: Windows, runs: Ints1d, present: NDArray[np.bool_], weights: Floats1d
) -> Floats2d:
    """Return the share of the words of a claim within each of REACHES of windows, (w, r).

    `present` (m, c) marks the words in each row, `weights` (c,) are the weights of the words; runs
    (m,) number the runs of rows; words beyond the ends of a run do not count.
    """
    shares = np.zeros((len(windows), len(REACHES)), np.float32)
    total = float(weights.sum())
    if not total:
        return shares
    before = np.concatenate((np.zeros((1, present.shape[1]), np.int64), np.cumsum(present, axis=0)))
    ends = windows.start + windows.size
    run_starts = np.searchsorted(runs, runs[windows.start], "left")
    run_ends = np.searchsorted(runs, runs[windows.start], "right")
    for column, reach in enumerate(REACHES):
        first = np.maximum(windows.start - reach, run_starts)
        last = np.minimum(ends + reach, run_ends)
        shares[:, column] = ((before[last] - before[first]) > 0) @ weights / total
    return shares
