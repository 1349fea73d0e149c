"""The support of passages: the probability, from its score, that one supports a claim.

Scores order the passages of one claim. `scholar-lab train support` fitted their meaning across
claims, on graded passages and on claims that no book supports; support.json has the result with its
data. The best passage of many books is better by chance than the best of one, so scores are
lowered by the number of books searched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from importlib import resources

from scholar_indexes.results import Evidence, Support
from scholar_indexes.retrieval.window import Window
from scholar_indexes.settings import DEFAULT_RERANKER
from scholar_indexes.types import Hit


@dataclass(frozen=True, slots=True)
class SupportScale:
    """A logistic curve over scores minus `per_log_book` times the logarithm of the number of books;
    a claim whose best passage has less support than `weak` is hardly supported."""

    intercept: float
    slope: float
    per_log_book: float
    weak: float

    def estimate(self, score: float, books: int) -> float:
        """Return the probability that a passage with a score supports its claim, if this many books
        were searched."""
        x = self.intercept + self.slope * (score - self.per_log_book * math.log(max(books, 1)))
        # Clipped, because exp overflows.
        return 1 / (1 + math.exp(-min(max(x, -30.0), 30.0)))


def without_rises(hits: Iterable[Hit[Evidence]]) -> list[Hit[Evidence]]:
    """Return hits, best first, with support lowered so that none has more than one before it.

    The ranking uses more features than the estimate of support: it may put a passage after one that
    seems less likely by itself.
    """
    least = 1.0
    lowered = []
    for hit in hits:
        if support := hit.item.support:
            least = min(least, support.probability)
            hit = replace(hit, item=replace(hit.item, support=replace(support, probability=least)))
        lowered.append(hit)
    return lowered


CERTAIN = Support(1.0, is_weak=False, score=math.inf)


def _load() -> dict[str, SupportScale]:
    fitted = json.loads((resources.files(__package__) / "support.json").read_text("utf-8"))
    return {stages: SupportScale(**scale) for stages, scale in fitted["scales"].items()}


_SCALES = _load()
ONE_STAGE, TWO_STAGES = _SCALES["one stage"], _SCALES["two stages"]
"""The scales of the fusion alone, and with the packaged second stage."""

SCALES_BY_READER = {DEFAULT_RERANKER: TWO_STAGES}
"""The scales of both stages, by the model of the second stage."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Estimates the support of passages of a search in a number of books.

    `reader` is the model that read the best passages, None without one; if that has no scale,
    passages are judged by the first stage. `unsure` are the editions without known people that may
    have a character whom the claim names: no passage there is called weak. If the claim has a name
    that no book has, every passage is as weak as the best passage for noise, except one with its
    remembered words.
    """

    books: int
    reader: str | None
    unsure: Collection[int] = ()
    lacks_name: bool = False

    def support(self, window: Window) -> Support | None:
        """Return the support of a window, certain for remembered words; None if the stages did not
        rank it."""
        if window.match is not None:
            return CERTAIN
        if window.comparable is None:
            return None
        first, both = window.comparable
        of_both = SCALES_BY_READER.get(self.reader or "")
        scale, score = (of_both, both) if of_both else (ONE_STAGE, first)
        probability = scale.estimate(score, self.books)
        if self.lacks_name:
            return Support(min(probability, scale.weak), is_weak=True, score=score)
        is_weak = probability < scale.weak and window.place.edition not in self.unsure
        return Support(probability, is_weak, score)
