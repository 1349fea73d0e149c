"""Faceted similarity of papers, and the alignment of their sentences.

A paper is a set of sentence vectors with a facet each, a vector of its title and a vector of the
whole (Mysore et al. 2022, "Multi-Vector Models with Textual Guidance for Fine-Grained Scientific
Document Similarity"). The score of a candidate c for the query sentences Q of a facet f is

    score(Q, c) = (view + matched + whole) / 3 - FACET_PENALTY * foreign     (blended with BM25)

    view      cosine of both papers' views: unit(mean of f's sentence vectors) + title vector
    matched   sum over sentence pairs of plan * cosine, where plan is the optimal transport of
              the query sentences onto the candidate's, weighted by their relevance to f
              (otAspire of Mysore et al. 2022; Sinkhorn's algorithm, Cuturi 2013)
    whole     cosine of the vectors of title and abstract
    foreign   share of the candidate's compared sentences that do not have f

If f is method, the topic must not decide, since the user already knows papers on the topic:

    score(Q, c) = (topic + matched) / 3 + method / 2 - FACET_PENALTY * foreign

    topic     mean cosine of titles and of wholes, capped at the TOPIC_RANK-th candidate's
    method    mean over the query sentences of their best cosine with a method sentence of the
              candidate, both mapped so that the topic counts little (papers.method_map)

and BM25 is capped at the score of the LEXICAL_RANK-th candidate. With many papers on a topic, the
capped scores still separate near papers from far ones; with few, papers on other topics pass them.

docs/papers.md measures how little the result depends on the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Floats3d, Ints1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.papers.method_map import MethodMap
from scholar_indexes.papers.paper_results import SentencePair
from scholar_indexes.types import FACETS, Facet

EPSILON = 0.05
"""The weight of entropy in the transport plan (epsilon, 1 / lambda in Cuturi 2013), as a
cosine."""

ITERATIONS = 50
"""Iterations of Sinkhorn's algorithm."""

MIN_RELEVANCE = 0.01
"""The relevance added to every sentence: a candidate without the facet is compared by all its
sentences, and for any other candidate it hardly matters."""

FACET_PENALTY = 0.1
"""The cosine that is subtracted if a candidate does not have the facet of the query."""

TOPIC_RANK, LEXICAL_RANK = 20, 5
"""For the facet method, the topic and BM25 scores of candidates are capped at the score of the
candidate of this rank."""

MAX_PAIRS = 1 << 18
"""Sentence pairs that are aligned at a time: bounds memory, and stays in cache."""


@dataclass(frozen=True, slots=True, eq=False)
class PaperVectors:
    """The unit vectors of a paper, float32 or float16.

    sentences (n, d) are in the order of the abstract, n may be 0. facets are (n,) indices into
    FACETS or (n, 4) probabilities in that order. whole (d,) is the vector of title
    and abstract; title (d,) is the vector of the title alone, or None to use whole.
    """

    sentences: Floats2d
    facets: NDArray[np.integer] | Floats2d
    whole: Floats1d
    title: Floats1d | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScoreParts:
    """The parts of the scores of c candidates, each (c,).

    view, matched, whole, topic and method are cosines; foreign in [0, 1] is the share of the
    compared sentences that do not have the facet of the query. method is None for other facets.
    """

    view: Floats1d
    matched: Floats1d
    whole: Floats1d
    foreign: Floats1d
    topic: Floats1d
    method: Floats1d | None

    @property
    def cosines(self) -> Floats1d:
        """The scores (c,) before BM25."""
        if self.method is not None:
            topic = _limit_to_rank(self.topic, TOPIC_RANK)
            cosines = (topic + self.matched) / 3 + self.method / 2
        else:
            cosines = (self.view + self.matched + self.whole) / 3
        penalized: Floats1d = (cosines - FACET_PENALTY * self.foreign).astype(np.float32)
        return penalized


def score_candidates(
    query: PaperVectors,
    query_rows: Sequence[int] | Ints1d,
    facet: Facet | None,
    candidates: Sequence[PaperVectors],
    lexical: Floats1d | None = None,
    method_map: MethodMap | None = None,
) -> Floats1d:
    """Return the scores (c,) of candidates for sentences of a query; higher is better.

    query_rows are rows of query.sentences. With facet None, the facets of these sentences are
    used. lexical (c,) is the BM25 of the candidates for the words of the query's title and
    sentences, see blend_scores. Without method_map, method vectors are compared
    unmapped. Raises ValueError if there are no query rows, one does not exist, or dimensions or
    lengths differ.
    """
    cosines = score_parts(query, query_rows, facet, candidates, method_map).cosines
    if lexical is None:
        return cosines
    if lexical.shape != cosines.shape:
        raise ValueError(f"{len(cosines)} candidates have {lexical.shape} lexical scores")
    best = np.full(1, lexical.max(initial=0), np.float32)
    if facet is Facet.METHOD:
        lexical = _limit_to_rank(lexical, LEXICAL_RANK)
    blended: Floats1d = blend_scores(cosines, lexical, best=best).astype(np.float32)
    return blended


def score_parts(
    query: PaperVectors,
    query_rows: Sequence[int] | Ints1d,
    facet: Facet | None,
    candidates: Sequence[PaperVectors],
    method_map: MethodMap | None = None,
) -> ScoreParts:
    """Return the parts of the scores; arguments and errors are as in score_candidates."""
    rows = _check_rows(query, query_rows)
    sentences, titles, wholes = _stack(candidates, query.whole.shape[0])
    lengths = np.array([len(candidate.sentences) for candidate in candidates], np.int64)
    relevance = _relevance(_facet_weights(query, rows, facet), candidates)
    mass = _normalize(relevance + MIN_RELEVANCE, lengths)
    total_mass = _segment_sums(mass, lengths)  # 1, but 0 for a paper without sentences
    foreign = 1 - total_mass + _segment_sums(mass * (1 - relevance), lengths)
    query_sentences = _float32(query.sentences[rows])
    query_view = _unit(_unit(query_sentences.mean(axis=0)) + _title_vector(query))
    views = _unit(_unit(_segment_sums(mass[:, None] * sentences, lengths)) + titles)
    matched = np.zeros(len(candidates), np.float32)
    cosines = sentences @ query_sentences.T
    for group, sentence_rows, is_sentence in _group_by_length(lengths, len(rows)):
        group_cosines = np.ascontiguousarray(np.moveaxis(cosines[sentence_rows], 2, 0))
        plan = transport_plan(group_cosines, np.where(is_sentence, mass[sentence_rows], 0))
        matched[group] = np.einsum("mnc,mnc->c", plan, group_cosines)
    whole = wholes @ _float32(query.whole)
    return ScoreParts(
        views @ query_view,
        matched,
        whole,
        foreign,
        ((titles @ _title_vector(query) + whole) / 2).astype(np.float32),
        _method_cosines(query_sentences, candidates, method_map) if facet is Facet.METHOD else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class QuestionScores:
    """The scores of c candidates for a question, each (c,): scores, the cosines of the nearest
    sentence and of the whole, and the row of the nearest sentence (-1 for the title)."""

    scores: Floats1d
    nearest: Floats1d
    whole: Floats1d
    rows: Ints1d


def score_answers(
    question: Floats1d, candidates: Sequence[PaperVectors], lexical: Floats1d | None = None
) -> QuestionScores:
    """Return the scores of candidates for a free question, given as its unit vector (d,).

    The score is the mean of the cosines of the nearest sentence (or the title) and of the whole,
    blended with BM25 as in score_candidates. Raises ValueError if dimensions
    differ.
    """
    sentences, titles, wholes = _stack(candidates, question.shape[0])
    lengths = np.array([len(candidate.sentences) for candidate in candidates], np.int64)
    cosines, nearest = sentences @ question, titles @ question
    rows = np.full(len(candidates), -1, np.int64)
    starts = np.cumsum(lengths) - lengths
    for index, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        if length and cosines[start : start + length].max() > nearest[index]:
            rows[index] = cosines[start : start + length].argmax()
            nearest[index] = cosines[start + rows[index]]
    whole = wholes @ question
    scores: Floats1d = ((nearest + whole) / 2).astype(np.float32)
    if lexical is not None:
        scores = blend_scores(scores, lexical).astype(np.float32)
    return QuestionScores(scores, nearest, whole, rows)


def align_sentences(
    query: PaperVectors,
    query_rows: Sequence[int] | Ints1d,
    candidate: PaperVectors,
    facet: Facet | None = None,
) -> list[SentencePair]:
    """Return the sentence pairs of the `matched` part of a candidate's score.

    Their weight * cosine adds up to that part. Pairs whose candidate sentence has the facet come
    first, the largest product leading each group. Empty for a candidate without sentences. Raises
    as score_candidates.
    """
    rows = _check_rows(query, query_rows)
    if not len(candidate.sentences):
        return []
    sentences, _, _ = _stack([candidate], query.whole.shape[0])
    relevance = _relevance(_facet_weights(query, rows, facet), [candidate])
    mass = _normalize(relevance + MIN_RELEVANCE, np.array([len(sentences)]))
    cosines = _float32(query.sentences[rows]) @ sentences.T
    plan = transport_plan(cosines[:, :, None], mass[:, None])[:, :, 0]
    has_facet = np.ones(len(sentences), np.bool_)
    if facet is not None:
        has_facet = _probabilities(candidate).argmax(axis=1) == FACETS.index(facet)
    lacks = np.broadcast_to(~has_facet, plan.shape)
    order = np.lexsort(((-plan * cosines).ravel(), lacks.ravel()))
    return [
        SentencePair(int(rows[i]), int(j), float(plan[i, j]), float(cosines[i, j]))
        for i, j in zip(*np.unravel_index(order, plan.shape), strict=True)
    ]


def transport_plan(
    cosines: Floats3d, mass: Floats2d, *, epsilon: float = EPSILON, iterations: int = ITERATIONS
) -> Floats3d:
    """Return the optimal transport plan (m, n, c) of query sentences onto candidates' sentences.

    cosines (m, n, c) are between m query sentences, of mass 1/m each, and n sentences of each of
    c candidates, of mass (n, c); a column of mass adds up to 1, and a sentence of mass 0 is
    padding. The plan minimises cost minus epsilon times entropy, with cost = -cosine; its sums
    over n are 1/m, its sums over m are mass. Sinkhorn's algorithm (Cuturi 2013, Algorithm 1):

        K = exp(cosines / epsilon),  v = mass / (K^T u),  u = (1/m) / (K v),
        plan = diag(u) K diag(v)

    The candidates are the last axis, so that each step is one operation for all of them.
    """
    kernel = np.exp((cosines - cosines.max(axis=(0, 1))) / np.float32(epsilon))
    m, n, c = cosines.shape
    u, v = np.ones((m, c), np.float32), np.ones((n, c), np.float32)
    for _ in range(iterations):
        v = mass / np.einsum("mnc,mc->nc", kernel, u)
        u = 1 / (m * np.einsum("mnc,nc->mc", kernel, v))
    plan: Floats3d = kernel * u[:, None] * v
    return plan


def _method_cosines(
    query_sentences: Floats2d, candidates: Sequence[PaperVectors], method_map: MethodMap | None
) -> Floats1d:
    """Return the mean over query sentences (m, d) of the best mapped cosine of each candidate.

    The sentences of a candidate are the ones labelled method, else the one most likely to be, else
    (without an abstract) its title.
    """
    chosen = [_method_sentences(candidate) for candidate in candidates]
    lengths = np.array([len(sentences) for sentences in chosen], np.int64)
    vectors = np.concatenate(
        [np.zeros((0, query_sentences.shape[1]), np.float32), *chosen], dtype=np.float32
    )
    asked = query_sentences
    if method_map is not None:
        vectors, asked = method_map.apply(vectors), method_map.apply(asked)
    if not len(lengths):
        return np.zeros(0, np.float32)
    best = np.maximum.reduceat(vectors @ asked.T, np.cumsum(lengths) - lengths, axis=0)
    mean: Floats1d = best.mean(axis=1)
    return mean


def _method_sentences(candidate: PaperVectors) -> Floats2d:
    if not len(candidate.sentences):
        return _title_vector(candidate)[None]
    shares = _probabilities(candidate)
    method = FACETS.index(Facet.METHOD)
    rows = np.flatnonzero(shares.argmax(axis=1) == method)
    if not len(rows):
        rows = np.array([shares[:, method].argmax()])
    return _float32(candidate.sentences[rows])


def _limit_to_rank(values: Floats1d, rank: int) -> Floats1d:
    """Return values (c,) capped at the rank-th largest, or at the smallest if there are fewer."""
    if not len(values):
        return values
    limit = np.sort(values)[-min(rank, len(values))]
    limited: Floats1d = np.minimum(values, limit)
    return limited


def _check_rows(query: PaperVectors, query_rows: Sequence[int] | Ints1d) -> Ints1d:
    rows = np.asarray(query_rows, np.int64)
    if not len(rows):
        raise ValueError("no sentence is asked for")
    if rows.min() < 0 or rows.max() >= len(query.sentences):
        raise ValueError(f"the query has no sentences {rows.tolist()}")
    return rows


def _facet_weights(query: PaperVectors, rows: Ints1d, facet: Facet | None) -> Floats1d:
    """Return the weight (4,) of each facet in a query; the largest is 1."""
    if facet is not None:
        shares = np.eye(len(FACETS))[FACETS.index(facet)]
    else:
        shares = _probabilities(query)[rows].mean(axis=0)
    weights: Floats1d = (shares / shares.max()).astype(np.float32)
    return weights


def _probabilities(document: PaperVectors) -> Floats2d:
    """Return the facet probabilities (n, 4) of a paper's sentences."""
    facets = document.facets
    if facets.ndim == 2:
        return facets.astype(np.float32, copy=False)
    one_hot: Floats2d = np.eye(len(FACETS), dtype=np.float32)[facets.astype(np.int64)]
    return one_hot


def _relevance(facet_weights: Floats1d, candidates: Sequence[PaperVectors]) -> Floats1d:
    """Return the relevance, in [0, 1], of all sentences of all candidates to facet weights."""
    relevance = [_probabilities(candidate) @ facet_weights for candidate in candidates]
    return np.concatenate([np.zeros(0, np.float32), *relevance]).clip(0, 1)


def _stack(
    candidates: Sequence[PaperVectors], dimensions: int
) -> tuple[Floats2d, Floats2d, Floats2d]:
    """Return the vectors of all sentences (s, d), of all titles (c, d) and all wholes (c, d)."""
    shape = (dimensions,)
    for candidate in candidates:
        if candidate.sentences.shape[1:] != shape or candidate.whole.shape != shape:
            raise ValueError(f"vectors are {dimensions} wide in the query and not in a candidate")
        if len(candidate.facets) != len(candidate.sentences):
            raise ValueError("a candidate has not one facet for each sentence")
    empty = np.zeros((0, dimensions), np.float32)
    sentences = np.concatenate(
        [empty, *(candidate.sentences for candidate in candidates)], dtype=np.float32
    )
    titles = np.array([_title_vector(candidate) for candidate in candidates], np.float32)
    wholes = np.array([candidate.whole for candidate in candidates], np.float32)
    return sentences, titles.reshape(-1, dimensions), wholes.reshape(-1, dimensions)


def _title_vector(document: PaperVectors) -> Floats1d:
    return _float32(document.whole if document.title is None else document.title)


def _group_by_length(
    lengths: Ints1d, query_length: int
) -> Iterator[tuple[Ints1d, NDArray[np.int64], NDArray[np.bool_]]]:
    """Yield groups of candidates of similar length: their indices (c,), the rows (n, c) of
    their sentences, and which of these are sentences and not padding (n, c)."""
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    next_index = int(np.searchsorted(lengths[order], 1))
    while next_index < len(order):
        shortest = int(lengths[order[next_index]])
        end = int(np.searchsorted(lengths[order], max(8, shortest + shortest // 2), "right"))
        longest = int(lengths[order[end - 1]])
        group_size = max(1, MAX_PAIRS // (query_length * longest))
        group = order[next_index : min(end, next_index + group_size)]
        next_index += len(group)
        position = np.arange(lengths[group].max())[:, None]
        is_sentence = position < lengths[group]
        yield group, starts[group] + np.where(is_sentence, position, 0), is_sentence


def _normalize(weights: Floats1d, lengths: Ints1d) -> Floats1d:
    """Return the weights of sentences divided by their candidate's sum."""
    sums = np.repeat(_segment_sums(weights, lengths), lengths)
    shares: Floats1d = (weights / sums).astype(np.float32)
    return shares


def _segment_sums(values: NDArray[np.float32], lengths: Ints1d) -> NDArray[np.float32]:
    """Return the sums of consecutive rows, `lengths` rows each; 0 for no rows."""
    sums = np.zeros((len(lengths), *values.shape[1:]), np.float32)
    has_rows = lengths > 0
    if has_rows.any():
        sums[has_rows] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[has_rows], axis=0)
    return sums


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(length, 1e-9)
    return unit


def _float32(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors.astype(np.float32, copy=False)
