"""Fit how likely a noun phrase of a claim means each character of a cast: a conditional logit.

"Nobody" is one more candidate, with its own score: every phrase counts once as it is, and with a
small weight without the character it means, when nobody is right. The weights are drawn towards
PRIORS, since there are few phrases of each kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.laboratory.meant import meant_bench as bench
from scholar_cli.laboratory.meant.meant_data import PhraseClaim, load
from scholar_indexes.arrays import Floats1d
from scholar_indexes.coreference.roles import FEATURES, FEATURES_OWNED
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.retrieval.phrases import DEFINITE, LEAST_SHARE, OWNED, PhraseCandidates
from scholar_indexes.storage.atomic import write_text
from scholar_indexes.types import Progress, silent

NAMES: Mapping[str, Sequence[str]] = {OWNED: FEATURES_OWNED, DEFINITE: FEATURES}

PRIORS: Mapping[str, Sequence[float]] = {
    OWNED: (1.5, 0.3, 0.6, 0.4, 1.0, 1.0, -1.0, 1.0, 0.5, 0.5, -0.5),
    DEFINITE: (1.5, 1.5, 1.2, 0.8, 1.0, 0.3, -0.3, -0.5),
}
"""The prior means of the weights, in the order of NAMES."""

FOLDS = 5


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """The hyperparameters: the L2 penalty on differences from the priors, the weight of a phrase
    without the character it means, and the steps."""

    ridge: float = 0.1
    absent: float = 0.1
    steps: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class PhraseExample:
    """A phrase, the candidates for it, and which of them are right (c,)."""

    claim: PhraseClaim
    candidates: PhraseCandidates
    right: Floats1d


@dataclass(frozen=True, slots=True, eq=False)
class FittedKind:
    """The weights for phrases of a kind (f,), and the score of nobody."""

    weights: Floats1d
    nobody: float

    def best(self, candidates: PhraseCandidates) -> tuple[int, float]:
        """Return the likeliest character, and its likelihood."""
        shares = candidates.shares({candidates.kind: self.weights}, {candidates.kind: self.nobody})
        number = int(np.argmax(shares))
        return number, float(shares[number])


def collect(library: Library, progress: Progress = silent) -> list[PhraseExample]:
    """Return the phrases of the claims about the books of a library whose people are known, except
    names."""
    examples = []
    for book, claims in bench.read_books(library, load(), progress):
        cast = book.people.cast
        for claim in claims:
            if bench.taken_for(book, claim, by_roles=False) is not None:
                continue
            candidates = bench.candidates(book, claim)
            if candidates is not None:
                right = np.array([claim.means(character) for character in cast], np.float32)
                examples.append(PhraseExample(claim, candidates, right * candidates.possible))
    return examples


def fit(examples: Sequence[PhraseExample], kind: str, settings: PhraseSettings) -> FittedKind:
    """Return the weights for the phrases of a kind."""
    prior = torch.tensor(PRIORS[kind])
    weights = prior.clone().requires_grad_(True)
    nobody = torch.zeros(1, requires_grad=True)
    data = [
        (torch.tensor(one.candidates.features), torch.tensor(possible), torch.tensor(right), share)
        for one in examples
        if one.candidates.kind == kind
        for possible, right, share in _with_nobody(one, settings.absent)
    ]
    optimizer = torch.optim.LBFGS(
        [weights, nobody], max_iter=settings.steps, line_search_fn="strong_wolfe"
    )

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = settings.ridge * ((weights - prior) ** 2).sum()
        for features, possible, right, share in data:
            scores = torch.cat(((features @ weights).masked_fill(~possible, -1e9), nobody))
            is_nobody = 1 - right.amax().reshape(1)
            wanted = torch.cat((right, is_nobody)) > 0
            chances = torch.log_softmax(scores, 0).masked_fill(~wanted, -1e9)
            total = total - share * torch.logsumexp(chances, 0) / len(data)
        total.backward()
        return total

    optimizer.step(loss)
    return FittedKind(weights.detach().numpy(), float(nobody.detach()))


def _with_nobody(
    example: PhraseExample, absent: float
) -> list[tuple[NDArray[np.bool_], Floats1d, float]]:
    """Return the possible and the right characters for a phrase, and the same without the character
    it means, each with its weight."""
    possible = example.candidates.possible
    others = possible & (example.right == 0)
    nobody = np.zeros_like(example.right)
    return [(possible, example.right, 1.0), (others, nobody, absent)]


def _count_right(answers: Sequence[tuple[bool, float]], least: float) -> dict[str, int]:
    """Return the right and the wrong answers of at least a likelihood."""
    right = [is_right for is_right, share in answers if share >= least]
    return {"right": sum(right), "wrong": len(right) - sum(right)}


def cross_validate(
    examples: Sequence[PhraseExample], settings: PhraseSettings
) -> list[tuple[bool, float]]:
    """Return for each phrase whether the likeliest character is right, and its likelihood, by
    weights fitted on other books."""
    books = sorted({example.claim.gutenberg_id for example in examples})
    fold_of = {book: number % FOLDS for number, book in enumerate(books)}
    answers = []
    for fold in range(FOLDS):
        others = [one for one in examples if fold_of[one.claim.gutenberg_id] != fold]
        fitted = {kind: fit(others, kind, settings) for kind in NAMES}
        for example in examples:
            if fold_of[example.claim.gutenberg_id] == fold:
                number, share = fitted[example.candidates.kind].best(example.candidates)
                answers.append((bool(example.right[number]), share))
    return answers


def run(
    library: Library,
    out: Path,
    settings: PhraseSettings = PhraseSettings(),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fit the weights, write them to a file and return its content.

    Raises NotThere if too few books have known people.
    """
    examples = collect(library, progress)
    if len({example.claim.gutenberg_id for example in examples}) < FOLDS:
        raise NotThere(f"fewer than {FOLDS} novels have known people; run: scholar index people")
    fitted = {kind: fit(examples, kind, settings) for kind in NAMES}
    answers = cross_validate(examples, settings)
    record = {
        "made_by": f"scholar-lab train phrases --out {out.name}",
        "weights": {
            kind: {
                name: round(float(weight), 4)
                for name, weight in zip(names, fitted[kind].weights, strict=True)
            }
            for kind, names in NAMES.items()
        },
        "nobody": {kind: round(fitted[kind].nobody, 4) for kind in NAMES},
        "scores": {
            "phrases": len(examples),
            "books": len({example.claim.gutenberg_id for example in examples}),
            "held_out_books": {
                str(least): _count_right(answers, least)
                for least in (0.3, 0.4, LEAST_SHARE, 0.6, 0.7)
            },
        },
    }
    write_text(out, json.dumps(record, indent=1) + "\n")
    return record
