"""The answers to a claim as a set: passages that adjoin a better one, or say the same, are folded
into it, so that ten answers are ten places of the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scholar_indexes.arrays import Floats1d
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import pooled_vector
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import Candidates

BESIDE = 0
"""The most sentences between a passage and a better one of its chapter into which it is folded;
higher values found fewer scenes for their cost (docs/ranking.md)."""

ALIKE = 0.97
"""The least cosine of two passages that say the same, as in two editions of a book."""


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """The best window of an answer, the run of its rows, its unit vector (d,), and the places that
    are folded into it, best first."""

    window: Window
    run: int
    vector: Floats1d
    nearby: list[Place] = field(default_factory=list)

    def covers(self, other: _Answer) -> bool:
        """Return True if a worse answer is next to this one, or says the same."""
        better, worse = self.window.place, other.window.place
        distance = max(worse.first - better.end, better.first - worse.end)
        is_beside = distance <= BESIDE and self.run == other.run
        return is_beside or bool(other.vector @ self.vector >= ALIKE)


def put_first(first: Sequence[Window], others: Sequence[Window]) -> list[Window]:
    """Return the first windows, then the others that overlap none of them.

    If two of the first overlap, the earlier one is kept. The others do not overlap one another.
    """
    kept: list[Window] = []
    for window in first:
        if not _overlaps(window, kept):
            kept.append(window)
    return kept + [window for window in others if not _overlaps(window, kept)]


def _overlaps(window: Window, others: Sequence[Window]) -> bool:
    return any(window.place.overlaps(other.place) for other in others)


def choose_answers(ranked: Sequence[Window], candidates: Candidates, n: int) -> list[Window]:
    """Return the best n windows of a ranking, each with the windows that are folded into it."""
    rows = candidates.rows_of([window.place for window in ranked])
    answers: list[_Answer] = []
    for window, start, end in zip(ranked, rows.start.tolist(), rows.end.tolist(), strict=True):
        answer = _Answer(window, int(candidates.runs[start]), _vector(candidates, start, end))
        better = next((other for other in answers if other.covers(answer)), None)
        if better is not None:
            better.nearby.append(window.place)
        elif len(answers) == n:
            break
        else:
            answers.append(answer)
    return [replace(answer.window, nearby=tuple(answer.nearby)) for answer in answers]


def _vector(candidates: Candidates, start: int, end: int) -> Floats1d:
    """Return the unit vector (d,) of the rows [start, end)."""
    rows = candidates.rows
    return pooled_vector(rows.vectors[start:end], rows.weights[start:end])
