"""Train the retriever: Dense-RELiC's dual encoder, small enough for a laptop.

    works -> batches of one work -> two towers -> InfoNCE -> checkpoints -> the best one

RELiC (Thai et al. 2022, section 3.2) trains two RoBERTa towers for hours on a GPU. This
starts from a sentence encoder of 22M parameters, so that an hour on two CPU cores moves
it; on a GPU the same loop takes larger batches and more steps.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from scholar_cli.bench import metrics, relic_form, report
from scholar_cli.bench.relic_form import Window, Work
from scholar_cli.train import pairs
from scholar_cli.train.pairs import Pair
from scholar_cli.train.towers import Reader, Towers, info_nce
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.models import file_sha256
from scholar_indexes.types import Progress, silent

POOL = 50
"""Passages of a work that a validation claim is ranked among, at least."""

POOL_WINDOWS = 60
"""Quotations of a work that validation asks for, at most."""

VALIDATED = ((4, 4), (1, 0))
"""Sentences before and after the quotation that validation claims have."""

NEAR = 5
"""Sentences around a quotation that are no negatives for its claim."""

HARD_RANKS = (2, 30)
"""A hard negative is drawn from these ranks: the first may be as good as the quotation."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

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
    def usual(device: str) -> Recipe:
        """A run of about an hour on two CPU cores, or the full one on a GPU."""
        if device == "cpu":
            return Recipe()
        return Recipe(steps=12_000, batch=192, learning_rate=5e-5, bank=2_000, validate_every=500)


@dataclass(slots=True)
class _State:
    """Where a run stands."""

    step: int = 0
    best_step: int = 0
    best: float = -1.0
    seconds: float = 0.0


def train(
    data: Path,
    out: Path,
    base: Path,
    recipe: Recipe,
    *,
    device: str = "cpu",
    threads: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on data's train.json, choose by its val.json, and write a model folder.

    base is a sentence-transformers folder to start from. A run that was interrupted goes
    on from its last checkpoint in out. Returns the card. Raises NoMatch when nothing
    is quoted, UsageError when out holds a finished model or a run of other settings,
    data or base, and ScholarError when the GPU's memory is too small.
    """
    if threads:
        torch.set_num_threads(threads)
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    works = relic_form.read(data, "train")
    if not any(work.windows for work in works):
        raise NoMatch(f"{data}/train.json quotes no work; mine more criticism first")
    validation = [work for work in relic_form.read(data, "val") if work.windows]
    identity = {
        "recipe": asdict(recipe),
        "base_sha256": file_sha256(base / "model.safetensors"),
        "train_sha256": relic_form.sha256(works),
        "val_sha256": relic_form.sha256(validation),
    }
    run = _Run(works, validation, out, base, recipe, device, identity, say, progress)
    try:
        run.go()
    except torch.cuda.OutOfMemoryError:
        raise ScholarError(
            f"the GPU has too little memory for batches of {recipe.batch}; "
            f"run again with --batch {max(8, recipe.batch // 2)} and a new --out"
        ) from None
    return run.finish()


class _Run:
    """One training run: what changes while it goes on."""

    def __init__(
        self,
        works: Sequence[Work],
        validation: Sequence[Work],
        out: Path,
        base: Path,
        recipe: Recipe,
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
        self.reader = Reader(base, recipe.claim_tokens, recipe.block_tokens)
        self.towers = Towers(
            base, shared=recipe.shared, frozen_layers=recipe.frozen_layers, device=device
        )
        self.learned = [each for each in self.towers.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.learned, lr=recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        self.asked = [questions(work, recipe.seed) for work in validation]
        self.validation = validation
        self.hard: dict[int, dict[int, list[Pair]]] = {}
        hard_from = recipe.hard_from if recipe.hard_share else 1.0
        self.hard_step = round(hard_from * recipe.steps)
        self._resume()

    def go(self) -> None:
        recipe = self.recipe
        if not self.history:
            self._validate()
        while self.state.step < recipe.steps and not self._stale():
            if self.state.step >= self.hard_step and not self.hard:
                self.hard = self._harder()
                self._keep_hard()
            start = time.perf_counter()
            loss = self._step(self.state.step)
            self.state.step += 1
            self.state.seconds += time.perf_counter() - start
            self.progress(f"training, loss {loss:.2f}", self.state.step, recipe.steps)
            if self.state.step % recipe.validate_every == 0 or self.state.step == recipe.steps:
                self._validate(loss)
                self._save()

    def finish(self) -> dict[str, Any]:
        """Write the best model as a sentence-transformers folder, with its card.

        Two separate towers become two folders without a card: the product reads claims
        and passages with one.
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
        kept = ("model.safetensors", "config.json", "tokenizer.json", "modules.json")
        return {
            "name": name,
            "dimensions": int(self.towers.passages.config.hidden_size),
            "max_tokens": max_tokens,
            "pooling": "mean",
            "masked": True,
            "space": f"{name}-{weights_sha256[:8]}",
            "weights_sha256": weights_sha256,
            "files": {each: file_sha256(self.out / each) for each in kept},
            "training": training,
        }

    def _step(self, step: int) -> float:
        recipe = self.recipe
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        share = step / recipe.steps
        warm = min(1.0, (share + 1 / recipe.steps) / recipe.warmup_share)
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.learning_rate * warm * max(0.02, 1 - share)
        number, drawn = pairs.batch(self.works, recipe.batch, recipe.own_share, recipe.seed, step)
        draw = random.Random(f"{recipe.seed} {step} blocks")
        hard = self._hard_for(number, drawn, draw)
        self.towers.train()
        work = self.works[number]
        claims = self.towers.pooled(self.towers.claims, [self.reader.claim(each) for each in drawn])
        passages = self.towers.pooled(
            self.towers.passages,
            [self.reader.passage(work, each, draw) for each in [*drawn, *hard]],
        )
        same = torch.tensor(
            [[a is not b and near(a, b) for b in [*drawn, *hard]] for a in drawn],
            device=self.towers.device,
        )
        loss = info_nce(claims, passages, same, recipe.temperature)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.learned, 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def _hard_for(self, number: int, drawn: Sequence[Pair], draw: random.Random) -> list[Pair]:
        known = self.hard.get(number, {})
        about = [each for each in drawn if known.get(each.start)]
        count = min(len(about), round(self.recipe.hard_share * self.recipe.batch))
        return [draw.choice(known[each.start]) for each in draw.sample(about, count)]

    def _harder(self) -> dict[int, dict[int, list[Pair]]]:
        """Passages that the model as it is takes for a quotation, by work and quotation."""
        found: dict[int, dict[int, list[Pair]]] = {}
        for number, work in enumerate(self.works):
            self.progress("hard negatives", number, len(self.works))
            if len(work.windows) < 4:
                continue
            draw = random.Random(f"{self.recipe.seed} {number} bank")
            bank = [_anywhere(work, draw) for _ in range(self.recipe.bank)]
            asked = [_pair(each, 4, 4) for each in work.windows]
            scores = self._vectors(work, asked, claims=True) @ self._vectors(work, bank).T
            by_start: dict[int, list[Pair]] = {}
            for row, pair in enumerate(asked):
                order = scores[row].argsort(descending=True).tolist()
                far = [bank[each] for each in order if not near(bank[each], pair)]
                by_start[pair.start] = far[HARD_RANKS[0] : HARD_RANKS[1]]
            found[number] = by_start
        return found

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _vectors(self, work: Work, asked: Sequence[Pair], *, claims: bool = False) -> torch.Tensor:
        self.towers.eval()
        if claims:
            return self.towers.pooled(
                self.towers.claims, [self.reader.claim(each) for each in asked]
            )
        return self.towers.pooled(
            self.towers.passages, [self.reader.passage(work, each) for each in asked]
        )

    def _validate(self, loss: float = 0.0) -> None:
        """The mean reciprocal rank of quotations among passages of their work, by view."""
        ranks: dict[str, list[float]] = {}
        for done, (work, (views, pool)) in enumerate(zip(self.validation, self.asked, strict=True)):
            self.progress("validating", done, len(self.asked))
            passages = self._vectors(work, pool)
            for view, asked in views.items():
                scores = (self._vectors(work, asked, claims=True) @ passages.T).tolist()
                for pair, row in zip(asked, scores, strict=True):
                    gold = next(
                        at for at, each in enumerate(pool)
                        if (each.start, each.size) == (pair.start, pair.size)
                    )  # fmt: skip
                    others = [
                        score for score, each in zip(row, pool, strict=True) if not near(each, pair)
                    ]
                    rank = 1 + sum(score >= row[gold] for score in others)
                    ranks.setdefault(view, []).append(1 / rank)
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
            self._write("best", {k: v.contiguous() for k, v in self._weights().items()})

    def _stale(self) -> bool:
        """Whether validation has not risen for so long that training should stop."""
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
        unfinished = path.with_suffix(".part")
        safetensors.torch.save_file(tensors, unfinished)
        os.replace(unfinished, path)

    def _save(self) -> None:
        """A checkpoint: the weights, Adam's two moments, and where the run stands. The state
        comes last, and names the step of the weights that belong to it."""
        moments = {}
        for at, each in enumerate(self.learned):
            kept = self.optimizer.state[each]
            moments[f"adam.{at}.mean"] = kept["exp_avg"].cpu()
            moments[f"adam.{at}.square"] = kept["exp_avg_sq"].cpu()
        latest = f"step{self.state.step}"
        self._write(latest, {**self._weights(), **moments})
        path = self.out / "checkpoint" / "state.json"
        unfinished = path.with_suffix(".part")
        unfinished.write_text(
            json.dumps({**self.identity, "state": asdict(self.state), "history": self.history})
        )
        os.replace(unfinished, path)
        for old in path.parent.glob("step*.safetensors"):
            if old.stem != latest:
                old.unlink()

    def _keep_hard(self) -> None:
        """Write the hard negatives: a resumed run must not choose others with later weights."""
        kept = [
            [number, start, [[each.start, each.size] for each in listed]]
            for number, by_start in self.hard.items()
            for start, listed in by_start.items()
        ]
        path = self.out / "checkpoint" / "hard.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(kept))
        os.replace(unfinished, path)

    def _kept_hard(self) -> None:
        for number, start, listed in json.loads(
            (self.out / "checkpoint" / "hard.json").read_text("utf-8")
        ):
            pairs_of = self.hard.setdefault(number, {})
            pairs_of[start] = [Pair("", "", *each) for each in listed]

    def _resume(self) -> None:
        path = self.out / "checkpoint" / "state.json"
        if not path.exists():
            return
        try:
            kept = json.loads(path.read_text("utf-8"))
            state = _State(**kept.pop("state"))
            history = kept.pop("history")
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"{path} is broken; delete {path.parent} to begin again") from None
        if kept != self.identity:
            different = next(key for key in self.identity if kept.get(key) != self.identity[key])
            raise UsageError(
                f"{self.out} holds a run of another {different.replace('_', ' ')}; "
                "give a new --out, or delete its folder checkpoint"
            )
        tensors = safetensors.torch.load_file(self._checkpoint(f"step{state.step}"))
        for at, each in enumerate(self.learned):
            self.optimizer.state[each] = {
                "step": torch.tensor(float(state.step)),
                "exp_avg": tensors.pop(f"adam.{at}.mean").to(each.device),
                "exp_avg_sq": tensors.pop(f"adam.{at}.square").to(each.device),
            }
        self.towers.load_state_dict(tensors, strict=not self.recipe.shared)
        if self.hard_step < state.step:
            self._kept_hard()
        self.state, self.history = state, history
        self.say(f"going on from step {state.step}")


def questions(work: Work, seed: int) -> tuple[dict[str, list[Pair]], list[Pair]]:
    """Validation claims by view, and the passages of the work they are ranked among: all
    quotations that are asked for, and passages from anywhere up to POOL."""
    draw = random.Random(f"{seed} {work.title}")
    windows = sorted(work.windows, key=lambda each: each.id)
    windows = draw.sample(windows, min(POOL_WINDOWS, len(windows)))
    views = {
        f"{left}/{right}": [_pair(each, left, right) for each in windows if left == 4 or each.left]
        for left, right in VALIDATED
    }
    cut = ((each, pairs.short(each, draw)) for each in windows)
    views["short"] = [Pair(clause, "", each.start, each.size) for each, clause in cut if clause]
    pool = {(each.start, each.size): _pair(each, 0, 0) for each in windows}
    for _ in range(4 * POOL):
        if len(pool) >= POOL:
            break
        pair = _anywhere(work, draw)
        pool[pair.start, pair.size] = pair
    return {view: asked for view, asked in views.items() if asked}, list(pool.values())


def near(one: Pair, other: Pair) -> bool:
    """Whether two passages are so close that neither is a negative for the other's claim."""
    return one.start < other.start + other.size + NEAR and other.start < one.start + one.size + NEAR


def _pair(window: Window, left: int, right: int) -> Pair:
    return Pair(*window.sides(left, right), window.start, window.size)


def _anywhere(work: Work, draw: random.Random) -> Pair:
    return Pair("", "", *pairs.anywhere(work, draw))


def tried(recipe: Recipe, **changes: Any) -> Recipe:
    """A recipe with what a person set; None is what they left."""
    return replace(recipe, **{key: value for key, value in changes.items() if value is not None})
