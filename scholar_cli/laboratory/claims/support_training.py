"""Fit a scale on which scores of different claims compare (scholar_indexes.retrieval.support).

    graded claims of dev, and claims that no book supports -> find -> scores -> logistic curve

The passages that `find` lists for a claim about a book count by their grades; the passages for a
claim about nothing in any novel count as no evidence, with NOISE_SHARE of the weight. The curve is
fitted on works of `dev`, since the second stage was trained on `train`, and cross-validated over
works, in FOLDS parts.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.laboratory import outputs
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.claims_bench import best_grade
from scholar_cli.laboratory.claims.judged import Judged, PassageFinder, read_graded
from scholar_cli.laboratory.report import commit
from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import NoMatch
from scholar_indexes.library import Library
from scholar_indexes.retrieval.support import SupportScale
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, Span, silent

NOISE_SHARE = 0.1
"""The share of noise that the curve assumes among queries."""

FALSE_ALARMS = 0.05
"""The share of the graded claims that find would report as unsupported."""

FOLDS = 5
BINS = 10
SEED = 3


@dataclass(slots=True)
class Scores:
    """Scores of listed passages: of graded ones with their work and truth, of noise, and the best
    score of each graded claim and each noise claim, in one book and in all."""

    graded: list[tuple[str, float, bool]] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)
    best: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def load_noise() -> list[str]:
    """Return the packaged claims that no novel supports."""
    text = (
        resources.files("scholar_cli.laboratory.claims")
        .joinpath("noise_claims.txt")
        .read_text("utf-8")
    )
    return [line for line in text.splitlines() if any(map(str.isalnum, line))]


def collect(
    library: Library, claims: Sequence[Judged], noise: Sequence[str], progress: Progress
) -> Scores:
    """Return the scores of what a library finds for claims and for noise."""
    scores = Scores()
    finders: dict[str, PassageFinder] = {}
    rng = np.random.default_rng(SEED)
    books = sorted({f"pg{claim.gutenberg_id}" for claim in claims})
    total = len(claims) + len(noise)
    for done, claim in enumerate(claims):
        progress("searching for graded claims", done, total)
        book = f"pg{claim.gutenberg_id}"
        if book not in finders:
            finders = {book: PassageFinder(library.books.get_open(book).text)}
        judged = finders[book].grades(claim.passages)
        listed = _find(library, claim.claim, [book])
        for span, score in listed:
            grade = best_grade(span, judged)
            if grade is not None:
                scores.graded.append((claim.gutenberg_id, score, grade >= graded.SUPPORTS))
        scores.best["claims, one book"].append(_best(listed))
        scores.best["claims, all books"].append(_best(_find(library, claim.claim, [])))
    for done, line in enumerate(noise, len(claims)):
        progress("searching for noise", done, total)
        listed = _find(library, line, [str(rng.choice(books))])
        scores.noise += [score for _, score in listed]
        scores.best["noise, one book"].append(_best(listed))
        scores.best["noise, all books"].append(_best(_find(library, line, [])))
    return scores


def _find(library: Library, claim: str, books: Sequence[str]) -> list[tuple[Span, float]]:
    """Return the spans and the scores of the listed passages, without passages that contain the
    exact words of the claim."""
    hits = [hit.item for hit in library.find(claim, books=books, fold=False)]
    return [(hit.passage.span, hit.support.score) for hit in hits if not hit.match and hit.support]


def _best(listed: Sequence[tuple[Span, float]]) -> float:
    return max((score for _, score in listed), default=-math.inf)


def fit(scores: Scores, books: int) -> SupportScale:
    """Return the scale for the scores, given the number of all books."""
    one, every = (np.array(scores.best[f"claims, {scope}"]) for scope in ("one book", "all books"))
    bar = float(np.quantile(one, FALSE_ALARMS))
    shift = (float(np.quantile(every, FALSE_ALARMS)) - bar) / max(math.log(books), 1e-9)
    intercept, slope = _fit_curve(scores.graded, scores.noise)
    scale = SupportScale(intercept, slope, max(shift, 0.0), 0.0)
    weak = scale.estimate(bar, 1)
    return SupportScale(
        *(round(value, 4) for value in (intercept, slope, scale.per_log_book, weak))
    )


def _fit_curve(
    passages: Sequence[tuple[str, float, bool]], noise: Sequence[float]
) -> tuple[float, float]:
    """Return the intercept and the slope of the logistic curve, by Newton's method."""
    x = np.array([*(score for _, score, _ in passages), *noise])
    y = np.array([*(truth for _, _, truth in passages), *(False for _ in noise)], float)
    weight = NOISE_SHARE / (1 - NOISE_SHARE) * len(passages) / max(len(noise), 1)
    weights = np.array([1.0] * len(passages) + [weight] * len(noise))
    inputs = np.column_stack((np.ones(len(x)), x))
    curve = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-inputs @ curve))
        hessian = (inputs * (weights * p * (1 - p))[:, None]).T @ inputs + 1e-6 * np.eye(2)
        curve += np.linalg.solve(hessian, inputs.T @ (weights * (y - p)))
    return float(curve[0]), float(curve[1])


def measure(scores: Scores, scale: SupportScale, books: int) -> dict[str, Any]:
    """Return how well the support of passages agrees with their grades, by curves fitted on other
    works, and how often the notice is given."""
    works = sorted({work for work, _, _ in scores.graded})
    estimated: list[float] = []
    truths: list[bool] = []
    for fold in range(FOLDS):
        held_out = set(works[fold::FOLDS])
        others = [row for row in scores.graded if row[0] not in held_out]
        curve = SupportScale(*_fit_curve(others, scores.noise), 0.0, 0.0)
        for work, score, truth in scores.graded:
            if work in held_out:
                estimated.append(curve.estimate(score, 1))
                truths.append(truth)
    notices = {
        name: sum(
            scale.estimate(score, books if "all" in name else 1) < scale.weak for score in best
        )
        / len(best)
        for name, best in scores.best.items()
    }
    return {
        "passages": len(truths),
        "expected_calibration_error": round(_calibration_error(estimated, truths), 4),
        "notices": {name: round(share, 4) for name, share in notices.items()},
    }


def _calibration_error(estimated: Sequence[float], truths: Sequence[bool]) -> float:
    """Return the expected calibration error: the mean distance of the estimates from the share
    that is true, over bins of equal width."""
    p, y = np.array(estimated), np.array(truths, float)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    errors: Floats1d = np.array(
        [
            abs(p[bins == number].mean() - y[bins == number].mean()) * (bins == number).mean()
            for number in np.unique(bins)
        ]
    )
    return float(errors.sum())


def run(
    one_stage: Library, two_stages: Library, out: Path, progress: Progress = silent
) -> dict[str, Any]:
    """Fit the scales on two views of a library, without and with the second stage, and write them
    to out with their provenance.

    Returns the written content. Raises NoMatch for a library without works of dev, and UsageError
    if out exists or its folder does not.
    """
    outputs.check_new_file(out)
    shelf = {stored.book.id for stored in two_stages.books.all()}
    claims = [claim for claim in read_graded("dev") if f"pg{claim.gutenberg_id}" in shelf]
    if not claims:
        raise NoMatch("the library has none of the works of dev; see: docs/ranking.md")
    noise = load_noise()
    scales, figures = {}, {}
    for name, library in (("one stage", one_stage), ("two stages", two_stages)):
        scores = collect(library, claims, noise, progress)
        scale = fit(scores, len(shelf))
        scales[name] = scale
        figures[name] = measure(scores, scale, len(shelf))
    content = {
        "made_by": f"scholar-lab train support --out {out.name}",
        "limits": "English novels before 1930, this encoder and this second stage.",
        "training": {
            "noise_share": NOISE_SHARE,
            "false_alarms": FALSE_ALARMS,
            "encoder": two_stages.passages.encoder.space,
            "rerank": two_stages.settings.rerank,
            "commit": commit(),
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "claims": len(claims),
            "noise": len(noise),
            "books": len(shelf),
        },
        "scores": figures,
        "scales": {name: asdict(scale) for name, scale in scales.items()},
    }
    atomic.write_text(out, json.dumps(content, indent=1) + "\n")
    return content
