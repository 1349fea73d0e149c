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

from scholar_indexes.types import Progress, Sentence, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bytes = NDArray[np.int8]

SIZES = (1, 3, 7, 17)
"""Sentences of the windows that a description is compared with."""

REACHES = (1, 3, 8, 24)
"""How many sentences away, less one, a token may be found; the farther, the less it counts."""

FAR = 0.6
"""How much less a token counts at the end of its reach."""

COMMON = 0.004
"""Tokens more frequent than that say nothing, and are not kept."""

DIMENSIONS = 96
"""Of token vectors, along the principal axes of the book's sentences."""

STEPS = 127
"""What a part of a unit vector is multiplied by to be kept as a whole number."""

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
    each encoded by itself, in whole numbers of STEPS."""

    words: Words
    vectors: Bytes

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
        cosines = encoder.encode(terms) @ from_whole(self.vectors).T
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
    return LikeWords(words, whole_numbers(encoder.encode(list(words.terms))))


# -- tokens --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """The tokens of a book that say something: vectors along the axes (d, k), less their mean
    (k,), as unit vectors in whole numbers of STEPS (t, k), in order; how many each sentence has
    (m,); how rare each token of the encoder's vocabulary is, in [0, 1]; the chapters of all
    sentences (m,)."""

    vectors: Bytes
    counts: Ints
    axes: Floats
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
        having = np.flatnonzero(self.counts)
        starts = (np.cumsum(self.counts) - self.counts)[having]
        floats = self._floats
        for at, (ids, vectors) in enumerate(_by_text(texts, encoder)):
            weights = _of(self.rarity, ids) ** 2
            weights = weights / max(float(weights.sum()), 1e-9)
            best = np.full((len(vectors), m), NO_MATCH, np.float32)
            if len(having):
                cosines = _unit(vectors @ self.axes - self.mean) @ floats.T
                best[:, having] = np.maximum.reduceat(cosines, starts, axis=1)
            for reach, row in zip(REACHES, found, strict=True):
                row[at] = weights @ _reaching(best, reach, self.chapters)
        return found

    @cached_property
    def _floats(self) -> Floats:
        return from_whole(self.vectors)


def tokens(
    reading: Reading, encoder: Encoder, label: str = "", progress: Progress = silent
) -> Tokens:
    """The tokens of a book, encoded now, in the context that its sentences are encoded in."""
    from scholar_indexes.ingest import CHUNK, plain

    axes = principal(reading.vectors, DIMENSIONS)
    ids, vectors = [np.zeros(0, np.int64)], [np.zeros((0, axes.shape[1]), np.float32)]
    counts = [np.zeros(0, np.int64)]
    for first in range(0, len(reading), CHUNK):
        progress(label, first, len(reading))
        those = slice(first, first + CHUNK)
        texts = [plain(each.of(reading.text)) for each in reading.spans[those]]
        some, found, edges = _encoded(texts, reading.chapters[those].tolist(), encoder)
        ids.append(some)
        vectors.append(found @ axes)
        counts.append(np.diff(edges))
    progress(label, len(reading), len(reading))
    return _telling(
        np.concatenate(ids), np.concatenate(vectors), np.concatenate(counts), axes,
        reading.chapters,
    )  # fmt: skip


def _telling(ids: Ints, vectors: Floats, counts: Ints, axes: Floats, chapters: Ints) -> Tokens:
    """The tokens (t,) of all sentences without those that are too common to say something."""
    often = np.bincount(ids, minlength=1)
    rarity = np.log(1 + len(ids) / (often + 1.0))
    rarity = (rarity / max(float(rarity.max()), 1e-9)).astype(np.float32)
    kept = (often[ids] <= max(COMMON * len(ids), 2)) | (len(often) == 1)
    mean = (vectors.sum(axis=0, dtype=np.float64) / max(len(vectors), 1)).astype(np.float32)
    rows = np.repeat(np.arange(len(counts)), counts)[kept]
    return Tokens(
        whole_numbers(_unit(vectors[kept] - mean)), np.bincount(rows, minlength=len(counts)),
        axes, mean, rarity, chapters,
    )  # fmt: skip


def principal(vectors: Floats, k: int) -> Floats:
    """The first k principal axes of vectors (m, d), or all, as columns (d, k)."""
    apart = vectors - vectors.sum(axis=0) / np.float32(max(len(vectors), 1))
    _, axes = np.linalg.eigh((apart.T @ apart).astype(np.float64))
    return np.ascontiguousarray(axes[:, ::-1][:, :k], np.float32)


def whole_numbers(vectors: Floats) -> Bytes:
    """Unit vectors in whole numbers of STEPS."""
    return np.round(vectors * np.float32(STEPS)).astype(np.int8)


def from_whole(vectors: Bytes) -> Floats:
    """What whole_numbers made whole, nearly."""
    return vectors.astype(np.float32) / np.float32(STEPS)


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


@dataclass(frozen=True)
class Windows:
    """The windows of a book around each of its sentences, by the lengths (m,) of their sums, for
    each of SIZES.

    A window's unit vector is never made: its cosine is the sum of what its sentences have of
    one, by its length.
    """

    reading: Reading
    lengths: Mapping[int, Floats]

    def scores(self, vectors: Floats) -> dict[int, Floats]:
        """The cosines of unit vectors (n, d) with all windows, (n, m) for each size."""
        of_sentences = vectors @ self.reading.vectors.T * self.reading.weights
        return {
            size: _around(of_sentences, self.reading.chapters, size) / lengths
            for size, lengths in self.lengths.items()
        }

    def summed(self, shares: Floats, size: int) -> Floats:
        """The sums of the windows' unit vectors in some shares (c, m), (c, d)."""
        of_sentences = _around(shares / self.lengths[size], self.reading.chapters, size)
        weighed = of_sentences * self.reading.weights
        found: Floats = weighed.astype(np.float32) @ self.reading.vectors
        return found


def lengths(reading: Reading) -> dict[int, Floats]:
    """How long the sums are of the sentences in the windows of each of SIZES, (m,)."""
    vectors = (reading.vectors * reading.weights[:, None]).T
    found = {}
    for size in SIZES:
        long = np.linalg.norm(_around(vectors, reading.chapters, size), axis=0)
        found[size] = np.maximum(long, 1e-6).astype(np.float32)
    return found


def _around(values: Floats, chapters: Ints, size: int) -> Floats:
    """The sums (n, m) of the values in the window of size sentences around each."""
    total = np.zeros((len(values), len(chapters) + 1))
    np.cumsum(values, axis=1, dtype=np.float64, out=total[:, 1:])
    rows = np.arange(len(chapters))
    first = np.maximum(rows - size // 2, np.searchsorted(chapters, chapters))
    end = np.minimum(rows + size // 2 + 1, np.searchsorted(chapters, chapters, "right"))
    found: Floats = (total[:, end] - total[:, first]).astype(np.float32)
    return found


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
