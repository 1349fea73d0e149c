"""A packaged cross-encoder: a claim and a passage are read together.

    [CLS] claim [SEP] text before, passage, text after [SEP]                              typed
    [CLS] claim [SEP] [SEP] text before [unused0] passage [unused1] text after [SEP]      enclosed

Token types mark the passage (1) and all else (0). The graph returns one number for each pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import Damaged
from scholar_indexes.models.encoder import BATCH_TOKENS, batches_by_length, marks
from scholar_indexes.models.onnx_encoder import open_session
from scholar_indexes.models.processor import count_cores, map_in_threads
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CLAIM_TOKENS = 40
"""The most tokens of a claim."""

DEPTH, DEPTH_ON_CARD = 16, 300
"""The number of passages scored on a CPU (docs/ranking.md), and on a graphics card."""

ONE_PAIR = 1
"""The size of a batch, in tokens, that holds only one pair."""

Pair = tuple[list[int], int, int]
"""The token ids of a claim and a passage, and the range of the passage."""

Inputs = dict[str, NDArray[np.int64]]
"""The inputs of the model by name, each (n, t)."""


@dataclass(frozen=True, slots=True)
class PairLayout:
    """The layout of a pair: the most tokens of the passage and of the text on either side, the
    number of sentences on either side, and whether a second [SEP] precedes the text and two special
    tokens enclose the passage."""

    passage_tokens: int
    context_tokens: int
    context_sentences: int
    is_enclosed: bool


LAYOUTS = {
    "typed": PairLayout(112, 12, 2, is_enclosed=False),
    "enclosed": PairLayout(150, 64, 6, is_enclosed=True),
}
"""The layouts by their names in a model's card (default: "typed")."""

OPENING, CLOSING = "[unused0]", "[unused1]"
"""The tokens around an enclosed passage."""


class PairReader:
    """Converts a claim and passages, each (text before, passage, text after), to token ids."""

    def __init__(
        self, tokenizer: Tokenizer, name: str, layout: PairLayout = LAYOUTS["typed"]
    ) -> None:
        self._tokenizer = tokenizer
        self.layout = layout
        first, last = marks(tokenizer.token_to_id, name)
        self._start, self._between, self._end = [first], [last], [last]
        self._opening: list[int] = []
        self._closing: list[int] = []
        if layout.is_enclosed:
            self._between = [last, last]
            self._opening, self._closing = (
                [tokenizer.token_to_id(mark) or 0] for mark in (OPENING, CLOSING)
            )

    def read(self, claim: str, passages: Sequence[tuple[str, str, str]]) -> list[Pair]:
        """Return the pairs as the model reads them."""
        layout = self.layout
        claim_ids, *ids = (
            encoding.ids
            for encoding in self._tokenizer.encode_batch(
                [claim, *(text for passage in passages for text in passage)],
                add_special_tokens=False,
            )
        )
        start = [*self._start, *claim_ids[:CLAIM_TOKENS], *self._between]
        pairs = []
        for at in range(0, len(ids), 3):
            # Not [-n:], which is the whole list for n = 0.
            before = ids[at][max(0, len(ids[at]) - layout.context_tokens) :]
            inside = ids[at + 1][: layout.passage_tokens]
            after = ids[at + 2][: layout.context_tokens]
            opening = [*start, *before, *self._opening]
            text = [*opening, *inside, *self._closing, *after, *self._end]
            pairs.append((text, len(opening), len(opening) + len(inside)))
        return pairs


@dataclass(frozen=True, slots=True)
class PairModel:
    """The fields of a model's card on reading pairs: the weight of its scores relative to the first
    stage's, and the number of passages that it reads on a CPU."""

    name: str
    layout: PairLayout
    weight: float
    depth: int

    @classmethod
    def of_card(cls, model: ModelFiles) -> PairModel:
        """Return the fields of a model's card; raises Damaged if they cannot be read."""
        try:
            card = model.card()
            return cls(
                model.name,
                LAYOUTS[card.get("layout", "typed")],
                float(card.get("weight", 1.0)),
                min(max(int(card.get("depth", DEPTH)), 1), DEPTH_ON_CARD),
            )
        except (OSError, KeyError, ValueError, TypeError) as broken:
            raise Damaged(
                f"the card of {model.name} cannot be read ({broken}); "
                f"run: scholar models verify {model.name}"
            ) from broken


class CrossEncoder:
    """Scores passages for a claim."""

    def __init__(
        self,
        run: Callable[[Inputs], Floats1d],
        reader: PairReader,
        model: PairModel,
        depth: int | None = None,
        *,
        workers: int = 1,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        """`run` returns the scores of padded pairs; `workers` threads call it, each with at most
        `batch_tokens` tokens or a single pair."""
        self._run = run
        self._workers = workers
        self._batch_tokens = batch_tokens
        self.weight = model.weight
        self.reader = reader
        self.name = model.name
        self.depth = depth or model.depth
        self.context = model.layout.context_sentences
        self.is_slow = model.depth > DEPTH

    def score(
        self,
        claim: str,
        passages: Sequence[tuple[str, str, str]],
        progress: Progress = silent,
    ) -> Floats1d:
        """Return the score of each passage (n,)."""
        pairs = self.reader.read(claim, passages)
        scores = np.zeros(len(pairs), np.float32)
        done, lock = 0, Lock()

        def run(rows: list[int]) -> None:
            nonlocal done
            scores[rows] = self._run(pad_pairs([pairs[row] for row in rows]))
            with lock:
                done += len(rows)
                if self.is_slow:
                    progress("reading passages closely", done, len(pairs))

        batches = batches_by_length([len(ids) for ids, _, _ in pairs], self._batch_tokens)
        map_in_threads(run, batches, self._workers)
        return self.weight * scores


def load(model: ModelFiles, threads: int) -> CrossEncoder:
    """Return a packaged cross-encoder, which reads one pair per thread at a time: that takes two
    thirds of the time of padded batches.

    Raises Damaged if its files cannot be loaded.
    """
    pair_model = PairModel.of_card(model)
    session, tokenizer = open_session(model)

    def run(inputs: Inputs) -> Floats1d:
        scores: Floats1d = session.run(None, inputs)[0]
        return scores

    return CrossEncoder(
        run,
        PairReader(tokenizer, model.name, pair_model.layout),
        pair_model,
        workers=threads or count_cores(),
        batch_tokens=ONE_PAIR,
    )


def pad_pairs(pairs: Sequence[Pair], multiple: int = 1) -> Inputs:
    """Return the inputs (n, t) of the model for pairs, by name, padded to a multiple."""
    longest = -(-max(len(ids) for ids, _, _ in pairs) // multiple) * multiple
    ids, mask, types = np.zeros((3, len(pairs), longest), np.int64)
    for row, (tokens, first, end) in enumerate(pairs):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
        types[row, first:end] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
