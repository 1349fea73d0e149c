"""Teach the second stage what a larger reader thinks of passages.

    a claim and windows with a teacher's scores -> soft lists -> checkpoints -> weights

The loss of a list is the cross-entropy of the student's scores with the teacher's, and a little of
their squared distance, so that both have one scale. What is learned is measured on the graded
passages of `dev`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.reranker.listwise import ListwiseRun, RunSettings
from scholar_cli.laboratory.claims.reranker.scored import ScoredList, TaughtLists
from scholar_indexes.models.cross_encoder import Pair, PairReader
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule, PairModule
from scholar_indexes.types import Progress, silent


@dataclass(frozen=True, slots=True)
class DistillationSettings(RunSettings):
    """The hyperparameters: a step reads `lists` lists of `size` windows, of which `best` are the
    teacher's first."""

    steps: int = 1600
    best: int = 4
    size: int = 12
    squared: float = 0.05
    measured: int = 65
    validate_every: int = 400
    save_every: int = 50


class DistillationRun(ListwiseRun):
    """One run over the lists of a teacher, which goes on from its checkpoint."""

    def __init__(
        self,
        model: CrossEncoderModule,
        reader: PairReader,
        lists: TaughtLists,
        out: Path,
        settings: DistillationSettings,
        scores_sha256: str,
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """Raises UsageError for an out of another run."""
        self.reader, self.to_learn = reader, lists.scored
        self.to_measure = lists.graded[graded.DEV]
        self.sampling = settings
        super().__init__(
            model, settings.steps, out, settings, {"scores_sha256": scores_sha256}, say, progress
        )

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of some lists, whose pairs are read together."""
        samples = [self._sample(draw) for draw in draws]
        pairs = [pair for scored, rows in samples for pair in self._read(scored, rows)]
        scores = self.model.score(pairs).split([len(rows) for _, rows in samples])
        losses = []
        for (scored, rows), scored_by_model in zip(samples, scores, strict=True):
            taught = torch.tensor(scored.scores[rows])
            distance = (scored_by_model - scored_by_model.mean()) - (taught - taught.mean())
            soft = -(torch.softmax(taught, 0) * torch.log_softmax(scored_by_model, 0)).sum()
            losses.append(soft + self.sampling.squared * distance.square().mean())
        return torch.stack(losses).mean()

    def _sample(self, draw: int) -> tuple[ScoredList, list[int]]:
        scored = self.to_learn[self.draw_list(draw, len(self.to_learn))]
        generator = np.random.default_rng((self.sampling.seed, draw))
        return scored, scored.sample(self.sampling.size, self.sampling.best, generator)

    def _read(self, scored: ScoredList, rows: Sequence[int]) -> list[Pair]:
        return self.reader.read(scored.claim, scored.passages(rows))

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def measure(self) -> dict[str, float]:
        """Return nDCG@10 of the graded passages of some claims of dev, with its interval."""
        self.model.eval()
        every = max(1, len(self.to_measure) // self.sampling.measured)
        return graded_ndcg(self.model, self.reader, self.to_measure[::every], self.progress)


def graded_ndcg(
    model: PairModule, reader: PairReader, lists: Sequence[ScoredList], progress: Progress
) -> dict[str, float]:
    """Return nDCG@10 of graded passages in the order of a model, with its interval."""
    figures = []
    for done, judged in enumerate(lists):
        progress("validating", done, len(lists))
        passages = judged.passages(range(len(judged.scores)))
        scores = model.score(reader.read(judged.claim, passages)).cpu().numpy()
        grades = judged.scores[np.argsort(-scores, kind="stable")]
        figures.append(metrics.ndcg(grades.tolist(), 10, judged.scores.tolist()))
    return metrics.bootstrap(figures).figures("ndcg@10")
