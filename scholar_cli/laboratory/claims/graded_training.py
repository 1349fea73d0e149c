"""Fine-tune the retriever on graded claims.

    lists of graded passages -> cosines -> ListNet, with InfoNCE on quotations -> int8 ONNX

A step reads claims about one work. A passage is graded for one claim; for the other claims it is a
negative, unless it is near one of their relevant passages. Pairs of a claim and a quotation from
the earlier training are repeated, so that the encoder does not forget them. The model is the mean
of the weights after each epoch (Izmailov et al. 2018), which forgets less than the last weights.
Every draw depends only on the seed and the step, so that an interrupted run resumes from its last
checkpoint.
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

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.checkpoints import Checkpoints
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.graded_lists import GradedList, GradedWork
from scholar_cli.laboratory.relic import pairs, relic_data
from scholar_cli.laboratory.relic.pairs import TrainingPair
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_cli.laboratory.relic.towers import TextTokenizer, Towers, info_nce
from scholar_cli.laboratory.relic.validation import draw_validation, is_near
from scholar_cli.laboratory.report import commit
from scholar_indexes.types import Progress, silent

SUM = "sum of epochs."
"""The prefix of the names of these sums in a checkpoint."""


@dataclass(frozen=True, slots=True)
class GradedRetrieverSettings:
    """The hyperparameters: a step reads `claims` claims about a work with `passages` passages each,
    of which at most `relevant` have grade 2 or 3, and `repeated` pairs of a claim and a quotation.

    Names in a claim are read as pronouns in `reading_share` of the draws, and a claim is put in
    lower case in `lower_share`.
    """

    epochs: int = 3
    claims: int = 8
    passages: int = 12
    relevant: int = 6
    reading_share: float = 0.6
    lower_share: float = 0.3
    repeated: int = 40
    repeated_weight: float = 0.5
    learning_rate: float = 7e-5
    warmup_share: float = 0.06
    temperature: float = 0.05
    weight_decay: float = 0.01
    claim_tokens: int = 192
    block_tokens: int = 64
    save_every: int = 100
    seed: int = 0


class GradedRetrieverRun:
    """A training run, resumed from its checkpoint in `out` if there is one."""

    def __init__(
        self,
        base: Path,
        works: Sequence[GradedWork],
        quoted: Sequence[QuotedWork],
        validation: Sequence[QuotedWork],
        out: Path,
        settings: GradedRetrieverSettings,
        base_name: str,
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """`base` is a folder with the initial encoder; `quoted` are the works in RELiC's format
        whose quotations are repeated, `validation` the works that forgetting is measured on.

        Raises UsageError if out contains another run.
        """
        self.settings, self.say, self.progress = settings, say, progress
        self.train_works = [work for work in works if work.part == graded.TRAIN]
        self.dev_works = [work for work in works if work.part == graded.DEV]
        self.quoted = quoted
        self.validation = [draw_validation(work, settings.seed) for work in validation]
        self.tokenizer = TextTokenizer(base, settings.claim_tokens, settings.block_tokens)
        torch.manual_seed(settings.seed)
        self.towers = Towers(base, shared=True, frozen_layers=0, device="cpu")
        self.parameters = [
            parameter for parameter in self.towers.parameters() if parameter.requires_grad
        ]
        self.optimizer = torch.optim.AdamW(
            self.parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        orders = [self._order(epoch) for epoch in range(settings.epochs)]
        self.order = [group for order in orders for group in order]
        self.epoch_steps = len(orders[0])
        self.sum_of_epochs: dict[str, torch.Tensor] = {}
        self.steps = len(self.order)
        self.step, self.seconds = 0, 0.0
        self.history: list[dict[str, float]] = []
        lists = [(work.work.title, work.lists) for work in works]
        self.identity = {
            "settings": asdict(settings),
            "lists_sha256": sha256(repr(lists).encode()).hexdigest(),
            "base": base_name,
            "train_sha256": relic_data.sha256(quoted),
            "val_sha256": relic_data.sha256(validation),
        }
        self.checkpoints = Checkpoints(out, self.identity)
        self._resume()

    def train(self) -> None:
        """Train to the last step."""
        settings = self.settings
        if not self.history:
            self._validate(0.0)
        while self.step < self.steps:
            start = time.perf_counter()
            loss = self.train_step(self.step)
            self.step += 1
            self.seconds += time.perf_counter() - start
            self.progress(f"training, loss {loss:.2f}", self.step, self.steps)
            if self.step % self.epoch_steps == 0:
                self._add_epoch()
                self._validate(loss)
                self._save()
            elif self.step % settings.save_every == 0:
                self._save()

    def finish(self) -> None:
        """Set the weights to their mean after each epoch, and measure them."""
        mean = {name: total / self.settings.epochs for name, total in self.sum_of_epochs.items()}
        self.towers.passages.load_state_dict(mean, strict=False)
        self._validate(0.0)

    def _add_epoch(self) -> None:
        for name, weights in self.towers.passages.named_parameters():
            before = self.sum_of_epochs.get(name, torch.zeros_like(weights))
            self.sum_of_epochs[name] = before + weights.detach()

    def train_step(self, step: int) -> float:
        """Take one step of the optimizer; return the loss of the graded lists."""
        settings = self.settings
        share = step / self.steps
        warm = min(1.0, (step + 1) / (settings.warmup_share * self.steps))
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * warm * max(0.02, 1 - share)
        draw = random.Random(f"{settings.seed} {step} graded")
        work, lists = self.order[step]
        self.towers.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss = self._graded_loss(work, lists, draw)
        loss.backward()
        if self.quoted:
            (settings.repeated_weight * self._quoted_loss(step, draw)).backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def _order(self, epoch: int) -> list[tuple[QuotedWork, list[GradedList]]]:
        """Return the claims of an epoch in order, in groups about one work; claims without a
        passage that supports them are omitted."""
        draw = random.Random(f"{self.settings.seed} {epoch} order")
        size = self.settings.claims
        groups = []
        for work in self.train_works:
            lists = [one for one in work.lists if one.rows(graded.SUPPORTS, graded.QUOTED)]
            draw.shuffle(lists)
            groups += [
                (work.work, lists[start : start + size]) for start in range(0, len(lists), size)
            ]
        draw.shuffle(groups)
        return groups

    def _graded_loss(
        self, work: QuotedWork, lists: Sequence[GradedList], draw: random.Random
    ) -> torch.Tensor:
        """Return the mean loss of ListNet (Cao et al. 2007): the cross-entropy of a claim's cosines
        with its own and the other claims' passages, with the gains of their grades."""
        sampled = [self._sample(graded_list, draw) for graded_list in lists]
        passages = [
            graded_list.passages[row]
            for graded_list, rows in zip(lists, sampled, strict=True)
            for row in rows
        ]
        claims = self._encode_claims([self._text(graded_list, draw) for graded_list in lists])
        vectors = self.towers.encode(
            self.towers.passages,
            [self.tokenizer.passage(work, passage, draw) for passage in passages],
        )
        scores = claims @ vectors.T / self.settings.temperature
        gains = torch.zeros_like(scores)
        hidden = torch.zeros_like(scores, dtype=torch.bool)
        start = 0
        for number, (graded_list, rows) in enumerate(zip(lists, sampled, strict=True)):
            own = range(start, start + len(rows))
            grades = [graded_list.grades[row] for row in rows]
            gains[number, own.start : own.stop] = torch.tensor([2.0**grade - 1 for grade in grades])
            hidden[number] = torch.tensor(_are_evidence(graded_list, passages))
            hidden[number, own.start : own.stop] = False
            start = own.stop
        logs = torch.log_softmax(scores.masked_fill(hidden, -1e4), 1)
        return -(gains / gains.sum(1, keepdim=True) * logs).sum(1).mean()

    def _sample(self, graded_list: GradedList, draw: random.Random) -> list[int]:
        """Return the rows of a sample of a list, passages that support the claim first."""
        settings = self.settings
        relevant = graded_list.rows(graded.SUPPORTS, graded.QUOTED)
        others = graded_list.rows(graded.NEITHER, graded.TOUCHES)
        chosen = draw.sample(relevant, min(settings.relevant, len(relevant)))
        room = settings.passages - len(chosen)
        return [*chosen, *draw.sample(others, min(room, len(others)))]

    def _text(self, graded_list: GradedList, draw: random.Random) -> str:
        settings = self.settings
        is_read = draw.random() < settings.reading_share
        text = graded_list.reading if is_read else graded_list.claim
        return text.lower() if draw.random() < settings.lower_share else text

    def _quoted_loss(self, step: int, draw: random.Random) -> torch.Tensor:
        """Return the loss of the earlier training, for claims around quotations of one work."""
        settings = self.settings
        number, batch = pairs.batch(self.quoted, settings.repeated, 0.25, settings.seed, step)
        work = self.quoted[number]
        claims = self.towers.encode(
            self.towers.claims, [self.tokenizer.claim(pair) for pair in batch]
        )
        passages = self.towers.encode(
            self.towers.passages, [self.tokenizer.passage(work, pair, draw) for pair in batch]
        )
        same = torch.tensor(
            [[pair is not other and is_near(pair, other) for other in batch] for pair in batch]
        )
        return info_nce(claims, passages, same, settings.temperature)

    def _encode_claims(self, texts: Sequence[str]) -> torch.Tensor:
        return self.towers.encode(
            self.towers.claims,
            [self.tokenizer.claim(TrainingPair(text, "", 0, 1)) for text in texts],
        )

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def measure(self) -> dict[str, float]:
        """Return nDCG@10 of the graded passages of dev's claims by cosine, and the mean reciprocal
        rank of quotations of the validation works by view."""
        self.towers.eval()
        named: list[float] = []
        others: list[float] = []
        for done, work in enumerate(self.dev_works):
            self.progress("validating", done, len(self.dev_works))
            for graded_list, figure in self._measure_work(work):
                (named if graded_list.names_somebody else others).append(figure)
        figures = {
            "ndcg@10": metrics.mean([*named, *others]),
            "names somebody": metrics.mean(named),
            "names nobody": metrics.mean(others),
        }
        return figures | self._measure_quotations()

    def _measure_work(self, work: GradedWork) -> list[tuple[GradedList, float]]:
        passages = sorted(
            {passage for graded_list in work.lists for passage in graded_list.passages},
            key=lambda passage: (passage.start, passage.size),
        )
        columns = {passage: column for column, passage in enumerate(passages)}
        vectors = self._encode_passages(work.work, passages)
        claims = self._encode_claims([graded_list.reading for graded_list in work.lists])
        scores = (claims @ vectors.T).numpy()
        measured = []
        for row, graded_list in enumerate(work.lists):
            if not graded_list.rows(graded.TOUCHES, graded.QUOTED):
                continue
            own = scores[row][[columns[passage] for passage in graded_list.passages]]
            ranked = [graded_list.grades[at] for at in np.argsort(-own, kind="stable").tolist()]
            measured.append((graded_list, metrics.ndcg(ranked, 10, list(graded_list.grades))))
        return measured

    def _measure_quotations(self) -> dict[str, float]:
        ranks: dict[str, list[float]] = {}
        for validated in self.validation:
            passages = self._encode_passages(validated.work, validated.pool)
            for view, claims in validated.views.items():
                vectors = self.towers.encode(
                    self.towers.claims, [self.tokenizer.claim(claim) for claim in claims]
                )
                ranks.setdefault(view, []).extend(
                    validated.reciprocal_rank(claim, row)
                    for claim, row in zip(claims, (vectors @ passages.T).tolist(), strict=True)
                )
        return {f"mrr {view}": metrics.mean(values) for view, values in ranks.items()}

    def _encode_passages(self, work: QuotedWork, passages: Sequence[TrainingPair]) -> torch.Tensor:
        return self.towers.encode(
            self.towers.passages, [self.tokenizer.passage(work, passage) for passage in passages]
        )

    def _validate(self, loss: float) -> None:
        figures = {name: round(value, 4) for name, value in self.measure().items()}
        self.history.append({"step": self.step, "loss": round(loss, 4), **figures})
        shown = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
        self.say(f"step {self.step}, {self.seconds / 60:.1f} min, loss {loss:.3f}: {shown}")

    def _save(self) -> None:
        state = {"seconds": round(self.seconds), "history": self.history}
        sums = {f"{SUM}{name}": total for name, total in self.sum_of_epochs.items()}
        weights = {**self.towers.passages.state_dict(), **sums}
        self.checkpoints.save(self.step, weights, self.optimizer, self.parameters, state)

    def _resume(self) -> None:
        loaded = self.checkpoints.load(self.optimizer, self.parameters)
        if loaded is None:
            return
        self.step, weights, state = loaded
        self.seconds, self.history = state["seconds"], state["history"]
        for name in [name for name in weights if name.startswith(SUM)]:
            self.sum_of_epochs[name.removeprefix(SUM)] = weights.pop(name)
        self.towers.passages.load_state_dict(weights)
        self.say(f"resuming from step {self.step}")

    def card(self) -> dict[str, Any]:
        """Return the entries of the model's card about this training."""
        return {
            **self.identity,
            "claims_sha256": sha256(graded.FILE.read_bytes()).hexdigest(),
            "works": sorted(work.work.title for work in self.train_works),
            "claims": sum(len(work.lists) for work in self.train_works),
            "quoted_works": sum(bool(work.windows) for work in self.quoted),
            "torch": torch.__version__,
            "commit": commit(),
            "steps": self.step,
            "seconds": round(self.seconds),
            "history": self.history,
        }


def _are_evidence(graded_list: GradedList, passages: Sequence[TrainingPair]) -> list[bool]:
    """Return a mask of the passages near a passage with evidence for the claim of a list."""
    rows = graded_list.rows(graded.TOUCHES, graded.QUOTED)
    evidence = [graded_list.passages[row] for row in rows]
    return [any(is_near(passage, other) for other in evidence) for passage in passages]
