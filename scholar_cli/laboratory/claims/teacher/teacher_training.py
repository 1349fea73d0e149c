"""Teach the large cross-encoder, on a graphics card or, in days, on a CPU.

    written claims: the passage against nine others of its work -> InfoNCE
    graded claims of train -> ListNet, and a little cross-entropy with "supports the claim"

The others are mostly windows that an encoder found for the claim. What was learned is measured on
the graded passages of `dev`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.reranker.listwise import ListwiseRun, RunSettings
from scholar_cli.laboratory.claims.reranker.scored import ScoredList
from scholar_cli.laboratory.relic.validation import NEAR

SUPPORTS = (0.02, 0.15, 0.8, 0.97)
"""The probability that a passage of each grade supports its claim."""


@dataclass(frozen=True, slots=True)
class WrittenSettings(RunSettings):
    """The hyperparameters of the first stage: each passage is read with `others`, windows that an
    encoder found for its claim. The first `left_out` are skipped, as they may support it too."""

    steps: int = 790
    lists: int = 16
    others: int = 9
    left_out: int = 2
    frozen_layers: int = 0
    learning_rate: float = 3e-5
    validate_every: int = 790


@dataclass(frozen=True, slots=True)
class GradedTeacherSettings(RunSettings):
    """The hyperparameters of the second stage: a list has `size` graded passages, at most
    `relevant` of grade 2 or 3, and the cross-entropy has a weight relative to ListNet's loss."""

    steps: int = 500
    lists: int = 8
    frozen_layers: int = 0
    size: int = 18
    relevant: int = 8
    cross_entropy: float = 0.2
    learning_rate: float = 2e-5
    validate_every: int = 250


class WrittenRun(ListwiseRun):
    """The first stage: a claim's own passage against others of its work."""

    settings: WrittenSettings

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of InfoNCE for some written claims."""
        samples = [self._sample(draw) for draw in draws]
        pairs = [pair for scored, rows in samples for pair in self.read(scored, rows)]
        scores = self.model.score(pairs).split([len(rows) for _, rows in samples])
        return torch.stack([-torch.log_softmax(one, 0)[0] for one in scores]).mean()

    def _sample(self, draw: int) -> tuple[ScoredList, list[int]]:
        """Return a list with the row of its claim's passage first."""
        settings = self.settings
        scored, own = self.draw_list(draw, self.lists.written)
        generator = np.random.default_rng((settings.seed, draw))
        first, end = scored.windows[own].tolist()
        firsts, ends = scored.windows.T
        far = (firsts >= end + NEAR) | (ends <= first - NEAR)
        others = np.flatnonzero(far)[settings.left_out :]
        return scored, [own, *generator.permutation(others)[: settings.others].tolist()]


class GradedTeacherRun(ListwiseRun):
    """One run over the graded claims of train, which resumes from its checkpoint."""

    settings: GradedTeacherSettings

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of ListNet (Cao et al. 2007) for parts of the drawn lists, with a
        share of the cross-entropy of each score."""
        chosen = [self.draw_list(draw, self.lists.graded[graded.TRAIN]) for draw in draws]
        samples = [(one, self._rows(one, draw)) for one, draw in zip(chosen, draws, strict=True)]
        pairs = [pair for one, rows in samples for pair in self.read(one, rows)]
        scores = self.model.score(pairs).split([len(rows) for _, rows in samples])
        losses = [
            self._list_loss(own, torch.tensor(one.scores[rows], device=own.device))
            for own, (one, rows) in zip(scores, samples, strict=True)
            if len(rows)
        ]
        return torch.stack(losses).mean()

    def _list_loss(self, scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
        supports = torch.tensor(SUPPORTS, device=scores.device)[grades.long()]
        entropy = torch.nn.functional.binary_cross_entropy_with_logits(scores, supports)
        gains = 2**grades - 1
        listnet = -(gains / gains.sum().clamp(min=1) * torch.log_softmax(scores, 0)).sum()
        return listnet + self.settings.cross_entropy * entropy

    def _rows(self, one: ScoredList, draw: int) -> list[int]:
        settings = self.settings
        generator = np.random.default_rng((settings.seed, draw))
        rows = generator.permutation(len(one.scores))
        relevant = rows[one.scores[rows] >= graded.SUPPORTS][: settings.relevant]
        others = rows[one.scores[rows] < graded.SUPPORTS][: settings.size - len(relevant)]
        return [*relevant.tolist(), *others.tolist()]
