"""Which sentences of a book answer a description.

    description -> words, like words, sentence vectors, token vectors -> a score of each sentence

Vectors of whole sentences say what a passage is about; token by token ("late interaction",
Khattab and Zaharia 2020) every word of a description looks for its own best match, in the
sentence or near it, and rare words count most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.types import Sentence, Span

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

SIZES = (1, 3, 7, 17)
"""Sentences of the windows that a description is compared with."""

REACHES = (1, 3, 8, 24)
"""How many sentences away, less one, a token may be found; the farther, the less it counts."""

FAR = 0.6
"""How much less a token counts at the end of its reach."""

COMMON = 0.004
"""Tokens more frequent than that say nothing, and are not kept."""

STEPS = 254
"""What a part of a token's unit vector is multiplied by to be kept as a whole number."""

NO_MATCH = -0.2
"""The cosine of a token with a sentence that has none."""

LIKE = 0.55
"""The cosine from which one word counts as like another, up to 1."""

_WORD = re.compile(r"[^\W\d_]+")
_GENERIC = frozenset(
    "one person man woman boy girl who whom whose that the a an of to for and in is with by on "
    "his her him she he it at from as has be not are but they their them so only when which "
    "into being after was been having will whether until out up than".split()
)
_ENDINGS = ("ingly", "edly", "ness", "ment", "ings", "ing", "ies", "ied", "ers", "est", "ed",
            "er", "es", "ly", "s", "e", "y")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """A book as it is searched: sentences in order with their chapters and paragraphs (m,),
    unit vectors (m, d), and the lengths these had (m,)."""

    text: str
    spans: Sequence[Span]
    chapters: Ints
    paragraphs: Ints
    vectors: Floats
    weights: Floats

    def __len__(self) -> int:
        return len(self.spans)


def read(text: str, sentences: Sequence[Sentence], encoder: Encoder) -> Reading:
    """A book's text and sentences, encoded now; a library has the vectors in its store."""
    from scholar_indexes.ingest import plain

    chapters = [each.chapter for each in sentences]
    vectors, weights = encoder.encode_sentences(
        [plain(each.span.of(text)) for each in sentences], chapters
    )
    return Reading(
        text, [each.span for each in sentences], np.array(chapters, np.int64),
        np.array([each.paragraph for each in sentences], np.int64), vectors, weights,
    )  # fmt: skip


def stem(word: str) -> str:
    """A word without its ending, roughly."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def telling(text: str) -> list[str]:
    """The words that say something, in lower case."""
    found = (each.lower() for each in _WORD.findall(text))
    return [each for each in found if each not in _GENERIC and len(each) > 2]


def stems(text: str) -> list[str]:
    """The stems of the words that say something."""
    return [stem(each) for each in telling(text)]


# -- words ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """BM25 over windows of three sentences, in stems or in words.

    A term's sentences are rows[edges[t] : edges[t + 1]], one as often as it has the term;
    lengths (m,) are those of the windows, chapters (m,) the sentences' own.
    """

    terms: Mapping[str, int]
    rows: Ints
    edges: Ints
    lengths: Floats
    chapters: Ints

    def scores(self, text: str) -> Floats:
        """A score of each sentence's window, (m,), for the stems of a text."""
        total = np.zeros(len(self.lengths), np.float32)
        for each in set(stems(text)):
            if (term := self.terms.get(each)) is not None:
                times = self._times(np.array([term]), np.ones(1))
                total += self._worth(times, float((times > 0).sum()))
        return total

    def like(self, likeness: Floats) -> Floats:
        """A score of each sentence's window, (m,), for one word; likeness (terms,) says how
        much each term counts as that word."""
        terms = np.flatnonzero(likeness)
        times = self._times(terms, likeness[terms])
        return self._worth(times, float(np.minimum(times, 1).sum()))

    def _times(self, terms: Ints, weights: NDArray[np.floating[Any]]) -> Floats:
        """How often terms of some weights are in each window, (m,)."""
        starts, ends = self.edges[terms], self.edges[terms + 1]
        places = [self.rows[start:end] for start, end in zip(starts, ends, strict=True)]
        rows = np.concatenate([np.zeros(0, np.int64), *places])
        times = np.bincount(rows, np.repeat(weights, ends - starts), len(self.lengths))
        return _summed(times.astype(np.float32), self.chapters)

    def _worth(self, times: Floats, having: float) -> Floats:
        m = len(self.lengths)
        size = 0.6 + 0.4 * self.lengths / (float(self.lengths.mean()) or 1.0)
        worth = np.log(1 + (m - having + 0.5) / (having + 0.5))
        found: Floats = (worth * times / (times + 1.2 * size)).astype(np.float32)
        return found


def counted(reading: Reading, *, whole: bool = False) -> Words:
    """The words of a book, as stems or whole."""
    terms: dict[str, int] = {}
    rows, cols = [], []
    lengths = np.zeros(len(reading), np.float32)
    for row, span in enumerate(reading.spans):
        found = (telling if whole else stems)(span.of(reading.text))
        lengths[row] = len(found)
        for each in found:
            cols.append(terms.setdefault(each, len(terms)))
            rows.append(row)
    column = np.array(cols, np.int64)
    return Words(
        terms,
        np.array(rows, np.int64)[np.argsort(column, kind="stable")],
        np.concatenate(([0], np.cumsum(np.bincount(column, minlength=len(terms))))),
        _summed(lengths, reading.chapters),
        reading.chapters,
    )


@dataclass(frozen=True)
class LikeWords:
    """BM25 in which words of like meaning count too; vectors (terms, d) are those of the words,
    each encoded by itself."""

    words: Words
    vectors: Floats

    @cached_property
    def _stems(self) -> NDArray[np.str_]:
        return np.array([stem(each) for each in self.words.terms])

    def scores(self, texts: Sequence[str], encoder: Encoder) -> Floats:
        """A score of each sentence's window for each text, (n, m)."""
        asked = [sorted(set(telling(each))) for each in texts]
        terms = sorted({word for each in asked for word in each})
        found = np.zeros((len(texts), len(self.words.lengths)), np.float32)
        if not terms or not self.words.terms:
            return found
        cosines = encoder.encode(terms) @ self.vectors.T.astype(np.float32)
        likeness = np.maximum(cosines - LIKE, 0) / (1 - LIKE)
        for at, word in enumerate(terms):
            likeness[at, self._stems == stem(word)] = 1
            score = self.words.like(likeness[at])
            for row, each in enumerate(asked):
                if word in each:
                    found[row] += score
        return found


def like_words(reading: Reading, encoder: Encoder) -> LikeWords:
    """The words of a book and their vectors; about a second for a novel."""
    words = counted(reading, whole=True)
    return LikeWords(words, encoder.encode(list(words.terms)).astype(np.float16))


# -- tokens --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """The tokens of a book that say something: unit vectors less their mean, in whole numbers
    of STEPS (t, d), the sentence of each (t,) in order; the mean (d,); how rare each token of
    the encoder's vocabulary is, in [0, 1]; the chapters of all sentences (m,)."""

    vectors: NDArray[np.int8]
    rows: Ints
    mean: Floats
    rarity: Floats
    chapters: Ints

    def scores(self, texts: Sequence[str], encoder: Encoder) -> Floats:
        """How well each sentence has, within each of REACHES, what each text asks for, (reaches,
        n, m): the mean over tokens of the best cosine, weighed by the square of rarity."""
        m = len(self.chapters)
        found = np.zeros((len(REACHES), len(texts), m), np.float32)
        if not m:
            return found
        for at, (ids, vectors) in enumerate(_by_text(texts, encoder)):
            weights = _of(self.rarity, ids) ** 2
            weights = weights / max(float(weights.sum()), 1e-9)
            best = np.full((len(vectors), m), NO_MATCH, np.float32)
            if len(self.rows):
                cosines = _unit(vectors - self.mean) @ self._floats.T
                best[:, self.rows[self._starts]] = np.maximum.reduceat(
                    cosines, self._starts, axis=1
                )
            for reach, row in zip(REACHES, found, strict=True):
                row[at] = weights @ _reaching(best, reach, self.chapters)
        return found

    @cached_property
    def _floats(self) -> Floats:
        return self.vectors.astype(np.float32) / np.float32(STEPS)

    @cached_property
    def _starts(self) -> Ints:
        return np.flatnonzero(np.diff(self.rows, prepend=-1))


def tokens(reading: Reading, encoder: Encoder) -> Tokens:
    """The tokens of a book, encoded now, in the context that its sentences are encoded in."""
    from scholar_indexes.ingest import plain

    ids, vectors, edges = _encoded(
        [plain(each.of(reading.text)) for each in reading.spans], reading.chapters.tolist(), encoder
    )
    rows = np.repeat(np.arange(len(reading), dtype=np.int64), np.diff(edges))
    counts = np.bincount(ids) if len(ids) else np.zeros(1, np.int64)
    rarity = np.log(1 + len(ids) / (counts + 1.0))
    rarity = (rarity / max(float(rarity.max()), 1e-9)).astype(np.float32)
    telling = (
        counts[ids] <= max(COMMON * len(ids), 2) if len(counts) > 1 else np.ones(len(ids), bool)
    )
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32) if len(ids) else np.zeros(
        vectors.shape[1], np.float32
    )  # fmt: skip
    kept = _unit(vectors[telling] - mean)
    return Tokens(
        np.clip(np.round(kept * STEPS), -127, 127).astype(np.int8),
        rows[telling], mean, rarity, reading.chapters,
    )  # fmt: skip


def _encoded(
    texts: Sequence[str], chapters: Sequence[int], encoder: Encoder
) -> tuple[Ints, Floats, Ints]:
    """The ids (t,) and vectors (t, d) of the tokens of texts, and where each text's begin
    (n + 1,); an encoder that has none gives one for each text."""
    from scholar_indexes.encoder import MeanPooled

    if isinstance(encoder, MeanPooled):
        return encoder.encode_tokens(texts, chapters)
    vectors, _ = encoder.encode_sentences(texts, list(chapters))
    return np.zeros(len(texts), np.int64), vectors, np.arange(len(texts) + 1)


def _by_text(texts: Sequence[str], encoder: Encoder) -> list[tuple[Ints, Floats]]:
    ids, vectors, edges = _encoded(texts, range(len(texts)), encoder)
    return [(ids[start:end], vectors[start:end]) for start, end in pairwise(edges.tolist())]


def _of(rarity: Floats, ids: Ints) -> Floats:
    """How rare tokens are; one that is not in the book is as rare as can be."""
    found: Floats = np.where(ids < len(rarity), rarity[np.minimum(ids, len(rarity) - 1)], 1)
    return found.astype(np.float32)


def _reaching(best: Floats, reach: int, chapters: Ints) -> Floats:
    """The best of the sentences within reach of each, in its chapter, (tokens, m)."""
    found = best.copy()
    for step in range(1, min(reach, len(chapters))):
        share = (chapters[step:] == chapters[:-step]) * np.float32(1 - FAR * step / reach)
        np.maximum(found[:, step:], best[:, :-step] * share, out=found[:, step:])
        np.maximum(found[:, :-step], best[:, step:] * share, out=found[:, :-step])
    return found


# -- windows -------------------------------------------------------------------------------------


def pooled(reading: Reading, size: int) -> Floats:
    """The unit vector of the window of size sentences around each, (m, d)."""
    total = np.zeros((len(reading) + 1, reading.vectors.shape[1]))
    np.cumsum(reading.vectors * reading.weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    rows = np.arange(len(reading))
    first = np.maximum(rows - size // 2, np.searchsorted(reading.chapters, reading.chapters))
    end = np.minimum(
        rows + size // 2 + 1, np.searchsorted(reading.chapters, reading.chapters, "right")
    )
    return _unit(total[end] - total[first])


def _unit(vectors: NDArray[np.floating[Any]]) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1)
    found: Floats = (vectors / np.maximum(lengths, 1e-9)[:, None]).astype(np.float32)
    return found


def _summed(values: Floats, chapters: Ints) -> Floats:
    total = values.copy()
    same = chapters[1:] == chapters[:-1]
    total[1:] += values[:-1] * same
    total[:-1] += values[1:] * same
    return total
