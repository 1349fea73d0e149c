"""Distil a larger model's scores of the windows of a work into the encoder.

    claims about a work with a teacher's scores -> soft lists -> checkpoints -> weights

A step encodes a part of a work once, as the index does, and the vector of each scored window is the
mean of its token vectors: a fifth of the cost of encoding the window by itself. The loss of a claim
is the divergence of its cosines from the teacher's scores (soft labels, Hinton et al. 2015). The
encoder is measured on the graded passages of `dev`, with claims as they are typed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn.functional import normalize

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.claims import graded, soft_lists
from scholar_cli.laboratory.claims.reranker.listwise import RunSettings, TrainingRun
from scholar_cli.laboratory.claims.reranker.scored import ScoredList, TaughtLists
from scholar_cli.laboratory.claims.soft_lists import Block, PartLists, TaughtWork
from scholar_cli.laboratory.relic.towers import mark_ids
from scholar_indexes.models import torch_encoder
from scholar_indexes.models.encoder import Tokens, around
from scholar_indexes.types import Progress, silent

ROWS, LENGTHS = 48, 16
"""Texts in a batch, and the number of which its rows and length are multiples: every new shape
costs the CPU library time and memory."""

HIDDEN = -1e4
"""The logit of a window that is masked for a claim."""


@dataclass(frozen=True, slots=True)
class SoftSettings(RunSettings):
    """The hyperparameters: a step reads a part of a work of `sentences` sentences.

    Names in a claim are read as pronouns in `reading_share` of the draws, and a claim is put in
    lower case in `lower_share`. A window that was not scored for a claim has `below` less than the
    claim's lowest score. A claim is weighted by the share of its scores that is in the part,
    `least_weight` at least. Parts are drawn less often if they have fewer than `least_windows`
    windows.
    """

    steps: int = 640
    lists: int = 1
    frozen_layers: int = 0
    sentences: int = 560
    least_windows: int = 150
    below: float = 1.0
    least_weight: float = 0.1
    reading_share: float = 0.4
    lower_share: float = 0.3
    temperature: float = 0.05
    claim_tokens: int = 62
    measured: int = 87
    learning_rate: float = 8e-5
    warmup_share: float = 0.05
    validate_every: int = 150
    save_every: int = 25


class SentenceEncoder(torch.nn.Module):  # type: ignore[misc]
    """An encoder of claims and of blocks of sentences."""

    def __init__(self, encoder: Any, tokenizer: Tokenizer) -> None:
        """Raises ConfigError for a tokenizer without [CLS], [SEP] or [MASK]."""
        super().__init__()
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.width = int(encoder.config.hidden_size)
        self.is_exact = not torch_encoder.computes_bfloat16()
        self._first, self._last, self._mask = mark_ids(tokenizer)

    def encode_claims(self, claims: Sequence[str], room: int) -> torch.Tensor:
        """Return unit vectors (n, d) of claims, cut to `room` tokens, each as text before a
        quotation."""
        encodings = self.tokenizer.encode_batch(list(claims), add_special_tokens=False)
        texts = [around(encoding.ids[: room - 1], self._mask, (), room) for encoding in encodings]
        means = torch.zeros(len(texts), self.width)
        for rows, vectors, mask in self._read(texts):
            mean = (vectors * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            means = means.index_copy(0, torch.tensor(rows), mean)
        return normalize(means, dim=-1)

    def encode_windows(
        self, blocks: Sequence[Block], first: int, end: int, windows: np.ndarray
    ) -> torch.Tensor:
        """Return unit vectors (w, d) of windows among sentences [first, end), from the tokens in
        the blocks."""
        sums = torch.zeros(end - first, self.width)
        for rows, vectors, _ in self._read([block.tokens for block in blocks]):
            owners = np.concatenate([blocks[row].rows for row in rows]) - first
            tokens = torch.cat(
                [vectors[at, 1 : 1 + len(blocks[row].tokens)] for at, row in enumerate(rows)]
            )
            sums = sums.index_add(0, torch.from_numpy(owners), tokens)
        totals = torch.cat([torch.zeros(1, self.width), sums.cumsum(0)])
        edges = torch.from_numpy(windows.astype(np.int64)) - first
        return normalize(totals[edges[:, 1]] - totals[edges[:, 0]], dim=-1)

    def _read(
        self, texts: Sequence[Tokens]
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor]]:
        """Yield batches of texts: their numbers, token vectors (n, t, d) and mask (n, t)."""
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(order), ROWS):
            rows = order[start : start + ROWS]
            shape = (_multiple(len(rows)), _multiple(2 + max(len(texts[row]) for row in rows)))
            ids, mask = np.zeros((2, *shape), np.int64)
            mask[len(rows) :, 0] = 1  # an empty row must attend to a token; it is dropped below
            for at, row in enumerate(rows):
                length = len(texts[row]) + 2
                ids[at, :length] = [self._first, *texts[row], self._last]
                mask[at, :length] = 1
            with torch.autocast("cpu", torch.bfloat16, enabled=not self.is_exact):
                vectors = self.encoder(
                    input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)
                ).last_hidden_state
            yield rows, vectors.float()[: len(rows)], torch.from_numpy(mask[: len(rows)]).float()


def _multiple(length: int) -> int:
    return -(-length // LENGTHS) * LENGTHS


class SoftRun(TrainingRun):
    """A training run on the lists of a teacher, resumed from its checkpoint."""

    model: SentenceEncoder
    settings: SoftSettings

    def __init__(
        self,
        model: SentenceEncoder,
        lists: TaughtLists,
        out: Path,
        settings: SoftSettings,
        identity: dict[str, Any],
        say: Callable[[str], None] = lambda line: None,
        progress: Progress = silent,
    ) -> None:
        """Raises UsageError if out contains another run."""
        self.works = soft_lists.group(lists, model.tokenizer)
        self.dev_works = _group_dev(lists.graded[graded.DEV], settings.measured, model.tokenizer)
        parts = soft_lists.order_parts(
            self.works, settings.sentences, settings.least_windows, settings.seed
        )
        self.parts = list(islice(parts, settings.steps))
        super().__init__(model, out, settings, identity, say, progress)

    def loss(self, draws: Sequence[int]) -> torch.Tensor:
        """Return the loss of the claims about the drawn parts, each weighted by its share of the
        part."""
        losses = []
        for draw in draws:
            number, start, end = self.parts[draw]
            part = self.works[number].part(start, end, self.settings.below)
            if part:
                losses.append(self._part_loss(part, self.works[number], draw))
        return torch.stack(losses).mean() if losses else torch.zeros(())

    def _part_loss(self, part: PartLists, work: TaughtWork, draw: int) -> torch.Tensor:
        settings = self.settings
        chance = random.Random(f"{settings.seed} {draw} claims")
        claims = [self._text(claim, work, chance) for claim in part.claims]
        vectors = self.model.encode_windows(part.blocks, part.first, part.end, part.windows)
        hidden = torch.from_numpy(part.hidden)
        cosines = self.model.encode_claims(claims, settings.claim_tokens) @ vectors.T
        logs = torch.log_softmax((cosines / settings.temperature).masked_fill(hidden, HIDDEN), 1)
        taught = torch.log_softmax(torch.from_numpy(part.scores).masked_fill(hidden, HIDDEN), 1)
        divergence = (taught.exp() * (taught - logs)).sum(1)
        weights = torch.from_numpy(part.shares).clamp(min=settings.least_weight)
        return (divergence * weights).sum() / weights.sum()

    def _text(self, claim: str, work: TaughtWork, chance: random.Random) -> str:
        if chance.random() < self.settings.reading_share:
            claim = work.pronouns.read(claim)
        return claim.lower() if chance.random() < self.settings.lower_share else claim

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def measure(self) -> dict[str, float]:
        """Return nDCG@10 of the graded passages of a sample of dev's claims by cosine, with its
        interval."""
        self.model.eval()
        figures = []
        for done, work in enumerate(self.dev_works):
            self.progress("validating", done, len(self.dev_works))
            for one in work.lists:
                part = soft_lists.part_lists([one], work.blocks)
                if part is None:
                    continue
                vectors = self.model.encode_windows(part.blocks, part.first, part.end, one.windows)
                claim = self.model.encode_claims([one.claim], self.settings.claim_tokens)
                order = np.argsort(-(claim @ vectors.T)[0].numpy(), kind="stable")
                grades = one.scores[order].tolist()
                figures.append(metrics.ndcg(grades, 10, one.scores.tolist()))
        return metrics.bootstrap(figures).figures("ndcg@10")


def _group_dev(lists: Sequence[ScoredList], count: int, tokenizer: Tokenizer) -> list[TaughtWork]:
    """Return the works of about `count` lists of dev."""
    every = max(1, len(lists) // count)
    by_work: dict[int, list[ScoredList]] = {}
    for one in lists[::every]:
        by_work.setdefault(id(one.work), []).append(one)
    return [TaughtWork(of_work[0].work, of_work, tokenizer) for of_work in by_work.values()]
