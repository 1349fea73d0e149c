"""The two towers as torch modules, and how texts go through them.

A claim is read whole with its mask; a passage is read in a block with its neighbours
and pooled over its own tokens, as the index reads it (late chunking).
"""

from __future__ import annotations

import copy
import random
from array import array
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scholar_cli.bench.relic_form import Work
from scholar_cli.train.pairs import Pair
from scholar_indexes.encoder import around
from scholar_indexes.errors import ConfigError
from scholar_indexes.ingest import plain

BATCH_TOKENS = 8_192
"""Tokens that go through a tower at once, padding included."""

LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
ROWS = 8
"""Groups have one of these lengths and so many rows or a multiple: every new shape costs a
processor's library time and memory to prepare for."""

Tokens = Sequence[int]


class Reader:
    """Texts to token ids; the sentences of a work are tokenized once."""

    def __init__(self, folder: Path, claim_tokens: int, block_tokens: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first, self._last, self._mask = (
            self._id(mark) for mark in ("[CLS]", "[SEP]", "[MASK]")
        )
        self._claim_room = claim_tokens - 2
        self._block_room = block_tokens - 2
        self._works: dict[int, list[array[int]]] = {}

    def claim(self, pair: Pair) -> tuple[list[int], int, int]:
        """The ids of a claim with all its marks, and the part of them to pool: all."""
        left, right = self._encode([pair.left, pair.right])
        ids = around(left, self._mask, right, self._claim_room)
        return self._marked(ids), 0, len(ids) + 2

    def passage(
        self, work: Work, pair: Pair, draw: random.Random | None = None
    ) -> tuple[list[int], int, int]:
        """The ids of a block around a passage, and the part of them that is the passage.

        Neighbours fill the block from a side by chance, or from both without draw;
        a passage that fills it alone is cut to twice its size.
        """
        sentences = self._sentences(work)
        inside = [
            each for row in range(pair.start, pair.start + pair.size) for each in sentences[row]
        ]
        inside = inside[: 2 * self._block_room]
        before: list[int] = []
        after: list[int] = []
        room = self._block_room - len(inside)
        up, down = pair.start - 1, pair.start + pair.size
        turn = draw.random() if draw else 0.5
        hidden = range(pair.hidden_start, pair.hidden_end)
        while room > 0:
            can_up = up >= 0 and up not in hidden and len(sentences[up]) <= room
            can_down = down < len(sentences) and down not in hidden and len(sentences[down]) <= room
            if not can_up and not can_down:
                break
            if can_up and (not can_down or len(before) <= turn * (len(before) + len(after))):
                before = [*sentences[up], *before]
                room -= len(sentences[up])
                up -= 1
            else:
                after = [*after, *sentences[down]]
                room -= len(sentences[down])
                down += 1
        ids = self._marked([*before, *inside, *after])
        return ids, 1 + len(before), 1 + len(before) + len(inside)

    def _sentences(self, work: Work) -> list[array[int]]:
        if id(work) not in self._works:
            found = self._encode([plain(each) for each in work.sentences])
            self._works[id(work)] = [array("i", each) for each in found]
        return self._works[id(work)]

    def _id(self, mark: str) -> int:
        found = self._tokenizer.token_to_id(mark)
        if found is None:
            raise ConfigError(f"the tokenizer to start from has no {mark}; choose another base")
        return int(found)

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [each.ids for each in found]

    def _marked(self, ids: Tokens) -> list[int]:
        return [self._first, *ids, self._last]


class Towers(torch.nn.Module):  # type: ignore[misc]
    """A tower for claims and one for passages; the same one where they are shared."""

    def __init__(self, folder: Path, *, shared: bool, frozen_layers: int, device: str) -> None:
        super().__init__()
        from transformers import AutoModel

        self.passages = AutoModel.from_pretrained(
            folder, use_safetensors=True, local_files_only=True, add_pooling_layer=False,
            # On a CPU dropout takes as long as the rest of a forward pass, and the gradient of
            # fused attention twice as long as that of the plain one.
            attn_implementation="eager" if device == "cpu" else "sdpa",
            attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0,
        )  # fmt: skip
        # Word vectors stay as they are: a few thousand claims touch few of them.
        for part in (self.passages.embeddings, *self.passages.encoder.layer[:frozen_layers]):
            part.requires_grad_(False)
        self.claims = self.passages if shared else copy.deepcopy(self.passages)
        self.device = torch.device(device)
        self.to(self.device)

    def pooled(self, tower: Any, texts: Sequence[tuple[Tokens, int, int]]) -> torch.Tensor:
        """Unit vectors (n, d), each the mean of a text's token vectors [first, end)."""
        found: list[torch.Tensor] = []
        order: list[int] = []
        for rows in _by_length(texts):
            longest = _length(len(texts[rows[0]][0]))
            shape = (-(-len(rows) // ROWS) * ROWS, longest)
            ids: NDArray[np.int64] = np.zeros(shape, np.int64)
            mask = np.zeros(shape, np.int64)
            mask[len(rows) :, 0] = 1  # an empty row attends to something, and is dropped
            pool = np.zeros(shape, np.float32)
            for at, row in enumerate(rows):
                tokens, first, end = texts[row]
                ids[at, : len(tokens)] = tokens
                mask[at, : len(tokens)] = 1
                pool[at, first:end] = 1 / (end - first)
            with self._precision():
                vectors = tower(
                    input_ids=torch.from_numpy(ids).to(self.device),
                    attention_mask=torch.from_numpy(mask).to(self.device),
                ).last_hidden_state
            weights = torch.from_numpy(pool).to(self.device)
            found.append(torch.einsum("bt,btd->bd", weights, vectors.float())[: len(rows)])
            order += rows
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.nn.functional.normalize(torch.cat(found)[back.to(self.device)], dim=-1)

    def _precision(self) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = torch.autocast(self.device.type, torch.bfloat16)
        return context


def _by_length(texts: Sequence[tuple[Tokens, int, int]]) -> Iterator[list[int]]:
    """Rows of texts of like length, longest first, in bounded groups."""
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row][0]))
    while order:
        longest = _length(len(texts[order[0]][0]))
        count = max(ROWS, BATCH_TOKENS // longest // ROWS * ROWS)
        # A few shorter ones fill the last rows of a group rather than start their own.
        like = sum(_length(len(texts[row][0])) >= longest for row in order)
        rows = order[: min(count, -(-like // ROWS) * ROWS)]
        yield rows
        order = order[len(rows) :]


def _length(tokens: int) -> int:
    return next((length for length in LENGTHS if length >= tokens), tokens)


def info_nce(
    claims: torch.Tensor, passages: torch.Tensor, same: torch.Tensor, temperature: float
) -> torch.Tensor:
    """The contrastive loss of RELiC (section 3.2) over cosines: each claim (n, d) should be
    nearer to the passage of its own row than to all other passages (m, d), m >= n. same
    (n, m) marks other passages that are no negatives for a claim."""
    scores = (claims @ passages.T / temperature).masked_fill(same, float("-inf"))
    return torch.nn.functional.cross_entropy(
        scores, torch.arange(len(claims), device=claims.device)
    )
