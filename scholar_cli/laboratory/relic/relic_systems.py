"""The systems that rank the passages of a work for a claim, by name.

The systems of Thai et al. (2022), Table 3, as far as they can be built here, with the paper's
names:

    random       random
    bm25         BM25
    rank_bm25    BM25       the package that the paper used, for comparison
    words        -          averaged word vectors, learned from the works of the split
    words-tfidf  -          the same, weighted by rarity
    dense        DPR, SIM, c-REALM, dense-RELiC    cosines of an encoder of claims and passages
    late         ColBERT    late interaction of the encoder's token vectors
    hybrid       -          the first stage of `find` in a work without known people
    cross        -          hybrid, whose best a cross-encoder reranks

The systems from dense down need a model, and are named dense:<model>.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256

import numpy as np

from scholar_cli.laboratory.relic.late_interaction import sum_of_best
from scholar_cli.laboratory.relic.searched_work import SearchedWork
from scholar_indexes.arrays import AnyFloats, Floats1d, Floats2d
from scholar_indexes.blending import blend_scores
from scholar_indexes.characters.solver.quantization import unit_rows
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.models.encoder import nearest, unmasked
from scholar_indexes.retrieval.fusion import LOGITS_OF_COSINE
from scholar_indexes.retrieval.ranking import NEIGHBOUR_SHARE
from scholar_indexes.retrieval.second_stage import CONTEXT, PassageInContext, Reranker

SYSTEMS = (
    "random",
    "bm25",
    "rank_bm25",
    "words",
    "words-tfidf",
    "dense",
    "late",
    "hybrid",
    "cross",
)
MAIN = ("random", "bm25", "dense", "hybrid")
"""The default systems of a run."""

ENCODING = ("dense", "late", "hybrid", "cross")
"""Systems that exist once per model."""

WITHOUT_PROXY = ("bm25", "rank_bm25")
"""Systems whose own first answers are the wrong answers of the proxy task."""

CLAIM_WORDS = 30
"""Words of a claim that a cross-encoder reads, the nearest to the quotation: the packaged one has
room for 40 tokens."""

CLAIMS_AT_ONCE = 8
"""Claims whose tokens are compared at a time: bounds memory."""

Scores = AnyFloats


@dataclass(slots=True)
class ClaimBatch:
    """Claims about quotations of one size, and the cached scores of their candidates."""

    searched: SearchedWork
    claims: Sequence[str]
    systems: Mapping[str, RetrievalSystem]
    reranker: Reranker | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    _scores: dict[str, Scores] = field(default_factory=dict)
    _vectors: dict[str, Floats2d] = field(default_factory=dict)

    def vectors(self, model: str) -> Floats2d:
        """Return the vectors (claims, d) of the claims, encoded one at a time, as in `find`."""
        if model not in self._vectors:
            encode = self.searched.encoders[model].encode_claims
            self._vectors[model] = np.concatenate([encode([claim]) for claim in self.claims])
        return self._vectors[model]

    def scores(self, name: str) -> Scores:
        """Return the scores (claims, candidates) of a system.

        The seconds of a system include the seconds of its parts.
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


def rank_bm25(batch: ClaimBatch) -> Scores:
    """Return the scores of RELiC's baseline, computed by the package that it used."""
    return np.stack([batch.searched.library_okapi().scores(claim) for claim in batch.claims])


def words(batch: ClaimBatch, *, weighted: bool) -> Scores:
    """Return the cosines of averaged word vectors."""
    claims = unit_rows(batch.searched.words.sums(batch.claims, weighted=weighted))
    scores: Scores = claims @ batch.searched.word_averages(weighted=weighted).T
    return scores


def dense(batch: ClaimBatch, *, model: str) -> Scores:
    """Return cosines with the passages alone, as in the paper."""
    return check_finite(batch.vectors(model) @ batch.searched.passages(model).T)


def check_finite(scores: Scores) -> Scores:
    """Return the scores; raises ScholarError if some are not numbers."""
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


def late(batch: ClaimBatch, *, model: str) -> Scores:
    """Return the late interaction of the tokens of claims with the tokens of the passages."""
    searched, tokens = batch.searched, batch.searched.tokens(model)
    scores: list[Floats1d] = []
    for first in range(0, len(batch.claims), CLAIMS_AT_ONCE):
        for best in tokens.best_cosines(batch.claims[first : first + CLAIMS_AT_ONCE]):
            scores.append(sum_of_best(best, searched.starts, searched.size))
    return check_finite(np.stack(scores))


def cross(batch: ClaimBatch, *, model: str) -> Scores:
    """Return the scores of the hybrid with its best reranked by a cross-encoder, as in `find`: the
    logits of both stages are added, and the others follow in the order that they had."""
    assert batch.reranker is not None
    logits = LOGITS_OF_COSINE * np.asarray(batch.scores(f"hybrid:{model}"), np.float64)
    for claim, row in zip(batch.claims, logits, strict=True):
        best = best_candidates(row, batch.reranker.depth, batch.searched.text)
        passages = [_in_context(batch.searched, candidate) for candidate in best]
        row[best] += batch.reranker.score(nearest_words(claim, CLAIM_WORDS), passages)
        others = np.delete(row, best)
        if len(others):
            row[best] += max(0.0, float(others.max() - row[best].min()) + 1)
    return check_finite(logits)


def nearest_words(claim: str, room: int) -> str:
    """Return the words of a claim that are nearest to its MASK, without it."""
    left, right = unmasked(claim)
    before, after = nearest(left.split(), right.split(), room)
    return " ".join([*before, *after])


def best_candidates(scores: Scores, count: int, text: Callable[[int], str]) -> list[int]:
    """Return the best candidates, best first; equal scores are ordered by a hash of their text."""
    candidates = np.arange(len(scores))
    if len(candidates) > count:
        candidates = candidates[scores >= np.partition(scores, -count)[-count]]

    def key(candidate: int) -> tuple[float, bytes, int]:
        return -scores[candidate], sha256(text(candidate).encode()).digest(), candidate

    return sorted(map(int, candidates), key=key)[:count]


def _in_context(searched: SearchedWork, candidate: int) -> PassageInContext:
    start, sentences = int(searched.starts[candidate]), searched.work.sentences
    end = start + searched.size
    before = sentences[max(0, start - CONTEXT) : start]
    return PassageInContext(
        " ".join(before), searched.text(candidate), " ".join(sentences[end : end + CONTEXT])
    )


def select_systems(
    requested: Sequence[str], models: Sequence[str]
) -> tuple[list[str], dict[str, RetrievalSystem]]:
    """Return the names to report, and all systems that these need.

    Raises UsageError for an unknown name.
    """
    names = list(
        dict.fromkeys(name for request in requested for name in _expand_name(request, models))
    )
    systems = {
        "random": RetrievalSystem(chance),
        "bm25": RetrievalSystem(bm25, prepare=SearchedWork.okapi),
        "rank_bm25": RetrievalSystem(rank_bm25, prepare=SearchedWork.library_okapi),
    }
    for name, weighted in (("words", False), ("words-tfidf", True)):
        systems[name] = RetrievalSystem(
            partial(words, weighted=weighted),
            prepare=partial(SearchedWork.word_averages, weighted=weighted),
        )
    for model in dict.fromkeys(name.partition(":")[2] for name in names if ":" in name):
        systems |= {
            f"dense:{model}": RetrievalSystem(
                partial(dense, model=model), (), partial(SearchedWork.passages, model=model), model
            ),
            f"late:{model}": RetrievalSystem(
                partial(late, model=model), (), partial(SearchedWork.tokens, model=model), model
            ),
            f"hybrid:{model}": RetrievalSystem(
                partial(hybrid, model=model), (f"dense:{model}", "bm25"), model=model
            ),
            f"cross:{model}": RetrievalSystem(
                partial(cross, model=model), (f"hybrid:{model}",), model=model
            ),
        }
    return names, systems


def with_parts(name: str, systems: Mapping[str, RetrievalSystem]) -> Iterator[str]:
    """Yield the name of a system and, recursively, of the systems whose scores it combines."""
    yield name
    for part in systems[name].parts:
        yield from with_parts(part, systems)


def _expand_name(name: str, models: Sequence[str]) -> list[str]:
    """Return the systems that a name means: one per model for an encoding kind."""
    kind, _, model = name.partition(":")
    if kind not in SYSTEMS or (model and kind not in ENCODING):
        raise UsageError(f"there is no system {name!r}; choose from: {', '.join(SYSTEMS)}")
    if kind not in ENCODING:
        return [kind]
    names = [model] if model else models
    return [f"{kind}:{model_name}" if model_name else kind for model_name in names]


def resolve_name(name: str, names: Sequence[str]) -> str:
    """Return the system of a run with a name or, if it is the only one of it, with a kind.

    Raises UsageError if there is none, or more than one.
    """
    if name in names:
        return name
    matches = [known for known in names if name == known.partition(":")[0]]
    if len(matches) != 1:
        raise UsageError(f"{name!r} is not one system of this run; choose from: {', '.join(names)}")
    return matches[0]
