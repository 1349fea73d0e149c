"""The two towers as torch modules, and the tokenizing and batching of their texts.

A claim is encoded whole with its mask; a passage is encoded in a block with its neighbours
and pooled over its own tokens, as in the index (late chunking).
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

from scholar_cli.laboratory.relic.pairs import TrainingPair
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.errors import ConfigError
from scholar_indexes.models.encoder import around
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.models.torch_encoder import computes_bfloat16

BATCH_TOKENS = 8_192
"""Tokens of a batch, padding included."""

LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
ROWS = 8
"""Batches are padded to one of these lengths and to a multiple of ROWS rows: every new shape costs
the CPU library time and memory."""

Tokens = Sequence[int]


def mark_ids(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """Return the ids of [CLS], [SEP] and [MASK]; raises ConfigError for a tokenizer without one."""
    first, last, mask = (tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]", "[MASK]"))
    if first is None or last is None or mask is None:
        raise ConfigError(
            "the tokenizer to start from lacks [CLS], [SEP] or [MASK]; choose another base"
        )
    return first, last, mask


class TextTokenizer:
    """Converts texts to token ids; the sentences of a work are tokenized once."""

    def __init__(self, folder: Path, claim_tokens: int, block_tokens: int) -> None:
        self._tokenizer = open_tokenizer(folder)
        self._first, self._last, self._mask = mark_ids(self._tokenizer)
        self._claim_tokens = claim_tokens - 2
        self._block_tokens = block_tokens - 2
        self._works: dict[int, list[array[int]]] = {}

    def claim(self, pair: TrainingPair) -> tuple[list[int], int, int]:
        """Return the ids of a claim with its special tokens, and the range of them to pool: all."""
        left, right = self._encode([pair.left, pair.right])
        ids = around(left, self._mask, right, self._claim_tokens)
        return self._add_special(ids), 0, len(ids) + 2

    def passage(
        self, work: QuotedWork, pair: TrainingPair, draw: random.Random | None = None
    ) -> tuple[list[int], int, int]:
        """Return the ids of a block around a passage, and the range of them that is the passage.

        draw chooses how the neighbours divide the block; without it both sides get the same share.
        A passage longer than the block is cut to twice the size of the block.
        """
        sentences = self._sentences(work)
        rows = range(pair.start, pair.start + pair.size)
        inside = [token for row in rows for token in sentences[row]][: 2 * self._block_tokens]
        before, after = self._neighbours(
            sentences, pair, self._block_tokens - len(inside), draw.random() if draw else 0.5
        )
        ids = self._add_special([*before, *inside, *after])
        return ids, 1 + len(before), 1 + len(before) + len(inside)

    def _neighbours(
        self, sentences: Sequence[array[int]], pair: TrainingPair, room: int, share: float
    ) -> tuple[list[int], list[int]]:
        """Return the tokens of the sentences before and after a passage that fit into room.

        share is the share of tokens before it. The sentences that the claim was made from, and the
        sentences beyond them, are excluded.
        """
        before: list[int] = []
        after: list[int] = []
        up, down = pair.start - 1, pair.start + pair.size
        hidden = range(pair.hidden_start, pair.hidden_end)

        def fits(row: int) -> bool:
            in_work = 0 <= row < len(sentences)
            return in_work and row not in hidden and len(sentences[row]) <= room

        while room > 0:
            can_up, can_down = fits(up), fits(down)
            if not can_up and not can_down:
                break
            if can_up and (not can_down or len(before) <= share * (len(before) + len(after))):
                before = [*sentences[up], *before]
                room -= len(sentences[up])
                up -= 1
            else:
                after = [*after, *sentences[down]]
                room -= len(sentences[down])
                down += 1
        return before, after

    def _sentences(self, work: QuotedWork) -> list[array[int]]:
        if id(work) not in self._works:
            encoded = self._encode([normalize_sentence(sentence) for sentence in work.sentences])
            self._works[id(work)] = [array("i", ids) for ids in encoded]
        return self._works[id(work)]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _add_special(self, ids: Tokens) -> list[int]:
        return [self._first, *ids, self._last]


class Towers(torch.nn.Module):  # type: ignore[misc]
    """A tower for claims and one for passages; the same one if shared."""

    def __init__(self, folder: Path, *, shared: bool, frozen_layers: int, device: str) -> None:
        super().__init__()
        import transformers
        from transformers import AutoModel

        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()  # hides warnings about unused weights
        self.passages = AutoModel.from_pretrained(
            folder,
            use_safetensors=True,
            local_files_only=True,
            add_pooling_layer=False,
            # On a CPU, dropout takes as long as the rest of a forward pass, and the gradient of
            # fused attention twice as long as with plain attention.
            attn_implementation="eager" if device == "cpu" else "sdpa",
            attention_probs_dropout_prob=0.0,
            hidden_dropout_prob=0.0,
        )
        # Word vectors are frozen: a few thousand claims touch few of them.
        for part in (self.passages.embeddings, *self.passages.encoder.layer[:frozen_layers]):
            part.requires_grad_(False)
        self.claims = self.passages if shared else copy.deepcopy(self.passages)
        self.device = torch.device(device)
        self.to(self.device)

    def encode(self, tower: Any, texts: Sequence[tuple[Tokens, int, int]]) -> torch.Tensor:
        """Return unit vectors (n, d), each the mean of a text's token vectors [first, end)."""
        batches: list[torch.Tensor] = []
        order: list[int] = []
        for rows in _by_length(texts):
            longest = _length(len(texts[rows[0]][0]))
            shape = (-(-len(rows) // ROWS) * ROWS, longest)
            ids: NDArray[np.int64] = np.zeros(shape, np.int64)
            mask = np.zeros(shape, np.int64)
            mask[len(rows) :, 0] = 1  # an empty row must attend to a token; it is dropped below
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
            batches.append(torch.einsum("bt,btd->bd", weights, vectors.float())[: len(rows)])
            order += rows
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.nn.functional.normalize(torch.cat(batches)[back.to(self.device)], dim=-1)

    def _precision(self) -> AbstractContextManager[Any]:
        is_quick = self.device.type != "cpu" or computes_bfloat16()
        context: AbstractContextManager[Any] = torch.autocast(
            self.device.type, torch.bfloat16, enabled=is_quick
        )
        return context


def _by_length(texts: Sequence[tuple[Tokens, int, int]]) -> Iterator[list[int]]:
    """Yield the rows of texts in batches of similar length, longest first."""
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row][0]))
    while order:
        longest = _length(len(texts[order[0]][0]))
        count = max(ROWS, BATCH_TOKENS // longest // ROWS * ROWS)
        # A few shorter texts fill the last rows of a batch rather than start their own.
        like = sum(_length(len(texts[row][0])) >= longest for row in order)
        rows = order[: min(count, -(-like // ROWS) * ROWS)]
        yield rows
        order = order[len(rows) :]


def _length(tokens: int) -> int:
    """Return the length that a text of this many tokens is padded to."""
    return next((length for length in LENGTHS if length >= tokens), tokens)


def info_nce(
    claims: torch.Tensor, passages: torch.Tensor, same: torch.Tensor, temperature: float
) -> torch.Tensor:
    """Return the contrastive loss of RELiC (section 3.2) over cosines.

    Each claim (n, d) should be nearer to the passage of its own row than to all other passages (m,
    d), m >= n. same (n, m) marks other passages that are not negatives for a claim.
    """
    scores = (claims @ passages.T / temperature).masked_fill(same, float("-inf"))
    return torch.nn.functional.cross_entropy(
        scores, torch.arange(len(claims), device=claims.device)
    )
