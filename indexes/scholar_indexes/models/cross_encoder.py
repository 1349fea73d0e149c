"""A packaged cross-encoder: a claim and a passage are read together.

    [CLS] claim [SEP] text before, passage, text after [SEP]

Token types tell the passage (1) from all else (0). The graph returns one number for each pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d
from scholar_indexes.models.encoder import BATCH_TOKENS, batches_by_length, marks
from scholar_indexes.models.onnx_encoder import open_session
from scholar_indexes.models.processor import count_cores, map_in_threads
from scholar_indexes.models.registry import ModelFiles

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLAIM_TOKENS = 40
PASSAGE_TOKENS = 112
CONTEXT_TOKENS = 12
"""Tokens of a claim, of a passage, and of the text on either side of it, at most."""

DEPTH, DEPTH_ON_CARD = 16, 300
"""Passages that are scored: on a CPU (docs/ranking.md), and on a graphics card."""

ONE_PAIR = 1
"""The size of a batch, in tokens, that has room for a single pair."""

Pair = tuple[list[int], int, int]
"""The ids of a claim and a passage with their marks, and the range of the passage."""

Inputs = dict[str, NDArray[np.int64]]
"""The inputs of the model by name, each (n, t)."""


class PairReader:
    """Converts a claim and passages, each (text before, passage, text after), to token ids."""

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self._tokenizer = tokenizer
        self._first, self._last = marks(tokenizer.token_to_id, name)

    def read(self, claim: str, passages: Sequence[tuple[str, str, str]]) -> list[Pair]:
        """Return the pairs as the model reads them."""
        claim_ids, *ids = (
            encoding.ids
            for encoding in self._tokenizer.encode_batch(
                [claim, *(text for passage in passages for text in passage)],
                add_special_tokens=False,
            )
        )
        start = [self._first, *claim_ids[:CLAIM_TOKENS], self._last]
        pairs = []
        for at in range(0, len(ids), 3):
            before = ids[at][max(0, len(ids[at]) - CONTEXT_TOKENS) :]
            inside = ids[at + 1][:PASSAGE_TOKENS]
            first = len(start) + len(before)
            text = [*start, *before, *inside, *ids[at + 2][:CONTEXT_TOKENS], self._last]
            pairs.append((text, first, first + len(inside)))
        return pairs


class CrossEncoder:
    """Scores passages for a claim."""

    reads_marks = True

    def __init__(
        self,
        run: Callable[[Inputs], Floats1d],
        reader: PairReader,
        depth: int = DEPTH,
        *,
        workers: int = 1,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        """`run` returns the scores of padded pairs, in `workers` threads at a time, each of at most
        `batch_tokens` tokens or a single pair."""
        self._run = run
        self._workers = workers
        self._batch_tokens = batch_tokens
        self.reader = reader
        self.depth = depth

    def score(self, claim: str, passages: Sequence[tuple[str, str, str]]) -> Floats1d:
        """Return the score of each passage (n,)."""
        pairs = self.reader.read(claim, passages)
        scores = np.zeros(len(pairs), np.float32)

        def run(rows: list[int]) -> None:
            scores[rows] = self._run(pad_pairs([pairs[row] for row in rows]))

        batches = batches_by_length([len(ids) for ids, _, _ in pairs], self._batch_tokens)
        map_in_threads(run, batches, self._workers)
        return scores


def load(model: ModelFiles, threads: int) -> CrossEncoder:
    """Return a packaged cross-encoder, which reads pairs one by one, as many at a time as there
    are threads: that takes two thirds of the time of padded batches in several threads.

    Raises Damaged when its files cannot be loaded.
    """
    session, tokenizer = open_session(model)

    def run(inputs: Inputs) -> Floats1d:
        scores: Floats1d = session.run(None, inputs)[0]
        return scores

    return CrossEncoder(
        run,
        PairReader(tokenizer, model.name),
        workers=threads or count_cores(),
        batch_tokens=ONE_PAIR,
    )


def pad_pairs(pairs: Sequence[Pair], multiple: int = 1) -> Inputs:
    """Return the inputs (n, t) of the model for some pairs, by name, padded to a multiple."""
    longest = -(-max(len(ids) for ids, _, _ in pairs) // multiple) * multiple
    ids, mask, types = np.zeros((3, len(pairs), longest), np.int64)
    for row, (tokens, first, end) in enumerate(pairs):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
        types[row, first:end] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
