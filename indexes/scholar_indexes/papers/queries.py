"""The query sentences of a paper, and the reasons why another paper is similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.papers.catalog.stored import StoredPaper
from scholar_indexes.papers.paper_results import NoFacet, PaperQuery, SimilarPaper
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import FACETS, QUERY_FACETS, Facet, Paper

if TYPE_CHECKING:
    from scholar_indexes.papers.match import PaperVectors, ScoreParts
    from scholar_indexes.papers.method_map import MethodMap
    from scholar_indexes.papers.table import CandidatePapers


def select_facets(query: PaperQuery, vectors: PaperVectors) -> list[Facet]:
    """Return the facet of a query, or the facets that its sentences probably have."""
    if query.facet:
        return [query.facet]
    likelihoods = vectors.facets[list(query.sentences)].mean(axis=0)
    return [facet for facet in QUERY_FACETS if likelihoods[FACETS.index(facet)] > 1 / len(FACETS)]


def select_rows(
    paper: Paper, vectors: PaperVectors, facet: Facet | None, sentences: Sequence[int]
) -> list[int]:
    """Return the rows of the query sentences: the chosen ones, the ones of a facet, or all."""
    count = len(paper.sentences)
    if not count:
        raise NoMatch(
            f"no abstract of {one_line(paper.title)!r} is known; "
            "ask by its words: scholar papers find TITLE"
        )
    unknown = [number for number in sentences if not 1 <= number <= count]
    if unknown:
        raise UsageError(f"there is no sentence {unknown[0]}; the abstract has {count}")
    if sentences:
        return [number - 1 for number in dict.fromkeys(sentences)]
    if facet is None:
        return list(range(count))
    rows = [row for row, label in enumerate(paper.facets) if label is facet]
    if not rows:
        nearest = int(vectors.facets[:, FACETS.index(facet)].argmax())
        name = repr(one_line(paper.title, 60)) if paper.title else "it"
        raise NoFacet(
            f"no sentence of {name} is labelled {facet}; the nearest is "
            f"sentence {nearest + 1}, {one_line(paper.sentences[nearest], 80)!r}",
            nearest + 1,
        )
    return rows


def explain(
    query: PaperQuery,
    vectors: PaperVectors,
    stored: StoredPaper,
    candidates: CandidatePapers,
    row: int,
    method_map: MethodMap | None = None,
) -> SimilarPaper:
    """Return a candidate with its aligned sentences and the parts of its score.

    If the query has a facet and some sentences of the candidate have it, only these are among the
    aligned ones.
    """
    from scholar_indexes.papers import match

    candidate = candidates.documents[row]
    parts = match.score_parts(vectors, query.sentences, query.facet, [candidate], method_map)
    pairs = match.align_sentences(vectors, query.sentences, candidate, query.facet)
    labels = stored.paper.facets
    of_facet = [
        pair
        for pair in pairs
        if pair.candidate_row is not None and labels[pair.candidate_row] is query.facet
    ]
    return SimilarPaper(
        stored, tuple(of_facet or pairs), _named_parts(parts, float(candidates.bm25[row]))
    )


def _named_parts(parts: ScoreParts, bm25: float) -> dict[str, float]:
    """Return the parts that make up the score of one candidate, by name."""
    cosines = (
        {"view": parts.view, "matched": parts.matched, "whole": parts.whole}
        if parts.method is None
        else {"topic": parts.topic, "method": parts.method, "matched": parts.matched}
    )
    return {name: float(values[0]) for name, values in cosines.items()} | {"bm25": bm25}
