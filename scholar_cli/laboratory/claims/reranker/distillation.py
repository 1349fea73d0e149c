"""Teach the second stage what a larger reader thinks of passages.

The loss of a list is the cross-entropy of the model's scores with the teacher's (Hinton et al.
2015, over passages in place of classes), and a little of their squared distance, so that both have
one scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from scholar_cli.laboratory.claims.reranker.listwise import ListwiseRun, RunSettings


@dataclass(frozen=True, slots=True)
class DistillationSettings(RunSettings):
    """The hyperparameters: of each list, `size` windows are read, of which `best` are the first of
    the teacher."""

    steps: int = 2300
    best: int = 4
    size: int = 12
    squared: float = 0.05
    measured: int = 65
    validate_every: int = 400
    save_every: int = 50


class DistillationRun(ListwiseRun):
    """One run over the lists of a teacher, which resumes from its checkpoint."""

    settings: DistillationSettings

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of lists, whose pairs are read together."""
        settings = self.settings
        samples = []
        for draw in draws:
            scored = self.draw_list(draw, self.lists.scored)
            generator = np.random.default_rng((settings.seed, draw))
            samples.append((scored, scored.sample(settings.size, settings.best, generator)))
        pairs = [pair for scored, rows in samples for pair in self.read(scored, rows)]
        scores = self.model.score(pairs).split([len(rows) for _, rows in samples])
        losses = []
        for (scored, rows), own in zip(samples, scores, strict=True):
            taught = torch.tensor(scored.scores[rows], device=own.device)
            distance = (own - own.mean()) - (taught - taught.mean())
            soft = -(torch.softmax(taught, 0) * torch.log_softmax(own, 0)).sum()
            losses.append(soft + settings.squared * distance.square().mean())
        return torch.stack(losses).mean()
