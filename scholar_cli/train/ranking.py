"""Fit the fusion of `scholar find` (scholar_indexes.retrieval.fusion) on graded claims.

    graded passages of books in the library -> features -> conditional logit -> weights.json

The loss is that of ListNet (Cao et al. 2007): the cross-entropy of the scores of a claim's
passages with their gains. Weights are fitted on the works of `train` and measured on those of
`dev`, with the passages that were graded alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.bench import metrics
from scholar_cli.bench.relic.judged import PassageFinder
from scholar_cli.bench.report import commit
from scholar_cli.train.retriever import graded
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.library import Library
from scholar_indexes.retrieval.fusion import FEATURES
from scholar_indexes.storage import atomic
from scholar_indexes.storage.passages import EDITION_BITS
from scholar_indexes.types import Progress, Span, silent

LONGEST = 5
"""Sentences of a window that is ranked."""


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """The hyperparameters: the L2 penalty, and the optimizer's steps."""

    ridge: float = 0.001
    steps: int = 60


@dataclass(frozen=True, slots=True)
class GradedWindows:
    """The features (p, f) of the graded windows of a claim, and their grades (p,)."""

    claim: graded.GradedClaim
    features: Floats2d
    grades: Floats1d


def collect(library: Library, progress: Progress = silent) -> list[GradedWindows]:
    """Return the graded windows of the claims about those books of a library whose people are
    known."""
    shelf = {
        stored.book.id: stored
        for stored in library.books()
        if library.search.knows_people(stored.book.id)
    }
    claims = [claim for claim in graded.load() if f"pg{claim.gutenberg_id}" in shelf]
    windows = []
    finder, sentences, of_book = PassageFinder(""), np.zeros((0, 4), np.int32), ""
    for done, claim in enumerate(claims):
        progress("measuring graded passages", done, len(claims))
        stored = shelf[f"pg{claim.gutenberg_id}"]
        if stored.book.id != of_book:
            of_book = stored.book.id
            finder = PassageFinder(library.text(stored))
            sentences = library.open(stored).sentences
        places = [
            (_rows(sentences, span), passage.grade)
            for passage in claim.passages
            if (span := finder.find(passage))
        ]
        windows.append(_measure(library, claim, places))
    return windows


def _rows(sentences: Any, span: Span) -> tuple[int, int]:
    """Return the sentences [first, end) of a span."""
    first = int(np.searchsorted(sentences[:, 3], span.start, "right"))
    return first, int(np.searchsorted(sentences[:, 2], span.end, "left"))


def _measure(
    library: Library, claim: graded.GradedClaim, places: Sequence[tuple[tuple[int, int], int]]
) -> GradedWindows:
    rows = [row for (first, end), _ in places for row in range(first, end)]
    scored = library.search.score(claim.claim, f"pg{claim.gutenberg_id}", rows)
    windows, keys = scored.candidates.windows, scored.candidates.rows.keys
    first_rows = (keys[windows.start] & ((1 << EDITION_BITS) - 1)).tolist()
    numbers = {
        (first, first + size): number
        for number, (first, size) in enumerate(zip(first_rows, windows.size.tolist(), strict=True))
    }
    graded_windows = [(numbers[place], grade) for place, grade in places if place in numbers]
    at = [number for number, _ in graded_windows]
    grades = np.array([grade for _, grade in graded_windows], np.float32)
    return GradedWindows(claim, scored.scores.features[at], grades)


def fit(lists: Sequence[GradedWindows], settings: RankingSettings) -> Floats1d:
    """Return the weights (f,) that rank the windows of claims by their grades."""
    data = []
    for windows in lists:
        gains = torch.tensor(2**windows.grades - 1)
        if gains.sum() > 0:
            data.append((torch.tensor(windows.features), gains / gains.sum()))
    weights = torch.zeros(len(FEATURES), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=settings.steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        losses = [
            -(gains * torch.log_softmax(features @ weights, 0)).sum() for features, gains in data
        ]
        total = torch.stack(losses).mean() + settings.ridge * (weights**2).sum()
        total.backward()
        return total

    optimizer.step(loss)
    fitted: Floats1d = weights.detach().numpy()
    return fitted


def measure(lists: Sequence[GradedWindows], weights: Floats1d) -> dict[str, float]:
    """Return nDCG@10 of the graded windows of claims as weights rank them, with its interval."""
    values = []
    for windows in lists:
        order = np.argsort(-(windows.features @ weights), kind="stable")
        grades = windows.grades.tolist()
        values.append(metrics.ndcg(windows.grades[order].tolist(), 10, grades))
    return metrics.bootstrap(values).figures("ndcg@10")


def run(
    library: Library,
    out: Path,
    settings: RankingSettings = RankingSettings(),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fit the weights on the books of a library and write them to out with their provenance.

    Returns what is written. Raises NoMatch for a library without books of both parts, and
    UsageError for an out that exists, or is in no folder.
    """
    if out.exists() or not out.parent.is_dir():
        problem = "is there already" if out.exists() else "is in a folder that is not there"
        raise UsageError(f"{out} {problem}; name a new file")
    lists = collect(library, progress)
    train, dev = (
        [windows for windows in lists if windows.claim.part == part] for part in graded.PARTS
    )
    if not train or not dev:
        raise NoMatch(
            "the library knows the people of no works of graded claims; add works of both parts, "
            "and run: scholar index people"
        )
    weights = fit(train, settings)
    content = {
        "made_by": f"scholar train ranking --out {out.name}",
        "limits": "English novels before 1930 and this encoder, asked of one book at a time.",
        "training": {
            "settings": {"ridge": settings.ridge, "steps": settings.steps},
            "encoder": library.encoder.space,
            "commit": commit(),
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "works": sorted({windows.claim.gutenberg_id for windows in train}),
            "claims": len(train),
            "passages": sum(len(windows.grades) for windows in train),
        },
        "scores": {"dev": {"claims": len(dev), **_round(measure(dev, weights))}},
        "weights": _round(dict(zip(FEATURES, weights.tolist(), strict=True))),
    }
    atomic.write_text(out, json.dumps(content, indent=1) + "\n")
    return content


def _round(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
