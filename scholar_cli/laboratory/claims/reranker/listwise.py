"""The base of trainings on lists of passages: steps, checkpoints, the schedule.

Every draw depends on the seed and the step alone, so that an interrupted run resumes from its last
checkpoint.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.checkpoints import Checkpoints
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.reranker.scored import ScoredList, TaughtLists
from scholar_cli.laboratory.report import commit
from scholar_indexes.models.cross_encoder import Pair, PairReader
from scholar_indexes.models.cross_encoder_module import PairModule
from scholar_indexes.types import Progress, silent

T = TypeVar("T")

FROZEN_LAYERS = 2
"""Lower layers that are not trained, nor are the word vectors."""

HEAD_RATE = 10
"""The learning rate of the new parts, as a multiple of the encoder's."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The hyperparameters that all runs have: a step reads `lists` lists, and `measured` claims of
    dev are measured, all of them for 0."""

    steps: int = 335
    lists: int = 4
    measured: int = 0
    frozen_layers: int = FROZEN_LAYERS
    learning_rate: float = 1e-4
    warmup_share: float = 0.06
    weight_decay: float = 0.01
    validate_every: int = 170
    save_every: int = 170
    seed: int = 0


class TrainingRun(ABC):
    """One run, which resumes from its checkpoint."""

    def __init__(
        self,
        model: torch.nn.Module,
        out: Path,
        settings: RunSettings,
        identity: Mapping[str, Any],
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """`model` has an `encoder`, a transformer. `identity` is what a resumed run must share with
        the interrupted one, in addition to the settings. Raises UsageError for an out of another
        run."""
        self.model, self.settings, self.steps = model, settings, settings.steps
        self.say, self.progress = say, progress
        self.step = 0
        self.seconds = 0.0
        self.history: list[dict[str, float]] = []
        self.identity = {"settings": asdict(settings), **identity}
        torch.manual_seed(settings.seed)
        _freeze(model, settings.frozen_layers)
        named = [item for item in model.named_parameters() if item[1].requires_grad]
        self.parameters = [parameter for _, parameter in named]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [parameter], "base": settings.learning_rate * _rate(name)}
                for name, parameter in named
            ],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
        )
        self.checkpoints = Checkpoints(out, self.identity)
        self._resume()

    @abstractmethod
    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of the lists chosen by the numbers of the draws."""

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """Return figures for claims of dev."""

    def train(self) -> None:
        """Train to the last step."""
        settings = self.settings
        while self.step < self.steps:
            start = time.perf_counter()
            loss = self.train_step()
            self.step += 1
            self.seconds += time.perf_counter() - start
            self.progress(f"training, loss {loss:.2f}", self.step, self.steps)
            is_last = self.step == self.steps
            is_measured = self.step % settings.validate_every == 0 or is_last
            if is_measured:
                self._validate(loss)
            if is_measured or self.step % settings.save_every == 0:
                self._save()

    def train_step(self) -> float:
        """Take one step of the optimizer; return the loss."""
        settings = self.settings
        share = self.step / self.steps
        warm = min(1.0, (share + 1 / self.steps) / settings.warmup_share)
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * warm * max(0.02, 1 - share)
        self.optimizer.zero_grad(set_to_none=True)
        self.model.train()
        first = self.step * settings.lists
        loss = self.loss(range(first, first + settings.lists))
        if loss.requires_grad:
            loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def draw_list(self, draw: int, lists: Sequence[T]) -> T:
        """Return the list of a draw; each epoch takes every list once."""
        epoch, at = divmod(draw, len(lists))
        order = random.Random(f"{self.settings.seed} {epoch}").sample(range(len(lists)), len(lists))
        return lists[order[at]]

    def _validate(self, loss: float) -> None:
        figures = self.measure()
        self.history.append({"step": self.step, "loss": round(loss, 4), **figures})
        shown = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
        self.say(f"step {self.step}, {self.seconds / 60:.1f} min, loss {loss:.3f}: {shown}")

    def _save(self) -> None:
        state = {"seconds": round(self.seconds), "history": self.history}
        weights = self.model.state_dict()
        self.checkpoints.save(self.step, weights, self.optimizer, self.parameters, state)

    def _resume(self) -> None:
        loaded = self.checkpoints.load(self.optimizer, self.parameters)
        if loaded is None:
            return
        self.step, weights, state = loaded
        self.seconds, self.history = state["seconds"], state["history"]
        self.model.load_state_dict(weights)
        self.say(f"resuming from step {self.step}")

    def card(self) -> dict[str, Any]:
        """Return what the card of the model says of its training."""
        return {
            **self.identity,
            "torch": torch.__version__,
            "commit": commit(),
            "steps": self.step,
            "seconds": round(self.seconds),
            "history": self.history,
        }


class ListwiseRun(TrainingRun):
    """A run of a cross-encoder over lists of windows."""

    model: PairModule

    def __init__(
        self,
        model: PairModule,
        reader: PairReader,
        lists: TaughtLists,
        out: Path,
        settings: RunSettings,
        identity: Mapping[str, Any],
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """See TrainingRun."""
        self.reader, self.lists = reader, lists
        super().__init__(model, out, settings, identity, say, progress)

    def read(self, scored: ScoredList, rows: Sequence[int]) -> list[Pair]:
        """Return windows of a list as the model reads them with the claim."""
        return self.reader.read(scored.claim, scored.passages(rows))

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def measure(self) -> dict[str, float]:
        """Return nDCG@10 of the graded passages of claims of dev, with its interval."""
        self.model.eval()
        lists = self.lists.graded[graded.DEV]
        every = max(1, len(lists) // (self.settings.measured or len(lists)))
        figures = []
        for done, judged in enumerate(lists[::every]):
            self.progress("validating", done, len(lists[::every]))
            scores = self.model.score(self.read(judged, range(len(judged.scores)))).cpu().numpy()
            grades = judged.scores[np.argsort(-scores, kind="stable")]
            figures.append(metrics.ndcg(grades.tolist(), 10, judged.scores.tolist()))
        return metrics.bootstrap(figures).figures("ndcg@10")


def _freeze(model: torch.nn.Module, layers: int) -> None:
    embeddings = model.encoder.embeddings
    frozen = (embeddings.word_embeddings, embeddings.position_embeddings)
    for part in (*frozen, *model.encoder.encoder.layer[:layers]):
        part.requires_grad_(False)


def _rate(name: str) -> int:
    return 1 if name.startswith("encoder.") else HEAD_RATE
