"""Train the cross-encoder on graded claims.

    lists of graded passages -> scores beside the first stage -> ListNet -> checkpoints -> weights

Half an hour on two cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims import fusion_training, graded
from scholar_cli.laboratory.claims.reranker.lists import PairList
from scholar_cli.laboratory.claims.reranker.listwise import ListwiseRun, RunSettings
from scholar_indexes.errors import NoMatch
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class RerankerSettings(RunSettings):
    """The hyperparameters of training; `size` passages of a claim are read in a step, of which
    `relevant` at most have grade 2 or 3, and `ungraded` are of the first stage."""

    epochs: int = 1
    size: int = 16
    relevant: int = 6
    ungraded: int = 2


class RerankerRun(ListwiseRun):
    """One run over graded claims, which goes on from its checkpoint where there is one."""

    def __init__(
        self,
        model: CrossEncoderModule,
        lists: Sequence[PairList],
        out: Path,
        settings: RerankerSettings,
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """Raises NoMatch without lists of both parts, UsageError for an out of another run."""
        self.train_lists = [pairs for pairs in lists if pairs.part == graded.TRAIN]
        self.dev_lists = [pairs for pairs in lists if pairs.part == graded.DEV]
        if not self.train_lists or not self.dev_lists:
            raise NoMatch(
                "the library knows the people of no works of graded claims; add works of both "
                "parts, and run: scholar index people"
            )
        self.sampling = settings
        steps = settings.epochs * len(self.train_lists) // settings.lists
        pairs_sha256 = sha256(repr([pairs.pairs for pairs in lists]).encode()).hexdigest()
        super().__init__(model, steps, out, settings, {"lists_sha256": pairs_sha256}, say, progress)

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of ListNet (Cao et al. 2007) for parts of some lists: the
        cross-entropy of their scores with the gains of their grades."""
        losses = [self._loss(draw) for draw in draws]
        return torch.stack(losses).mean()

    def _loss(self, draw: int) -> torch.Tensor:
        settings = self.sampling
        pairs = self.train_lists[self.draw_list(draw, len(self.train_lists))]
        seed = settings.seed + draw
        rows = pairs.sample(settings.size, settings.relevant, settings.ungraded, seed)
        gains = 2 ** torch.tensor(np.maximum(pairs.grades[rows], 0)) - 1
        if gains.sum() == 0:
            return torch.zeros(())
        scores = self._score(pairs, rows)
        return -(gains / gains.sum() * torch.log_softmax(scores, 0)).sum()

    def _score(self, pairs: PairList, rows: Sequence[int]) -> torch.Tensor:
        first_stage = self.model.first_stage * torch.tensor(pairs.first_stage[rows])
        return first_stage + self.model.score([pairs.pairs[row] for row in rows])

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def measure(self) -> dict[str, float]:
        """Return nDCG@10 of the graded passages of the claims of dev, with its interval, and that
        of the first stage."""
        self.model.eval()
        both, first = [], []
        for done, pairs in enumerate(self.dev_lists):
            self.progress("validating", done, len(self.dev_lists))
            rows = np.flatnonzero(pairs.grades != fusion_training.UNGRADED).tolist()
            grades = pairs.grades[rows]
            both.append(_ndcg(grades, self._score(pairs, rows).numpy()))
            first.append(_ndcg(grades, pairs.first_stage[rows]))
        return {
            **metrics.bootstrap(both).figures("ndcg@10"),
            "first stage ndcg@10": metrics.mean(first),
        }

    def card(self) -> dict[str, Any]:
        """Return what the card of the model says of its training."""
        return {
            **super().card(),
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "works": sorted({pairs.work for pairs in self.train_lists}),
            "claims": len(self.train_lists),
        }


def _ndcg(grades: np.ndarray, scores: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    return metrics.ndcg(grades[order].tolist(), 10, grades.tolist())
