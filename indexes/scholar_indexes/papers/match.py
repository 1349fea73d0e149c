"""How alike papers are in one respect, and which of their sentences say so.

A paper is a set of sentence vectors with a facet each, a vector of its title and one of
the whole. Three cosines are averaged:

    view      title and facet: what the sentences of the facet say together, on this topic
    matched   the facet's sentences, each moved onto those of the other paper at the least
              cost (optimal transport): every step must find its counterpart
    whole     title and abstract: the context of the other facets

less what a paper pays for lacking the facet, plus a little for common words (BM25). All
shares are equal and the same for every facet; docs/papers.md says how flat the ground
around them is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes import ranking
from scholar_indexes.types import Facet

Floats1d = NDArray[np.float32]
Floats2d = NDArray[np.float32]
Floats3d = NDArray[np.float32]
Ints1d = NDArray[np.int64]

FACETS = tuple(Facet)
"""The order of facets in numbers and probabilities."""

EPSILON = 0.05
"""How blurred a transport is, as a cosine: see transport."""

ROUNDS = 50
"""How often a transport's rows and columns are scaled."""

FLOOR = 0.01
"""What a sentence weighs that is certainly of another facet: a paper without the facet is
matched by all that it says, and in any other this hardly counts."""

FOREIGN = 0.1
"""What a paper without the asked facet loses, as a cosine."""

BLOCK = 1 << 18
"""Pairs of sentences that are matched at a time: bounds memory, and stays in cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A paper in vectors of unit length; float16 will do.

    sentences are (n, d) in the order of the abstract, n may be 0. facets are (n,) numbers
    into FACETS or (n, 4) probabilities in that order. whole (d,) is title and abstract;
    title (d,) is the title alone, and whole stands in where there is none.
    """

    sentences: Floats2d
    facets: NDArray[np.integer] | Floats2d
    whole: Floats1d
    title: Floats1d | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What the scores of some candidates are made of, each (c,).

    view, matched and whole are cosines; foreign in [0, 1] is the share of what was
    compared that is not of the asked facet.
    """

    view: Floats1d
    matched: Floats1d
    whole: Floats1d
    foreign: Floats1d

    @property
    def cosines(self) -> Floats1d:
        """The scores (c,), but for common words."""
        mean: Floats1d = (self.view + self.matched + self.whole) / 3 - FOREIGN * self.foreign
        return mean


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that were matched: rows of query and candidate, how much of what is
    matched this pair is (all weights add up to 1), and their cosine."""

    query_row: int
    candidate_row: int
    weight: float
    cosine: float


def scores(
    query: Document,
    asked: Sequence[int] | Ints1d,
    facet: Facet | None,
    candidates: Sequence[Document],
    lexical: Floats1d | None = None,
) -> Floats1d:
    """How alike each candidate is to the asked sentences of a query, (c,); higher is better.

    asked are rows of query.sentences. facet is the respect asked for; None takes the facets
    that the asked sentences themselves have. lexical (c,) is the BM25 of the candidates for
    the words of the query's title and asked sentences: see ranking.blend. Raises ValueError
    when nothing is asked, a row is not there, or widths or lengths differ.
    """
    cosines = parts(query, asked, facet, candidates).cosines
    if lexical is None:
        return cosines
    if lexical.shape != cosines.shape:
        raise ValueError(f"{len(cosines)} candidates have {lexical.shape} lexical scores")
    blended: Floats1d = ranking.blend(cosines, lexical).astype(np.float32)
    return blended


def parts(
    query: Document,
    asked: Sequence[int] | Ints1d,
    facet: Facet | None,
    candidates: Sequence[Document],
) -> Parts:
    """The parts of scores, for the same arguments; raises what scores raises."""
    rows = _rows(query, asked)
    sentences, topics, wholes = _stacked(candidates, query.whole.shape[0])
    lengths = np.array([len(each.sentences) for each in candidates], np.int64)
    relevance = _relevance(_sought(query, rows, facet), candidates)
    mass = _shares(relevance + FLOOR, lengths)
    said = _sums(mass, lengths)  # 1, but 0 for a paper without sentences
    foreign = 1 - said + _sums(mass * (1 - relevance), lengths)
    of_query = _unit(_unit(_wide(query.sentences[rows]).mean(axis=0)) + _topic(query))
    of_candidates = _unit(_unit(_sums(mass[:, None] * sentences, lengths)) + topics)
    matched = np.zeros(len(candidates), np.float32)
    cosines = sentences @ _wide(query.sentences[rows]).T
    for group, where, there in _groups(lengths, len(rows)):
        near = np.ascontiguousarray(np.moveaxis(cosines[where], 2, 0))
        plan = transport(near, np.where(there, mass[where], 0))
        matched[group] = np.einsum("mnc,mnc->c", plan, near)
    return Parts(of_candidates @ of_query, matched, wholes @ _wide(query.whole), foreign)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """How well some candidates answer a question, each (c,): scores, the cosines of their
    nearest sentence and of the whole, and rows, which sentence that is (-1 the title)."""

    scores: Floats1d
    nearest: Floats1d
    whole: Floats1d
    rows: Ints1d


def answers(
    question: Floats1d, candidates: Sequence[Document], lexical: Floats1d | None = None
) -> Answers:
    """How well candidates answer a free question, whose unit vector (d,) it is.

    One sentence, or the title, has to answer it, and the paper has to be about it: the mean of
    the two cosines, blended with BM25 as in scores. Raises ValueError when widths differ.
    """
    sentences, topics, wholes = _stacked(candidates, question.shape[0])
    lengths = np.array([len(each.sentences) for each in candidates], np.int64)
    said, nearest = sentences @ question, topics @ question
    rows = np.full(len(candidates), -1, np.int64)
    first = np.cumsum(lengths) - lengths
    for at, (start, length) in enumerate(zip(first.tolist(), lengths.tolist(), strict=True)):
        if length and said[start : start + length].max() > nearest[at]:
            rows[at] = said[start : start + length].argmax()
            nearest[at] = said[start + rows[at]]
    whole = wholes @ question
    scores: Floats1d = ((nearest + whole) / 2).astype(np.float32)
    if lexical is not None:
        scores = ranking.blend(scores, lexical).astype(np.float32)
    return Answers(scores, nearest, whole, rows)


def align(
    query: Document,
    asked: Sequence[int] | Ints1d,
    candidate: Document,
    facet: Facet | None = None,
) -> list[Pair]:
    """The pairs of sentences that the matched part of a candidate's score is made of.

    Their weight * cosine adds up to that part; what adds most comes first. None for a
    candidate without sentences. Raises what scores raises.
    """
    rows = _rows(query, asked)
    if not len(candidate.sentences):
        return []
    sentences, _, _ = _stacked([candidate], query.whole.shape[0])
    relevance = _relevance(_sought(query, rows, facet), [candidate])
    mass = _shares(relevance + FLOOR, np.array([len(sentences)]))
    cosines = _wide(query.sentences[rows]) @ sentences.T
    plan = transport(cosines[:, :, None], mass[:, None])[:, :, 0]
    order = np.argsort(-plan * cosines, axis=None, kind="stable")
    return [
        Pair(int(rows[i]), int(j), float(plan[i, j]), float(cosines[i, j]))
        for i, j in zip(*np.unravel_index(order, plan.shape), strict=True)
    ]


def transport(
    cosines: Floats3d, mass: Floats2d, *, epsilon: float = EPSILON, rounds: int = ROUNDS
) -> Floats3d:
    """How much of each asked sentence is moved onto each sentence of a candidate, (m, n, c).

    cosines (m, n, c) are between m asked sentences, which weigh the same, and n sentences of
    each of c candidates, which weigh mass (n, c); a column of mass adds up to 1, and what
    weighs 0 is padding. The plan moves all of it at the least cost plus entropy: its sums
    over n are 1/m, over m they come to mass. Sinkhorn's algorithm (Cuturi 2013, Algorithm 1)
    for the matching of Mysore et al. 2022 ("Multi-Vector Models with Textual Guidance",
    otAspire); the candidates stand last, so that each step runs over all of them.
    """
    kernel = np.exp((cosines - cosines.max(axis=(0, 1))) / np.float32(epsilon))
    m, n, c = cosines.shape
    of_rows, of_columns = np.ones((m, c), np.float32), np.ones((n, c), np.float32)
    for _ in range(rounds):
        of_columns = mass / np.einsum("mnc,mc->nc", kernel, of_rows)
        of_rows = 1 / (m * np.einsum("mnc,nc->mc", kernel, of_columns))
    plan: Floats3d = kernel * of_rows[:, None] * of_columns
    return plan


def _rows(query: Document, asked: Sequence[int] | Ints1d) -> Ints1d:
    rows = np.asarray(asked, np.int64)
    if not len(rows):
        raise ValueError("no sentence is asked for")
    if rows.min() < 0 or rows.max() >= len(query.sentences):
        raise ValueError(f"the query has no sentences {rows.tolist()}")
    return rows


def _sought(query: Document, rows: Ints1d, facet: Facet | None) -> Floats1d:
    """How much a sentence of each facet is worth, (4,); the best is worth 1."""
    if facet is not None:
        shares = np.eye(len(FACETS))[FACETS.index(facet)]
    else:
        shares = _probabilities(query)[rows].mean(axis=0)
    worth: Floats1d = (shares / shares.max()).astype(np.float32)
    return worth


def _probabilities(document: Document) -> Floats2d:
    facets = document.facets
    if facets.ndim == 2:
        return facets.astype(np.float32, copy=False)
    certain: Floats2d = np.eye(len(FACETS), dtype=np.float32)[facets.astype(np.int64)]
    return certain


def _relevance(sought: Floats1d, candidates: Sequence[Document]) -> Floats1d:
    """How far each sentence is of what is sought, in [0, 1], candidate after candidate."""
    found = [_probabilities(each) @ sought for each in candidates]
    return np.concatenate([np.zeros(0, np.float32), *found]).clip(0, 1)


def _stacked(candidates: Sequence[Document], width: int) -> tuple[Floats2d, Floats2d, Floats2d]:
    """All sentences one after another, all topics, all wholes."""
    for each in candidates:
        if each.sentences.shape[1:] != (width,) or each.whole.shape != (width,):
            raise ValueError(f"vectors are {width} wide in the query and not in a candidate")
        if len(each.facets) != len(each.sentences):
            raise ValueError("a candidate has not one facet for each sentence")
    none = np.zeros((0, width), np.float32)
    sentences = np.concatenate([none, *(each.sentences for each in candidates)], dtype=np.float32)
    topics = np.array([_topic(each) for each in candidates], np.float32).reshape(-1, width)
    wholes = np.array([each.whole for each in candidates], np.float32).reshape(-1, width)
    return sentences, topics, wholes


def _topic(document: Document) -> Floats1d:
    return _wide(document.whole if document.title is None else document.title)


def _groups(
    lengths: Ints1d, asked: int
) -> Iterator[tuple[Ints1d, NDArray[np.int64], NDArray[np.bool_]]]:
    """Candidates of like length together: their numbers (c,), the rows (n, c) of their
    sentences, and which of these are there and not padding (n, c)."""
    first = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    at = int(np.searchsorted(lengths[order], 1))
    while at < len(order):
        shortest = int(lengths[order[at]])
        end = int(np.searchsorted(lengths[order], max(8, shortest + shortest // 2), "right"))
        longest = int(lengths[order[end - 1]])
        group = order[at : min(end, at + max(1, BLOCK // (asked * longest)))]
        at += len(group)
        position = np.arange(lengths[group].max())[:, None]
        there = position < lengths[group]
        yield group, first[group] + np.where(there, position, 0), there


def _shares(weights: Floats1d, lengths: Ints1d) -> Floats1d:
    """Weights of sentences divided by their candidate's sum."""
    shares: Floats1d = (weights / np.repeat(_sums(weights, lengths), lengths)).astype(np.float32)
    return shares


def _sums(values: NDArray[np.float32], lengths: Ints1d) -> NDArray[np.float32]:
    """Rows of values added up candidate by candidate; 0 for one without rows."""
    sums = np.zeros((len(lengths), *values.shape[1:]), np.float32)
    some = lengths > 0
    if some.any():
        sums[some] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[some], axis=0)
    return sums


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(length, 1e-9)
    return unit


def _wide(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors.astype(np.float32, copy=False)
