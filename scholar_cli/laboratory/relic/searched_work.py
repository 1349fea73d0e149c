"""A work to search, with the values that the systems compute once for it."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from scholar_cli.laboratory import word_vectors
from scholar_cli.laboratory.relic.late_interaction import TokenIndex
from scholar_cli.laboratory.relic.relic_bm25 import LibraryOkapi, Okapi, tokenize
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_cli.laboratory.word_vectors import WordVectors
from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.claims import MASK
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.retrieval.ranking import REACH


class WordAverages:
    """Averages of word vectors; the vectors and the weights of words are learned from works."""

    def __init__(self, works: Sequence[QuotedWork]) -> None:
        self._works = works

    @cached_property
    def _vectors(self) -> WordVectors:
        return WordVectors(
            [[word for text in work.sentences for word in tokenize(text)] for work in self._works]
        )

    @cached_property
    def _idf(self) -> Mapping[str, float]:
        return word_vectors.inverse_document_frequencies(
            [tokenize(text) for work in self._works for text in work.sentences]
        )

    def sums(self, texts: Sequence[str], *, weighted: bool) -> Floats2d:
        """Return the sums (n, d) of the vectors of each text's words, if `weighted` each times its
        inverse document frequency among sentences."""
        sums = [self._vectors.add_up(self._weights(text, weighted)) for text in texts]
        return np.stack(sums).astype(np.float32)

    def _weights(self, text: str, weighted: bool) -> Mapping[str, float]:
        counts = Counter(sorted(tokenize(MASK.sub(" ", text))))
        if not weighted:
            return counts
        return {word: n * self._idf.get(word, 0.0) for word, n in counts.items()}


class SearchedWork:
    """A work with cached vectors and BM25 statistics of its candidates.

    The candidates are the passages of `size` sentences; only one size is cached at a time.
    `seconds` is the time spent on the cache, by system.
    """

    def __init__(
        self, work: QuotedWork, encoders: Mapping[str, Encoder], words: WordAverages
    ) -> None:
        self.work = work
        self.encoders = encoders
        self.words = words
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.size = 0
        self._sentences: dict[str, tuple[Floats2d, Floats1d]] = {}
        self._passages: dict[str, Floats2d] = {}  # by system
        self._neighbourhoods: dict[str, Floats2d] = {}
        self._word_sums: dict[bool, Floats2d] = {}
        self._tokens: dict[str, TokenIndex] = {}
        self._okapi: Okapi | None = None
        self._library_okapi: LibraryOkapi | None = None

    def select_size(self, size: int) -> None:
        """Make the passages of `size` sentences the candidates."""
        self.size = size
        self._passages.clear()
        self._okapi = self._library_okapi = None

    @cached_property
    def _all_starts(self) -> Mapping[int, Ints1d]:
        return {size: np.array(starts, np.int64) for size, starts in self.work.candidates.items()}

    @property
    def starts(self) -> Ints1d:
        """The first sentence of every candidate."""
        return self._all_starts[self.size]

    @property
    def ends(self) -> Ints1d:
        """The sentence after the last one of every candidate."""
        return self.starts + self.size

    def text(self, candidate: int) -> str:
        """Return the text of a candidate."""
        return self.work.text(int(self.starts[candidate]), self.size)

    def okapi(self) -> Okapi:
        """Return BM25 over the candidates."""
        if self._okapi is None:
            with self._timed("bm25"):
                self._okapi = Okapi(self.work.sentences, self.starts, self.size)
        return self._okapi

    def library_okapi(self) -> LibraryOkapi:
        """Return BM25 over the candidates as the package rank_bm25 computes it."""
        if self._library_okapi is None:
            with self._timed("rank_bm25"):
                self._library_okapi = LibraryOkapi(self.work.sentences, self.starts, self.size)
        return self._library_okapi

    def passages(self, model: str) -> Floats2d:
        """Return a unit vector per candidate (n, d), pooled from its sentences."""
        system = f"dense:{model}"
        if system not in self._passages:
            with self._timed(system):
                self._passages[system] = pool_sentences(
                    *self._encoded(model), self.starts, self.ends
                )
        return self._passages[system]

    def neighbourhoods(self, model: str) -> Floats2d:
        """Return a unit vector per sentence (m, d), pooled from the sentences around it."""
        if model not in self._neighbourhoods:
            rows = np.arange(len(self.work.sentences))
            first, end = np.maximum(rows - REACH, 0), np.minimum(rows + REACH + 1, len(rows))
            self._neighbourhoods[model] = pool_sentences(*self._encoded(model), first, end)
        return self._neighbourhoods[model]

    def word_averages(self, *, weighted: bool) -> Floats2d:
        """Return a unit vector per candidate (n, d), averaged from its words."""
        system = "words-tfidf" if weighted else "words"
        if system not in self._passages:
            with self._timed(system):
                if weighted not in self._word_sums:
                    sums = self.words.sums(self.work.sentences, weighted=weighted)
                    self._word_sums[weighted] = sums
                sums = self._word_sums[weighted]
                ones = np.ones(len(sums), np.float32)
                self._passages[system] = pool_sentences(sums, ones, self.starts, self.ends)
        return self._passages[system]

    def tokens(self, model: str) -> TokenIndex:
        """Return the token vectors of the sentences."""
        if model not in self._tokens:
            with self._timed(f"late:{model}"):
                self._tokens[model] = TokenIndex(self.work.sentences, self.encoders[model])
        return self._tokens[model]

    def _encoded(self, model: str) -> tuple[Floats2d, Floats1d]:
        if model not in self._sentences:
            texts = self.work.sentences
            self._sentences[model] = self.encoders[model].encode_sentences(texts, [0] * len(texts))
        return self._sentences[model]

    @contextmanager
    def _timed(self, system: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[system] += time.perf_counter() - start


def pool_sentences(vectors: Floats2d, weights: Floats1d, starts: Ints1d, ends: Ints1d) -> Floats2d:
    """Return the unit vectors (n, d) of the weighted sums over the rows [start, end)."""
    total = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors * weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    sums = total[ends] - total[starts]
    units: Floats2d = sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)[:, None]
    return units.astype(np.float32)
