"""Relevance feedback, simulated on judged claims: what marking the first good passages gains.

Of the first ten passages for a claim the reader approves of the first MARKS that were judged to
support it, and rejects those before the last of these. Then what is left is ranked with the marks
and without. Claims whose first ten have fewer are left out. What nobody judged counts as nothing,
or, in the figures of what was judged alone, is taken out of both rankings.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence

from scholar_cli.bench import metrics
from scholar_cli.bench.relic.claims import is_match
from scholar_cli.bench.relic.judged import Judged, PassageFinder
from scholar_cli.bench.report import Report, commit
from scholar_indexes.errors import NoMatch
from scholar_indexes.library import Library
from scholar_indexes.types import Progress, Span, silent

MARKS = 2
"""Passages that the reader approves of."""

READ = 10
"""Passages that the reader looks at before."""

LISTED = 60
"""Passages of what is left that are looked through for judged ones."""


def run(
    claims: Sequence[Judged],
    library: Library,
    *,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report without marks and one with them, for the claims about the books of a library;
    raises NoMatch where no claim has passages to mark."""
    shelf = {stored.book.id: stored for stored in library.books()}
    asked = [claim for claim in claims if f"pg{claim.gutenberg_id}" in shelf]
    before: list[dict[str, float]] = []
    after: list[dict[str, float]] = []
    seconds = 0.0
    finders: dict[str, PassageFinder] = {}
    for done, claim in enumerate(asked):
        progress("marking passages", done, len(asked))
        book = f"pg{claim.gutenberg_id}"
        if book not in finders:
            finders = {book: PassageFinder(library.text(shelf[book]))}
        judged = [
            (span, passage.grade)
            for passage in claim.passages
            if (span := finders[book].find(passage))
        ]
        listed = _find(library, claim, book)
        good = [
            number
            for number, (span, _) in enumerate(listed[:READ])
            if _grade(span, judged) >= claim.best - 1
        ][:MARKS]
        if len(good) < MARKS:
            continue
        marked = listed[: good[-1] + 1]
        approved = [listed[number] for number in good]
        rejected = [passage for passage in marked if passage not in approved]
        left = [(span, grade) for span, grade in judged if not _overlaps(span, marked)]
        if not any(grade for _, grade in left):
            continue
        start = time.perf_counter()
        anew = _find(library, claim, book, approved, rejected)
        seconds += time.perf_counter() - start
        before.append(_measure([span for span, _ in listed if not _overlaps(span, marked)], left))
        after.append(_measure([span for span, _ in anew], left))
    if not before:
        raise NoMatch("no claim about the books here has passages to mark; see: docs/claims.md")
    say(f"{len(asked) - len(before)} of {len(asked)} claims are left out: too little to mark")
    digest = hashlib.sha256(repr(asked).encode()).hexdigest()
    model = library.settings.model
    return [
        Report("feedback", "", name, _average(rows), len(rows), spent, model, digest, commit())
        for name, rows, spent in (("without marks", before, 0.0), ("with marks", after, seconds))
    ] + [_gain(before, after, model, digest)]


def _find(
    library: Library,
    claim: Judged,
    book: str,
    approved: Sequence[tuple[Span, str]] = (),
    rejected: Sequence[tuple[Span, str]] = (),
) -> list[tuple[Span, str]]:
    """Return the spans and the locators of the passages that are listed for a claim."""
    hits = library.find(
        claim.claim,
        books=[book],
        n=LISTED,
        fold=False,
        like=[locator for _, locator in approved],
        unlike=[locator for _, locator in rejected],
    )
    return [(hit.item.passage.span, hit.item.locator) for hit in hits]


def _grade(place: Span, judged: Sequence[tuple[Span, int]]) -> int:
    """Return the best grade of the judged passages that a place matches; -1 where none does."""
    return max((grade for span, grade in judged if is_match(place, span)), default=-1)


def _overlaps(span: Span, marked: Sequence[tuple[Span, str]]) -> bool:
    return any(span.start < other.end and other.start < span.end for other, _ in marked)


def _measure(places: Sequence[Span], judged: Sequence[tuple[Span, int]]) -> dict[str, float]:
    """Return nDCG@10 of places, and of those that were judged alone."""
    grades = [_grade(place, judged) for place in places]
    ideal = [float(grade) for _, grade in judged]
    return {
        "ndcg@10": metrics.ndcg([float(max(grade, 0)) for grade in grades], 10, ideal),
        "ndcg@10 of judged": metrics.ndcg(
            [float(grade) for grade in grades if grade >= 0], 10, ideal
        ),
    }


def _average(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name in rows[0]:
        figures |= metrics.bootstrap([row[name] for row in rows]).figures(name)
    return figures


def _gain(
    before: Sequence[dict[str, float]], after: Sequence[dict[str, float]], model: str, digest: str
) -> Report:
    """Return a report of the paired differences that the marks make."""
    figures: dict[str, float] = {}
    for name in before[0]:
        difference = metrics.difference([row[name] for row in after], [row[name] for row in before])
        figures |= difference.figures(name)
    return Report("feedback", "", "gain", figures, len(before), 0.0, model, digest, commit())
