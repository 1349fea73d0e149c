"""Relevance feedback, simulated on judged claims: the gain of marking the first good passages.

Of the first ten passages for a claim, the reader approves the first MARKS that were judged to
support it, and rejects the others before the last of these. The remaining passages are then ranked
with and without the marks. Claims with fewer such passages in the first ten are skipped. Unjudged
passages count as irrelevant or, in the figures "of judged", are removed from both rankings.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims.claims_bench import best_grade
from scholar_cli.laboratory.claims.judged import Judged, PassageFinder
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import NoMatch
from scholar_indexes.library import Library
from scholar_indexes.types import Progress, Span, silent

MARKS = 2
"""Passages that the reader approves."""

READ = 10
"""Passages from which the reader marks some."""

LISTED = 60
"""Passages that are retrieved, with and without marks."""


@dataclass(frozen=True, slots=True)
class _Simulated:
    """The figures of the remaining passages without and with marks, and the seconds of the
    latter."""

    before: dict[str, float]
    after: dict[str, float]
    seconds: float


def run(
    claims: Sequence[Judged],
    library: Library,
    *,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report without marks, one with them and one of the gain, for the claims about the
    books of a library; raises NoMatch if no claim has passages to mark."""
    shelf = {stored.book.id: stored for stored in library.books.all()}
    asked = [claim for claim in claims if f"pg{claim.gutenberg_id}" in shelf]
    ids: list[str] = []
    before: list[dict[str, float]] = []
    after: list[dict[str, float]] = []
    seconds = 0.0
    finders: dict[str, PassageFinder] = {}
    for done, claim in enumerate(asked):
        progress("marking passages", done, len(asked))
        book = f"pg{claim.gutenberg_id}"
        if book not in finders:
            finders = {book: PassageFinder(library.books.open(shelf[book]).text)}
        simulated = _simulate(library, claim, book, finders[book].grades(claim.passages))
        if simulated is None:
            continue
        ids.append(claim.id)
        before.append(simulated.before)
        after.append(simulated.after)
        seconds += simulated.seconds
    if not before:
        raise NoMatch(
            "no claim about the library's books has passages to mark; see: docs/ranking.md"
        )
    say(f"{len(asked) - len(before)} of {len(asked)} claims are skipped: too few passages to mark")
    digest = hashlib.sha256(repr(asked).encode()).hexdigest()
    systems = {
        "without marks": (before, 0.0),
        "with marks": (after, seconds),
        "gain": (list(map(_gain, before, after)), 0.0),
    }
    model, count = library.settings.model, len(before)
    return [
        Report(
            "feedback",
            "",
            name,
            metrics.average(rows),
            count,
            spent,
            model,
            digest,
            commit(),
            {"id": ids, **metrics.columns(rows)},
        )
        for name, (rows, spent) in systems.items()
    ]


def _simulate(
    library: Library, claim: Judged, book: str, judged: Sequence[tuple[Span, int]]
) -> _Simulated | None:
    """Return the effect of marking for a claim; None if too few passages can be marked, or
    remain."""
    listed = _find(library, claim, book)
    good = _find_good(listed[:READ], judged, claim.best - 1)[:MARKS]
    if len(good) < MARKS:
        return None
    marked = listed[: good[-1] + 1]
    approved = [listed[number] for number in good]
    rejected = [passage for passage in marked if passage not in approved]
    left = [(span, grade) for span, grade in judged if not _overlaps(span, marked)]
    if not any(grade for _, grade in left):
        return None
    start = time.perf_counter()
    again = _find(library, claim, book, approved, rejected)
    seconds = time.perf_counter() - start
    unmarked = [span for span, _ in listed if not _overlaps(span, marked)]
    return _Simulated(
        _measure(unmarked, left), _measure([span for span, _ in again], left), seconds
    )


def _find_good(
    passages: Sequence[tuple[Span, str]], judged: Sequence[tuple[Span, int]], least: int
) -> list[int]:
    """Return the numbers of the passages with at least this grade."""
    grades = [best_grade(span, judged) or 0 for span, _ in passages]
    return [number for number, grade in enumerate(grades) if grade >= least]


def _find(
    library: Library,
    claim: Judged,
    book: str,
    approved: Sequence[tuple[Span, str]] = (),
    rejected: Sequence[tuple[Span, str]] = (),
) -> list[tuple[Span, str]]:
    """Return the spans and the locators of the passages that are found for a claim."""
    hits = library.find(
        claim.claim,
        books=[book],
        n=LISTED,
        fold=False,
        like=[locator for _, locator in approved],
        unlike=[locator for _, locator in rejected],
    )
    return [(hit.item.passage.span, hit.item.locator) for hit in hits]


def _overlaps(span: Span, marked: Sequence[tuple[Span, str]]) -> bool:
    return any(span.start < other.end and other.start < span.end for other, _ in marked)


def _measure(places: Sequence[Span], judged: Sequence[tuple[Span, int]]) -> dict[str, float]:
    """Return nDCG@10 of all places, and of the judged places only."""
    grades = [best_grade(place, judged) for place in places]
    ideal = [float(grade) for _, grade in judged]
    return {
        "ndcg@10": metrics.ndcg([float(grade or 0) for grade in grades], 10, ideal),
        "ndcg@10 of judged": metrics.ndcg(
            [float(grade) for grade in grades if grade is not None], 10, ideal
        ),
    }


def _gain(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Return the differences that the marks make to the figures of a claim."""
    return {name: after[name] - before[name] for name in before}
