"""Validation of the retriever: the rank of quotations among passages of their work."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.relic import pairs
from scholar_cli.laboratory.relic.pairs import TrainingPair
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork

POOL = 50
"""Passages of a work that a validation claim is ranked among, at least."""

POOL_WINDOWS = 60
"""Quotations of a work that validation has claims for, at most."""

VALIDATED = ((4, 4), (1, 0))
"""Sentences before and after the quotation in validation claims."""

NEAR = 5
"""Sentences around a quotation that are not negatives for its claim."""


@dataclass(frozen=True, slots=True)
class ValidationWork:
    """A work, its validation claims by view, and the passages they are ranked among."""

    work: QuotedWork
    views: dict[str, list[TrainingPair]]
    pool: list[TrainingPair]

    def reciprocal_rank(self, claim: TrainingPair, scores: Sequence[float]) -> float:
        """Return 1 / the rank of a claim's quotation by the scores of the pool, without the
        passages near it."""
        gold = next(
            at
            for at, passage in enumerate(self.pool)
            if (passage.start, passage.size) == (claim.start, claim.size)
        )
        others = [
            score
            for score, passage in zip(scores, self.pool, strict=True)
            if not is_near(passage, claim)
        ]
        return 1 / (1 + sum(score >= scores[gold] for score in others))


def draw_validation(work: QuotedWork, seed: int) -> ValidationWork:
    """Draw the validation claims of a work, and their pool: the passages of all these claims, and
    random passages up to POOL."""
    draw = random.Random(f"{seed} {work.title}")
    windows = sorted(work.windows, key=lambda window: window.id)
    windows = draw.sample(windows, min(POOL_WINDOWS, len(windows)))
    views = {
        f"{left}/{right}": [
            window_pair(window, left, right) for window in windows if left == 4 or window.left
        ]
        for left, right in VALIDATED
    }
    clauses = [pairs.short_claim(window, draw) for window in windows]
    views["short"] = [
        TrainingPair(clause, "", window.start, window.size)
        for window, clause in zip(windows, clauses, strict=True)
        if clause
    ]
    claims = {view: view_claims for view, view_claims in views.items() if view_claims}
    return ValidationWork(work, claims, _draw_pool(work, windows, draw))


def _draw_pool(
    work: QuotedWork, windows: Sequence[QuotationWindow], draw: random.Random
) -> list[TrainingPair]:
    pool = {(window.start, window.size): window_pair(window, 0, 0) for window in windows}
    for _ in range(4 * POOL):
        if len(pool) >= POOL:
            break
        passage = random_passage(work, draw)
        pool[passage.start, passage.size] = passage
    return list(pool.values())


def is_near(first: TrainingPair, second: TrainingPair) -> bool:
    """Return True if two passages are so close that neither is a negative for the other's claim."""
    return (
        first.start < second.start + second.size + NEAR
        and second.start < first.start + first.size + NEAR
    )


def window_pair(window: QuotationWindow, left: int, right: int) -> TrainingPair:
    """Return a pair of a quotation and up to this many sentences before and after it."""
    return TrainingPair(*window.sides(left, right), window.start, window.size)


def random_passage(work: QuotedWork, draw: random.Random) -> TrainingPair:
    """Return a random passage of a work, without a claim."""
    return TrainingPair("", "", *pairs.random_candidate(work, draw))
