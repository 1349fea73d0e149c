"""The packaged cross-encoder as a torch module: it is trained as this, and runs as this on a
graphics card.

It starts from the trained encoder of claims and passages. A score is put together from the first
token, from the means of the claim's and of the passage's tokens (their cosine, their product and
their difference), and is what to add to that of the first stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from scholar_indexes.models.cross_encoder import Pair, pad_pairs

ROWS = 8
"""Pairs of a batch: they are sorted by length, and a batch is padded to a multiple of PADDING."""

PADDING = 16


class CrossEncoderModule(nn.Module):  # type: ignore[misc]
    """Scores pairs of a claim and a passage; `first` and `last` are the ids of [CLS] and [SEP].

    The encoder runs in bfloat16 unless `is_exact`.
    """

    def __init__(self, encoder: Any, first: int, last: int) -> None:
        super().__init__()
        encoder.pooler = None  # its output is not used
        self.encoder = encoder
        width = int(encoder.config.hidden_size)
        self.first_token = nn.Linear(width, 1)
        self.means = nn.Linear(2 * width, 1, bias=False)
        nn.init.zeros_(self.first_token.weight)
        nn.init.zeros_(self.means.weight)
        self.cosine = nn.Parameter(torch.tensor(2.0))
        self.first_stage = nn.Parameter(torch.tensor(1.0))
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
            vectors = self.encoder(
                inputs_embeds=words, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
        vectors = vectors.float()
        is_claim = ((input_ids == self._last).long().cumsum(1) == 0) & (input_ids != self._first)
        claim = _mean(vectors, is_claim.float())
        passage = _mean(vectors, token_type_ids.float())
        means = torch.cat([claim * passage, (claim - passage).abs()], 1)
        scores: torch.Tensor = (
            self.first_token(vectors[:, 0])[:, 0]
            + self.means(means)[:, 0]
            + self.cosine * nn.functional.cosine_similarity(claim, passage)
        )
        return scores

    def score(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """Return the scores of pairs (n,), which are read in batches of like lengths."""
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][0]))
        batches = [order[at : at + ROWS] for at in range(0, len(order), ROWS)]
        scores = []
        for rows in batches:
            inputs = pad_pairs([pairs[row] for row in rows], PADDING)
            scores.append(self(**{name: torch.from_numpy(array) for name, array in inputs.items()}))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(scores)[back]


def _mean(vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the means (n, d) of the token vectors (n, t, d) in a mask (n, t)."""
    total = (vectors * mask[..., None]).sum(1)
    return total / mask.sum(1, keepdim=True).clamp(min=1)
