"""Train the retriever: Dense-RELiC's dual encoder, small enough for a laptop.

    works -> batches of one work -> two towers -> InfoNCE -> checkpoints -> the best one

RELiC (Thai et al. 2022, section 3.2) trains two RoBERTa towers for hours on a GPU. This
starts from a sentence encoder of 22M parameters, which an hour on two CPU cores improves;
on a GPU the same loop has larger batches and more steps.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from scholar_cli.laboratory import metrics, report
from scholar_cli.laboratory.checkpoints import Checkpoints
from scholar_cli.laboratory.relic import pairs, relic_data
from scholar_cli.laboratory.relic.pairs import TrainingPair
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_cli.laboratory.relic.towers import TextTokenizer, Towers, info_nce
from scholar_cli.laboratory.relic.validation import (
    draw_validation,
    is_near,
    random_passage,
    window_pair,
)
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.guarded import read_json
from scholar_indexes.models.registry import file_sha256
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

MAX_HARD_BYTES = 1 << 30
"""The largest file of hard negatives that a resumed run reads."""

HARD_RANKS = (2, 30)
"""A hard negative is drawn from these ranks: the first may be as good as the quotation."""


@dataclass(frozen=True, slots=True)
class RetrieverSettings:
    """The hyperparameters of training."""

    shared: bool = True
    steps: int = 1_200
    batch: int = 64
    own_share: float = 0.25
    learning_rate: float = 1e-4
    warmup_share: float = 0.06
    temperature: float = 0.05
    weight_decay: float = 0.01
    frozen_layers: int = 0
    claim_tokens: int = 192
    block_tokens: int = 64
    hard_from: float = 0.5
    hard_share: float = 0.25
    bank: int = 64
    validate_every: int = 200
    patience: int = 4
    seed: int = 0

    @staticmethod
    def defaults(device: str) -> RetrieverSettings:
        """Return the settings of a run of about an hour on two CPU cores, or of the full run on a
        GPU."""
        if device == "cpu":
            return RetrieverSettings()
        return RetrieverSettings(
            steps=12_000, batch=192, learning_rate=5e-5, bank=2_000, validate_every=500
        )


@dataclass(slots=True)
class _State:
    """The progress of a run."""

    step: int = 0
    best_step: int = 0
    best: float = -1.0
    seconds: float = 0.0


def train(
    data: Path,
    out: Path,
    base: Path,
    recipe: RetrieverSettings,
    *,
    device: str = "cpu",
    threads: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on data's train.json, select the best step by its val.json, and write a model folder.

    base is a sentence-transformers folder to start from. An interrupted run is resumed from its
    last checkpoint in out. Returns the card. Raises NoMatch if nothing is quoted, UsageError if out
    contains a finished model or a run with other settings, data or base, and ScholarError if the
    GPU's memory is too small.
    """
    if threads:
        torch.set_num_threads(threads)
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; choose a new --out")
    works = relic_data.read(data, "train")
    if not any(work.windows for work in works):
        raise NoMatch(f"{data}/train.json has no quotations; mine more criticism first")
    validation = [work for work in relic_data.read(data, "val") if work.windows]
    identity = {
        "recipe": asdict(recipe),
        "base_sha256": file_sha256(base / "model.safetensors"),
        "train_sha256": relic_data.sha256(works),
        "val_sha256": relic_data.sha256(validation),
    }
    run = RetrieverRun(works, validation, out, base, recipe, device, identity, say, progress)
    try:
        run.train()
    except torch.cuda.OutOfMemoryError:
        raise ScholarError(
            f"the GPU has too little memory for batches of {recipe.batch}; "
            f"run again with --batch {max(8, recipe.batch // 2)} and a new --out"
        ) from None
    return run.finish()


class RetrieverRun:
    """One training run, resumed from its checkpoint if there is one."""

    def __init__(
        self,
        works: Sequence[QuotedWork],
        validation: Sequence[QuotedWork],
        out: Path,
        base: Path,
        recipe: RetrieverSettings,
        device: str,
        identity: dict[str, Any],
        say: Callable[[str], None],
        progress: Progress,
    ) -> None:
        self.works = works
        self.out = out
        self.base = base
        self.recipe = recipe
        self.identity = identity
        self.say = say
        self.progress = progress
        self.state = _State()
        self.history: list[dict[str, float]] = []
        torch.manual_seed(recipe.seed)
        self.tokenizer = TextTokenizer(base, recipe.claim_tokens, recipe.block_tokens)
        self.towers = Towers(
            base, shared=recipe.shared, frozen_layers=recipe.frozen_layers, device=device
        )
        self.trainable = [
            parameter for parameter in self.towers.parameters() if parameter.requires_grad
        ]
        self.optimizer = torch.optim.AdamW(
            self.trainable, lr=recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        self.validation = [draw_validation(work, recipe.seed) for work in validation]
        self.hard_negatives: dict[int, dict[int, list[TrainingPair]]] = {}
        hard_from = recipe.hard_from if recipe.hard_share else 1.0
        self.hard_step = round(hard_from * recipe.steps)
        self.checkpoints = Checkpoints(out / "checkpoint", identity)
        self._resume()

    def train(self) -> None:
        """Train to the last step, or until validation stops improving."""
        recipe = self.recipe
        if not self.history:
            self._validate()
        while self.state.step < recipe.steps and not self._has_stalled():
            if self.state.step >= self.hard_step and not self.hard_negatives:
                self.hard_negatives = self.mine_hard_negatives()
                self._save_hard_negatives()
            start = time.perf_counter()
            loss = self.train_step(self.state.step)
            self.state.step += 1
            self.state.seconds += time.perf_counter() - start
            self.progress(f"training, loss {loss:.2f}", self.state.step, recipe.steps)
            if self.state.step % recipe.validate_every == 0 or self.state.step == recipe.steps:
                self._validate(loss)
                self._save()

    def finish(self) -> dict[str, Any]:
        """Write the best model as a sentence-transformers folder, with its card.

        Returns the card. Separate towers become two folders without the card of a packaged model,
        because the product encodes claims and passages with one tower.
        """
        import sentence_transformers
        import transformers

        transformers.utils.logging.disable_progress_bar()
        self.towers.load_state_dict(
            safetensors.torch.load_file(self._checkpoint("best")), strict=not self.recipe.shared
        )
        loaded = sentence_transformers.SentenceTransformer(str(self.base), device="cpu")
        towers = {"": self.towers.passages}
        if not self.recipe.shared:
            towers = {"passages": self.towers.passages, "claims": self.towers.claims}
        for name, tower in towers.items():
            loaded[0].auto_model.load_state_dict(tower.state_dict(), strict=False)
            loaded.save(str(self.out / name), safe_serialization=True, create_model_card=False)
        card = self._card(loaded.get_max_seq_length())
        (self.out / "card.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")
        shutil.rmtree(self.out / "checkpoint", ignore_errors=True)
        return card

    def _card(self, max_tokens: int) -> dict[str, Any]:
        name = self.out.resolve().name
        training = {
            **self.identity,
            "base": self.base.resolve().parent.name,
            "works": sum(bool(work.windows) for work in self.works),
            "windows": sum(len(work.windows) for work in self.works),
            "device": str(self.towers.device),
            "torch": torch.__version__,
            "commit": report.commit(),
            "steps": self.state.step,
            "best_step": self.state.best_step,
            "seconds": round(self.state.seconds),
            "history": self.history,
        }
        if not self.recipe.shared:
            return {"name": name, "towers": ["passages", "claims"], "training": training}
        weights_sha256 = file_sha256(self.out / "model.safetensors")
        files = ("model.safetensors", "config.json", "tokenizer.json", "modules.json")
        return {
            "name": name,
            "dimensions": int(self.towers.passages.config.hidden_size),
            "max_tokens": max_tokens,
            "pooling": "mean",
            "masked": True,
            "space": f"{name}-{weights_sha256[:8]}",
            "weights_sha256": weights_sha256,
            "files": {name: file_sha256(self.out / name) for name in files},
            "training": training,
        }

    def train_step(self, step: int) -> float:
        """Take one step of the optimizer; return the loss."""
        recipe = self.recipe
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        share = step / recipe.steps
        warm = min(1.0, (share + 1 / recipe.steps) / recipe.warmup_share)
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.learning_rate * warm * max(0.02, 1 - share)
        number, batch = pairs.batch(self.works, recipe.batch, recipe.own_share, recipe.seed, step)
        draw = random.Random(f"{recipe.seed} {step} blocks")
        passages = [*batch, *self._draw_hard_negatives(number, batch, draw)]
        self.towers.train()
        work = self.works[number]
        claim_vectors = self.towers.encode(
            self.towers.claims, [self.tokenizer.claim(pair) for pair in batch]
        )
        passage_vectors = self.towers.encode(
            self.towers.passages,
            [self.tokenizer.passage(work, passage, draw) for passage in passages],
        )
        same = torch.tensor(
            [[pair is not other and is_near(pair, other) for other in passages] for pair in batch],
            device=self.towers.device,
        )
        loss = info_nce(claim_vectors, passage_vectors, same, recipe.temperature)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trainable, 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def _draw_hard_negatives(
        self, number: int, batch: Sequence[TrainingPair], draw: random.Random
    ) -> list[TrainingPair]:
        by_start = self.hard_negatives.get(number, {})
        pairs_with_negatives = [pair for pair in batch if by_start.get(pair.start)]
        wanted = round(self.recipe.hard_share * self.recipe.batch)
        drawn = draw.sample(pairs_with_negatives, min(len(pairs_with_negatives), wanted))
        return [draw.choice(by_start[pair.start]) for pair in drawn]

    def mine_hard_negatives(self) -> dict[int, dict[int, list[TrainingPair]]]:
        """Return passages that the current model ranks high for a quotation's claim, by work and
        start of the quotation."""
        negatives: dict[int, dict[int, list[TrainingPair]]] = {}
        for number, work in enumerate(self.works):
            self.progress("hard negatives", number, len(self.works))
            if len(work.windows) < 4:
                continue
            draw = random.Random(f"{self.recipe.seed} {number} bank")
            bank = [random_passage(work, draw) for _ in range(self.recipe.bank)]
            claims = [window_pair(window, 4, 4) for window in work.windows]
            scores = self._encode_claims(claims) @ self._encode_passages(work, bank).T
            by_start: dict[int, list[TrainingPair]] = {}
            for row, claim in enumerate(claims):
                order = scores[row].argsort(descending=True).tolist()
                far = [bank[at] for at in order if not is_near(bank[at], claim)]
                by_start[claim.start] = far[HARD_RANKS[0] : HARD_RANKS[1]]
            negatives[number] = by_start
        return negatives

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _encode_claims(self, claims: Sequence[TrainingPair]) -> torch.Tensor:
        self.towers.eval()
        texts = [self.tokenizer.claim(claim) for claim in claims]
        return self.towers.encode(self.towers.claims, texts)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _encode_passages(self, work: QuotedWork, passages: Sequence[TrainingPair]) -> torch.Tensor:
        self.towers.eval()
        texts = [self.tokenizer.passage(work, passage) for passage in passages]
        return self.towers.encode(self.towers.passages, texts)

    def _validate(self, loss: float = 0.0) -> None:
        """Record the mean reciprocal rank of quotations by view; save the best weights."""
        ranks: dict[str, list[float]] = {}
        for done, validated in enumerate(self.validation):
            self.progress("validating", done, len(self.validation))
            passages = self._encode_passages(validated.work, validated.pool)
            for view, claims in validated.views.items():
                scores = (self._encode_claims(claims) @ passages.T).tolist()
                ranks.setdefault(view, []).extend(
                    validated.reciprocal_rank(claim, row)
                    for claim, row in zip(claims, scores, strict=True)
                )
        means = {view: metrics.mean(values) for view, values in ranks.items()}
        score = metrics.mean(list(means.values()))
        self.history.append({"step": self.state.step, "loss": loss, "mrr": score, **means})
        shown = ", ".join(f"{view} {mean:.4f}" for view, mean in means.items())
        self.say(
            f"step {self.state.step}, {self.state.seconds / 60:.1f} min, loss {loss:.3f}: "
            f"MRR {score:.4f} ({shown})"
        )
        if score > self.state.best:
            self.state.best, self.state.best_step = score, self.state.step
            self._write(
                "best", {name: value.contiguous() for name, value in self._weights().items()}
            )

    def _has_stalled(self) -> bool:
        """Return True if validation has not improved for `patience` validations."""
        since = self.state.step - self.state.best_step
        return since >= self.recipe.patience * self.recipe.validate_every

    def _weights(self) -> dict[str, torch.Tensor]:
        return {
            name: value.detach().cpu().clone()
            for name, value in self.towers.state_dict().items()
            if self.recipe.shared is False or not name.startswith("claims.")
        }

    def _checkpoint(self, name: str) -> Path:
        return self.out / "checkpoint" / f"{name}.safetensors"

    def _write(self, name: str, tensors: dict[str, torch.Tensor]) -> None:
        path = self._checkpoint(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic.atomic_file(path) as temporary:
            safetensors.torch.save_file(tensors, temporary)

    def _save(self) -> None:
        state = {"state": asdict(self.state), "history": self.history}
        self.checkpoints.save(
            self.state.step, self._weights(), self.optimizer, self.trainable, state
        )

    def _save_hard_negatives(self) -> None:
        """Write the hard negatives: a resumed run must not mine others with later weights."""
        records = [
            [number, start, [[passage.start, passage.size] for passage in passages]]
            for number, by_start in self.hard_negatives.items()
            for start, passages in by_start.items()
        ]
        path = self.out / "checkpoint" / "hard.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(path, json.dumps(records))

    def _load_hard_negatives(self) -> None:
        path = self.out / "checkpoint" / "hard.json"
        try:
            for number, start, passages in read_json(path, MAX_HARD_BYTES):
                by_start = self.hard_negatives.setdefault(number, {})
                by_start[start] = [TrainingPair("", "", *passage) for passage in passages]
        except (OSError, ValueError, TypeError):
            raise UsageError(f"{path} is broken; delete {path.parent} to begin again") from None

    def _resume(self) -> None:
        loaded = self.checkpoints.load(self.optimizer, self.trainable)
        if loaded is None:
            return
        _, tensors, saved = loaded
        state = _State(**saved["state"])
        history = saved["history"]
        self.towers.load_state_dict(tensors, strict=not self.recipe.shared)
        if self.hard_step < state.step:
            self._load_hard_negatives()
        self.state, self.history = state, history
        self.say(f"resuming from step {state.step}")


def with_options(recipe: RetrieverSettings, **changes: Any) -> RetrieverSettings:
    """Return the settings with the options that a user gave; None means that one was not given."""
    return replace(recipe, **{key: value for key, value in changes.items() if value is not None})
