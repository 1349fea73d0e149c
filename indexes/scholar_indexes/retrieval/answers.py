"""The answers to a claim as a set: passages that adjoin a better one, or say the same, are folded
into it, so that ten answers are ten places of the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.arrays import Floats1d
from scholar_indexes.retrieval.candidates import Candidates
from scholar_indexes.retrieval.ranking import RankedWindow, pooled_vector

BESIDE = 0
"""The most sentences between a passage and a better one of its chapter into which it is folded;
higher values found fewer scenes for their cost (docs/ranking.md)."""

ALIKE = 0.97
"""The least cosine of two passages that say the same, as in two editions of a book."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A window, and the windows that are folded into it, best first."""

    window: RankedWindow
    nearby: tuple[RankedWindow, ...] = ()


@dataclass(slots=True)
class _Group:
    """The windows of an answer, best first, and the vector (d,) of the best."""

    windows: list[RankedWindow]
    vector: Floats1d


def choose_answers(ranked: Sequence[RankedWindow], candidates: Candidates, n: int) -> list[Answer]:
    """Return the best n answers of a ranking, with what is folded into each of them."""
    groups: list[_Group] = []
    for window in ranked:
        vector = _vector(window, candidates)
        for group in groups:
            if _is_beside(window, group.windows[0], candidates) or vector @ group.vector >= ALIKE:
                group.windows.append(window)
                break
        else:
            if len(groups) == n:
                break
            groups.append(_Group([window], vector))
    return [Answer(group.windows[0], tuple(group.windows[1:])) for group in groups]


def _is_beside(window: RankedWindow, better: RankedWindow, candidates: Candidates) -> bool:
    distance = max(window.start - better.end, better.start - window.end)
    runs = candidates.runs
    return distance <= BESIDE and bool(runs[window.start] == runs[better.start])


def _vector(window: RankedWindow, candidates: Candidates) -> Floats1d:
    """Return the unit vector of a window, (d,)."""
    rows, inside = candidates.rows, slice(window.start, window.end)
    return pooled_vector(rows.vectors[inside], rows.weights[inside])
