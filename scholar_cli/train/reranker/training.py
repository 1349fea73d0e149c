"""Train the cross-encoder on graded claims.

    lists of graded passages -> scores beside the first stage -> ListNet -> checkpoints -> weights

Every draw depends on the seed and the step alone, so that an interrupted run goes on from its last
checkpoint. Half an hour on two cores.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.bench import metrics
from scholar_cli.bench.report import commit
from scholar_cli.train import ranking
from scholar_cli.train.checkpoints import Checkpoints
from scholar_cli.train.reranker.lists import PairList
from scholar_cli.train.retriever import graded
from scholar_indexes.errors import NoMatch
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule
from scholar_indexes.types import Progress, silent

FROZEN_LAYERS = 2
"""Lower layers that are not trained, nor are the word vectors."""

HEAD_RATE = 10
"""The learning rate of the parts that are new, beside that of the encoder."""


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """The hyperparameters of training; `size` passages of a claim are read in a step, of which
    `relevant` at most have grade 2 or 3, and `ungraded` are of the first stage."""

    epochs: int = 1
    lists: int = 4
    size: int = 16
    relevant: int = 6
    ungraded: int = 2
    learning_rate: float = 1e-4
    warmup_share: float = 0.06
    weight_decay: float = 0.01
    validate_every: int = 170
    seed: int = 0


class RerankerRun:
    """One run, which goes on from its checkpoint where there is one."""

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
        self.model, self.settings = model, settings
        self.say, self.progress = say, progress
        self.train_lists = [pairs for pairs in lists if pairs.part == graded.TRAIN]
        self.dev_lists = [pairs for pairs in lists if pairs.part == graded.DEV]
        if not self.train_lists or not self.dev_lists:
            raise NoMatch(
                "the library knows the people of no works of graded claims; add works of both "
                "parts, and run: scholar index people"
            )
        self.steps = settings.epochs * len(self.train_lists) // settings.lists
        self.step = 0
        self.seconds = 0.0
        self.history: list[dict[str, float]] = []
        self.identity = {
            "settings": asdict(settings),
            "lists_sha256": sha256(repr([pairs.pairs for pairs in lists]).encode()).hexdigest(),
        }
        torch.manual_seed(settings.seed)
        _freeze(model)
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

    def train(self) -> None:
        """Train to the last step."""
        while self.step < self.steps:
            start = time.perf_counter()
            loss = self.train_step()
            self.step += 1
            self.seconds += time.perf_counter() - start
            self.progress(f"training, loss {loss:.2f}", self.step, self.steps)
            if self.step % self.settings.validate_every == 0 or self.step == self.steps:
                self._validate(loss)
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
        total = 0.0
        for number in range(settings.lists):
            loss = self._loss(self.step * settings.lists + number) / settings.lists
            if loss.requires_grad:
                loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        return total

    def _loss(self, draw: int) -> torch.Tensor:
        """Return the loss of ListNet (Cao et al. 2007) for a part of one list: the cross-entropy
        of its scores with the gains of its grades."""
        settings = self.settings
        epoch, at = divmod(draw, len(self.train_lists))
        order = random.Random(f"{settings.seed} {epoch}").sample(
            range(len(self.train_lists)), len(self.train_lists)
        )
        pairs = self.train_lists[order[at]]
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
            rows = np.flatnonzero(pairs.grades != ranking.UNGRADED).tolist()
            grades = pairs.grades[rows]
            both.append(_ndcg(grades, self._score(pairs, rows).numpy()))
            first.append(_ndcg(grades, pairs.first_stage[rows]))
        return {
            **metrics.bootstrap(both).figures("ndcg@10"),
            "first stage ndcg@10": metrics.mean(first),
        }

    def _validate(self, loss: float) -> None:
        figures = self.measure()
        self.history.append({"step": self.step, "loss": round(loss, 4), **figures})
        self.say(
            f"step {self.step}, {self.seconds / 60:.1f} min, loss {loss:.3f}: nDCG@10 "
            f"{figures['ndcg@10']:.4f} (first stage {figures['first stage ndcg@10']:.4f})"
        )

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
        self.say(f"going on from step {self.step}")

    def card(self) -> dict[str, Any]:
        """Return what the card of the model says of its training."""
        return {
            **self.identity,
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "works": sorted({pairs.work for pairs in self.train_lists}),
            "claims": len(self.train_lists),
            "torch": torch.__version__,
            "commit": commit(),
            "steps": self.step,
            "seconds": round(self.seconds),
            "history": self.history,
        }


def _freeze(model: CrossEncoderModule) -> None:
    embeddings = model.encoder.embeddings
    frozen = (embeddings.word_embeddings, embeddings.position_embeddings)
    for part in (*frozen, *model.encoder.encoder.layer[:FROZEN_LAYERS]):
        part.requires_grad_(False)


def _rate(name: str) -> int:
    return 1 if name.startswith("encoder.") else HEAD_RATE


def _ndcg(grades: np.ndarray, scores: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    return metrics.ndcg(grades[order].tolist(), 10, grades.tolist())
