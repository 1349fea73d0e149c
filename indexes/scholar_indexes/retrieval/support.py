"""The support of passages: the probability, by its score, that one bears a claim out.

Scores order the passages of one claim. `scholar-lab train support` fitted what they are worth
across claims, on graded passages and on claims that no book bears out; support.json has the result
with its data. The best of many books is better by chance than the best of one, so the score is
taken lower the more books were searched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from importlib import resources

from scholar_indexes.results import Evidence, Support
from scholar_indexes.retrieval.search import SearchHit
from scholar_indexes.settings import DEFAULT_RERANKER
from scholar_indexes.types import Hit


@dataclass(frozen=True, slots=True)
class SupportScale:
    """A logistic curve over scores, from which `per_log_book` times the logarithm of the number of
    books is taken; a claim whose best passage has less support than `weak` is hardly borne out."""

    intercept: float
    slope: float
    per_log_book: float
    weak: float

    def estimate(self, score: float, books: int) -> float:
        """Return the probability that a passage with a score supports its claim, where so many
        books were searched."""
        x = self.intercept + self.slope * (score - self.per_log_book * math.log(max(books, 1)))
        return 1 / (1 + math.exp(-min(max(x, -30.0), 30.0)))


def without_rises(hits: Iterable[Hit[Evidence]]) -> list[Hit[Evidence]]:
    """Return hits, best first, of which none has more support than one before it.

    What ranks them knows more than what support is estimated by: it may put a passage behind one
    that looks less likely by itself.
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
"""The scales of both stages by the model of the second."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Estimates the support of passages of a search in so many books.

    `reader` is the model that read the best of them, None without one; what a model without a scale
    ranked is judged by the first stage. `unsure` are the editions that may have somebody whom the
    claim names, but it is not known where: nothing there is called weak.
    """

    books: int
    reader: str | None
    unsure: Collection[int] = ()

    def support(self, hit: SearchHit) -> Support | None:
        """Return the support of a hit, certain for remembered words; None where the stages did not
        rank it."""
        if hit.match is not None:
            return CERTAIN
        if (stages := hit.stages) is None:
            return None
        both = SCALES_BY_READER.get(self.reader or "")
        scale, score = (both, stages.both) if both else (ONE_STAGE, stages.first)
        probability = scale.estimate(score, self.books)
        is_weak = probability < scale.weak and hit.place.edition not in self.unsure
        return Support(probability, is_weak, score)
