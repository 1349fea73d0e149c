"""A list of passages that another model reads again, from the top."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from scholar_indexes.requests import FindRequest
from scholar_indexes.results import Evidence
from scholar_indexes.retrieval.second_stage import PassageInContext, Reranker
from scholar_indexes.retrieval.stages import SECOND_STAGE
from scholar_indexes.types import Hit, Progress, silent

GROUP = 4
"""The number of passages that the model reads before the list is ranked again."""


def read_again(
    request: FindRequest,
    hits: Sequence[Hit[Evidence]],
    reranker: Reranker,
    in_context: Callable[[Evidence], PassageInContext],
    progress: Progress = silent,
) -> Iterator[list[Hit[Evidence]]]:
    """Yield the hits of a request each time that a re-ranker has read some more of them.

    The ones that it has read are ranked by their score without the second stage plus the score of
    the re-ranker; the others follow in their order. Passages with the exact words of the claim and
    liked passages stay where they are, and so do passages that the stages did not rank.
    """
    fixed = [hit for hit in hits if _is_fixed(request, hit)]
    others = [hit for hit in hits if not _is_fixed(request, hit)]
    read: list[Hit[Evidence]] = []
    for start in range(0, len(others), GROUP):
        group = others[start : start + GROUP]
        passages = [in_context(hit.item) for hit in group]
        added = reranker.score(
            request.claim, passages, partial(_report, progress, start, len(others))
        )
        read += map(partial(_add, reranker.name), group, added.tolist())
        ranked = sorted(read, key=lambda hit: -hit.score)
        yield [*fixed, *ranked, *_below(others[len(read) :], ranked[-1].score)]


def _is_fixed(request: FindRequest, hit: Hit[Evidence]) -> bool:
    evidence = hit.item
    return evidence.match is not None or evidence.locator in request.like or evidence.parts is None


def _report(progress: Progress, start: int, total: int, label: str, done: int, _: int) -> None:
    """Report the progress in a group as progress in the whole list."""
    progress(label, start + done, total)


def _add(name: str, hit: Hit[Evidence], added: float) -> Hit[Evidence]:
    """Return a hit as ranked by the first stage and a model of that name."""
    parts = {**(hit.item.parts or {}), SECOND_STAGE: added}
    return Hit(replace(hit.item, parts=parts, read_by=name), sum(parts.values()))


def _below(hits: Sequence[Hit[Evidence]], score: float) -> list[Hit[Evidence]]:
    """Return hits with their scores, but at most the given one."""
    return [replace(hit, score=min(hit.score, score)) for hit in hits]
