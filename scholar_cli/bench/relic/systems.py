"""The systems that rank the passages of a work for a claim: random, BM25, dense and hybrid."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from scholar_cli.bench.relic.bm25 import Okapi
from scholar_cli.bench.relic.data import QuotedWork
from scholar_indexes.arrays import AnyFloats, Floats1d, Floats2d, Ints1d
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.retrieval.ranking import NEIGHBOUR_SHARE, REACH, blend_scores

SYSTEMS = ("random", "bm25", "dense", "hybrid")
ENCODING = ("dense", "hybrid")
"""Systems of which there is one for every model, named dense:<model>."""

Scores = AnyFloats


class SearchedWork:
    """A work with cached vectors and BM25 statistics of its candidates.

    The candidates are the passages of `size` sentences; only those of one size are cached.
    """

    def __init__(self, work: QuotedWork, encoders: Mapping[str, Encoder]) -> None:
        self.work = work
        self.encoders = encoders
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.size = 0
        self._sentences: dict[str, tuple[Floats2d, Floats1d]] = {}
        self._passages: dict[str, Floats2d] = {}
        self._neighbourhoods: dict[str, Floats2d] = {}
        self._okapi: Okapi | None = None

    def select_size(self, size: int) -> None:
        """Make the passages of so many sentences the candidates."""
        self.size = size
        self._passages.clear()
        self._okapi = None

    @property
    def starts(self) -> Ints1d:
        """The first sentence of every candidate."""
        return np.array(self.work.candidates[self.size], np.int64)

    def okapi(self) -> Okapi:
        """Return BM25 over the candidates."""
        if self._okapi is None:
            start = time.perf_counter()
            self._okapi = Okapi(self.work.sentences, self.starts, self.size)
            self.seconds["bm25"] += time.perf_counter() - start
        return self._okapi

    def passages(self, model: str) -> Floats2d:
        """Return a unit vector per candidate (n, d), pooled from its sentences."""
        if model not in self._passages:
            start = time.perf_counter()
            ends = self.starts + self.size
            self._passages[model] = pool_sentences(*self._encoded(model), self.starts, ends)
            self.seconds[f"dense:{model}"] += time.perf_counter() - start
        return self._passages[model]

    def neighbourhoods(self, model: str) -> Floats2d:
        """Return a unit vector per sentence (m, d), pooled from those around it."""
        if model not in self._neighbourhoods:
            rows = np.arange(len(self.work.sentences))
            first, end = np.maximum(rows - REACH, 0), np.minimum(rows + REACH + 1, len(rows))
            self._neighbourhoods[model] = pool_sentences(*self._encoded(model), first, end)
        return self._neighbourhoods[model]

    def _encoded(self, model: str) -> tuple[Floats2d, Floats1d]:
        if model not in self._sentences:
            texts = self.work.sentences
            self._sentences[model] = self.encoders[model].encode_sentences(texts, [0] * len(texts))
        return self._sentences[model]


def pool_sentences(vectors: Floats2d, weights: Floats1d, starts: Ints1d, ends: Ints1d) -> Floats2d:
    """Return the unit vectors (n, d) of the weighted sums over the rows [start, end)."""
    total = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors * weights[:, None], axis=0, dtype=np.float64, out=total[1:])
    sums = total[ends] - total[starts]
    units: Floats2d = sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)[:, None]
    return units.astype(np.float32)


@dataclass(slots=True)
class ClaimBatch:
    """Claims about quotations of one size, and the cached scores of their candidates."""

    searched: SearchedWork
    claims: Sequence[str]
    systems: Mapping[str, RetrievalSystem]
    seconds: dict[str, float] = field(default_factory=dict)
    _scores: dict[str, Scores] = field(default_factory=dict)
    _vectors: dict[str, Floats2d] = field(default_factory=dict)

    def vectors(self, model: str) -> Floats2d:
        """Return the vectors (claims, d) of the claims.

        They are encoded one at a time, as `find` does it: the vector of a text in an int8 model
        depends a little on the other texts of its batch.
        """
        if model not in self._vectors:
            encode = self.searched.encoders[model].encode_claims
            self._vectors[model] = np.concatenate([encode([claim]) for claim in self.claims])
        return self._vectors[model]

    def scores(self, name: str) -> Scores:
        """Return the scores (claims, candidates) of a system.

        The seconds of a system include those of its parts.
        """
        if name not in self._scores:
            system = self.systems[name]
            for part in system.parts:
                self.scores(part)
            start = time.perf_counter()
            self._scores[name] = system.score(self)
            spent = time.perf_counter() - start
            self.seconds[name] = spent + sum(self.seconds[part] for part in system.parts)
        return self._scores[name]


@dataclass(frozen=True, slots=True)
class RetrievalSystem:
    """A scorer of candidates, the systems whose scores it combines, and its preparation."""

    score: Callable[[ClaimBatch], Scores]
    parts: tuple[str, ...] = ()
    prepare: Callable[[SearchedWork], object] = lambda searched: None
    model: str = ""


def chance(batch: ClaimBatch) -> Scores:
    """Return equal scores, so that every figure is the expectation over random orders."""
    return np.zeros((len(batch.claims), len(batch.searched.starts)))


def bm25(batch: ClaimBatch) -> Scores:
    """Return the scores of RELiC's baseline."""
    return np.stack([batch.searched.okapi().scores(claim) for claim in batch.claims])


def dense(batch: ClaimBatch, *, model: str) -> Scores:
    """Return cosines with the passages alone, as the paper ranks."""
    return check_finite(batch.vectors(model) @ batch.searched.passages(model).T)


def check_finite(scores: Scores) -> Scores:
    """Return the scores; raises ScholarError where some are no numbers."""
    if not np.isfinite(scores).all():
        raise ScholarError("the model's vectors are not numbers; train it again, or choose another")
    return scores


def hybrid(batch: ClaimBatch, *, model: str) -> Scores:
    """Return the scores that `find` ranks by: of passages, their neighbourhoods and words."""
    searched = batch.searched
    around = batch.vectors(model) @ searched.neighbourhoods(model).T
    total = np.concatenate([np.zeros((len(around), 1)), np.cumsum(around, axis=1)], axis=1)
    mean = (total[:, searched.starts + searched.size] - total[:, searched.starts]) / searched.size
    cosines = (1 - NEIGHBOUR_SHARE) * batch.scores(f"dense:{model}") + NEIGHBOUR_SHARE * mean
    return blend_scores(cosines, batch.scores("bm25"))


def select_systems(
    requested: Sequence[str], models: Sequence[str]
) -> tuple[list[str], dict[str, RetrievalSystem]]:
    """Return the names to report, and all systems that these need.

    Raises UsageError for a name of no system.
    """
    names = list(
        dict.fromkeys(name for request in requested for name in _expand_name(request, models))
    )
    systems = {
        "random": RetrievalSystem(chance),
        "bm25": RetrievalSystem(bm25, prepare=SearchedWork.okapi),
    }
    for model in dict.fromkeys(name.partition(":")[2] for name in names if ":" in name):
        systems[f"dense:{model}"] = RetrievalSystem(
            partial(dense, model=model), (), partial(SearchedWork.passages, model=model), model
        )
        systems[f"hybrid:{model}"] = RetrievalSystem(
            partial(hybrid, model=model), (f"dense:{model}", "bm25"), model=model
        )
    return names, systems


def _expand_name(name: str, models: Sequence[str]) -> list[str]:
    """Return the systems that a name stands for: one per model for a kind that encodes."""
    kind, _, model = name.partition(":")
    if kind not in SYSTEMS or (model and kind not in ENCODING):
        raise UsageError(f"there is no system {name!r}; choose from: {', '.join(SYSTEMS)}")
    if kind not in ENCODING:
        return [kind]
    names = [model] if model else models
    return [f"{kind}:{model_name}" if model_name else kind for model_name in names]


def resolve_name(name: str, names: Sequence[str]) -> str:
    """Return the system of a run with a name or, where there is but one of it, of a kind.

    Raises UsageError when there is none, or more than one.
    """
    if name in names:
        return name
    matches = [known for known in names if name == known.partition(":")[0]]
    if len(matches) != 1:
        raise UsageError(f"{name!r} is not one system of this run; choose from: {', '.join(names)}")
    return matches[0]
