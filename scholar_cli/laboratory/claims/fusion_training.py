"""Fit the fusion of `scholar find` (scholar_indexes.retrieval.fusion) on graded claims.

    graded passages of books in the library -> features -> conditional logit -> weights.json

The loss is ListNet's (Cao et al. 2007): the cross-entropy of the scores of a claim's graded
passages with their gains. The works are from `dev`, since the encoder and the second stage were
trained on `train`, where their scores are too optimistic; the weights are cross-validated over
works, in FOLDS parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.laboratory import metrics, outputs
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.judged import PassageFinder
from scholar_cli.laboratory.report import commit
from scholar_indexes.arrays import AnyInts, Floats1d, Floats2d
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import NoMatch
from scholar_indexes.library import Library
from scholar_indexes.retrieval.fusion import FEATURES, SHARES
from scholar_indexes.retrieval.stages import FIRST_STAGE
from scholar_indexes.retrieval.window_candidates import BookQuery
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, Span, silent

FOLDS = 5

UNGRADED = -1
"""The grade of a window that was not graded."""


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """The hyperparameters: the L2 penalty, and the optimizer's steps."""

    ridge: float = 0.01
    steps: int = 60


@dataclass(frozen=True, slots=True)
class GradedWindows:
    """The graded windows of a claim: sentences [first, end) of the book, with features (p, f) and
    grades (p,), which are UNGRADED for other windows that the first stage selects; `query` is the
    claim as read with the people of the book, None if it names none of them."""

    claim: graded.GradedClaim
    places: Sequence[tuple[int, int]]
    features: Floats2d
    grades: Floats1d
    query: BookQuery | None

    @property
    def only_graded(self) -> GradedWindows:
        """The same without ungraded windows."""
        rows = np.flatnonzero(self.grades != UNGRADED).tolist()
        places = [self.places[row] for row in rows]
        return replace(self, places=places, features=self.features[rows], grades=self.grades[rows])

    def without(self, names: Sequence[str]) -> GradedWindows:
        """Return the same with zeros for the named features."""
        keep = np.array([name not in names for name in FEATURES], np.float32)
        return replace(self, features=self.features * keep)


def book_id(claim: graded.GradedClaim) -> str:
    """Return the id of the book that a claim is about."""
    return f"pg{claim.gutenberg_id}"


def graded_books(
    library: Library, progress: Progress = silent, parts: Sequence[str] = graded.PARTS
) -> Iterator[tuple[OpenBook, list[tuple[graded.GradedClaim, dict[tuple[int, int], int]]]]]:
    """Yield the books of a library whose people are known and that have graded claims of the given
    parts, with these claims; the passages of each are sentences [first, end) with their grade."""
    claims: dict[str, list[graded.GradedClaim]] = {}
    for claim in sorted(graded.load(), key=lambda claim: claim.gutenberg_id):
        if claim.part in parts:
            claims.setdefault(book_id(claim), []).append(claim)
    shelf = {stored.book.id: stored for stored in library.books.all()}
    known = [name for name in claims if name in shelf and library.search.knows_people(name)]
    for done, name in enumerate(known):
        progress("measuring graded passages", done, len(known))
        book = library.books.open(shelf[name])
        finder = PassageFinder(book.text)
        yield (
            book,
            [(claim, _grades(claim, book.sentences, finder)) for claim in claims[name]],
        )


def collect(
    library: Library, progress: Progress = silent, parts: Sequence[str] = graded.PARTS
) -> Iterator[GradedWindows]:
    """Yield the windows of the claims of the given parts about books of a library whose people are
    known: the graded ones, and the windows of the first stage that share no sentence with them."""
    for _, claims in graded_books(library, progress, parts):
        for claim, grades in claims:
            yield _measure(library, claim, grades)


def _grades(
    claim: graded.GradedClaim, sentences: AnyInts, finder: PassageFinder
) -> dict[tuple[int, int], int]:
    """Return the passages of a claim as sentences [first, end), with their grades; without passages
    that are not in the text, or that contain no sentence of it, such as a heading."""
    grades = {}
    for passage in claim.passages:
        if span := finder.find(passage):
            first, end = _rows(sentences, span)
            if first < end:
                grades[first, end] = passage.grade
    return grades


def _rows(sentences: AnyInts, span: Span) -> tuple[int, int]:
    """Return the sentences [first, end) of a span."""
    first = int(np.searchsorted(sentences[:, 3], span.start, "right"))
    return first, int(np.searchsorted(sentences[:, 2], span.end, "left"))


def _measure(
    library: Library, claim: graded.GradedClaim, grades: Mapping[tuple[int, int], int]
) -> GradedWindows:
    rows = sorted({row for first, end in grades for row in range(first, end)})
    scored = library.search.score(claim.claim, book_id(claim), rows)
    of_windows = scored.candidates.places(np.arange(len(scored.candidates.windows)))
    places = [(place.first, place.end) for place in of_windows]
    numbers = {place: number for number, place in enumerate(places) if place in grades}
    selected, _ = scored.candidates.rank(scored.scores.blended, FIRST_STAGE)
    others = [at for at in selected.tolist() if not set(range(*places[at])) & set(rows)]
    chosen = np.array([*numbers.values(), *others], np.int64)
    scores = replace(scored.scores.take(chosen), coverage=scored.read_coverage(chosen))
    return GradedWindows(
        claim,
        [places[at] for at in chosen],
        scores.features,
        np.array([grades.get(places[at], UNGRADED) for at in chosen], np.float32),
        next(iter(scored.books.values()), None),
    )


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


def measure(windows: GradedWindows, weights: Floats1d) -> float:
    """Return nDCG@10 of the graded windows of a claim as weights rank them."""
    order = np.argsort(-(windows.features @ weights), kind="stable")
    return metrics.ndcg(windows.grades[order].tolist(), 10, windows.grades.tolist())


def cross_validate(lists: Sequence[GradedWindows], settings: RankingSettings) -> list[float]:
    """Return nDCG@10 of each claim by weights that were fitted on other works; needs two works."""
    works = sorted({windows.claim.gutenberg_id for windows in lists})
    fold_of = {work: number % FOLDS for number, work in enumerate(works)}
    weights = {
        fold: fit([own for own in lists if fold_of[own.claim.gutenberg_id] != fold], settings)
        for fold in set(fold_of.values())
    }
    return [measure(windows, weights[fold_of[windows.claim.gutenberg_id]]) for windows in lists]


def run(
    library: Library,
    out: Path,
    settings: RankingSettings = RankingSettings(),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fit the weights on the books of a library and write them to out with their provenance.

    Returns the written content. Raises NoMatch for a library with fewer than two works of `dev`,
    and UsageError if out exists or its folder does not.
    """
    outputs.check_new_file(out)
    lists = [windows.only_graded for windows in collect(library, progress, (graded.DEV,))]
    works = sorted({windows.claim.gutenberg_id for windows in lists})
    if len(works) < 2:
        raise NoMatch(
            "the library has fewer than two works of dev with known people; add works of dev, and "
            "run: scholar index people"
        )
    without_shares = [windows.without(SHARES) for windows in lists]
    weights, comparable_weights = fit(lists, settings), fit(without_shares, settings)
    held_out, held_out_without = (
        metrics.bootstrap(cross_validate(graded_lists, settings)).figures("ndcg@10")
        for graded_lists in (lists, without_shares)
    )
    content = {
        "made_by": f"scholar-lab train ranking --out {out.name}",
        "limits": "English novels before 1930 and this encoder, asked of one book at a time.",
        "training": {
            "settings": {"ridge": settings.ridge, "steps": settings.steps},
            "encoder": library.passages.encoder.space,
            "commit": commit(),
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "works": works,
            "claims": len(lists),
            "passages": sum(len(windows.grades) for windows in lists),
        },
        "scores": {
            "held_out_works": {"claims": len(lists), **_round(held_out)},
            "held_out_works_without_shares_of_words": _round(held_out_without),
        },
        "weights": _name(weights),
        "weights without shares of words": _name(comparable_weights),
    }
    atomic.write_text(out, json.dumps(content, indent=1) + "\n")
    return content


def _name(weights: Floats1d) -> dict[str, float]:
    """Return weights by the names of their features."""
    return _round(dict(zip(FEATURES, weights.tolist(), strict=True)))


def _round(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
