"""Cross-encoders as torch modules: they are trained as these, and run as these on a graphics card.

Both kinds read a claim and a passage together, and compute a score from the first token and from
the means of the claim's and the passage's tokens. The small one starts from the packaged encoder
(MiniLM, Wang et al. 2020), the large one from all-mpnet-base-v2 (Song et al. 2020).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from scholar_indexes.models.cross_encoder import Pair, pad_pairs

ROWS = 16
"""Pairs in a batch; they are sorted by length and padded to a multiple of PADDING."""

PADDING = 16

HEAD_WIDTH = 256
"""The width between the two layers of the large model's head."""


class PairModule(nn.Module, ABC):  # type: ignore[misc]
    """Scores pairs of a claim and a passage; `first` and `last` are the ids of [CLS] and [SEP].

    The encoder runs in bfloat16 unless `is_exact`.
    """

    def __init__(self, encoder: Any, first: int, last: int) -> None:
        super().__init__()
        encoder.pooler = None  # its output is not used
        self.encoder = encoder
        self.width = int(encoder.config.hidden_size)
        self.cosine = nn.Parameter(torch.tensor(2.0))
        self.is_exact = False
        self._first, self._last = first, last

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return the score of each pair (n,); all inputs are (n, t)."""
        return self.read(
            self.encoder.embeddings.word_embeddings(input_ids),
            input_ids,
            attention_mask,
            token_type_ids,
        )

    def read(
        self,
        words: torch.Tensor,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor,
    ) -> torch.Tensor:
        """Return the scores (n,) for the word vectors of the tokens (n, t, d)."""
        with torch.autocast(words.device.type, torch.bfloat16, enabled=not self.is_exact):
            vectors = self.encode(words, attention_mask, token_type_ids)
        vectors = vectors.float()
        is_claim = ((input_ids == self._last).long().cumsum(1) == 0) & (input_ids != self._first)
        claim = _mean(vectors, is_claim.float())
        passage = _mean(vectors, token_type_ids.float())
        return self.rate(vectors[:, 0], claim, passage)

    @abstractmethod
    def encode(
        self, words: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return the vectors of tokens (n, t, d)."""

    @abstractmethod
    def rate(self, first: torch.Tensor, claim: torch.Tensor, passage: torch.Tensor) -> torch.Tensor:
        """Return the scores (n,) for the first token and both means, each (n, d)."""

    def score(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """Return the scores of pairs (n,), which are read in batches of like lengths."""
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][0]))
        batches = [order[at : at + ROWS] for at in range(0, len(order), ROWS)]
        scores = []
        for rows in batches:
            inputs = pad_pairs([pairs[row] for row in rows], PADDING)
            tensors = {
                name: torch.from_numpy(array).to(self.cosine.device)
                for name, array in inputs.items()
            }
            scores.append(self(**tensors))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(scores)[back]


class CrossEncoderModule(PairModule):
    """The small cross-encoder, whose score is added to the score of the first stage."""

    def __init__(self, encoder: Any, first: int, last: int) -> None:
        super().__init__(encoder, first, last)
        self.first_token = nn.Linear(self.width, 1)
        self.means = nn.Linear(2 * self.width, 1, bias=False)
        nn.init.zeros_(self.first_token.weight)
        nn.init.zeros_(self.means.weight)

    def encode(
        self, words: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return the vectors of tokens (n, t, d)."""
        vectors: torch.Tensor = self.encoder(
            inputs_embeds=words, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        return vectors

    def rate(self, first: torch.Tensor, claim: torch.Tensor, passage: torch.Tensor) -> torch.Tensor:
        """Return the scores (n,) for the first token and both means, each (n, d)."""
        means = torch.cat([claim * passage, (claim - passage).abs()], 1)
        scores: torch.Tensor = (
            self.first_token(first)[:, 0]
            + self.means(means)[:, 0]
            + self.cosine * nn.functional.cosine_similarity(claim, passage)
        )
        return scores


class LargeCrossEncoderModule(PairModule):
    """The large cross-encoder. Its score is a logit of "this passage supports the claim"."""

    def __init__(self, encoder: Any, first: int, last: int) -> None:
        super().__init__(encoder, first, last)
        self.hidden = nn.Linear(4 * self.width, HEAD_WIDTH)
        self.output = nn.Linear(HEAD_WIDTH, 1)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        nn.init.constant_(self.cosine, 6.0)

    def encode(
        self, words: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return the vectors of tokens (n, t, d); this model's tokens have no types."""
        vectors: torch.Tensor = self.encoder(
            inputs_embeds=words, attention_mask=attention_mask
        ).last_hidden_state
        return vectors

    def rate(self, first: torch.Tensor, claim: torch.Tensor, passage: torch.Tensor) -> torch.Tensor:
        """Return the scores (n,) for the first token and both means, each (n, d)."""
        means = torch.cat([first, passage, claim * passage, (claim - passage).abs()], 1)
        rated = self.output(nn.functional.gelu(self.hidden(means)))[:, 0]
        scores: torch.Tensor = rated + self.cosine * nn.functional.cosine_similarity(claim, passage)
        return scores


def _mean(vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the means (n, d) of the token vectors (n, t, d) in a mask (n, t)."""
    total = (vectors * mask[..., None]).sum(1)
    return total / mask.sum(1, keepdim=True).clamp(min=1)
